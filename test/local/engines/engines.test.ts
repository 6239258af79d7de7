import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../../local/engines/engine.ts';
import { startQueue } from '../../../local/engines/queue.ts';

/** The engine and the queue accept any signature, so only programs on this machine may reach them. */

const dir = mkdtempSync(join(tmpdir(), 'store-engines-'));
const { AWS_ENDPOINT_URL_DYNAMODB: ofTheTests } = process.env;
delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
const engine = await startEngine(join(dir, 'table'));
process.env.AWS_ENDPOINT_URL_DYNAMODB = ofTheTests;
const queue = await startQueue(join(dir, 'queue'));
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

test('an engine in a folder finds the next records of a stream by an index', () => {
  const database = new DatabaseSync(join(dir, 'table', 'dynoxide.db'), { readOnly: true });
  const number = 'CAST(sequence_number AS INTEGER)';
  const next = `SELECT * FROM _stream_records WHERE table_name = ?1 AND ${number} > ?2 ORDER BY ${number}`;

  const plan = database.prepare(`EXPLAIN QUERY PLAN ${next}`).all();

  expect(plan).toMatchObject([
    { detail: expect.stringContaining('INDEX streams_in_order (table_name=? AND <expr>>?)') },
  ]);
  database.close();
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

const system = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
const { AWS_ENDPOINT_URL_DYNAMODB, PATH } = process.env;

/** Starts an engine as on a machine of this platform, with these folders on the PATH. */
const startOn = async (platform: NodeJS.Platform, path: string): ReturnType<typeof startEngine> => {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  process.env.PATH = path;
  Object.defineProperty(process, 'platform', { ...system, value: platform });
  try {
    return await startEngine();
  } finally {
    Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB, PATH });
    Object.defineProperty(process, 'platform', system);
  }
};

test('without a package for the platform, `dynoxide` from the PATH serves', async () => {
  symlinkSync(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide'), join(dir, 'dynoxide'));

  const found = await startOn('darwin', `${dir}:${PATH}`);

  expect(found.name).toBe('Dynoxide');
  expect((await fetch(found.endpoint).catch(({ cause }) => cause)).message).toBe('bad port');
  await found.stop();
});

test('the error on a machine without an engine has the line that installs one', async () => {
  await expect(startOn('darwin', '/nowhere')).rejects.toThrow(
    new RegExp(
      `for darwin-${process.arch}\\. .*\\n\\n {2}npm install --no-save @dynoxide/darwin-${process.arch}@\\d+\\.\\d+\\.\\d+\\n`,
    ),
  );
  await expect(startOn('sunos', '/nowhere')).rejects.toThrow(/Java 17 .*npm ci under Node\.js 22 or later/);
});
