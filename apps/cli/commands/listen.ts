import { InvalidArgumentError, Option } from 'commander';
import { findPosition, type NotedEvent } from '../../../lib/events/events.ts';
import { type EventType, eventNames } from '../../../lib/routes/events.ts';
import { follow, forward, isTaken, type ListenOutcome } from '../deployment/listen.ts';
import { listenSecret } from '../deployment/listen-secret.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { explain } from '../terminal/errors.ts';
import { parseEventTypes, parseIdOf } from '../terminal/input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { counted, jsonLine, note, paint, plain } from '../terminal/output.ts';

interface ListenOptions extends GlobalOptions {
  forward?: URL;
  events?: EventType[];
  after?: string;
  printJson?: boolean;
  printSecret?: boolean;
}

/** Reads the address of a program on this machine. Events must not go anywhere else. */
const parseForward = (text: string): URL => {
  const written = /^\w+:\/\//.test(text) ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isLoopback = url && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (isLoopback && url.protocol === 'http:' && `${url.username}${url.password}${url.hash}` === '') return url;
  throw new InvalidArgumentError('It must be an address of this machine, such as http://127.0.0.1:3000/hook.');
};

const longest = Math.max(...eventNames.map(({ length }) => length));

/** The outcome of a forwarded event, coloured. */
const shownOutcome = (outcome: ListenOutcome): string => {
  const { status, error = '', attempts, millis } = outcome;
  const result = paint(isTaken(outcome) ? 'green' : 'red', String(status ?? plain(error)));
  return `  ${result}  ${millis} ms${attempts > 1 ? `  ${attempts} tries` : ''}`;
};

const printEvent = (event: NotedEvent, outcome: ListenOutcome | undefined, json: boolean): void => {
  const { sk: id, type, at, data, sample } = event;
  const mark = sample ? '  sample' : '';
  const line = json
    ? jsonLine({ id, type, at, ...(sample && { sample }), data: JSON.parse(data), ...outcome })
    : `${at.slice(11, 19)}  ${type.padEnd(longest)}  ${id}${mark}${outcome ? shownOutcome(outcome) : ''}`;
  process.stdout.write(`${line}\n`);
};

const sideBySide = 8;

/**
 * Forwards events, some at the same time, and calls `done` for each. Without `send`, events are only shown and have no
 * outcome.
 */
const forwardAll = async (
  events: AsyncIterable<NotedEvent[]>,
  send: ((event: NotedEvent) => Promise<ListenOutcome>) | undefined,
  begin: (event: NotedEvent) => void,
  done: (event: NotedEvent, outcome: ListenOutcome | undefined) => void,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  for await (const some of events)
    for (const event of some) {
      begin(event);
      if (!send) {
        done(event, undefined);
        continue;
      }
      const work = send(event).then((outcome) => {
        running.delete(work);
        done(event, outcome);
      });
      running.add(work);
      if (running.size >= sideBySide) await Promise.race(running);
    }
  await Promise.all(running);
};

const secretNote = (secret: string): string =>
  `Their signing secret, the same at each start on this machine: ${paint('bold', secret, process.stderr)}`;

/**
 * Keeps the id of the last event up to which all are handled, for `--after`. Events that are handled together end in
 * any order.
 */
const startResumeMark = () => {
  const waiting: NotedEvent[] = [];
  const ended = new Set<NotedEvent>();
  let last: string | undefined;
  return {
    begin: (event: NotedEvent): void => void waiting.push(event),
    end: (event: NotedEvent): void => {
      ended.add(event);
      for (let [first] = waiting; first && ended.delete(first); [first] = waiting) {
        waiting.shift();
        // `--after` would not find a sample.
        if (!first.sample) last = first.sk;
      }
    },
    last: () => last,
  };
};

const listen = async (options: ListenOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const { forward: url, events: types = eventNames, printSecret, json: globalJson } = options;
  const secret = url || printSecret ? listenSecret(target.tableName, store.id) : '';
  if (printSecret) {
    process.stdout.write(`${secret}\n`);
    return;
  }
  const json = options.printJson === true || globalJson === true;
  const after = options.after === undefined ? undefined : await findPosition(store.id, options.after);
  const { signal } = untilInterrupted();
  const counts = { events: 0, taken: 0 };
  const mark = startResumeMark();
  const events = follow({
    store: store.id,
    types,
    after,
    signal,
    onTrouble: (error) => note(`The table does not answer. Trying again: ${explain(error)}`),
  });
  const send = (event: NotedEvent): Promise<ListenOutcome> => {
    const tell = ({ status, error = '' }: ListenOutcome): void =>
      note(`${event.type} ${event.sk} is tried again: ${status ?? error}`);
    return forward(url as URL, event, secret, signal, tell);
  };
  const done = (event: NotedEvent, outcome: ListenOutcome | undefined): void => {
    // The end of the command interrupted this event, so it is not handled.
    if (signal.aborted && outcome && outcome.status === undefined) return;
    counts.events += 1;
    if (outcome && isTaken(outcome)) counts.taken += 1;
    mark.end(event);
    printEvent(event, outcome, json);
  };
  await events.next();
  note(`Events of ${store.name} on ${target.name} ${url ? `go to ${url.href}` : 'are shown'}. Ctrl-C ends this.`);
  if (url) note(secretNote(secret));
  try {
    await forwardAll(events, url && send, mark.begin, done);
  } finally {
    const { events: all, taken } = counts;
    note(`${counted(all, 'event')}${url ? `: ${taken} taken, ${all - taken} not` : ''}.`);
    const last = mark.last();
    if (last) note(`Go on behind the last one with: store listen --after ${last}`);
  }
};

export const addListen = (program: StoreCommand): void => {
  program
    .command('listen')
    .description(
      'Shows the events of a store as they happen, and forwards them to a program on this machine, signed as a webhook would sign them.',
    )
    .option('--forward <url>', 'the program: an http address of this machine', parseForward)
    .option('--events <types>', `only these types, separated by commas: ${eventNames.join(', ')}`, parseEventTypes)
    .option(
      '--after <id>',
      'begin behind this event of the last 30 days, instead of with the next one',
      parseIdOf('event'),
    )
    .option('--print-json', 'print each event with its data and its outcome as JSON, one on each line')
    .addOption(
      new Option('--print-secret', 'print the secret that signs the messages, and end').conflicts(['forward', 'after']),
    )
    .examples(
      'store listen --forward http://127.0.0.1:3000/hook',
      'store listen --stage prod --events sale.completed,sale.refused --print-json',
      'WEBHOOK_SECRET=$(store listen --print-secret) node receiver.mjs',
    )
    .runs(listen);
};
