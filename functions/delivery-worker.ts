import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type Handling, handleMessage } from '../lib/delivery/deliver.ts';
import { handleAndLog } from '../lib/delivery/log-outcome.ts';
import type { QueueMessage } from '../lib/delivery/message.ts';
import { comeBackAfter, deleteMessages, type Lane, laneOf, receiveMessages } from '../lib/delivery/queue.ts';
import { workOff } from '../lib/delivery/worker.ts';
import { sendEvent } from '../lib/events/send.ts';
import { tellChange } from '../lib/vendor/tell.ts';

const handle = (message: QueueMessage, lane: Lane): Promise<Handling> => {
  switch (message.kind) {
    case 'event':
      return sendEvent(message, lane);
    case 'product-changed':
    case 'vendor-changed':
      return tellChange(message);
    default:
      return handleMessage(message);
  }
};

/** Takes deliveries from the queue to the stores' dispensers, events to their webhooks, and changes to vendors. */
export const handler = async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  const lane = laneOf(Records[0]?.eventSourceARN);
  const failed = await workOff(Records, {
    handle: (message) => handleAndLog(message, lane, handle),
    receive: () => receiveMessages(lane),
    remove: (messages) => deleteMessages(messages, lane),
    postpone: ({ receiptHandle }, seconds) => comeBackAfter(receiptHandle, seconds, lane),
    remainingMillis: () => context.getRemainingTimeInMillis(),
  });
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
};
