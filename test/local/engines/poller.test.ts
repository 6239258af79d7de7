import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendMessages } from '../../../lib/delivery/queue.ts';
import { startPoller, type Worker } from '../../../local/engines/poller.ts';
import { anOrder, startTestQueue } from '../../support/deliveries.ts';

let queueUrl: string;
let stop = async (): Promise<void> => {};
beforeEach(async () => {
  ({ url: queueUrl } = await startTestQueue());
});
afterEach(() => stop());

const poll = (worker: Worker): void => {
  ({ stop } = startPoller({ queueUrl, worker, concurrency: 1, visibilitySeconds: 1 }));
};

/** Waits until this many messages have come, and then longer than an undeleted message stays away. */
const arrived = async (count: () => number, wanted: number): Promise<void> => {
  await vi.waitUntil(() => count() >= wanted, { timeout: 50_000 });
  await sleep(1300);
};

const send = (...messages: string[]) =>
  sendMessages(
    'Store',
    messages.map((message) => anOrder('Store', { message })),
  );

const noteOf = (body: string): string => JSON.parse(body).message;

test('takes up to ten messages at once, and brings back those that the worker reported as failed', async () => {
  const batches: string[][] = [];
  await send(...'abcdefghijkl');

  poll(async ({ Records }) => {
    batches.push(Records.map(({ body }) => noteOf(body)));
    const failed = batches.length === 1 ? Records.filter(({ body }) => noteOf(body) === 'c') : [];
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  await arrived(() => batches.flat().length, 13);

  expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(10);
  expect(batches.flat().sort().join('')).toBe('abccdefghijkl');
});

test('brings back the whole batch of a worker that threw', async () => {
  const seen: string[] = [];
  await send('a', 'b');

  poll(async ({ Records }) => {
    seen.push(...Records.map(({ body }) => noteOf(body)));
    if (seen.length <= 2) throw new Error('killed');
    return { batchItemFailures: [] };
  });
  await arrived(() => seen.length, 4);

  expect(seen.sort().join('')).toBe('aabb');
});
