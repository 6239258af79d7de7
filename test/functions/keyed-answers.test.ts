import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forgetResidents } from '../../lib/avatars/residents.ts';
import { grantGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { forgetShares } from '../../lib/http/store-share.ts';
import { parseKey } from '../../lib/keys.ts';
import type { Route } from '../../lib/routes/route.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { unseal } from '../../lib/seal.ts';
import type { Engine } from '../../lib/table/engine.ts';
import { targetOf } from '../../lib/table/language.ts';
import { engine } from '../../lib/table/table.ts';
import { MemoryTable, memoryEngine } from '../lib/table/memory.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { exampleOf, routesInOrder, seedExamples } from '../support/example-requests.ts';
import { changesOfLots } from '../support/one-of-each.ts';
import { payoutRows } from '../support/payout-rows.ts';
import { bob, newResident, seedResidents } from '../support/residents.ts';
import { type Call, setClock, startTestService } from '../support/service.ts';
import { webhookRows } from '../support/webhook-rows.ts';

/**
 * The change that a request makes is recorded with the request's answer. A change on the way, such as the closing of
 * due lots, must not be: its result would be kept as the answer. So each POST is sent to two equal tables, once without
 * an Idempotency-Key and once with one. Both answers and the record must be the same.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');

let table = new MemoryTable();
let service: Awaited<ReturnType<typeof startTestService>>;
let call: Call;
let rows: Awaited<ReturnType<typeof seedExamples>>;

const use = (next: MemoryTable): void => {
  table = next;
  Object.assign(engine, memoryEngine(table));
  forgetShares();
  forgetResidents();
};

beforeAll(async () => {
  use(table);
  setClock(start);
  process.env.DISPENSER_LOOPBACK = 'allowed';
  service = await startTestService();
  call = service.call;
  await startTestQueue();
  await seedResidents();
  rows = await seedExamples(service.call);
  // The examples' webhook, payout and history were put past the engine.
  const keyId = (await call('GET', '/v1/store')).body.key.id;
  const put = [
    ...webhookRows(service.store, rows.webhook),
    ...payoutRows(service.store, bob, [rows.payout], keyId),
    ...(await changesOfLots(service.store, bob.uuid)),
  ];
  for (const row of put) table.set(row, { ...row });
});

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=")[0-9A-Za-z]{12}(?=")/g;

/** An answer without what is made anew for each request: ids that the table did not hold, and secrets. */
const comparable = (body: unknown, before: MemoryTable): unknown => {
  const known = new Set(JSON.stringify(before.items()).match(uuid));
  const hidden = (name: string, value: unknown): unknown =>
    (['secret', 'quote', 'key'].includes(name) && typeof value === 'string') || String(value).startsWith('sis_me_')
      ? 'a text'
      : value;
  return JSON.parse(JSON.stringify(body ?? null, hidden).replace(uuid, (id) => (known.has(id) ? id : 'a new id')));
};

interface Request {
  path: string;
  body?: object;
}

/**
 * Sends a request to two copies of the table, and continues with the second one. Answers what the second one answered.
 */
const sendBoth = async (row: Route, { path, body }: Request) => {
  const before = table.copy();
  const plain = await call(row.method, path, body);
  use(before.copy());
  const headers = { 'Idempotency-Key': row.id };
  const keyed = await call(row.method, path, body, headers);
  const record = table.items().find((item) => String(item.pk).endsWith('#REQUEST') && !before.get(item as never));
  const kept = record?.answer as { statusCode: number; body: string };
  const again = await call(row.method, path, body, headers);

  expect([plain.status, keyed.status, again.status, kept.statusCode], row.id).toEqual(Array(4).fill(row.status));
  expect(comparable(keyed.body, before), row.id).toEqual(comparable(plain.body, before));
  const owner = `${service.store} ${parseKey(service.key, 'test')?.id} ${row.id}`;
  const text = row.showsSecret ? String(unseal(kept.body, owner)) : kept.body;
  expect(text === '' ? undefined : JSON.parse(text), row.id).toEqual(keyed.body);
  expect(again.body, row.id).toEqual(keyed.body);
  return keyed;
};

const posts = routesInOrder.filter(({ method }) => method === 'POST');

const rowOf = (id: string): Route => posts.find((row) => row.id === id) as Route;

test.each(posts.map(({ id }) => id))('%s answers and records with a key what it answers without', async (id) => {
  const row = rowOf(id);

  await sendBoth(row, exampleOf(row, rows, `Keyed ${row.id}`));
});

/** More lots than a request closes in one change. */
const tooManyDue = 1001;

const add = (who: string, expiresAt?: string) =>
  changeCredit(service.store, { uuid: who }, 'regular', { kind: 'increment', delta: 1, expiresAt }, { by: 'test' });

/** Makes a customer with more due lots than one change closes. */
const customerWithDue = async (): Promise<string> => {
  const { uuid: who } = await newResident();
  for (let lot = 0; lot < tooManyDue; lot++) await add(who, timestamp(start + 1000 + lot));
  await add(who, timestamp(start + 86_400_000));
  return who;
};

/** Makes a customer whose last change has left the marking of its lots to the next change. */
const customerWithPending = async (): Promise<string> => {
  const { uuid: who } = await newResident();
  for (let lot = 0; lot < 120; lot++) await add(who, timestamp(start + 86_400_000 + lot));
  const write = engine.write as Engine['write'];
  engine.write = async (one) => {
    if (targetOf(one).pk.includes('#LOT#')) throw new Error('The marking is left to the next change.');
    return write(one);
  };
  await changeCredit(service.store, { uuid: who }, 'regular', { kind: 'increment', delta: -110 }, { by: 'test' });
  Object.assign(engine, { write });
  return who;
};

describe.each([
  ['closes what has come due before', customerWithDue],
  ['marks the lots of an earlier change before', customerWithPending],
])('a request that %s keeps its own answer', (_, customer) => {
  let who = '';
  beforeEach(async () => {
    setClock(start);
    who = await customer();
    setClock(start + 60_000);
  });

  // An example has ended the key.
  beforeAll(async () => {
    call = service.callAs(await service.keyWith(scopes));
  });

  test.each(['customers/increment-credit', 'customers/set-credit'])('%s', async (id) => {
    const path = `/v1/customers/${who}/actions/${id.split('/')[1]}`;

    const { body } = await sendBoth(rowOf(id), { path, body: { delta: -1, credit: 3 } });

    expect(body.uuid).toBe(who);
  });

  test('a redemption, a sale and its refund', async () => {
    const card = await grantGiftCard(service.store, { uuid: who }, { credit: 5, texture: null, transfer: false });
    const redeem = { path: `/v1/giftcards/${card.id}/actions/redeem`, body: { identifier: who } };
    expect((await sendBoth(rowOf('gift-cards/redeem-gift-card'), redeem)).body.giftCard.id).toBe(card.id);

    const sale = { id: randomUUID(), productId: rows.product, buyerIdentifier: who, paid: 1000, useCredit: true };
    expect((await sendBoth(rowOf('sales/create-sale'), { path: '/v1/sales', body: sale })).body.state).toBe(
      'completed',
    );

    const refund = { path: `/v1/sales/${sale.id}/actions/refund`, body: {} };
    expect((await sendBoth(rowOf('sales/refund-sale'), refund)).body.state).toBe('refunded');
  });
});
