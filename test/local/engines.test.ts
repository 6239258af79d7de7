import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine } from '../../local/engine.ts';
import { startQueue } from '../../local/queue.ts';

/** The engine and the queue take any signature, so only programs on this machine may reach them. */

const dir = mkdtempSync(join(tmpdir(), 'store-engines-'));
let engine: Awaited<ReturnType<typeof startEngine>>;
let queue: Awaited<ReturnType<typeof startQueue>>;
beforeAll(async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: ofTheTests } = process.env;
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  engine = await startEngine(join(dir, 'table'));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = ofTheTests;
  queue = await startQueue(join(dir, 'queue'));
});
afterAll(async () => {
  await Promise.all([engine.stop(), queue.stop()]);
  rmSync(dir, { recursive: true });
});

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('they answer this process', async () => {
  const table = new DynamoDBClient({ endpoint: engine.endpoint });
  const sqs = new SQSClient({ endpoint: queue.endpoint });

  expect(await table.send(new ListTablesCommand({}))).toMatchObject({ TableNames: [] });
  expect((await sqs.send(new ListQueuesCommand({}))).$metadata.httpStatusCode).toBe(200);

  table.destroy();
  sqs.destroy();
});

test('no other machine reaches them', async () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all = []) => all)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);

  for (const { endpoint } of [engine, queue]) {
    const { hostname, port } = new URL(endpoint);
    expect(hostname).toMatch(/^127\./);
    expect(await accepts(hostname, Number(port))).toBe(true);
    for (const address of addresses) expect([address, await accepts(address, Number(port))]).toEqual([address, false]);
  }
});

test('no page reaches them: the fetch standard blocks their ports', async () => {
  for (const { endpoint } of [engine, queue])
    await expect(fetch(endpoint)).rejects.toMatchObject({ cause: { message: 'bad port' } });
});

test('the error on a machine without an engine says how to get one', async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: ofTheTests, PATH } = process.env;
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  process.env.PATH = '/nowhere';
  Object.defineProperty(process, 'platform', { ...platform, value: 'sunos' });

  const started = startEngine().finally(() => {
    Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: ofTheTests, PATH });
    Object.defineProperty(process, 'platform', platform);
  });

  await expect(started).rejects.toThrow(/Java 17 .*npm ci under Node\.js 22 or later/);
});
