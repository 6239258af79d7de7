import { logSink } from '../log.ts';
import type { Handling } from './deliver.ts';
import { decodeMessage, isLaterMessage, type QueueMessage } from './message.ts';
import { comeBackAfter, type Lane, type ReceivedMessage, sendToDeadLetters } from './queue.ts';

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

/** The outcome under the name of its subject, so that alarms tell deliveries from webhooks. */
const facts = (message: QueueMessage | undefined, outcome: string) => ({
  ...subjectOf(message, outcome),
  store: message?.store,
});

/**
 * Has a message handled and logs the outcome. Answers false if the message has to come back, and never throws. A
 * message that nobody can read goes to the dead letters.
 */
export const handleAndLog = async (
  { body, messageId, receiptHandle }: ReceivedMessage,
  lane: Lane,
  handle: (message: QueueMessage, lane: Lane) => Promise<Handling>,
): Promise<boolean> => {
  const message = decodeMessage(body);
  try {
    if (!message && isLaterMessage(body)) {
      // When the message comes back, the later version has taken over, or has been taken back.
      logSink.write({ level: 'WARN', delivery: 'of a later version', messageId });
      return false;
    }
    if (!message) {
      // No retry can make an unreadable message readable.
      await sendToDeadLetters(body);
      logSink.write({ level: 'ERROR', delivery: 'not a message of ours', messageId });
      return true;
    }
    const { outcome, againSeconds } = await handle(message, lane);
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
