import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import type { ReceivedMessage } from '../../../lib/delivery/queue.ts';
import { type WorkerClock, type WorkerParts, workOff } from '../../../lib/delivery/worker.ts';

/** A clock that jumps to the end of the next pause as soon as nothing else is left to do. */
const clockFor = () => {
  let time = 0;
  const pauses: { end: number; wake: (value: unknown) => void }[] = [];
  const sleep: WorkerClock['sleep'] = (millis) =>
    new Promise((wake) => {
      pauses.push({ end: time + millis, wake });
      pauses.sort((a, b) => a.end - b.end);
    });
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = work.finally(() => (isOver = true));
    for (await settled(); !isOver; await settled()) {
      const next = pauses.shift();
      if (!next) throw new Error('The worker waits for nothing.');
      time = next.end;
      next.wake(undefined);
    }
    return end;
  };
  return { millis: () => time, sleep, run };
};

const messageFor = (store: string, messageId: string): ReceivedMessage => ({
  messageId,
  receiptHandle: messageId,
  body: encodeMessage({ kind: 'hand-over', store }),
});

/** A worker whose receivers need these milliseconds for a message, with what waits on its queue. */
const workerWith = (needed: Record<string, number>, waiting: ReceivedMessage[][] = []) => {
  const clock = clockFor();
  const told: string[] = [];
  const tell = (what: string): void => void told.push(`${clock.millis()} ${what}`);
  const parts: WorkerParts = {
    handle: async ({ messageId, body }) => {
      tell(`${messageId} begins`);
      await clock.sleep(needed[JSON.parse(body).store] ?? 0);
      tell(`${messageId} ends`);
      return !messageId.startsWith('failing');
    },
    receive: async () => waiting.shift() ?? [],
    remove: async (messages) => {
      if (messages.length > 0) tell(`${messages.map(({ messageId }) => messageId).join()} removed`);
    },
    postpone: async ({ messageId }, seconds) => tell(`${messageId} comes back after ${seconds} s`),
    remainingMillis: () => 60_000 - clock.millis(),
  };
  const work = (...messages: ReceivedMessage[]) => clock.run(workOff(messages, parts, clock));
  return { told, parts, clock, work };
};

test('messages of one receiver are handled one after another, those of others side by side', async () => {
  const { told, work } = workerWith({ one: 30, other: 40 });

  const failed = await work(messageFor('one', 'a'), messageFor('one', 'b'), messageFor('other', 'c'));

  expect(failed).toEqual([]);
  expect(told).toEqual(['0 a begins', '0 c begins', '30 a ends', '30 b begins', '40 c ends', '60 b ends']);
});

test('a message whose handling failed comes back, and the next one of its receiver is handled', async () => {
  const { told, work } = workerWith({ one: 10 });

  const failed = await work(messageFor('one', 'failing'), messageFor('one', 'b'));

  expect(failed).toEqual(['failing']);
  expect(told.at(-1)).toBe('20 b ends');
});

test('a worker that waits for a receiver takes further messages, and removes those that are done', async () => {
  const taken = [messageFor('other', 'b'), messageFor('other', 'failing')];
  const { told, work } = workerWith({ slow: 2000, other: 10 }, [taken]);

  const failed = await work(messageFor('slow', 'a'));

  expect(failed).toEqual([]);
  expect(told).toEqual([
    '0 a begins',
    '100 b begins',
    '110 b ends',
    '110 failing begins',
    '120 failing ends',
    '120 b removed',
    '2000 a ends',
  ]);
});

test('a message for a receiver that is busy for less than half a second waits for its turn', async () => {
  const { told, work } = workerWith({ one: 400 }, [[messageFor('one', 'b')]]);

  await work(messageFor('one', 'a'));

  expect(told).toEqual(['0 a begins', '400 a ends', '400 b begins', '800 b ends', '800 b removed']);
});

test('of two batches that wait for one receiver, one goes on at a time', async () => {
  const { told, work } = workerWith({ one: 300 }, [[messageFor('one', 'b')], [messageFor('one', 'c')]]);

  await work(messageFor('one', 'a'));

  expect(told.filter((line) => !line.includes('removed'))).toEqual([
    '0 a begins',
    '300 a ends',
    '300 b begins',
    '600 b ends',
    '600 c begins',
    '900 c ends',
  ]);
});

test('a message for a slow receiver comes back after as long as the receiver has had its message', async () => {
  const { told, work } = workerWith({ slow: 2000 }, [[], [messageFor('slow', 'b')]]);

  await work(messageFor('slow', 'a'));

  expect(told).toEqual(['0 a begins', '700 b comes back after 1 s', '2000 a ends']);
});

test('a worker without time handles no message: it comes back within ten seconds', async () => {
  const { told, parts, clock } = workerWith({});

  const failed = await clock.run(workOff([messageFor('one', 'a')], { ...parts, remainingMillis: () => 35_000 }, clock));

  expect(failed).toEqual(['a']);
  expect(told).toEqual(['0 a comes back after 10 s']);
});

test('a worker takes no message for which it has no time', async () => {
  const waiting = [[messageFor('other', 'b')]];
  const { parts, clock, told } = workerWith({ slow: 2000 }, waiting);
  const remainingMillis = (): number => (clock.millis() < 100 ? 60_000 : 35_000);

  await clock.run(workOff([messageFor('slow', 'a')], { ...parts, remainingMillis }, clock));

  expect(told).toEqual(['0 a begins', '2000 a ends']);
  expect(waiting).toHaveLength(1);
});

test('a worker has at most 20 unfinished batches', async () => {
  const waiting = Array.from({ length: 40 }, (_, index) => [messageFor(`store${index}`, `b${index}`)]);
  const needed = Object.fromEntries(waiting.map((_, index) => [`store${index}`, 20_000]));
  const { told, work } = workerWith({ slow: 20_000, ...needed }, waiting);

  await work(messageFor('slow', 'a'));

  expect(told.filter((line) => line.includes('begins'))).toHaveLength(20);
  expect(waiting).toHaveLength(21);
});

test('a message stays handled though the queue does not take its removal, its return or the look for more', async () => {
  const refuse = () => Promise.reject(new Error('The queue is down.'));
  const { parts, clock, told } = workerWith({ slow: 700, other: 10 }, []);
  let looks = 0;
  const receive = async () =>
    ++looks === 1 ? refuse() : looks === 2 ? [messageFor('other', 'b'), messageFor('slow', 'c')] : [];

  const failed = await clock.run(
    workOff([messageFor('slow', 'a')], { ...parts, receive, remove: refuse, postpone: refuse }, clock),
  );

  expect(failed).toEqual([]);
  expect(told).toContain('210 b ends');
});
