import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { freshConnections } from '../connections.ts';
import { Problem } from '../problem.ts';
import { refuseIfOver } from '../table/meter.ts';
import { inChunks } from '../table/table.ts';
import { encodeMessage, type QueueMessage } from './message.ts';

/**
 * The delivery queue as plain data. The stack, the local service and the tests make the queue, its dead-letter queue
 * and the worker's event source from these constants.
 */
export const deliveryQueue = {
  name: 'deliveries',
  /** The queue for events to webhooks that fail, or answer slowly. */
  slowName: 'deliveries-slow',
  /** The queue for calls of vendors. None of these calls is guaranteed. */
  vendorName: 'vendor-calls',
  deadLetterName: 'deliveries-dead',
  /** Six times the worker's time-out, as AWS recommends: the worker has certainly ended when its message comes back. */
  visibilitySeconds: 360,
  /** 14 days, the longest that SQS keeps a message. */
  retentionSeconds: 14 * 86_400,
  /** The most that SQS allows. It only has to stop a message that crashes its worker every time. */
  maxReceiveCount: 1000,
  batchSize: 10,
  /**
   * The number of workers for each of the other queues: the fewest that Lambda allows. A new account runs only 10
   * functions at once.
   */
  slowConcurrency: 2,
  workerTimeoutSeconds: 60,
} as const;

const { agents, closeIdle } = freshConnections();
const client = new SQSClient({ maxAttempts: 2, requestHandler: agents });
client.middlewareStack.add(
  (next) => (args) => {
    closeIdle();
    return next(args);
  },
  { step: 'finalizeRequest', name: 'fresh' },
);

/** The longest that a call of the queue may take, the second try included. */
const sendMillis = 4000;
const bounded = () => ({ abortSignal: AbortSignal.timeout(sendMillis) });

/**
 * Messages for receivers in trouble, and messages for vendors, take lanes of their own, so that no other message waits
 * for them. A deployment may serve these two lanes by one queue.
 */
export type Lane = 'quick' | 'slow' | 'vendors';

const queueUrl = (lane: Lane = 'quick'): string | undefined =>
  ({
    quick: process.env.DELIVERY_QUEUE_URL,
    slow: process.env.SLOW_QUEUE_URL,
    vendors: process.env.VENDOR_QUEUE_URL,
  })[lane];

/** The lane of the queue with this ARN, from which Lambda took a message. */
export const laneOf = (queueArn = ''): Lane =>
  (['slow', 'vendors'] as const).find(
    (lane) => queueArn !== '' && queueUrl(lane)?.split('/').at(-1) === queueArn.split(':').at(-1),
  ) ?? 'quick';

/** The queue refused some messages of a batch and took the others. */
export class RefusedMessagesError extends Error {
  readonly messages: readonly QueueMessage[];
  constructor(messages: readonly QueueMessage[], code = '') {
    super(`The queue refused ${messages.length} messages: ${code}`);
    this.messages = messages;
  }
}

/**
 * Puts messages on the queue of a lane. `store` groups them, so that a busy store does not starve the others. `delayOf`
 * says after how many seconds a worker may have a message, given its number, from 0.
 */
export const sendMessages = async (
  store: string,
  messages: readonly QueueMessage[],
  lane?: Lane,
  delayOf?: (number: number) => number,
): Promise<void> => {
  for (const [number, batch] of inChunks(messages, deliveryQueue.batchSize).entries()) {
    const Entries = batch.map((message, index) => ({
      Id: String(index),
      MessageBody: encodeMessage(message),
      MessageGroupId: store,
      ...(delayOf && { DelaySeconds: delayOf(number * deliveryQueue.batchSize + index) }),
    }));
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl(lane), Entries }),
      bounded(),
    );
    const refused = batch.filter((_, index) => Failed.some(({ Id }) => Id === String(index)));
    if (refused.length > 0) throw new RefusedMessagesError(refused, Failed[0]?.Code);
  }
};

/**
 * Puts one message on the queue for a request. Throws 503 if the queue is down or slow. The queue's answer may be lost,
 * so the text does not claim that nothing was queued.
 */
export const sendForRequest = async (message: QueueMessage): Promise<void> => {
  refuseIfOver();
  try {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl(),
        MessageBody: encodeMessage(message),
        MessageGroupId: message.store,
      }),
      bounded(),
    );
  } catch (error) {
    throw Object.assign(
      new Problem(503, 'The delivery queue did not confirm the request. Send it again a little later.', [], {
        'Retry-After': '5',
      }),
      { cause: error },
    );
  }
};

/** Puts a text that no function can use on a queue, for a person to look at. */
export const setAside = async (QueueUrl: string | undefined, text: string): Promise<void> => {
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: text, MessageGroupId: 'broken' }), bounded());
};

/** Puts the text of a message that no worker can use on the dead-letter queue. */
export const sendToDeadLetters = (text: string): Promise<void> => setAside(process.env.DELIVERY_DLQ_URL, text);

/**
 * Makes a worker's message come back after `delaySeconds`, at least one second: with messages on disk, fauxqs 2.4.1
 * loses a message with a time-out of 0 until its next start.
 */
export const comeBackAfter = async (ReceiptHandle: string, delaySeconds: number, lane: Lane): Promise<void> => {
  const VisibilityTimeout = Math.max(delaySeconds, 1);
  await client.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl(lane), ReceiptHandle, VisibilityTimeout }),
    bounded(),
  );
};

/** A message that a worker has received. */
export interface ReceivedMessage {
  messageId: string;
  receiptHandle: string;
  body: string;
}

/** Takes up to a batch of messages from the queue of a lane. Waits a second for the first one. */
export const receiveMessages = async (lane: Lane): Promise<ReceivedMessage[]> => {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl(lane),
      MaxNumberOfMessages: deliveryQueue.batchSize,
      WaitTimeSeconds: 1,
    }),
    bounded(),
  );
  return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
  }));
};

/** Deletes messages that are done. */
export const deleteMessages = async (messages: readonly ReceivedMessage[], lane: Lane): Promise<void> => {
  if (messages.length === 0) return;
  const Entries = messages.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl(lane), Entries }), bounded());
};
