import { Server } from 'node:net';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from 'fauxqs';
import { deliveryQueue } from '../../lib/delivery/queue.ts';
import { privateAddress, privateDir } from './private.ts';

/** The SQS server of the deliveries. */
export interface Queue {
  name: string;
  endpoint: string;
  stop: () => Promise<void>;
}

/**
 * Binds the next server on this port to the host alone, since fauxqs 2.4.1 ignores its `host` and listens on every
 * address. Answers a function that undoes this.
 */
const bindTo = (host: string, port: number) => {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, ...[options, ...rest]: unknown[]) {
    const isMeant = options instanceof Object && 'port' in options && options.port === port;
    return Reflect.apply(listen, this, [isMeant ? { ...options, host } : options, ...rest]);
  };
  return () => {
    Server.prototype.listen = listen;
  };
};

/**
 * Starts an SQS server that keeps its messages in `dir` or, without it, in memory. AWS_ENDPOINT_URL_SQS may name
 * another server.
 */
export const startQueue = async (dir?: string): Promise<Queue> => {
  const given = process.env.AWS_ENDPOINT_URL_SQS;
  if (given) return { name: `the queue at ${given}`, endpoint: given, stop: async () => {} };
  if (dir) privateDir(dir);
  const { host, port } = await privateAddress();
  const undo = bindTo(host, port);
  const server = await startFauxqs({ port, host, logger: false, ...(dir && { dataDir: dir }) }).finally(undo);
  return { name: 'fauxqs', endpoint: `http://${host}:${port}`, stop: () => server.stop() };
};

/** A queue's URL with the host of the endpoint, since the host that the server gives may not exist. */
const reachable = (url: string | undefined, endpoint: string): string =>
  (url ?? '').replace(/^https?:\/\/[^/]+/, endpoint.replace(/\/$/, ''));

/**
 * Creates the delivery queues, their dead-letter queue and the queue for failures of history, as the stack does on AWS.
 * Answers their URLs.
 */
export const ensureQueues = async (endpoint: string, name: string = deliveryQueue.name) => {
  const { retentionSeconds, visibilitySeconds, maxReceiveCount, deadLetterName, slowName, vendorName } = deliveryQueue;
  const client = new SQSClient({ endpoint });
  const retention = { MessageRetentionPeriod: String(retentionSeconds) };
  const deadQueue = name === deliveryQueue.name ? deadLetterName : `${name}-dead`;
  const dead = await client.send(new CreateQueueCommand({ QueueName: deadQueue, Attributes: retention }));
  const deadLetterUrl = reachable(dead.QueueUrl, endpoint);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const withDeadLetters = async (QueueName: string): Promise<string> => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount });
    const made = await client.send(
      new CreateQueueCommand({
        QueueName,
        Attributes: { ...retention, VisibilityTimeout: String(visibilitySeconds), RedrivePolicy },
      }),
    );
    return reachable(made.QueueUrl, endpoint);
  };
  const url = await withDeadLetters(name);
  const slowUrl = await withDeadLetters(name === deliveryQueue.name ? slowName : `${name}-slow`);
  const vendorUrl = await withDeadLetters(name === deliveryQueue.name ? vendorName : `${name}-vendors`);
  const failures = await client.send(new CreateQueueCommand({ QueueName: `${name}-history`, Attributes: retention }));
  client.destroy();
  const historyFailuresUrl = reachable(failures.QueueUrl, endpoint);
  return { url, slowUrl, vendorUrl, deadLetterUrl, historyFailuresUrl };
};
