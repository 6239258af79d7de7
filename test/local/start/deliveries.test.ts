import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Gift } from '../../../local/start/dispenser.ts';
import { startForTests } from '../../support/local-service.ts';

/** Deliveries on the local service over HTTP, as a person tries them. */

const local = await startForTests({ demo: false });
afterAll(() => local.stop());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(local.baseUrl + path, {
    method,
    headers: { 'X-API-Key': local.keys.all },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

const deliver = async (message: string): Promise<void> => {
  const { body } = await send('POST', '/v1/products', { name: 'Lamp', price: 1 });
  const recipientIdentifier = local.residents[0]?.uuid;
  await send('POST', `/v1/products/${body.id}/actions/deliver`, { recipientIdentifier, message });
};

const inbox = async (): Promise<Gift[]> => (await send('GET', '/_dev/inbox')).body.deliveries;

const gift = async (message: string, until = (found: Gift) => found.attempts > 0): Promise<Gift> => {
  for (let i = 0; i < 150; i++) {
    const found = (await inbox()).find((one) => one.message === message);
    if (found && until(found)) return found;
    await sleep(100);
  }
  throw new Error(`${message} did not arrive.`);
};

test('a delivery arrives in the inbox, newest first', async () => {
  await deliver('first 🎁\nline two');
  await gift('first 🎁\nline two');
  await deliver('second');
  await gift('second');

  expect(await inbox()).toMatchObject([
    { message: 'second', item: 'Lamp', recipient: local.residents[0]?.uuid, attempts: 1 },
    { message: 'first 🎁\nline two', attempts: 1, deliveryId: expect.any(String), time: expect.any(String) },
  ]);
});

test.each(['error', 'garbage', 'lost'])('a dispenser in the mode %s delivers once it is normal again', async (mode) => {
  await send('POST', '/_dev/dispenser', { mode });
  await deliver(mode);
  await sleep(500);
  const meanwhile = (await inbox()).map(({ message }) => message);

  await send('POST', '/_dev/dispenser', { mode: 'normal' });

  expect(meanwhile).not.toContain(mode);
  expect((await gift(mode)).attempts).toBe(1);
});

test('a slow dispenser delivers late', async () => {
  await send('POST', '/_dev/dispenser', { mode: 'slow', millis: 700 });
  const started = performance.now();

  await deliver('slow');
  await gift('slow');

  expect(performance.now() - started).toBeGreaterThan(700);
});

test('retries a delivery that a dispenser made but did not confirm; the avatar gets it once', async () => {
  await send('POST', '/_dev/dispenser', { mode: 'forgetful' });
  await deliver('forgotten');
  await gift('forgotten');
  await send('POST', '/_dev/dispenser', { mode: 'normal' });

  const { attempts } = await gift('forgotten', (found) => found.attempts > 1);

  expect(attempts).toBe(2);
  expect((await inbox()).filter(({ message }) => message === 'forgotten')).toHaveLength(1);
});

test('400s for an unknown mode', async () => {
  expect((await send('POST', '/_dev/dispenser', { mode: 'evil' })).status).toBe(400);
});
