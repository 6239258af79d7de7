import { expect, test } from 'vitest';
import {
  type Dispenser,
  dispenserKey,
  findDispenser,
  loseAddress,
  registerDispenser,
  secretsOf,
} from '../../../../lib/delivery/dispensers.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { remove } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { answerLost, intercept } from '../../../../test/support/faults.ts';
import { rotateSecret } from '../../deployment/dispenser.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';
const on = ['--store', demo];

let service = await startForCli({ demo: false });

const registered = async () => (await findDispenser(demo)) as Dispenser & { url: string };

/** Delivers a product, and waits until the stand-in has given it. */
const deliver = async (message: string): Promise<void> => {
  const key = service.service.keys.all;
  const { body: product } = await service.call('POST', '/v1/products', key, { name: 'Lamp', price: 1 });
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
  service = await startForCli({ demo: false });
  await deliver('before the rotation');
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

test('lists the boxes in their order, shows and rotates one by its name, and removes one, which the log tells', async () => {
  const box = { region: 'Ahern', items: ['Lamp'], keyId: 'KeyOfTests01' };
  const url = (name: string) => `http://127.0.0.1:9/${name}`;
  for (const [name, priority] of [
    ['spare', 1],
    ['early', 0],
  ] as const)
    await registerDispenser(demo, { ...box, name, priority, url: url(name) });
  await loseAddress(demo, url('spare'), 'The dispenser answered 410', { name: 'spare' });
  const before = await findDispenser(demo, 'spare');

  const listed = await service.run('dispenser', 'list', ...on, '--json');
  const shown = await service.run('dispenser', 'show', '--name', 'early', ...on, '--json');
  const rotated = await service.run('dispenser', 'rotate', '--name', 'spare', ...on);
  const after = await findDispenser(demo, 'spare');
  const doctor = await service.run('doctor', '--json');
  const removed = await service.run('dispenser', 'remove', 'spare', ...on);
  const again = await service.run('dispenser', 'remove', 'spare', '--yes', ...on);
  const log = await service.run('log', ...on, '--json');
  await service.run('dispenser', 'remove', 'early', '--yes', ...on);

  expect(listed.rows.map(({ name, priority, state, lastError }) => [name, priority, state, lastError])).toEqual([
    ['early', 0, 'registered', null],
    ['main', 0, 'registered', null],
    ['spare', 1, 'lost', 'The dispenser answered 410'],
  ]);
  expect(listed.stdout).not.toContain(before?.secret);
  expect(shown.rows).toMatchObject([{ url: url('early') }]);
  expect([rotated.code, after?.oldSecret === before?.secret]).toEqual([0, true]);
  expect(doctor.rows.find(({ check }) => check === 'dispenser spare of Demo Store')).toMatchObject({ state: 'fail' });
  expect([removed.code, again.code]).toEqual([0, 1]);
  expect(again.stderr).toContain('no dispenser spare');
  expect(log.rows[0]).toMatchObject({ action: 'dispenser.removed', details: { name: 'spare' } });
  expect(await findDispenser(demo, 'spare')).toBeUndefined();
});

test('a removed box makes room for another one, and comes back when it registers', async () => {
  const { id: store } = await createStore('Ten boxes');
  const box = { url: 'http://127.0.0.1:9/cap', region: '', items: [], keyId: 'KeyOfTests01' };
  const registerBox = (number: number) => registerDispenser(store, { ...box, name: `box-${number}` });
  for (let number = 1; number <= 10; number++) await registerBox(number);

  await expect(registerBox(11)).rejects.toThrow();
  await registerBox(10);
  await service.run('dispenser', 'remove', 'box-3', '--store', store);
  await registerBox(11);
  await expect(registerBox(3)).rejects.toThrow();
});

test('says so where no dispenser has registered, and changes nothing', async () => {
  await write(remove(dispenserKey(demo)));

  const shown = await service.run('dispenser', 'show', ...on);
  const rotated = await service.run('dispenser', 'rotate', ...on);

  expect(shown).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('has registered yet') });
  expect(rotated).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('has registered yet') });
  expect(await findDispenser(demo)).toBeUndefined();
});
