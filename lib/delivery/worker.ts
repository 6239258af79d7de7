import { setTimeout as sleep } from 'node:timers/promises';
import { perProcess } from '../process.ts';
import { decodeMessage } from './message.ts';
import type { ReceivedMessage } from './queue.ts';
import { callTimeoutMillis, firstRetrySeconds } from './settings.ts';

/** The time that a message needs for table and queue, besides the call of its receiver. */
const reserveMillis = 10_000;

/**
 * The longest pause of a message for which the worker has no time left. Each return counts as one of `maxReceiveCount`.
 */
const returnSeconds = 10;

/** A receiver that needs longer for a message is slow: it gets no further message meanwhile. */
const slowMillis = 500;

/** A worker takes no further batch while it has this number of unfinished ones. */
const maxBatches = 20;

/** A worker takes a further batch when the last one takes longer than this. */
const takeMillis = 100;

/** The worker's queue, its time, and how it handles a message. */
export interface WorkerParts {
  /** Answers false if the message has to come back. Never throws. */
  handle: (message: ReceivedMessage) => Promise<boolean>;
  /** Takes further messages from the queue, if it has any. */
  receive: () => Promise<ReceivedMessage[]>;
  remove: (messages: readonly ReceivedMessage[]) => Promise<void>;
  /** Makes a message come back after some seconds. */
  postpone: (message: ReceivedMessage, seconds: number) => Promise<void>;
  /** The time until Lambda ends the worker. */
  remainingMillis: () => number;
}

/** The time as the worker measures it. Tests set their own. */
export interface WorkerClock {
  millis: () => number;
  sleep: (millis: number, value?: undefined, options?: { ref: boolean }) => Promise<unknown>;
}

const realClock: WorkerClock = { millis: () => performance.now(), sleep };

interface Worker extends WorkerParts {
  clock: WorkerClock;
}

/** For each receiver that has a message: the time since when, and the end of the message's handling. */
const busy = perProcess(() => new Map<string, { since: number; end: Promise<boolean> }>());

/** The store, webhook or vendor that a message is for. */
const receiverOf = ({ body }: ReceivedMessage): string => {
  const message = decodeMessage(body);
  if (message?.kind === 'event') return message.webhook;
  return (message?.kind === 'vendor-changed' ? message.vendor : message?.store) ?? '';
};

/** How long a slow receiver has had its message, in seconds; undefined for one that is free or not slow yet. */
const slowSeconds = (receiver: string, clock: WorkerClock): number | undefined => {
  const { since = Number.POSITIVE_INFINITY } = busy().get(receiver) ?? {};
  const millis = clock.millis() - since;
  return millis > slowMillis ? Math.ceil(millis / 1000) : undefined;
};

const hasTime = (worker: Worker): boolean => worker.remainingMillis() > callTimeoutMillis() + reserveMillis;

/**
 * Handles a message when its receiver has no other one. Answers false if the message has to come back: its handling
 * failed, the worker has no time for it, or its receiver is slow.
 */
const handleInTurn = async (receiver: string, message: ReceivedMessage, worker: Worker): Promise<boolean> => {
  const { clock } = worker;
  const receivers = busy();
  for (let other = receivers.get(receiver); other; other = receivers.get(receiver)) {
    if (slowSeconds(receiver, clock) !== undefined) break;
    await Promise.race([other.end, clock.sleep(slowMillis, undefined, { ref: false })]);
  }
  // Nothing may await from here to `receivers.set`, or two batches would call one receiver at the same time.
  const pause = hasTime(worker) ? slowSeconds(receiver, clock) : Math.min(returnSeconds, firstRetrySeconds());
  if (pause !== undefined) {
    // If this fails, the message comes back when its visibility ends.
    await worker.postpone(message, pause).catch(() => undefined);
    return false;
  }
  const end = worker.handle(message).finally(() => receivers.delete(receiver));
  receivers.set(receiver, { since: clock.millis(), end });
  return end;
};

/**
 * Handles a batch and answers the ids of the messages that have to come back. Messages of one receiver are handled one
 * after another, also those of several batches. Messages of different receivers are handled side by side.
 */
const handleBatch = async (messages: readonly ReceivedMessage[], worker: Worker): Promise<string[]> => {
  const failed: string[] = [];
  const handleAll = async (receiver: string, ofReceiver: readonly ReceivedMessage[]): Promise<void> => {
    for (const message of ofReceiver)
      if (!(await handleInTurn(receiver, message, worker))) failed.push(message.messageId);
  };
  const groups = Object.entries(Object.groupBy(messages, receiverOf));
  await Promise.all(groups.map(([receiver, some = []]) => handleAll(receiver, some)));
  return failed;
};

/** Handles a batch that the worker took itself, and deletes its finished messages as Lambda does with its own batch. */
const handleTaken = async (messages: readonly ReceivedMessage[], worker: Worker): Promise<void> => {
  const failed = await handleBatch(messages, worker);
  const done = messages.filter(({ messageId }) => !failed.includes(messageId));
  // A message that stays on the queue comes again. Then its record says that it is done.
  await worker.remove(done).catch(() => undefined);
  // The queue may hold nothing but messages for slow receivers.
  if (failed.length === messages.length) await worker.clock.sleep(slowMillis);
};

/**
 * Handles Lambda's batch and answers the ids of the messages that have to come back. Lambda runs few workers, and gives
 * a worker its next batch only when all of this one is finished. So while a receiver keeps the worker waiting, the
 * worker takes further messages from the queue itself.
 */
export const workOff = async (
  messages: readonly ReceivedMessage[],
  parts: WorkerParts,
  clock = realClock,
): Promise<string[]> => {
  const worker = { ...parts, clock };
  const unfinished = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => unfinished.delete(tracked));
    unfinished.add(tracked);
    return tracked;
  };
  const batch = track(handleBatch(messages, worker));
  const mayTake = (): boolean => unfinished.size > 0 && unfinished.size < maxBatches && hasTime(worker);
  for (let last: Promise<unknown> = batch; ; ) {
    await Promise.race([last, clock.sleep(takeMillis, undefined, { ref: false })]);
    if (!mayTake()) break;
    const taken = await worker.receive().catch(() => []);
    last = taken.length > 0 ? track(handleTaken(taken, worker)) : clock.sleep(takeMillis);
  }
  await Promise.all(unfinished);
  return batch;
};
