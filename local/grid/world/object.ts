import { randomUUID } from 'node:crypto';
import { constants, type Functions } from '../lsl/library.ts';
import { memoryBytes, Reset, type RunningScript } from '../lsl/script.ts';
import { isKey, List, nullKey, ScriptError, textOf, Vector } from '../lsl/values.ts';
import type { Clock } from './clock.ts';
import type { LinksetData, Pair } from './linkset.ts';

/** The functions with which a script acts on its object, within the limits that the platform documents. */

/** An item in an object's contents: `type` and `permissions` are LSL's `INVENTORY_` and `PERM_` numbers. */
export interface Item {
  name: string;
  type: number;
  permissions: number;
  id: string;
  /** When it came into the contents, as the platform writes a time. */
  since?: string;
}

/** The contents of an object: a list, or a rule that has any item that is asked for. */
export interface Contents {
  find: (name: string) => Item | undefined;
  list: () => Item[];
}

/** The state that the scripts of a prim share. Its owner and its linkset change. */
export interface Prim {
  id: string;
  owner: string;
  /** The owner is a group, which allows nothing and pays nobody. */
  isDeeded: boolean;
  name: string;
  contents: Contents;
  /** The lines of each notecard. */
  notecards: Record<string, string[]>;
  seen: { text: string; payPrice: number[]; textures: Map<number, string> };
  linkset: Linkset;
}

/** Prims that are linked are one object. They share their memory, and a number of requests to the web. */
export interface Linkset {
  data: LinksetData;
  prims: Prim[];
  mayRequest: () => boolean;
}

export interface WebRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
}
export interface WebAnswer {
  status: number;
  type: string;
  body: string;
}

/** The world as an object sees it. A call back may come at once or later. */
export interface Around {
  clock: Clock;
  region: () => string;
  /** The name of the machine that runs the region, which names the grid. */
  host: () => string;
  /** The avatar's canonical name; undefined where nobody has that UUID. */
  nameOf: (uuid: string) => string | undefined;
  uuidOf: (name: string) => string | undefined;
  /** False for an avatar who has left the region. */
  isPresent: (uuid: string) => boolean;
  /** False where the region lets no more look-ups through. */
  mayLookUp: () => boolean;
  lookUp: (kind: 'key' | 'username', of: string, answer: (data: string) => void) => void;
  /** Undefined where the region has no address left. */
  grantUrl: (answer: (url: string | undefined) => void) => void;
  releaseUrl: (url: string) => void;
  /** False where all objects of the owner together have made too many requests. */
  mayRequest: () => boolean;
  send: (request: WebRequest, answer: (answer: WebAnswer | undefined) => void) => void;
  give: (to: string, item: Item) => void;
  message: (to: string, text: string) => void;
  dialog: (to: string, text: string, buttons: string[], channel: number) => void;
  regionSay: (channel: number, text: string) => void;
  say: (channel: number, text: string, to?: string) => void;
  /** Carries L$ away. The error is the tag that a script gets; a call back that never comes is one too. */
  transfer: (to: string, amount: number, answer: (error: string | undefined) => void) => void;
  /** False where the scripts of the owner have made too many transfers in the region. */
  mayTransfer: () => boolean;
  /** Errors as the region shouts them to the owner. */
  shout: (text: string) => void;
}

const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** A text cut to so many bytes of UTF-8, at the end of a character. */
const cut = (text: string, bytes: number): string => {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let end = bytes;
  // A byte that begins with the bits 10 continues a character.
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString('utf8', 0, end);
};

/** Copy, modify and transfer. */
const allowsAll = 0xe000;
const maxPending = 64;
const maxListens = 65;
/** An incoming request that a script does not answer ends after so many seconds, an outgoing one too. */
const incomingSeconds = 25;
const outgoingSeconds = 60;
const passedTypes =
  /^(?:text\/|application\/(?:json|xml|xhtml\+xml|atom\+xml|rss\+xml|llsd\+xml|x-javascript|javascript|x-www-form-urlencoded)(?:;|$))/;
const shardHeaders = { 'X-SecondLife-Shard': 'Production', Accept: 'text/*, application/json, application/xml' };

/** Counts uses within a span of seconds. */
export const throttle = (clock: Clock, most: number, seconds: number): (() => boolean) => {
  let uses: number[] = [];
  return () => {
    uses = uses.filter((at) => at > clock.now() - seconds * 1000);
    if (uses.length >= most) return false;
    uses.push(clock.now());
    return true;
  };
};

interface Listen {
  handle: number;
  channel: number;
  name: string;
  id: string;
  message: string;
}

type Pending = { url: string; body: string; answer: (status: number, text: string) => void };

/** The state of a script in a prim, and its functions. `script` is asked for only once the script runs. */
export const createBody = (
  { prim, scriptName, delays }: { prim: Prim; scriptName: string; delays: boolean },
  around: Around,
  script: () => RunningScript,
) => {
  const { clock } = around;
  const { id, name, contents, notecards, seen } = prim;
  const pending = new Map<string, Pending>();
  const urls = new Set<string>();
  let seconds = 0;
  let listens: Listen[] = [];
  let handles = 0;
  let granted = 0;
  let detected: readonly string[] = [];
  /** The timer that runs; a later one takes its place. */
  let timer = { seconds: 0 };
  /** Requests under way do not survive their region. */
  let life = {};

  const wait = <T>(duration: number, value: T): T => {
    if (delays) seconds += duration;
    return value;
  };
  const later = (run: () => void, duration = 0): void => {
    const then = life;
    clock.after(duration, () => {
      if (then === life) run();
    });
  };
  const dataserver = (answer: (tell: (data: string) => void) => void): string => {
    const query = randomUUID();
    later(() => answer((data) => script().send('dataserver', query, data)));
    return query;
  };
  const refuse = (text: string): void => around.shout(text);

  const setTimer = (interval: number): void => {
    const current = { seconds: interval };
    timer = current;
    const ring = (): void => {
      if (timer !== current) return;
      clock.after(interval, ring);
      script().send('timer');
    };
    if (interval > 0) clock.after(interval, ring);
  };

  const itemOf = (item: string): Item | undefined =>
    contents.find(item) ?? contents.list().find((one) => one.name === item);

  const inventory: Functions = {
    'integer llGetInventoryType(string)': (item: string) => itemOf(item)?.type ?? -1,
    // Only who has all permissions on an item may know its key.
    'key llGetInventoryKey(string)': (item: string) => {
      const found = itemOf(item);
      return found && (found.permissions & allowsAll) === allowsAll ? found.id : nullKey;
    },
    'integer llGetInventoryNumber(integer)': (type: number) => ofType(type).length,
    'string llGetInventoryName(integer, integer)': (type: number, place: number) => ofType(type)[place]?.name ?? '',
    'integer llGetInventoryPermMask(string, integer)': (item: string) => itemOf(item)?.permissions ?? 0,
    'string llGetInventoryAcquireTime(string)': (item: string) => itemOf(item)?.since ?? '',
    'string llGetScriptName()': () => scriptName,
    'key llGetNotecardLine(string, integer) waits': (card: string, line: number) =>
      wait(
        0.1,
        dataserver((tell) => {
          const lines = notecards[card] ?? [];
          tell(line < lines.length ? cut(lines[line] ?? '', 1024) : String(constants.EOF));
        }),
      ),
    'void llGiveInventory(key, string) waits': (to: string, item: string) => {
      const found = itemOf(item);
      if (!found) return refuse(`Could not find inventory item '${item}'.`);
      if (to !== prim.owner && (found.permissions & 0x2000) === 0) return refuse(`${item} is not transferable.`);
      around.give(to, found);
      return wait(2, undefined);
    },
  };
  const ofType = (type: number): Item[] =>
    contents
      .list()
      .filter((item) => type === -1 || item.type === type)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));

  const say: Functions = {
    'void llOwnerSay(string)': (text: string) => around.say(0, cut(text, 1024), prim.owner),
    'void llRegionSayTo(key, integer, string)': (to: string, channel: number, text: string) =>
      around.say(channel, cut(text, 1024), to),
    'void llRegionSay(integer, string)': (channel: number, text: string) =>
      channel === 0 ? refuse('llRegionSay: not on channel 0.') : around.regionSay(channel, cut(text, 1024)),
    'void llInstantMessage(key, string) waits': (to: string, text: string) => {
      around.message(to, cut(text, 1023));
      return wait(2, undefined);
    },
    'void llDialog(key, string, list, integer) waits': (to: string, text: string, { items }: List, channel: number) => {
      const buttons = items.length > 0 ? items.map(textOf) : ['OK'];
      if (text === '' || utf8Bytes(text) > 512) refuse('llDialog: the text must have 1 to 512 bytes.');
      else if (buttons.length > 12) refuse('llDialog: at most 12 buttons.');
      else if (buttons.some((button) => button === '' || utf8Bytes(button) > 24))
        refuse('llDialog: a button must have 1 to 24 bytes.');
      else if (items.some((item) => typeof item !== 'string')) refuse('llDialog: a button must be a string.');
      else around.dialog(to, text, buttons, channel);
      return wait(1, undefined);
    },
    'void llTextBox(key, string, integer) waits': (to: string, text: string, channel: number) => {
      if (text === '' || utf8Bytes(text) > 512) refuse('llTextBox: the text must have 1 to 512 bytes.');
      else around.dialog(to, text, [], channel);
      return wait(1, undefined);
    },
    'integer llListen(integer, string, key, string)': (channel: number, from: string, of: string, message: string) => {
      if (listens.length >= maxListens) throw new ScriptError('Too Many Listens');
      handles += 1;
      listens.push({ handle: handles, channel, name: from, id: of, message });
      return handles;
    },
    'void llListenRemove(integer)': (handle: number) => {
      listens = listens.filter((one) => one.handle !== handle);
    },
    'void llSetText(string, vector, float)': (text: string) => {
      seen.text = cut(text, 254);
    },
    'void llSetTexture(string, integer) waits': (texture: string, face: number) => {
      seen.textures.set(face, texture);
      return wait(0.2, undefined);
    },
    'void llSetPayPrice(integer, list)': (price: number, { items }: List) => {
      seen.payPrice = [price, ...items.map(Number)];
    },
  };

  const web: Functions = {
    'key llRequestSecureURL()': () => {
      const request = randomUUID();
      later(() =>
        around.grantUrl((url) => {
          if (url) urls.add(url);
          if (url) script().send('http_request', request, constants.URL_REQUEST_GRANTED, url);
          else script().send('http_request', request, constants.URL_REQUEST_DENIED, 'No URLs available.');
        }),
      );
      return request;
    },
    'void llReleaseURL(string)': (url: string) => {
      if (urls.delete(url)) around.releaseUrl(url);
    },
    'void llHTTPResponse(key, integer, string)': (request: string, status: number, text: string) => {
      const waiting = pending.get(request);
      pending.delete(request);
      waiting?.answer(status, text);
    },
    'key llHTTPRequest(string, list, string)': (url: string, options: List, body: string) => {
      const { headers, ...chosen } = webOptions(options);
      if (!prim.linkset.mayRequest() || !around.mayRequest()) {
        if (chosen.isVerbose) around.shout('llHTTPRequest: too many HTTP requests too fast.');
        return nullKey;
      }
      const request = randomUUID();
      let answered = false;
      const answer = (status: number, text: string): void => {
        if (answered) return;
        answered = true;
        script().send('http_response', request, status, noMetadata, text);
      };
      const then = life;
      // A space ends an address.
      if (/\s/.test(url) || !/^https?:\/\//i.test(url)) later(() => answer(499, ''));
      else
        around.send({ url, method: chosen.method, headers: { ...shardHeaders, ...headers }, body }, (result) => {
          if (then !== life) return;
          if (!result) answer(499, '');
          else if (!passedTypes.test(result.type.toLowerCase())) answer(415, 'Unsupported or unknown Content-Type.');
          else answer(result.status, cut(result.body, chosen.maxBytes));
        });
      later(() => answer(499, ''), outgoingSeconds);
      return request;
    },
  };
  const noMetadata = new List([]);
  const webOptions = ({ items }: List) => {
    const chosen = { method: 'GET', maxBytes: 2048, isVerbose: true, headers: {} as Record<string, string> };
    for (let at = 0; at < items.length; at += 2) {
      const value = items[at + 1];
      switch (items[at]) {
        case constants.HTTP_METHOD:
          chosen.method = String(value);
          break;
        case constants.HTTP_MIMETYPE:
          chosen.headers['Content-Type'] = String(value);
          break;
        case constants.HTTP_BODY_MAXLENGTH:
          chosen.maxBytes = Math.min(Number(value), 16_384);
          break;
        case constants.HTTP_VERBOSE_THROTTLE:
          chosen.isVerbose = value !== 0;
          break;
        case constants.HTTP_ACCEPT:
          chosen.headers.Accept = String(value);
          break;
        case constants.HTTP_CUSTOM_HEADER: {
          const text = textOf(items[at + 2] ?? '');
          if (String(value).length + text.length > 253) throw new ScriptError('llHTTPRequest: a header is too long');
          chosen.headers[String(value)] = text;
          at += 1;
          break;
        }
        default:
          throw new ScriptError(`llHTTPRequest: unknown option ${items[at]}`);
      }
    }
    return chosen;
  };

  /** A script of a linkset asks the linkset that it is part of now. */
  const memory: Functions = Object.fromEntries(
    Object.keys(prim.linkset.data.functionsOf(id)).map((signature) => [
      signature,
      (...values: never[]) => prim.linkset.data.functionsOf(id)[signature]?.(...values),
    ]),
  );

  const people: Functions = {
    'key llGetOwner()': () => prim.owner,
    'key llGetKey()': () => id,
    'integer llGetNumberOfPrims()': () => prim.linkset.prims.length,
    // A prim that stands alone has the number 0.
    'key llGetLinkKey(integer)': (place: number) =>
      prim.linkset.prims[prim.linkset.prims.length === 1 ? place : place - 1]?.id ?? nullKey,
    'vector llGetAgentSize(key)': (avatar: string) =>
      around.isPresent(avatar) ? new Vector(0.45, 0.6, 1.9) : new Vector(0, 0, 0),
    'string llGetObjectName()': () => name,
    'string llGetRegionName()': () => around.region(),
    'string llGetEnv(string)': (name: string) => {
      if (name !== 'simulator_hostname') throw new ScriptError(`llGetEnv: this world does not know ${name}`);
      return around.host();
    },
    'integer llGetUnixTime()': () => Math.floor(clock.now() / 1000),
    'key llDetectedKey(integer)': (place: number) => detected[place] ?? nullKey,
    'key llRequestUserKey(string)': (username: string) => lookUp('key', username),
    'key llRequestUsername(key)': (uuid: string) => lookUp('username', uuid),
    'string llGetUsername(key)': (uuid: string) => around.nameOf(uuid) ?? '',
    'void llRequestPermissions(key, integer)': (of: string, wanted: number) => {
      // Nobody can allow for a group.
      if (!prim.isDeeded) around.dialog(of, `permissions ${wanted}`, ['Allow', 'Deny'], Number.NaN);
    },
    'integer llGetPermissions()': () => granted,
    'key llTransferLindenDollars(key, integer)': (to: string, amount: number) => {
      const transaction = randomUUID();
      const tell = (error?: string): void =>
        void script().send('transaction_result', transaction, error ? 0 : 1, error ?? `${to},${amount}`);
      later(() => {
        if ((granted & 2) === 0) tell('MISSING_PERMISSION_DEBIT');
        else if (prim.isDeeded) tell('GROUP_OWNED');
        else if (!isKey(to)) tell('INVALID_AGENT');
        else if (amount <= 0) tell('INVALID_AMOUNT');
        else if (!around.mayTransfer()) tell('THROTTLED');
        else around.transfer(to, amount, tell);
      });
      return transaction;
    },
  };
  const lookUp = (kind: 'key' | 'username', of: string): string =>
    around.mayLookUp() ? dataserver((tell) => around.lookUp(kind, of, tell)) : nullKey;

  const own: Functions = {
    'void llSetTimerEvent(float)': setTimer,
    'void llSleep(float) waits': (duration: number) => {
      // A script that sleeps does so in a region without other delays too.
      seconds += Math.max(0, duration);
    },
    'void llResetScript()': () => {
      throw new Reset();
    },
    'integer llGetFreeMemory()': () => memoryBytes - script().memory().used,
    'integer llGetUsedMemory()': () => script().memory().used,
  };

  const releaseUrls = (): void => {
    for (const url of urls) around.releaseUrl(url);
    urls.clear();
    pending.clear();
  };

  return {
    id,
    name,
    seen,
    prim,
    get owner(): string {
      return prim.owner;
    },
    /** The pairs that the linkset remembers, by name. */
    get linksetData(): ReadonlyMap<string, Pair> {
      return prim.linkset.data.pairs;
    },
    functions: { ...inventory, ...say, ...web, ...memory, ...people, ...own } as Functions,
    waited: (): number => {
      const waited = seconds;
      seconds = 0;
      return waited;
    },
    onState: (isReset: boolean): void => {
      listens = [];
      if (!isReset) return;
      timer = { seconds: 0 };
      granted = 0;
      releaseUrls();
    },
    onEvent: (event: string, values: readonly unknown[]): void => {
      if (event === 'touch_start') detected = values[1] as string[];
    },
    /** The owner has allowed what the script asked for, or nothing. */
    grant: (permissions: number): void => {
      granted = permissions;
      script().send('run_time_permissions', permissions);
    },
    forgetPermissions: (): void => {
      granted = 0;
    },
    /** Chat reaches the script if it listens for it. */
    hear: (channel: number, from: string, speaker: string, message: string): void => {
      const isHeard = listens.some(
        (listen) =>
          listen.channel === channel &&
          (listen.name === '' || listen.name === from) &&
          (!isKey(listen.id) || listen.id === speaker) &&
          (listen.message === '' || listen.message === message),
      );
      if (isHeard) script().send('listen', channel, from, speaker, message);
    },
    listening: () => listens.map(({ channel }) => channel),
    owns: (url: string): boolean => urls.has(url),
    /** A request from outside. Without an answer of the script it is 504 after 25 seconds. */
    receive: (url: string, method: string, body: string, answer: (status: number, text: string) => void) => {
      if (pending.size >= maxPending) return answer(503, 'Service Unavailable');
      const request = randomUUID();
      pending.set(request, { url, body, answer });
      const isTaken = script().send('http_request', request, method, cut(body, 2048));
      if (!isTaken) pending.delete(request);
      if (!isTaken) return answer(500, 'Internal Server Error');
      clock.after(incomingSeconds, () => {
        if (pending.delete(request)) answer(504, 'Gateway Timeout');
      });
    },
    /** Its addresses lead nowhere any more, and nobody says so. */
    loseUrls: (): void => urls.clear(),
    /** The region starts again: addresses and requests under way are gone, timers and memory stay. */
    loseConnections: (): void => {
      life = {};
      releaseUrls();
    },
    timer: (): number => timer.seconds,
  };
};
