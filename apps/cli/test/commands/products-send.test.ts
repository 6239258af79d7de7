import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { answerOnce } from '../../../../lib/table/idempotency.ts';
import { startForCli } from '../support/cli.ts';

/** The words of `store products send`. products-send.proof.ts plays long runs that are killed. */

const { run, call, service, advance } = await startForCli({ demo: false });
const buyer = randomUUID();
const api = async (method: string, path: string, body?: object) =>
  (await call(method, path, service.keys.all, body)).body;

const addProduct = async (name: string, copy: boolean): Promise<string> => {
  const permissions = { copy, modify: false, transfer: false };
  return (await api('POST', '/v1/products', { name, price: 10, permissions })).id;
};

let chair: string;
let unique: string;
beforeAll(async () => {
  [chair, unique] = [await addProduct('Chair', true), await addProduct('Original', false)];
  for (const productId of [chair, unique])
    await api('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier: buyer, paid: 10 });
});

test('refuses a product without copies, an unknown one, one that nobody bought, and a time too long ago', async () => {
  const send = async (product: string, since = '1h') =>
    (await run('products', 'send', product, '--since', since, '--yes')).stderr;

  expect(await send(unique)).toContain('Original is not for copying, so nobody gets it a second time.');
  expect(await send(randomUUID())).toContain('has no product');
  expect(await send(await addProduct('Lamp', true))).toContain('Nobody has bought Lamp');
  expect(await send(chair, '80d')).toContain('--since is too long ago');
});

test('says before and after who has it, and sends it once', async () => {
  await expect.poll(async () => (await api('GET', '/v1/deliveries?state=delivered')).data.length).toBe(2);
  await advance(120);
  const since = (await api('GET', '/_dev/clock')).now;
  const send = (...more: string[]) => run('products', 'send', chair, '--since', since, '--json', ...more);

  const plan = await send('--dry-run');
  const sent = await send('--yes');
  const again = await send('--yes');

  expect(plan).toMatchObject({ code: 0, rows: [{ uuid: buyer, reach: 'missing' }] });
  expect(plan.stderr).toContain('Delivered to 0 of 1 owner, 1 not sent. Nothing was sent: this was a dry run.');
  expect(sent).toMatchObject({ code: 0, rows: [] });
  expect(again).toMatchObject({ code: 0, rows: [{ reach: 'has' }] });
  expect((await api('GET', '/v1/deliveries')).data).toHaveLength(3);
});

test('waits for the order over which another command died', async () => {
  const bench = await addProduct('Bench', true);
  await api('POST', '/v1/sales', { id: randomUUID(), productId: bench, buyerIdentifier: buyer, paid: 10 });
  await expect.poll(async () => (await api('GET', '/v1/deliveries?state=delivered')).data.length).toBe(4);
  await advance(120);
  const since = (await api('GET', '/_dev/clock')).now;
  const ordering = Promise.withResolvers<void>();
  const name = `send ${since} ${bench} ${buyer}`;
  const of = { store: service.store.id, keyId: 'operator', idempotencyKey: name, request: name };
  void answerOnce({ ...of, answerOf: (body) => ({ statusCode: 200, headers: {}, body: String(body) }) }, () => {
    ordering.resolve();
    return new Promise(() => {});
  });
  await ordering.promise;

  const sending = run('products', 'send', bench, '--since', since, '--yes', '--json');
  await sleep(1500);
  await advance(60);

  expect(await sending).toMatchObject({ code: 0, stderr: expect.stringContaining('Delivered to 1 of 1 owner.') });
});
