import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { deliveryQueue } from '../../lib/delivery/queue.ts';

export type Worker = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

interface PollerOptions {
  queueUrl: string;
  worker: Worker;
  /** The number of batches at the same time. */
  concurrency?: number;
  /** The number of messages in a batch, at most. */
  batchSize?: number;
  visibilitySeconds?: number;
}

/** The system attribute with the trace header of the call that sent a message. */
export const traceAttribute = 'AWSTraceHeader';

const queueRecord = (
  { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} }: Message,
  queueUrl: string,
) =>
  ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ...Attributes, [traceAttribute]: MessageAttributes[traceAttribute]?.StringValue },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:local:000000000000:${queueUrl.split('/').at(-1)}`,
  }) as unknown as SQSRecord;

const contextFrom = (started: number): Context =>
  ({
    functionName: 'delivery-worker',
    getRemainingTimeInMillis: () => deliveryQueue.workerTimeoutSeconds * 1000 - (performance.now() - started),
  }) as Context;

/**
 * Works like Lambda's event source mapping: takes batches from the queue and calls the worker. Deletes the messages
 * that the worker did not report as failed, or none if it threw. The queue brings the others back, and moves a message
 * to the dead letters after too many tries.
 */
export const startPoller = ({
  queueUrl,
  worker,
  concurrency = 2,
  batchSize = deliveryQueue.batchSize,
  visibilitySeconds,
}: PollerOptions) => {
  const client = new SQSClient({});
  const stopped = new AbortController();

  const takeBatch = async (): Promise<void> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId'],
        MessageAttributeNames: [traceAttribute],
        WaitTimeSeconds: 5,
        ...(visibilitySeconds !== undefined && { VisibilityTimeout: visibilitySeconds }),
      }),
      { abortSignal: stopped.signal },
    );
    if (Messages.length === 0) return;
    const Records = Messages.map((message) => queueRecord(message, queueUrl));
    const { batchItemFailures } = await worker({ Records }, contextFrom(performance.now()));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const done = Messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  };

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted)
      await takeBatch().catch(async () => {
        // The queue does not answer, or the worker threw. The messages come back by themselves.
        if (!stopped.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
      });
  };
  const runs = Array.from({ length: concurrency }, run);

  return {
    /** Ends after the running batches. */
    stop: async (): Promise<void> => {
      stopped.abort();
      await Promise.all(runs);
      client.destroy();
    },
  };
};
