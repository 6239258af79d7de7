import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { uuidPattern } from '../../lib/identifier.ts';

const source = readFileSync(new URL('../../inworld/dispenser.lsl', import.meta.url), 'utf8');

/**
 * The script as JavaScript. LSL's types and casts fall away and the events of its state become functions: enough for a
 * script that keeps to strings, whole numbers, flat lists and calls.
 */
const translated = source
  .replace(/^default\n\{\n([\s\S]*)\n\}$/m, (_, state: string) => state.replaceAll(/^ {4}/gm, ''))
  .replaceAll(/if \(\(key\)(\w+)\)/g, 'if (isUuid($1))')
  .replaceAll(/\(integer\)(\w+\(\))/g, 'Number($1)')
  .replaceAll(/\((string|integer|key)\)/g, '')
  .replaceAll(/^(?:string |integer )?(\w+)\(([^)]*)\)\n\{/gm, (_, name: string, parameters: string) => {
    return `function ${name}(${parameters.replaceAll(/\b(string|integer|key|list) /g, '')})\n{`;
  })
  .replaceAll(/\b(?:string|key) (\w+);/g, "var $1 = '';")
  .replaceAll(/\binteger (\w+);/g, 'var $1 = 0;')
  .replaceAll(/\blist (\w+);/g, 'var $1 = [];')
  .replaceAll(/(\w+) \+= (\[.*\]);/g, '$1 = $1.concat($2);')
  .replaceAll(/\b(?:string|integer|key|float|list) (\w+) =/g, 'var $1 =');

/** LSL's substrings: both ends are part of it, and a negative one counts from the end. */
const bounds = (text: string, first: number, last: number): [number, number] => [
  first < 0 ? Math.max(0, text.length + first) : first,
  (last < 0 ? text.length + last : last) + 1,
];

const nullKey = '00000000-0000-0000-0000-000000000000';

interface Call {
  url: string;
  method: string;
  body: string;
  /** Answers the call. */
  answer: (status: number, body?: object | string) => void;
}

const items = ['Blue lamp', 'Red lamp'];

/**
 * Runs the script in an object of a region, whose notecard has these lines and whose contents are two lamps. Answers what
 * it told its owner and whom it called, and the means by which a test is the region, the service and the clock.
 */
export const startScript = (...notecard: string[]) => {
  const told: string[] = [];
  const calls: Call[] = [];
  const lookUps: { kind: 'key' | 'username'; of: string; answer: (data: string) => void }[] = [];
  const responses = new Map<string, { status: number; text: string }>();
  const given: { to: string; item: string }[] = [];
  const notes: { to: string; text: string }[] = [];
  const linksetData = new Map<string, string>();
  const contents = ['dispenser', 'dispenser.lsl', ...items];
  let seconds = 1_900_000_000;
  let timer = 0;
  let timerDue = 0;
  let wantsAddress = false;
  // Flags whose values do not matter, each of its own.
  const names = new Set([...source.matchAll(/\b(?:HTTP|CHANGED|INVENTORY|URL_REQUEST)_\w+/g)].map(([name]) => name));
  const flags: Record<string, number> = Object.fromEntries([...names].map((name, place) => [name, 2 ** place]));
  const lookUp = (kind: 'key' | 'username') => (of: string) => {
    const query = `look-up ${lookUps.length}`;
    lookUps.push({ kind, of, answer: (data) => events.dataserver(query, data) });
    return query;
  };
  const script = {
    NULL_KEY: nullKey,
    EOF: '\n\n\n',
    STRING_TRIM: 3,
    TRUE: 1,
    FALSE: 0,
    JSON_INVALID: '\ufdd0',
    PERM_TRANSFER: 8192,
    MASK_OWNER: 1,
    isUuid: (text: string) => uuidPattern.test(text) && text !== nullKey,
    llAbs: Math.abs,
    llGetInventoryType: (name: string) => {
      if (name === 'dispenser') return flags.INVENTORY_NOTECARD;
      return contents.includes(name) ? flags.INVENTORY_ALL : flags.INVENTORY_NONE;
    },
    llGetInventoryKey: () => 'notecard',
    llGetInventoryNumber: () => contents.length,
    llGetInventoryName: (_: number, place: number) => contents[place],
    llGetInventoryPermMask: () => 8192,
    llGetScriptName: () => 'dispenser.lsl',
    llGetNotecardLine: (_: string, line: number) => `line ${line}`,
    llGiveInventory: (to: string, item: string) => given.push({ to, item }),
    llInstantMessage: (to: string, text: string) => notes.push({ to, text }),
    llGetUnixTime: () => seconds,
    llGetOwner: () => 'owner',
    llOwnerSay: (text: string) => told.push(text),
    llSetTimerEvent: (after: number) => {
      timer = after;
      timerDue = seconds + after;
    },
    llReleaseURL: () => undefined,
    llGetRegionName: () => 'Region',
    llRequestSecureURL: () => {
      wantsAddress = true;
      return 'url request';
    },
    llRequestUserKey: lookUp('key'),
    llRequestUsername: lookUp('username'),
    llHMAC: (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64'),
    llHTTPResponse: (request: string, status: number, text: string) => {
      if (responses.has(request)) throw new Error(`${request} was answered twice.`);
      responses.set(request, { status, text });
    },
    llHTTPRequest: (url: string, options: unknown[], body: string) => {
      const id = `call ${calls.length}`;
      const answer: Call['answer'] = (status, text = '') =>
        events.http_response(id, status, [], typeof text === 'string' ? text : JSON.stringify(text));
      calls.push({ url, method: String(options[options.indexOf(flags.HTTP_METHOD) + 1]), body, answer });
      return id;
    },
    llJsonGetValue: (text: string, path: string[]) => {
      try {
        const value = path.reduce((part, name) => part[name], JSON.parse(text));
        return typeof value === 'string' ? value : (JSON.stringify(value) ?? '\ufdd0');
      } catch {
        return '\ufdd0';
      }
    },
    llLinksetDataAvailable: () => 131_072,
    llLinksetDataRead: (name: string) => linksetData.get(name) ?? '',
    llLinksetDataWrite: (name: string, value: string) => linksetData.set(name, value),
    llGetListLength: (list: unknown[]) => list.length,
    llList2String: (list: unknown[], place: number) => String(list[place]),
    llList2Key: (list: unknown[], place: number) => list[place],
    llList2Integer: (list: unknown[], place: number) => list[place],
    llListFindList: (list: unknown[], [first]: unknown[]) => list.indexOf(first),
    llDeleteSubList: (list: unknown[], first: number, last: number) => list.toSpliced(first, last - first + 1),
    llStringLength: (text: string) => text.length,
    llSubStringIndex: (text: string, part: string) => text.indexOf(part),
    llToLower: (text: string) => text.toLowerCase(),
    llStringTrim: (text: string) => text.trim(),
    llReplaceSubString: (text: string, part: string, by: string) => text.replaceAll(part, by),
    llGetSubString: (text: string, first: number, last: number) => text.slice(...bounds(text, first, last)),
    llDeleteSubString: (text: string, first: number, last: number) => {
      const [from, to] = bounds(text, first, last);
      return text.slice(0, from) + text.slice(to);
    },
  };
  const handlers = 'state_entry, dataserver, http_request, http_response, timer, changed';
  const events = runInNewContext(`${translated}\n({ ${handlers} })`, { ...flags, ...script });
  events.state_entry();
  for (const [line, text] of [...notecard, script.EOF].entries()) events.dataserver(`line ${line}`, text);
  let requests = 0;
  return {
    told,
    calls,
    lookUps,
    given,
    notes,
    contents,
    /** The region gives the script an address, if it asked for one. */
    grant: () =>
      wantsAddress && events.http_request('url request', flags.URL_REQUEST_GRANTED, 'https://sim.agni.example/cap/1'),
    restartRegion: () => events.changed(flags.CHANGED_REGION_START),
    changeContents: () => events.changed(flags.CHANGED_INVENTORY),
    /** The pause after which the timer fires, in seconds. */
    timer: () => timer,
    now: () => seconds * 1000,
    /** Lets seconds pass, and the timer fire when it is due. */
    advance: (by: number) => {
      for (let passed = 0; passed < by; passed++) {
        seconds += 1;
        if (timer === 0 || seconds < timerDue) continue;
        timerDue = seconds + timer;
        events.timer();
      }
    },
    /** The service sends a request. Returns a function that says how it was answered, if it was. */
    request: (body: string) => {
      const id = `request ${requests++}`;
      events.http_request(id, 'POST', body);
      return () => responses.get(id);
    },
  };
};
