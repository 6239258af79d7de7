import { setTimeout as pause } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { reopenDelivery } from '../lib/delivery/deliveries.ts';
import { decodeMessage } from '../lib/delivery/message.ts';
import { sendMessages } from '../lib/delivery/queue.ts';

/** What an operator does about deliveries, beside listing them (`listDeliveries`, `getDelivery`). */

/**
 * Sends a delivery again that failed, waits or hangs; it has another 14 days. The record is readied first: if the queue
 * then fails, the same call can be made again. Throws 404 for an unknown delivery, 400 for one that was made.
 */
export const sendAgain = async (store: string, id: string): Promise<void> => {
  await sendMessages(store, [await reopenDelivery(store, id)]);
};

export interface DeadLetter {
  messageId: string;
  sentAt: string;
  body: string;
  /** Whether it is a message of ours, so that another try makes sense. */
  readable: boolean;
}

const deadLetterUrl = (): string | undefined => process.env.DELIVERY_DLQ_URL;

/** How long a letter that is looked at is out of sight of others, at the most. */
const lookSeconds = 30;

/** How long a letter stays out of sight after it was looked at. Not 0: fauxqs 2.4.1 would lose it (see `comeBackAfter`). */
const putBackSeconds = 1;

/** Whether somebody is looking at dead letters, so that others do not see them. */
const areTaken = async (client: SQSClient): Promise<boolean> => {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: deadLetterUrl(),
      AttributeNames: ['ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0) > 0;
};

/** Takes dead letters in turn, each at the most once. Waits a little for letters that were looked at just before. */
const takeDeadLetters = async function* (client: SQSClient): AsyncGenerator<Message> {
  const seen = new Set<string | undefined>();
  for (let waits = 0; ; ) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: deadLetterUrl(),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: lookSeconds,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId));
    if (fresh.length === 0) {
      if (seen.size > 0 || waits++ === 3 || !(await areTaken(client))) return;
      await pause(putBackSeconds * 1000);
      continue;
    }
    for (const message of fresh) {
      seen.add(message.MessageId);
      yield message;
    }
  }
};

const putBack = async (client: SQSClient, handles: (string | undefined)[]): Promise<void> => {
  for (const ReceiptHandle of handles)
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: deadLetterUrl(),
        ReceiptHandle,
        VisibilityTimeout: putBackSeconds,
      }),
    );
};

/** The messages that no worker could handle, up to `limit`. They stay. */
export const listDeadLetters = async (limit = 100): Promise<DeadLetter[]> => {
  const client = new SQSClient({});
  const found: DeadLetter[] = [];
  const handles: (string | undefined)[] = [];
  for await (const { MessageId = '', ReceiptHandle, Body = '', Attributes = {} } of takeDeadLetters(client)) {
    handles.push(ReceiptHandle);
    const sentAt = new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString();
    found.push({ messageId: MessageId, sentAt, body: Body, readable: decodeMessage(Body) !== undefined });
    if (found.length >= limit) break;
  }
  await putBack(client, handles);
  client.destroy();
  return found;
};

/** Puts the readable dead letters on the queue again; the others stay. Answers how many those were. */
export const redriveDeadLetters = async (): Promise<number> => {
  const client = new SQSClient({});
  let count = 0;
  const unreadable: (string | undefined)[] = [];
  for await (const { ReceiptHandle, Body = '' } of takeDeadLetters(client)) {
    const message = decodeMessage(Body);
    if (!message) {
      unreadable.push(ReceiptHandle);
      continue;
    }
    // Sent before it is deleted: dying in between leaves it in both, which is harmless.
    await sendMessages(message.store, [message]);
    await client.send(new DeleteMessageCommand({ QueueUrl: deadLetterUrl(), ReceiptHandle }));
    count += 1;
  }
  await putBack(client, unreadable);
  client.destroy();
  return count;
};
