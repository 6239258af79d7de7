import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { findKey } from '../../../../lib/store/api-keys.ts';
import { streamView } from '../../../../lib/table/schema.ts';
import { serve, startTestQueue } from '../../../../test/support/deliveries.ts';
import { keepHistory } from '../../../../test/support/history.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { createProgram } from '../../program/program.ts';
import { runInProcess, runStore } from '../support/cli.ts';
import { stubAws } from '../support/stacks.ts';

const dir = mkdtempSync(join(tmpdir(), 'store-target-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const queue = await startTestQueue();
await freshTable();
await keepHistory();
const baseUrl = await serve((_, response) => response.writeHead(401).end());
const stacks = {
  'store-integration-prod': {
    BaseUrl: baseUrl,
    TableName: process.env.TABLE_NAME ?? '',
    DeliveryQueueUrl: queue.url,
    SlowQueueUrl: queue.slowUrl,
    DeadLetterQueueUrl: queue.deadLetterUrl,
    AuthorizerTtlSeconds: '7',
    CreditLimit: '1000000000',
    DispenserHostSuffixes: '.example.org',
    OperatorLogDays: '400',
  },
  'store-integration-old': { BaseUrl: baseUrl, TableName: 'old' },
};
const aws = stubAws(stacks);
const { AWS_ENDPOINT_URL_DYNAMODB = '', AWS_ENDPOINT_URL_SQS = '' } = process.env;
const engines = { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS };
const env = {
  ...engines,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  SIS_DATA_DIR: dir,
};

test('finds a deployment by the outputs of its stack, and issues keys that work there', async () => {
  const created = await runInProcess(['create', 'On AWS', '--stage', 'prod', '--json'], env);
  const revoked = await runInProcess(['key', 'revoke', 'first key', '--stage', 'prod'], env);

  const [row] = created.rows;
  expect(created.code).toBe(0);
  expect(row).toMatchObject({ store: { name: 'On AWS' }, state: 'active', key: expect.stringMatching(/^sis_live_/) });
  expect(await findKey(row.prefix.replace('sis_live_', ''))).toMatchObject({ store: row.store.id, status: 'revoked' });
  expect(revoked.stderr).toContain('within 7 seconds');
});

test('asks which store is meant where a deployment has several', async () => {
  for (const name of ['One', 'Two']) await createStore(name);

  const { code, stderr } = await runInProcess(['key', 'list', '--stage', 'prod'], env);

  expect(code).toBe(2);
  expect(stderr).toMatch(/several stores: name one with --store\. There are:\n[\s\S]*Two \(/);
});

test('the log names the AWS identity, or says that AWS does not name it, once for each command', async () => {
  const jane = 'arn:aws:sts::123456789012:assumed-role/Operator/jane';
  const stage = ['--stage', 'prod'];

  aws.arn = jane;
  const known = await runInProcess(['create', 'Known', ...stage], env);
  aws.arn = undefined;
  const unknown = await runInProcess(['create', 'Unknown', ...stage], env);
  const { rows } = await runInProcess(['log', '--limit', '4', ...stage, '--json'], env);

  const fallback = `not identified by AWS, user ${userInfo().username}`;
  expect(rows.map(({ by, action }) => [by, action])).toEqual([
    [fallback, 'key.issued'],
    [fallback, 'store.created'],
    [jane, 'key.issued'],
    [jane, 'store.created'],
  ]);
  expect([known.code, unknown.code]).toEqual([0, 0]);
  expect(known.stderr).not.toContain('AWS');
  expect(unknown.stderr.match(/AWS does not say who you are.*connect ETIMEDOUT/g)).toHaveLength(1);
});

test('the doctor checks a deployment, and fails if the sweep does not run', async () => {
  await createStore('Looked at');

  const { code, rows } = await runInProcess(['doctor', '--stage', 'prod', '--json'], env);

  const stateOf = Object.fromEntries(rows.map(({ check, state }) => [check, state]));
  expect(stateOf).toMatchObject({ deployment: 'ok', api: 'ok', clock: 'ok', table: 'ok', indexes: 'ok', queue: 'ok' });
  expect([stateOf.stream, stateOf['slow queue']]).toEqual(['ok', 'ok']);
  expect(rows.find(({ check }) => check === 'sweep')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('none has run yet'),
    fix: expect.stringContaining('EventBridge'),
  });
  expect(rows.find(({ check }) => check === 'quota')).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('10 functions'),
    fix: expect.stringContaining('Concurrent executions'),
  });
  expect(code).toBe(1);
});

test('the doctor fails where the table has no stream, as after a restore, or nothing reads it', async () => {
  const client = new DynamoDBClient({});
  const TableName = process.env.TABLE_NAME ?? '';
  const streamFound = async () => {
    const { rows } = await runInProcess(['doctor', '--stage', 'prod', '--json'], env);
    return rows.find(({ check }) => check === 'stream');
  };

  aws.mapping = 'Disabled';
  const unread = await streamFound();
  aws.mapping = 'Enabled';
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification: { StreamEnabled: false } }));
  const none = await streamFound();
  const StreamSpecification = { StreamEnabled: true, StreamViewType: streamView } as const;
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));

  expect(unread).toMatchObject({ state: 'fail', detail: expect.stringContaining('no function reads it') });
  expect(none).toMatchObject({ state: 'fail', fix: expect.stringContaining('restoredStream') });
});

test('explains how to go on without a deployment, with an old one, without a region and without a local service', async () => {
  const stale = join(dir, 'stale');
  const { AWS_REGION: _, ...nowhere } = env;
  const list = ['list', '--stage'];
  writeFileSync(join(dir, 'service.json'), '{}');

  const [unknown, old, regionless, foreign, none, doctor, both] = await Promise.all([
    runInProcess([...list, 'test'], env),
    runInProcess([...list, 'old'], env),
    runInProcess([...list, 'prod'], nowhere),
    runInProcess(['list'], env),
    runInProcess(['list', '--data-dir', stale], env),
    runInProcess(['doctor', '--local', '--data-dir', stale, '--json'], env),
    runInProcess([...list, 'prod', '--local'], env),
  ]);

  expect(unknown?.stderr).toMatch(/no deployment test: .* no stack store-integration-test in the region us-east-1/);
  expect(old?.stderr).toMatch(/DeliveryQueueUrl, .*Deploy it again/);
  expect(regionless?.stderr).toMatch(/AWS_REGION/);
  expect(foreign?.stderr).toMatch(/another version of the local service/);
  expect(none?.stderr).toMatch(/npm start.*--stage prod/);
  expect(doctor?.rows).toMatchObject([
    { check: 'deployment', state: 'fail', fix: expect.stringContaining('npm start') },
  ]);
  expect(both?.stderr).toMatch(/cannot be used with/);
  const codes = [unknown, old, regionless, foreign, none, doctor, both].map((ran) => ran?.code);
  expect(codes).toEqual([1, 1, 1, 1, 1, 1, 2]);
});

test('says what to check where AWS cannot be reached', async () => {
  const AWS_ENDPOINT_URL_CLOUDFORMATION = 'http://cloudformation.eu-centrl-1.invalid';

  const { code, stderr } = await runStore(['list', '--stage', 'prod'], {
    ...env,
    AWS_ENDPOINT_URL_CLOUDFORMATION,
  });

  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: cloudformation\.eu-centrl-1\.invalid cannot be reached: check the network of this machine, and AWS_REGION, which is us-east-1\. \(getaddrinfo /,
  );
});

/** Every command without subcommands, with its full name. */
const leaves = (command: Command, path = ''): [string, Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((sub) => leaves(sub, `${path} ${sub.name()}`.trim()));

test.each(leaves(createProgram()))('the help of store %s describes the command and shows examples', (path, command) => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();

  expect(command.description()).toMatch(/^[A-Z].*\.$/s);
  expect(help).toMatch(new RegExp(`Examples:\\n.*store ${path}`));
  expect(help).toMatch(/--json .*\n/);
  for (const { description, flags } of command.options) expect(description, flags).not.toBe('');
});
