import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Handling, handleMessage } from '../lib/delivery/deliver.ts';
import { decodeMessage, isLaterMessage, type QueueMessage } from '../lib/delivery/message.ts';
import {
  comeBackAfter,
  deleteMessages,
  type Lane,
  laneOf,
  receiveMessages,
  sendToDeadLetters,
} from '../lib/delivery/queue.ts';
import { callTimeoutMillis, firstRetrySeconds } from '../lib/delivery/settings.ts';
import { sendEvent } from '../lib/events/send.ts';
import { logSink } from '../lib/log.ts';
import { tellChange } from '../lib/vendor/tell.ts';

/** The time that a message needs for table and queue, besides the call of the dispenser. */
const reserveMillis = 10_000;

const subjectOf = (message: QueueMessage | undefined, outcome: string): object => {
  switch (message?.kind) {
    case 'event':
      return { webhook: outcome, webhookId: message.webhook, eventId: message.event };
    case 'product-changed':
      return { vendors: outcome, productId: message.product };
    case 'vendor-changed':
      return { vendors: outcome, vendorUuid: message.vendor };
    default:
      return { delivery: outcome, deliveryId: message?.kind === 'deliver' ? message.id : undefined };
  }
};

/** The result of a message under its subject, so that alarms tell deliveries from webhooks. */
const facts = (message: QueueMessage | undefined, outcome: string) => ({
  ...subjectOf(message, outcome),
  store: message?.store,
});

const handlingOf = (message: QueueMessage, lane: Lane): Promise<Handling> => {
  if (message.kind === 'event') return sendEvent(message, lane);
  return message.kind === 'product-changed' || message.kind === 'vendor-changed'
    ? tellChange(message)
    : handleMessage(message);
};

type Message = Pick<SQSRecord, 'body' | 'messageId' | 'receiptHandle'>;

/** Handles a message. Returns false if the message has to come back. */
const handle = async ({ body, messageId, receiptHandle }: Message, lane: Lane): Promise<boolean> => {
  const message = decodeMessage(body);
  try {
    if (!message && isLaterMessage(body)) {
      // A later version has taken over, or was taken back, by the time that the message comes back.
      logSink.write({ level: 'WARN', delivery: 'of a later version', messageId });
      return false;
    }
    if (!message) {
      // No retry can make an unreadable message readable.
      await sendToDeadLetters(body);
      logSink.write({ level: 'ERROR', delivery: 'not a message of ours', messageId });
      return true;
    }
    const { outcome, againSeconds } = await handlingOf(message, lane);
    const isFailure = outcome === 'failed' || outcome === 'disabled';
    logSink.write({ level: isFailure ? 'ERROR' : 'INFO', ...facts(message, outcome), againSeconds });
    if (againSeconds === undefined) return true;
    await comeBackAfter(receiptHandle, againSeconds, lane);
    return false;
  } catch (error) {
    const { stack } = error as Error;
    logSink.write({ level: 'ERROR', ...facts(message, 'error'), messageId, stack });
    return false;
  }
};

/** The store, webhook or vendor whose messages are handled one after another. */
const receiverOf = ({ body }: Message): string => {
  const message = decodeMessage(body);
  if (message?.kind === 'event') return message.webhook;
  return (message?.kind === 'vendor-changed' ? message.vendor : message?.store) ?? '';
};

/**
 * The pause before a message returns that the worker had no time for. Each return counts as one of `maxReceiveCount`.
 */
const bounceSeconds = 10;

/** A receiver that takes longer gets no further message meanwhile. */
const patienceMillis = 500;

/** The messages of this process that are under way, each with the time since when, and its end. */
const underWay = new Map<Message, { receiver: string; since: number; end: Promise<boolean> }>();

/** The end of the receiver's message that is under way in another batch, if there is one. */
const endOfOther = (receiver: string): Promise<boolean> | undefined =>
  [...underWay.values()].find((one) => one.receiver === receiver)?.end;

/** For how long a receiver has had one message, in seconds; undefined where it is not slow. */
const slowSeconds = (receiver: string): number | undefined => {
  const times = [...underWay.values()].flatMap((one) => (one.receiver === receiver ? one.since : []));
  const millis = performance.now() - Math.min(...times);
  return millis > patienceMillis ? Math.ceil(millis / 1000) : undefined;
};

/**
 * Handles messages, and answers the ids of those that have to come back. A dispenser gives one item after another, so
 * the messages of one store or webhook are handled one after another too, also those of several batches of this
 * process; others side by side. A message for which no time is left comes back later, and so does one whose receiver
 * keeps another batch waiting.
 */
const handleBatch = async (messages: readonly Message[], lane: Lane, context: Context): Promise<string[]> => {
  const failed: string[] = [];
  const handleAll = async (receiver: string, ofReceiver: readonly Message[]): Promise<void> => {
    for (const message of ofReceiver) {
      for (let end = endOfOther(receiver); end && slowSeconds(receiver) === undefined; end = endOfOther(receiver))
        await Promise.race([end, sleep(patienceMillis, undefined, { ref: false })]);
      const hasTime = context.getRemainingTimeInMillis() > callTimeoutMillis() + reserveMillis;
      const pause = hasTime ? slowSeconds(receiver) : Math.min(bounceSeconds, firstRetrySeconds());
      if (pause !== undefined) {
        // Another worker may have time by then. If this call fails, the message comes back when its visibility ends.
        await comeBackAfter(message.receiptHandle, pause, lane).catch(() => undefined);
        failed.push(message.messageId);
        continue;
      }
      const end = handle(message, lane).finally(() => underWay.delete(message));
      underWay.set(message, { receiver, since: performance.now(), end });
      if (!(await end)) failed.push(message.messageId);
    }
  };
  const groups = Object.entries(Object.groupBy(messages, receiverOf));
  await Promise.all(groups.map(([receiver, some = []]) => handleAll(receiver, some)));
  return failed;
};

/**
 * Handles messages that the worker took itself, and deletes those that are done, as Lambda does with a batch of its
 * own.
 */
const handleTaken = async (
  messages: Awaited<ReturnType<typeof receiveMessages>>,
  lane: Lane,
  context: Context,
): Promise<void> => {
  const failed = await handleBatch(messages, lane, context);
  // A message that stays on the queue comes again, and its record says then that it is done.
  const done = messages.filter(({ messageId }) => !failed.includes(messageId));
  await deleteMessages(done, lane).catch(() => undefined);
  // The queue may have nothing but messages for receivers that are slow.
  if (failed.length === messages.length) await sleep(patienceMillis);
};

/** So many batches wait for slow receivers at once. */
const maxWaiting = 20;

/** A batch that takes longer keeps the worker from no other. */
const batchMillis = 100;

/**
 * Takes deliveries from the queue to the stores' dispensers, and events to their webhooks. While a receiver keeps it
 * waiting, it takes further messages itself: Lambda runs few workers, and would give this one no other batch until the
 * last call of its batch has ended.
 */
export const handler = async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  const lane = laneOf(Records[0]?.eventSourceARN);
  const waiting = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => waiting.delete(tracked));
    waiting.add(tracked);
    return tracked;
  };
  const batch = track(handleBatch(Records, lane, context));
  const mayTake = (): boolean =>
    waiting.size > 0 &&
    waiting.size < maxWaiting &&
    context.getRemainingTimeInMillis() > callTimeoutMillis() + reserveMillis;
  for (let last: Promise<unknown> = batch; ; ) {
    await Promise.race([last, sleep(batchMillis, undefined, { ref: false })]);
    if (!mayTake()) break;
    const messages = await receiveMessages(lane).catch(() => []);
    last = messages.length > 0 ? track(handleTaken(messages, lane, context)) : sleep(batchMillis);
  }
  await Promise.all(waiting);
  return { batchItemFailures: (await batch).map((itemIdentifier) => ({ itemIdentifier })) };
};
