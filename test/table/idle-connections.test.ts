import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dbOnce } from '../../lib/table/client.ts';

test('a write takes no connection that was idle for longer than four seconds, since it could have been closed meanwhile', async () => {
  let connections = 0;
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  server.on('connection', () => connections++);
  await once(server, 'listening');
  const { endpoint } = dbOnce.config;
  const { port } = server.address() as AddressInfo;
  dbOnce.config.endpoint = async () => ({ protocol: 'http:', hostname: '127.0.0.1', port, path: '/' });
  onTestFinished(() => {
    Object.assign(dbOnce.config, { endpoint });
    server.closeAllConnections();
    server.close();
  });
  const write = () => dbOnce.send(new PutCommand({ TableName: 'any', Item: { pk: 'a', sk: 'b' } }));
  let time = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => time);
  const seen: number[] = [];

  for (const idle of [0, 4000, 4001, 1000, 60_000]) {
    time += idle;
    await write();
    seen.push(connections);
  }
  await Promise.all([write(), write()]);
  time += 3000;
  await write();
  time += 2000;
  await write();

  expect(seen).toEqual([1, 1, 2, 2, 3]);
  // Of two, one was idle for five seconds and one for two.
  expect(connections).toBe(5);
});
