import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import type { Avatar } from '../../../local/grid/grid.ts';
import { startForTests } from '../../support/local-service.ts';

const service = await startForTests({ demo: false });
afterAll(() => service.stop());

const call = async (method: string, path: string, body?: object, key = service.keys.all) => {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

/** Avatars whom no store has met. */
const strangers = async (): Promise<Avatar[]> => (await call('GET', '/_dev/grid')).body.residents;

// The box lets nine look-ups through in five seconds, as in the virtual world.
test('shows twenty strangers or more, and others once a store has met them', async () => {
  const first = await strangers();
  expect(first.length).toBeGreaterThanOrEqual(20);
  for (const { uuid } of first.slice(0, 5)) await call('GET', `/v1/customers/${uuid}`);

  const next = await strangers();

  expect(next.length).toBeGreaterThanOrEqual(20);
  expect(next.map(({ uuid }) => uuid)).not.toContain(first[0]?.uuid);
});

test('a stranger is given credit and a product by name, and is listed and found by UUID', async () => {
  const [{ uuid, username }] = (await strangers()) as [Avatar];
  const { body: product } = await call('POST', '/v1/products', { name: 'Lamp', price: 1 });

  const given = await call('POST', `/v1/customers/${username}/actions/increment-credit`, { delta: 5 });
  const order = { recipientIdentifier: username };
  const delivered = await call('POST', `/v1/products/${product.id}/actions/deliver`, order);

  expect(given.body).toEqual({ uuid, username, credit: 5, restrictedCredit: 0 });
  expect(delivered.body).toMatchObject({ recipientUuid: uuid, recipientUsername: username, queued: true });
  expect((await call('GET', `/v1/customers/${uuid}`)).body.credit).toBe(5);
  const listed = (await call('GET', '/v1/customers?limit=1000')).body.data;
  expect(listed.map((customer: Avatar) => customer.username)).toContain(username);
  const inbox = async () => (await call('GET', '/_dev/inbox')).body.deliveries;
  while (!(await inbox()).some(({ recipient }: { recipient: string }) => recipient === uuid)) await sleep(100);
});

test('a store that is created while the service runs has a dispenser of its own', async () => {
  const { id } = await createStore('Late store');
  const { text } = await issueKey({ store: id, name: 'all', scopes, stage: 'test' });
  const [{ uuid, username }] = (await strangers()) as [Avatar];

  // While no dispenser answers, the name counts as nobody's, but this is not remembered.
  while ((await call('GET', `/v1/customers/${username}`, undefined, text)).status === 404) await sleep(100);

  expect((await call('GET', `/v1/customers/${username}`, undefined, text)).body).toMatchObject({ uuid, username });
});
