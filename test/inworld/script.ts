import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const source = readFileSync(new URL('../../inworld/dispenser.lsl', import.meta.url), 'utf8');

/**
 * The script as JavaScript. LSL's types and casts fall away and the events of its state become functions: enough for a
 * script that keeps to strings, whole numbers and calls.
 */
const translated = source
  .replace(/^default\n\{\n([\s\S]*)\n\}$/m, (_, state: string) => state.replaceAll(/^ {4}/gm, ''))
  .replaceAll(/\((string|integer|key)\)/g, '')
  .replaceAll(/^(?:string |integer )?(\w+)\(([^)]*)\)\n\{/gm, (_, name: string, parameters: string) => {
    return `function ${name}(${parameters.replaceAll(/\b(string|integer|key|list) /g, '')})\n{`;
  })
  .replaceAll(/\b(?:string|key) (\w+);/g, "var $1 = '';")
  .replaceAll(/\binteger (\w+);/g, 'var $1 = 0;')
  .replaceAll(/\b(?:string|integer|key|float|list) (\w+) =/g, 'var $1 =');

/** LSL's substrings: both ends are part of it, and a negative one counts from the end. */
const bounds = (text: string, first: number, last: number): [number, number] => [
  first < 0 ? Math.max(0, text.length + first) : first,
  (last < 0 ? text.length + last : last) + 1,
];

/** Runs the script in an object whose notecard has these lines; answers what it told its owner, and whom it called. */
export const startScript = (...notecard: string[]) => {
  const told: string[] = [];
  const called: string[] = [];
  let wantsAddress = false;
  // Flags whose values do not matter, each of its own.
  const names = new Set([...source.matchAll(/\b(?:HTTP|CHANGED|INVENTORY|URL_REQUEST)_\w+/g)].map(([name]) => name));
  const flags: Record<string, number> = Object.fromEntries([...names].map((name, place) => [name, 2 ** place]));
  const script = {
    NULL_KEY: '',
    EOF: '\n\n\n',
    STRING_TRIM: 3,
    llGetInventoryType: () => flags.INVENTORY_NOTECARD,
    llGetInventoryKey: () => 'notecard',
    llGetInventoryNumber: () => 0,
    llGetNotecardLine: (_: string, line: number) => `line ${line}`,
    llOwnerSay: (text: string) => told.push(text),
    llSetTimerEvent: () => undefined,
    llReleaseURL: () => undefined,
    llGetRegionName: () => 'Region',
    llRequestSecureURL: () => {
      wantsAddress = true;
      return 'url request';
    },
    llHTTPRequest: (url: string) => called.push(url),
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
  const events = runInNewContext(`${translated}\n({ state_entry, dataserver, http_request, changed })`, {
    ...flags,
    ...script,
  });
  events.state_entry();
  for (const [line, text] of [...notecard, script.EOF].entries()) events.dataserver(`line ${line}`, text);
  return {
    told,
    called,
    /** The region gives the script an address, if it asked for one. */
    grant: () =>
      wantsAddress && events.http_request('url request', flags.URL_REQUEST_GRANTED, 'https://sim.agni.example/cap/1'),
    restartRegion: () => events.changed(flags.CHANGED_REGION_START),
  };
};
