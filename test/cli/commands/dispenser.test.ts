import { beforeAll, expect, test } from 'vitest';
import { rotateSecret } from '../../../cli/deployment/dispenser.ts';
import {
  type Dispenser,
  dispenserKey,
  findDispenser,
  loseAddress,
  secretsOf,
} from '../../../lib/delivery/dispensers.ts';
import { remove } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { startForCli } from '../../support/cli.ts';
import { answerLost, intercept } from '../../support/faults.ts';

const demo = 'DemoStore001';
const on = ['--store', demo];

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli();
});

const registered = async () => (await findDispenser(demo)) as Dispenser & { url: string };

/** Delivers a product, and waits until the stand-in has given it. */
const deliver = async (message: string): Promise<void> => {
  const key = service.service.keys.all;
  const [product] = (await service.call('GET', '/v1/products?active=true', key)).body.data;
  await service.call('POST', `/v1/products/${product.id}/actions/deliver`, key, {
    recipientIdentifier: 'nova',
    message,
  });
  const isGiven = async (): Promise<boolean> =>
    (await service.call('GET', '/_dev/inbox', '')).body.deliveries.some(
      (gift: { message: string }) => gift.message === message,
    );
  await expect.poll(isGiven, { timeout: 20_000 }).toBe(true);
};

test('shows address, region, key, times and the last delivery, and never a secret', async () => {
  await deliver('shown');
  const box = { url: (await registered()).url, region: 'Ahern' };
  await service.call('PUT', '/v1/dispenser', service.service.keys['dispenser:register'], box);

  const listed = await service.run('dispenser', 'show', ...on);
  const { rows, stdout } = await service.run('dispenser', 'show', ...on, '--json');

  const { url, secret, oldSecret, registeredAt } = await registered();
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(url) });
  expect(rows).toEqual([
    {
      ...{ url, region: 'Ahern', registeredAt },
      key: { name: 'dispenser:register', prefix: expect.stringMatching(/^sis_test_\w{12}$/), state: 'active' },
      lastDeliveredAt: expect.any(String),
      oldSecretUntil: expect.any(String),
    },
  ]);
  for (const hidden of [secret, oldSecret]) {
    expect(hidden).toHaveLength(43);
    expect(stdout + listed.stdout + listed.stderr).not.toContain(hidden);
  }
});

test('show and doctor say that its key was revoked, and why its address was lost', async () => {
  const { keyId = '' } = await registered();
  const well = await service.run('doctor', '--json');
  await service.run('key', 'revoke', keyId, ...on);
  const ill = await service.run('doctor', '--json');
  await loseAddress(demo, (await registered()).url, 'The dispenser answered 404');

  const { rows } = await service.run('dispenser', 'show', ...on, '--json');

  const found = [well, ill].map((ran) => ran.rows.find(({ check }) => check === 'dispenser of Demo Store'));
  expect(found).toMatchObject([
    { state: 'ok' },
    { state: 'warn', detail: expect.stringContaining('with the key "dispenser:register", which is revoked') },
  ]);
  expect(rows).toMatchObject([
    { key: { state: 'revoked' }, lostAt: expect.any(String), lostReason: 'The dispenser answered 404' },
  ]);
  expect(rows[0].url).toBeUndefined();
});

test('rotate makes another secret and keeps the one before for 15 minutes; the box goes on giving', async () => {
  service = await startForCli();
  const before = await registered();

  const rotated = await service.run('dispenser', 'rotate', ...on, '--json');
  await deliver('after the rotation');

  const after = await registered();
  expect(rotated).toMatchObject({ code: 0, rows: [{ rotated: true, oldSecretUntil: after.oldSecretUntil }] });
  expect(rotated.stdout).not.toContain(after.secret);
  expect(secretsOf(after)).toEqual([after.secret, before.secret]);
});

test('the stand-in learns the new secret from a refused signature, after the old one has ended too', async () => {
  await service.run('dispenser', 'rotate', ...on);
  await service.advance(16 * 60);

  await deliver('under the new secret alone');

  expect((await service.call('GET', '/_dev/inbox', '')).body.deliveries[0].attempts).toBe(1);
});

test('rotates once when the answer to the write is lost', async () => {
  const before = await registered();
  let lost = 0;
  const stop = intercept(async ({ isWrite }, send) => {
    const answer = await send();
    if (!isWrite || lost > 0) return answer;
    lost += 1;
    throw answerLost();
  });

  const { secret } = await rotateSecret(demo);

  stop();
  expect(lost).toBe(1);
  expect(secretsOf(await registered())).toEqual([secret, before.secret]);
});

test('of rotations at once each makes another secret, and the one before the last is the old one', async () => {
  const made = await Promise.all([1, 2, 3, 4].map(() => rotateSecret(demo)));

  const { secret, oldSecret } = await registered();
  const secrets = made.map((one) => one.secret);
  expect(new Set(secrets).size).toBe(4);
  expect(secrets).toEqual(expect.arrayContaining([secret, oldSecret]));
  expect(secret).not.toBe(oldSecret);
});

test('says so where no dispenser has registered, and changes nothing', async () => {
  await write(remove(dispenserKey(demo)));

  const shown = await service.run('dispenser', 'show', ...on);
  const rotated = await service.run('dispenser', 'rotate', ...on);

  expect(shown).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('has registered yet') });
  expect(rotated).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('has registered yet') });
  expect(await findDispenser(demo)).toBeUndefined();
});
