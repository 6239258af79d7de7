import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { newId, now, timestamp } from '../../lib/clock.ts';
import type { Order } from '../../lib/delivery/message.ts';
import { ensureQueues, startQueue } from '../../local/engines/queue.ts';
import { atEnd } from './at-end.ts';
import { answerLost } from './faults.ts';

/** Starts a queue server with queues for this test file, in memory or in `dir`, and points the service at them. */
export const startTestQueue = async (dir?: string) => {
  const queue = await startQueue(dir);
  const queues = await ensureQueues(queue.endpoint, `test-${randomUUID()}`);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    DELIVERY_QUEUE_URL: queues.url,
    SLOW_QUEUE_URL: queues.slowUrl,
    VENDOR_QUEUE_URL: queues.vendorUrl,
    DELIVERY_DLQ_URL: queues.deadLetterUrl,
    HISTORY_FAILURES_URL: queues.historyFailuresUrl,
  });
  atEnd(async () => {
    delete process.env.AWS_ENDPOINT_URL_SQS;
    await queue.stop();
  });
  return queues;
};

/** Receives the bodies of up to ten messages. The next call gets the next ones. */
export const received = async (QueueUrl: string): Promise<string[]> => {
  const client = new SQSClient({});
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  client.destroy();
  return Messages.map(({ Body = '' }) => Body);
};

/** The queue refuses the next message, or takes it and its answer is lost. */
export const failQueue = (isSent: boolean): void => {
  const { send } = SQSClient.prototype;
  // biome-ignore lint/suspicious/noExplicitAny: `send` has an overload for each command.
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation(async function (this: SQSClient, ...args: any[]) {
    if (!(args[0] instanceof SendMessageCommand)) return (send as (...all: unknown[]) => unknown).apply(this, args);
    if (isSent) await (send as (...all: unknown[]) => unknown).apply(this, args);
    vi.restoreAllMocks();
    throw answerLost();
  });
};

/** An order as the endpoint makes it. */
export const anOrder = (store: string, fields: Partial<Order> = {}): Order => ({
  kind: 'deliver',
  store,
  id: newId(),
  productId: newId(),
  recipientUuid: '11111111-2222-3333-4444-555555555555',
  recipientUsername: 'ada',
  item: 'Lamp',
  message: '',
  createdAt: timestamp(now()),
  ...fields,
});

/** A batch as Lambda passes it to the worker. */
export const batchOf = (...bodies: string[]): SQSEvent => batchFrom('', bodies);

/** A batch from the queue with this URL. */
export const batchFrom = (queueUrl: string, bodies: readonly string[]): SQSEvent => {
  const eventSourceARN = `arn:aws:sqs:local:000000000000:${queueUrl.split('/').at(-1)}`;
  const recordOf = (body: string, index: number) => ({
    ...{ messageId: `m${index}`, receiptHandle: `r${index}`, body, eventSourceARN },
  });
  return { Records: bodies.map(recordOf) } as unknown as SQSEvent;
};

export const contextWith = (remainingMillis: number): Context =>
  ({ getRemainingTimeInMillis: () => remainingMillis }) as Context;

const listen = async (server: Server | TcpServer): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Starts an HTTP server on loopback. It ends with the test file. */
export const serve = async (listener: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer(listener);
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
};

/** Starts a TCP server on loopback. It ends with the test file. */
export const serveRaw = async (onConnection: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return listen(server);
};

/** The number of messages on a queue. */
export const messagesOn = async (url: string): Promise<number> => {
  const client = new SQSClient({});
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames }));
  client.destroy();
  return Number(Attributes?.ApproximateNumberOfMessages);
};
