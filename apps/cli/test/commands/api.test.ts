import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });

const increment = '/v1/customers/vera.vendor/actions/increment-credit';

test('prints the answer of the API as JSON, its status beside it, and its headers where they are asked for', async () => {
  const plain = await service.run('api', 'GET', '/v1/store');
  const whole = await service.run('api', 'get', 'v1/store', '--include');
  const line = await service.run('api', 'GET', '/v1/store', '--json');

  expect(plain).toMatchObject({ code: 0, stderr: expect.stringMatching(/^200 OK {2}\d+ ms {2}request \S+\n$/) });
  expect(JSON.parse(plain.stdout)).toMatchObject({ id: 'DemoStore001', open: true });
  expect(plain.stdout.split('\n').length).toBeGreaterThan(5);
  expect(whole.stdout).toMatch(/^200 OK\n(?:[\w-]+: .*\n)*x-request-id: \S+\n(?:[\w-]+: .*\n)*\n\{\n/);
  expect(line.rows).toEqual([JSON.parse(plain.stdout)]);
});

test('a POST has an Idempotency-Key, with which a repeat takes effect once', async () => {
  const path = join(service.dir, 'delta.json');
  writeFileSync(path, '{"delta": 25}');

  const made = await service.run('api', 'POST', increment, '--data', `@${path}`);
  const key = /^Idempotency-Key: (\S+)$/m.exec(made.stderr)?.[1] ?? '';
  const repeated = await service.run('api', 'POST', increment, '--data', `@${path}`, '--idempotency-key', key);
  const another = await service.run('api', 'POST', increment, '--data', '{"delta": 25}', '--json');

  const { credit } = JSON.parse(made.stdout);
  expect(JSON.parse(repeated.stdout).credit).toBe(credit);
  expect(another.rows[0].credit).toBe(credit + 25);
});

test('the exit code is the first digit of a refusal', async () => {
  const codes = [
    ['GET', '/v1/customers/nobody.here/credit'],
    ['POST', increment, '--data', '{"delta": "much"}'],
    ['PUT', '/v1/nowhere', '--data', '{}'],
    ['GET', '/v1/store', '--key', 'sis_test_wrong'],
  ].map(async (args) => (await service.run('api', ...args)).code);

  expect(await Promise.all(codes)).toEqual([4, 4, 4, 4]);
});

test('tells a path without an endpoint from a row that is not there', async () => {
  const answers = [
    await service.run('api', 'GET', '/v1/nope?limit=5'),
    await service.run('api', 'DELETE', '/v1/sales'),
    await service.run('api', 'GET', '/v1/customers/nobody.here/credit'),
  ];

  const [nope, wrongMethod, nobody] = answers.map(({ stderr }) => stderr.split('\n').slice(1).join('\n'));
  expect(answers.map(({ code }) => code)).toEqual([4, 4, 4]);
  expect(nope).toBe('The API has no endpoint /v1/nope: docs/openapi.json lists them all.\n');
  expect(wrongMethod).toBe('/v1/sales takes no DELETE, but GET and POST.\n');
  expect(nobody).toBe('');
});

test('takes the key of the demo store that is meant, the given one, or says how to get one', async () => {
  const { id } = await createStore('Own');
  const idOf = async (...args: string[]) =>
    (await service.run('api', 'GET', '/v1/store', ...args, '--json')).rows[0]?.id;
  const issued = await service.run('key', 'issue', 'api', '--all-scopes', '--store', id);
  const before = process.env.SIS_KEY;

  const keyless = await service.run('api', 'GET', '/v1/store', '--store', 'own');
  process.env.SIS_KEY = issued.stdout.trim();
  const byVariable = await idOf();
  if (before === undefined) delete process.env.SIS_KEY;

  expect(await idOf('--store', 'other store')).toBe('OtherStore01');
  expect(byVariable).toBe(id);
  expect(keyless).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/No key of Own .* with --key or in the variable SIS_KEY, or issue one: store/),
  });
});

test('refuses a wrong call before it is made, and says what to change', async () => {
  const cases: [string[], RegExp][] = [
    [['PATCH', '/v1/store'], /one of GET, POST, PUT, DELETE/],
    [['GET', '/products'], /a path of the API, such as \/v1\/store/],
    [['GET', '/v1/store', '--data', '{}'], /GET takes no --data/],
    [['POST', increment, '--data', '{delta: 5}'], /--data must be JSON, such as '\{"delta": 100\}'/],
    [['GET', '/v1/store', '--header', 'nonsense'], /a name and a value/],
  ];

  for (const [args, message] of cases) {
    const ran = await service.run('api', ...args);
    expect(ran, args.join(' ')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  }
  const missing = await service.run('api', 'POST', increment, '--data', '@/nowhere.json');
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere.json of --data cannot be read') });
});
