import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { comeBackAfter } from '../../../lib/delivery/queue.ts';
import { dbOnce } from '../../../lib/table/client.ts';

/** A server that counts connections and answers every call. */
const startServer = async () => {
  const seen = { connections: 0 };
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  server.on('connection', () => {
    seen.connections += 1;
  });
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port };
};

type Call = () => Promise<unknown>;

/** Makes calls that go to a server on this port. */
const callers: [string, (port: number) => Call][] = [
  [
    'the table',
    (port) => {
      const { endpoint } = dbOnce.config;
      onTestFinished(() => void Object.assign(dbOnce.config, { endpoint }));
      dbOnce.config.endpoint = async () => ({ protocol: 'http:', hostname: '127.0.0.1', port, path: '/' });
      return () => dbOnce.send(new PutCommand({ TableName: 'any', Item: { pk: 'a', sk: 'b' } }));
    },
  ],
  [
    'the queue',
    (port) => {
      process.env.DELIVERY_QUEUE_URL = `http://127.0.0.1:${port}/000000000000/deliveries`;
      return () => comeBackAfter('receipt', 1, 'quick');
    },
  ],
];

test.each(callers)(
  '%s is called over no connection that was idle for longer than four seconds, since it could have been closed meanwhile',
  async (_, callOn) => {
    const { seen: counted, port } = await startServer();
    const call = callOn(port);
    let time = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => time);
    const seen: number[] = [];

    for (const idle of [0, 4000, 4001, 1000, 60_000]) {
      time += idle;
      await call();
      seen.push(counted.connections);
    }
    await Promise.all([call(), call()]);
    time += 3000;
    await call();
    time += 2000;
    await call();

    expect(seen).toEqual([1, 1, 2, 2, 3]);
    // Of two, one was idle for five seconds and one for two.
    expect(counted.connections).toBe(5);
  },
);
