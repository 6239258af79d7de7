import { readFileSync } from 'node:fs';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';

const source = readFileSync(new URL('../dispenser.lsl', import.meta.url), 'utf8');

const owner = '99999999-2222-3333-4444-555555555555';
/** The script listens for another box before it begins. */
const electionSeconds = 5;

interface Call {
  url: string;
  method: string;
  body: string;
  /** Answers the call. */
  answer: (status: number, body?: object | string) => void;
}

/**
 * Runs the shipped script in an object of a region, with these lines in its notecard and two lamps in its contents.
 * Answers what it told its owner and whom it called, and the functions with which a test acts as the region, the
 * service and the clock. Nothing that the script does takes time by itself.
 */
export const startScript = (...notecard: string[]) => {
  const told: string[] = [];
  const notes: { to: string; text: string }[] = [];
  const calls: Call[] = [];
  const lookUps: { kind: 'key' | 'username'; of: string; answer: (data: string) => void }[] = [];
  const clock = virtualClock(1_900_000_000_000 - electionSeconds * 1000);
  let giveAddress: ((url: string) => void) | undefined;
  const world = createWorld({
    clock,
    delays: false,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    mayLookUp: () => true,
    onSay: (_, text) => void told.push(text),
    onMessage: (to, text) => void (to === owner ? told.push(text) : notes.push({ to, text })),
    lookUp: (kind, of, answer) => void lookUps.push({ kind, of, answer }),
    grantUrl: (give) => {
      giveAddress = give;
    },
    send: ({ url, method, body }, answer) => {
      const respond: Call['answer'] = (status, text = '') =>
        answer({ status, type: 'application/json', body: typeof text === 'string' ? text : JSON.stringify(text) });
      calls.push({ url, method, body, answer: respond });
    },
  });
  const box = world.rez({
    owner,
    name: 'dispenser',
    script: source,
    notecards: { dispenser: notecard },
    items: [{ name: 'Blue lamp' }, { name: 'Red lamp' }],
  });
  world.region.name = 'Region';
  const address = 'https://sim.agni.example/cap/1';
  clock.advance(electionSeconds);
  return {
    told,
    calls,
    lookUps,
    given: world.log.given,
    notes,
    hover: () => box.body.seen.text,
    messages: world.log.messages,
    errors: world.log.errors,
    contents: () => box.items().map(({ name }) => name),
    add: (...names: string[]) => {
      for (const name of names) box.add({ name });
    },
    memory: () => box.script.memory(),
    /** The region gives the script an address, if it asked for one. */
    grant: () => {
      giveAddress?.(address);
      clock.advance(0);
    },
    restartRegion: () => {
      world.restart();
      clock.advance(0);
    },
    changeContents: box.changed,
    /** The pause after which the timer fires, in seconds. */
    timer: () => box.body.timer(),
    now: clock.now,
    /** Lets seconds pass. The timer fires when it is due. */
    advance: clock.advance,
    /** The service sends a request. Returns a function that says how it was answered, if it was. */
    request: (body: string) => {
      let response: { status: number; text: string } | undefined;
      world.receive(address, 'POST', body, (status, text) => {
        response = { status, text };
      });
      clock.advance(0);
      return () => response;
    },
  };
};
