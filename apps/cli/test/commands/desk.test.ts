import { expect, test } from 'vitest';
import { presets } from '../../../../lib/routes/key-presets.ts';
import { runInProcess, startForCli, withClockAhead } from '../support/cli.ts';
import { stubAws } from '../support/stacks.ts';

const service = await startForCli({ demo: false });

const storeId = () => service.service.store.id;

test('prints a link alone on standard output, whose key stands in the fragment, has the preset and ends', async () => {
  const made = await service.run('desk', '--store', storeId(), '--preset', 'shop', '--expires', '2h');

  const link = new URL(made.stdout.trim());
  expect(made.code).toBe(0);
  expect(`${link.origin}${link.pathname}${link.search}`).toBe(`${service.baseUrl}/desk`);
  const key = link.hash.replace('#key=', '');
  const { body } = await service.call('GET', '/v1/store', key);
  expect([...body.key.scopes].sort()).toEqual([...presets.shop.scopes].sort());
  expect(Date.parse(body.key.expiresAt) - Date.now()).toBeGreaterThan(110 * 60_000);
  expect(Date.parse(body.key.expiresAt) - Date.now()).toBeLessThanOrEqual(121 * 60_000);
  expect(made.stderr).not.toContain(key.slice(22));
});

test('gives a support key for 12 hours unless told otherwise, notes it in the log, and makes a new one each time', async () => {
  const [first, second] = [
    await service.run('desk', '--store', storeId(), '--json'),
    await service.run('desk', '--store', storeId(), '--json'),
  ];

  expect(first.rows[0]).toMatchObject({ preset: 'support', state: 'active' });
  expect(Date.parse(first.rows[0].expiresAt) - Date.parse(first.rows[0].createdAt)).toBeCloseTo(12 * 3_600_000, -4);
  expect(second.rows[0].link).not.toBe(first.rows[0].link);
  const log = await service.run('log', '--store', storeId(), '--json');
  expect(JSON.stringify(log.rows)).toContain(first.rows[0].prefix.split('_').at(-1));
});

const scopesOf = async (...options: string[]) => {
  const made = await service.run('desk', '--store', storeId(), ...options);
  const { body } = await service.call('GET', '/v1/store', made.stdout.trim().replace(/^.*#key=/, ''));
  return body.key.scopes as string[];
};

test('a link makes no keys unless --owner asks for it', async () => {
  expect(await scopesOf('--owner')).toEqual(expect.arrayContaining([...presets.all.scopes]));
  expect(await scopesOf('--preset', 'all')).not.toContain('keys:write');
  const both = await service.run('desk', '--store', storeId(), '--owner', '--preset', 'shop');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('leave --preset shop out')]);
});

test('--invite prints the link of an invitation, which is accepted once for a key of a year', async () => {
  const made = await service.run('desk', '--store', storeId(), '--owner', '--invite', '7d', '--json');
  const past = await service.run('desk', '--store', storeId(), '--invite', '2001-01-01');

  const [{ link, state, expiresAt, createdAt }] = made.rows;
  expect([state, past.code]).toEqual(['invited', 2]);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeCloseTo(365 * 86_400_000, -4);
  const code = link.replace(/^.*#invitation=/, '');
  const shown = await service.call('GET', '/v1/store/key/invitation', code);
  const accepted = await service.call('POST', '/v1/store/key/actions/accept', code);
  expect(shown.body).toMatchObject({ preset: 'all', store: { id: storeId() } });
  expect((await service.call('GET', '/v1/store', accepted.body.key)).body.key.scopes).toContain('keys:write');
});

test('counts the time until the end by the clock of the service, which may be ahead', async () => {
  const made = await withClockAhead(() => service.run('desk', '--store', storeId(), '--expires', '10m', '--json'));

  expect(made.code).toBe(0);
  const [{ createdAt, expiresAt }] = made.rows;
  expect(Date.parse(createdAt) - Date.now()).toBeGreaterThan(3_500_000);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeCloseTo(10 * 60_000, -4);
});

test('says that a deployment was made without a desk, and issues no key', async () => {
  const outputs = {
    BaseUrl: 'https://api.example.org',
    TableName: process.env.TABLE_NAME ?? '',
    DeliveryQueueUrl: 'https://sqs.example.org/1',
    SlowQueueUrl: 'https://sqs.example.org/3',
    DeadLetterQueueUrl: 'https://sqs.example.org/2',
    AuthorizerTtlSeconds: '60',
    CreditLimit: '1000',
  };

  stubAws({ 'store-integration-prod': outputs });

  const refused = await runInProcess(['desk', '--stage', 'prod', '--store', storeId()], {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  });

  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('has no desk: deploy it with desk=true');
  expect(refused.stdout).toBe('');
});
