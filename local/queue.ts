import { mkdirSync } from 'node:fs';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { deliveryQueue } from '../lib/delivery/queue.ts';

/** The SQS server that the deliveries go through. */
export interface Queue {
  name: string;
  endpoint: string;
  stop: () => Promise<void>;
}

/**
 * Starts an SQS server that keeps its messages in `dir`, or in memory if there is none. Where AWS_ENDPOINT_URL_SQS is
 * set, that server is used instead.
 */
export const startQueue = async (dir?: string): Promise<Queue> => {
  const given = process.env.AWS_ENDPOINT_URL_SQS;
  if (given) return { name: `the queue at ${given}`, endpoint: given, stop: async () => {} };
  if (dir) mkdirSync(dir, { recursive: true });
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1', ...(dir && { dataDir: dir }) });
  return { name: 'fauxqs', endpoint: `http://127.0.0.1:${server.port}`, stop: () => server.stop() };
};

/** A queue's URL with the host by which this process reaches the server; the server's own may be none that exists. */
const reachable = (url: string | undefined, endpoint: string): string =>
  (url ?? '').replace(/^https?:\/\/[^/]+/, endpoint.replace(/\/$/, ''));

/** Makes the delivery queue and its dead-letter queue, as the stack makes them on AWS. Answers their URLs. */
export const ensureQueues = async (endpoint: string, name: string = deliveryQueue.name) => {
  const { retentionSeconds, visibilitySeconds, maxReceiveCount, deadLetterName } = deliveryQueue;
  const client = new SQSClient({ endpoint });
  const retention = { MessageRetentionPeriod: String(retentionSeconds) };
  const deadQueue = name === deliveryQueue.name ? deadLetterName : `${name}-dead`;
  const dead = await client.send(new CreateQueueCommand({ QueueName: deadQueue, Attributes: retention }));
  const deadLetterUrl = reachable(dead.QueueUrl, endpoint);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const queue = await client.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: {
        ...retention,
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount }),
      },
    }),
  );
  client.destroy();
  return { url: reachable(queue.QueueUrl, endpoint), deadLetterUrl };
};
