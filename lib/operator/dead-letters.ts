import { setTimeout as pause } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { decodeMessage } from '../delivery/message.ts';
import { sendMessages } from '../delivery/queue.ts';

/** The operator's work on the queues: lists and redrives dead letters, counts messages. */

const client = new SQSClient({});

export interface DeadLetter {
  messageId: string;
  sentAt: string;
  body: string;
  /** This service can read the message, so it can be sent again. */
  readable: boolean;
}

const deadLetterUrl = (): string | undefined => process.env.DELIVERY_DLQ_URL;

/** How many messages a queue holds, by its URL: visible ones, and received ones that are not deleted. */
export const queueDepth = async (QueueUrl: string | undefined): Promise<{ visible: number; inFlight: number }> => {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }));
  const [visible, inFlight] = names.map((name) => Number(Attributes?.[name] ?? 0)) as [number, number];
  return { visible, inFlight };
};

/** The longest time for which a dead letter that is received here is invisible to others. */
const receivedSeconds = 30;

/**
 * The time for which a dead letter stays invisible after it was listed. With 0, fauxqs 2.4.1 would lose it (see
 * `comeBackAfter`).
 */
const putBackSeconds = 1;

/** Receives dead letters one by one, each at most once. Waits a little for letters that are invisible at the moment. */
const receiveDeadLetters = async function* (): AsyncGenerator<Message> {
  const seen = new Set<string | undefined>();
  for (let waits = 0; ; ) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: deadLetterUrl(),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: receivedSeconds,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId));
    if (fresh.length === 0) {
      if (seen.size > 0 || waits++ === 3 || (await queueDepth(deadLetterUrl())).inFlight === 0) return;
      await pause(putBackSeconds * 1000);
    }
    for (const message of fresh) {
      seen.add(message.MessageId);
      yield message;
    }
  }
};

const putBack = async (messages: readonly Message[]): Promise<void> => {
  const [QueueUrl, VisibilityTimeout] = [deadLetterUrl(), putBackSeconds];
  for (const { ReceiptHandle } of messages)
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
};

/** The messages that no worker could handle, up to `limit`. They stay in the queue. */
export const listDeadLetters = async (limit = 100): Promise<DeadLetter[]> => {
  const found: Message[] = [];
  for await (const message of receiveDeadLetters()) if (found.push(message) >= limit) break;
  await putBack(found);
  return found.map(({ MessageId = '', Body = '', Attributes = {} }) => ({
    messageId: MessageId,
    sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
    body: Body,
    readable: decodeMessage(Body) !== undefined,
  }));
};

/** Puts the readable dead letters on the queue again. The others stay. Returns how many were sent. */
export const redriveDeadLetters = async (): Promise<number> => {
  let count = 0;
  const unreadable: Message[] = [];
  for await (const letter of receiveDeadLetters()) {
    const message = decodeMessage(letter.Body ?? '');
    if (!message) {
      unreadable.push(letter);
      continue;
    }
    // The message is sent before its letter is deleted. After a crash in between it is in both queues, which does no
    // harm.
    await sendMessages(message.store, [message]);
    await client.send(new DeleteMessageCommand({ QueueUrl: deadLetterUrl(), ReceiptHandle: letter.ReceiptHandle }));
    count += 1;
  }
  await putBack(unreadable);
  return count;
};
