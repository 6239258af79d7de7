import { newKey } from '../keys.ts';
import { constants } from '../lsl/library.ts';
import type { RunningScript } from '../lsl/script.ts';
import { isKey } from '../lsl/values.ts';
import type { Clock } from './clock.ts';
import type { LinksetData, Pair } from './linkset.ts';

/** The prims of the world, and the state of a script in a prim. */

/** An item in an object's contents: `type` and `permissions` are LSL's `INVENTORY_` and `PERM_` numbers. */
export interface Item {
  name: string;
  type: number;
  permissions: number;
  id: string;
  /** The time at which it came into the contents, in the platform's form. */
  since?: string;
  /** The text of a script. */
  source?: string;
}

/** The contents of an object. `find` may know items that `list` does not have. */
export interface Contents {
  find: (name: string) => Item | undefined;
  list: () => Item[];
}

/** The state that the scripts of a prim share. Its owner and its linkset may change. */
export interface Prim {
  id: string;
  owner: string;
  /** True if the owner is a group, which allows nothing and pays nobody. */
  isDeeded: boolean;
  /** The group that the prim is set to; empty for none. */
  group: string;
  name: string;
  contents: Contents;
  /** The number with which others may load a script into it; 0 for none. */
  pin: number;
  /** The lines of each notecard. */
  notecards: Record<string, string[]>;
  seen: { text: string; textures: Map<number, string> };
  linkset: Linkset;
}

/** Linked prims are one object. They share their memory, and the number of their requests to the web. */
export interface Linkset {
  data: LinksetData;
  prims: Prim[];
  /** The prices in the pay window of each prim. Only the root can set them. If empty, the viewer offers its own. */
  payPrice: number[];
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

/** The world as an object sees it. It may call back at once or later. */
export interface WorldView {
  clock: Clock;
  region: () => string;
  /** The name of the machine that runs the region. The name tells which grid it is. */
  host: () => string;
  /** The owner of a prim in the region. */
  ownerOf: (prim: string) => string | undefined;
  /** The time at which the region last started. */
  regionStartedAt: () => number;
  /** The avatar's canonical name; undefined if nobody has that UUID. */
  nameOf: (uuid: string) => string | undefined;
  uuidOf: (name: string) => string | undefined;
  /** False for an avatar who has left the region. */
  isPresent: (uuid: string) => boolean;
  /** The group whose tag an avatar wears; empty for none. */
  groupOf: (uuid: string) => string;
  /** False for a line of a notecard that the region never brings. */
  bringsLine: (card: string, line: number) => boolean;
  /** Notecards from which the region has brought a line. It has their other lines at hand. */
  atHand: () => WeakSet<readonly string[]>;
  /** False for a line that the region has dropped since, as a busy region does. */
  keepsLine: (card: string, line: number) => boolean;
  /** False if there are too many look-ups. */
  mayLookUp: () => boolean;
  lookUp: (kind: 'key' | 'username', of: string, answer: (data: string) => void) => void;
  /** Answers undefined if the region has no address left. */
  grantUrl: (answer: (url: string | undefined) => void) => void;
  /** The number of addresses that the region has left. */
  freeUrls: () => number;
  releaseUrl: (url: string) => void;
  /** False if all objects of the owner together have made too many requests. */
  mayRequest: () => boolean;
  send: (request: WebRequest, answer: (answer: WebAnswer | undefined) => void) => void;
  give: (to: string, item: Item) => void;
  message: (to: string, text: string) => void;
  dialog: (to: string, text: string, buttons: string[], channel: number) => void;
  /** Shows a window that offers to open an address in the avatar's browser. */
  offerPage: (to: string, text: string, url: string) => void;
  regionSay: (channel: number, text: string) => void;
  say: (channel: number, text: string, to?: string) => void;
  /**
   * Puts a script of this object's contents into another prim. False without the prim's pin, for a prim of another
   * owner, and for a script that the contents do not have.
   */
  loadScript: (prim: string, name: string, pin: number) => boolean;
  /** Tells the scripts of these prims of the object. */
  messageLinked: (prims: readonly Prim[], number: number, text: string, id: string) => void;
  /**
   * Transfers L$. `id` is the id in the account's history. The error is the tag that a script gets. A transfer may also
   * fail without any answer.
   */
  transfer: (to: string, amount: number, answer: (error: string | undefined) => void, id: string) => void;
  /** False if the owner's scripts have made too many transfers in the region. */
  mayTransfer: () => boolean;
  /** Shouts an error to the owner. */
  shout: (text: string) => void;
}

/** Cuts a text to at most this many bytes of UTF-8, at the end of a character. */
export const cut = (text: string, bytes: number): string => {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let end = bytes;
  // A byte that begins with the bits 10 continues a character.
  while (((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString('utf8', 0, end);
};

const maxPending = 64;
/** A request to a script ends after this many seconds without an answer. */
const incomingSeconds = 25;

/** Makes a function that allows at most `most` uses within a span of seconds. */
export const throttle = (clock: Clock, most: number, seconds: number): (() => boolean) => {
  let uses: number[] = [];
  return () => {
    uses = uses.filter((at) => at > clock.now() - seconds * 1000);
    if (uses.length >= most) return false;
    uses.push(clock.now());
    return true;
  };
};

interface ChatListener {
  handle: number;
  channel: number;
  name: string;
  id: string;
  message: string;
}

type PendingRequest = { url: string; body: string; answer: (status: number, text: string) => void };

interface ScriptPlace {
  prim: Prim;
  scriptName: string;
  /** If false, only llSleep makes the script wait. */
  delays: boolean;
}

/** The state of a script in a prim, which its functions read and change. */
export class Body {
  readonly id: string;
  readonly name: string;
  readonly seen: Prim['seen'];
  readonly prim: Prim;
  readonly scriptName: string;
  readonly around: WorldView;
  /** A function, since the script is made after its body. */
  readonly script: () => RunningScript;
  readonly clock: Clock;
  readonly urls = new Set<string>();
  /** Requests from outside that wait for the script's answer. */
  readonly pending = new Map<string, PendingRequest>();
  readonly #delays: boolean;
  /** The seconds that the script has to wait. */
  seconds = 0;
  listens: ChatListener[] = [];
  handles = 0;
  granted = 0;
  detected: readonly string[] = [];
  /** The prim that they touched. */
  touched: Prim | undefined;
  /** Replaced when the region restarts. Requests of an earlier life get no answer. */
  life = {};
  /** The running timer, until another replaces it. */
  #timer = { seconds: 0 };

  constructor({ prim, scriptName, delays }: ScriptPlace, around: WorldView, script: () => RunningScript) {
    this.id = prim.id;
    this.name = prim.name;
    this.seen = prim.seen;
    this.prim = prim;
    this.scriptName = scriptName;
    this.#delays = delays;
    this.around = around;
    this.script = script;
    this.clock = around.clock;
  }

  get owner(): string {
    return this.prim.owner;
  }

  /** The root has the number 1. A prim that is not linked has the number 0. */
  linkNumber(prim = this.prim): number {
    const { prims } = prim.linkset;
    return prims.length === 1 ? 0 : prims.indexOf(prim) + 1;
  }

  /** The prims of the object that a number, or one of LSL's constants for many, stands for. */
  linked(link: number): readonly Prim[] {
    const { prims } = this.prim.linkset;
    if (link === constants.LINK_SET) return prims;
    if (link === constants.LINK_ALL_OTHERS) return prims.filter((prim) => prim !== this.prim);
    if (link === constants.LINK_ALL_CHILDREN) return prims.slice(1);
    if (link === constants.LINK_THIS) return [this.prim];
    return prims.slice(Math.max(link - 1, 0), Math.max(link, 1));
  }

  get payPrice(): readonly number[] {
    return this.prim.linkset.payPrice;
  }

  /** The pairs that the linkset remembers, by name. */
  get linksetData(): ReadonlyMap<string, Pair> {
    return this.prim.linkset.data.pairs;
  }

  wait<T>(duration: number, value: T): T {
    if (this.#delays) this.seconds += duration;
    return value;
  }

  later(run: () => void, duration = 0): void {
    const then = this.life;
    this.clock.after(duration, () => {
      if (then === this.life) run();
    });
  }

  /** Asks for data that comes as an event. Answers the key of the query. */
  dataserver(answer: (tell: (data: string) => void) => void): string {
    const query = newKey();
    this.later(() => answer((data) => this.script().send('dataserver', query, data)));
    return query;
  }

  refuse(text: string): void {
    this.around.shout(text);
  }

  setTimer(interval: number): void {
    const current = { seconds: interval };
    this.#timer = current;
    const ring = (): void => {
      if (this.#timer !== current) return;
      this.clock.after(interval, ring);
      this.script().send('timer');
    };
    if (interval > 0) this.clock.after(interval, ring);
  }

  timer(): number {
    return this.#timer.seconds;
  }

  /**
   * Keeps the timer, the listeners and the permissions. The returned function restores them, as when the region starts.
   */
  save(): () => void {
    const [interval, listens, granted] = [this.#timer.seconds, this.listens, this.granted];
    return () => {
      this.loseConnections();
      this.setTimer(interval);
      this.listens = listens;
      this.granted = granted;
    };
  }

  /** Returns the seconds that the script has to wait, and sets them to 0. */
  waited(): number {
    const waited = this.seconds;
    this.seconds = 0;
    return waited;
  }

  onState(isReset: boolean): void {
    this.listens = [];
    if (!isReset) return;
    this.#timer = { seconds: 0 };
    this.granted = 0;
    this.#releaseUrls();
  }

  onEvent(event: string, values: readonly unknown[]): void {
    if (event === 'touch_start') [, this.detected, this.touched] = values as [number, string[], Prim];
  }

  /** Gives the script the owner's answer to its request for permissions. */
  grant(permissions: number): void {
    this.granted = permissions;
    this.script().send('run_time_permissions', permissions);
  }

  forgetPermissions(): void {
    this.granted = 0;
  }

  /** Passes chat to the script if the script listens for it. */
  hear(channel: number, from: string, speaker: string, message: string): void {
    const isHeard = this.listens.some(
      (listen) =>
        listen.channel === channel &&
        (listen.name === '' || listen.name === from) &&
        (!isKey(listen.id) || listen.id === speaker) &&
        (listen.message === '' || listen.message === message),
    );
    if (isHeard) this.script().send('listen', channel, from, speaker, message);
  }

  listening(): number[] {
    return this.listens.map(({ channel }) => channel);
  }

  owns(url: string): boolean {
    return this.urls.has(url);
  }

  /** Passes a request from outside to the script. Without an answer, it gets 504 after 25 seconds. */
  receive(url: string, method: string, body: string, answer: PendingRequest['answer']): void {
    if (this.pending.size >= maxPending) {
      answer(503, 'Service Unavailable');
      return;
    }
    const request = newKey();
    this.pending.set(request, { url, body, answer });
    if (!this.script().send('http_request', request, method, cut(body, 2048))) {
      this.pending.delete(request);
      answer(500, 'Internal Server Error');
      return;
    }
    this.clock.after(incomingSeconds, () => {
      if (this.pending.delete(request)) answer(504, 'Gateway Timeout');
    });
  }

  /** Makes its addresses lead nowhere. The script does not learn of it. */
  loseUrls(): void {
    this.urls.clear();
  }

  /** Restarts its region: addresses and requests under way are gone, timer and memory stay. */
  loseConnections(): void {
    this.life = {};
    this.#releaseUrls();
  }

  #releaseUrls(): void {
    for (const url of this.urls) this.around.releaseUrl(url);
    this.urls.clear();
    this.pending.clear();
  }
}
