import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { handleMessage } from '../lib/delivery/deliver.ts';
import { decodeMessage, type QueueMessage } from '../lib/delivery/message.ts';
import { comeBackAfter, sendToDeadLetters } from '../lib/delivery/queue.ts';
import { callTimeoutMillis, firstRetrySeconds } from '../lib/delivery/settings.ts';
import { sendEvent } from '../lib/events/send.ts';
import { logSink } from '../lib/log.ts';

/** The time that a message needs for table and queue, besides the call of the dispenser. */
const reserveMillis = 10_000;

/** The result of a message under its subject, so that alarms tell deliveries from webhooks. */
const facts = (message: QueueMessage | undefined, outcome: string) => ({
  ...(message?.kind === 'event'
    ? { webhook: outcome, webhookId: message.webhook, eventId: message.event }
    : { delivery: outcome, deliveryId: message?.kind === 'deliver' ? message.id : undefined }),
  store: message?.store,
});

/** Handles a message. Returns false if the message has to come back. */
const handle = async ({ body, messageId, receiptHandle }: SQSRecord): Promise<boolean> => {
  const message = decodeMessage(body);
  try {
    if (!message) {
      // No retry can make an unreadable message readable.
      await sendToDeadLetters(body);
      logSink.write({ level: 'ERROR', delivery: 'not a message of ours', messageId });
      return true;
    }
    const { outcome, againSeconds } = await (message.kind === 'event' ? sendEvent(message) : handleMessage(message));
    const isFailure = outcome === 'failed' || outcome === 'disabled';
    logSink.write({ level: isFailure ? 'ERROR' : 'INFO', ...facts(message, outcome), againSeconds });
    if (againSeconds === undefined) return true;
    await comeBackAfter(receiptHandle, againSeconds);
    return false;
  } catch (error) {
    const { stack } = error as Error;
    logSink.write({ level: 'ERROR', ...facts(message, 'error'), messageId, stack });
    return false;
  }
};

/** The store or the webhook whose messages are handled one after another. */
const receiverOf = ({ body }: SQSRecord): string => {
  const message = decodeMessage(body);
  return (message?.kind === 'event' ? message.webhook : message?.store) ?? '';
};

/** The pause before a message returns that the worker had no time for. Each return counts as one of `maxReceiveCount`. */
const bounceSeconds = 10;

/**
 * Takes deliveries from the queue to the stores' dispensers, and events to their webhooks. A dispenser gives one item after
 * another, so the messages of one store or webhook in a batch are handled one after another too; others side by side.
 * Messages for which no time is left come back later.
 */
export const handler = async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  const pause = Math.min(bounceSeconds, firstRetrySeconds());
  const handleAll = async (records: SQSRecord[]): Promise<void> => {
    for (const record of records) {
      const enough = context.getRemainingTimeInMillis() > callTimeoutMillis() + reserveMillis;
      // Another worker may have time by then. If this call fails, the message comes back when its visibility ends.
      if (!enough) await comeBackAfter(record.receiptHandle, pause).catch(() => undefined);
      if (!enough || !(await handle(record))) batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  };
  await Promise.all(Object.values(Object.groupBy(Records, receiverOf)).map((records = []) => handleAll(records)));
  return { batchItemFailures };
};
