import { beforeEach, expect, test } from 'vitest';
import { newId, timestamp } from '../../../lib/clock.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { type EventType, eventNames } from '../../../lib/routes/events.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { removeMany } from '../../../lib/table/table.ts';
import { creditEvents, eventRow } from '../../support/event-rows.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident } from '../../support/residents.ts';
import { putAll } from '../../support/seed.ts';
import { type Call, setClock, startTestService, wholeTable } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

const day = 86_400_000;
const start = Date.parse('2027-03-01T00:00:00.000Z');
let store: string;
let call: Call;

const service = await startTestService();
await keepHistory();
beforeEach(async () => {
  setClock(start);
  store = (await createStore('Events')).id;
  call = service.callAs(await service.keyWith(scopes, store));
  // The key's own event is none of what the tests do.
  await catchUp();
  await removeMany((await wholeTable(`${store}#EVENT`)) as unknown as Key[]);
});

interface Event {
  id: string;
  type: EventType;
  at: string;
  data: Record<string, unknown>;
}
const list = async (query = ''): Promise<Event[]> => (await call('GET', `/v1/events?${query}`)).body.data;
const closing = (id: string, open: boolean, notedAt: number) =>
  eventRow(store, {
    type: open ? 'store.opened' : 'store.closed',
    data: { id: store, name: 'Events', open },
    notedAt,
    id,
  });

test('200s with an event of each change, from ten seconds after it was noted', async () => {
  const { uuid, username } = await newResident();
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 5 });
  setClock(start + 1000);
  await call('POST', `/v1/customers/${uuid}/actions/ban`);
  await call('POST', '/v1/store/actions/close');
  await catchUp();
  setClock(start + 10_999);
  const before = await list();
  setClock(start + 11_001);

  const events = await list();

  expect(before).toEqual([]);
  expect(events.map(({ type }) => type).sort()).toEqual(['credit.changed', 'customer.banned', 'store.closed']);
  expect(events.find(({ type }) => type === 'credit.changed')).toEqual({
    id: expect.any(String),
    type: 'credit.changed',
    at: timestamp(start),
    data: { uuid, username, credit: 5, restrictedCredit: 0, sequence: 1 },
  });
});

test('lists every event once, of all types or of one, in the order in which they were noted, in pages both ways', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => closing(newId(), index % 3 === 0, start - day + 1000 * index));
  await putAll(rows);

  const all = await walkList<Event>(call, '/v1/events', 5);
  const opened = await walkList<Event>(call, '/v1/events?type=store.opened', 3);

  expect(all.map(({ id }) => id)).toEqual(rows.map(({ sk }) => sk));
  expect(opened.map(({ id }) => id)).toEqual(rows.filter((_, index) => index % 3 === 0).map(({ sk }) => sk));
});

test('lists the events of one customer and of one store in the order of their changes', async () => {
  const { uuid } = await newResident();
  const expected: string[] = [];
  for (let count = 1; count <= 10; count++) {
    await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 1 });
    expected.push(`credit.changed ${count}`);
    const action = count % 2 === 1 ? 'ban' : 'unban';
    await call('POST', `/v1/customers/${uuid}/actions/${action}`);
    expected.push(`customer.${action}ned`);
    await call('POST', `/v1/store/actions/${count % 2 === 1 ? 'close' : 'open'}`);
  }
  await catchUp();
  // The consumer has noted events of an earlier test by a clock that was a second ahead.
  setClock(start + 12_000);

  const all = await walkList<Event>(call, '/v1/events', 7);

  const told = all.map(({ type, data }) => `${type} ${data.sequence ?? ''}`.trim());
  expect(told.filter((one) => !one.startsWith('store'))).toEqual(expected);
  expect(told.filter((one) => one.startsWith('store'))).toEqual(
    Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'store.closed' : 'store.opened')),
  );
});

test('goes on after an event, of any type', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => closing(newId(), index % 2 === 0, start - day + 1000 * index));
  await putAll(rows);

  const ids = (events: Event[]) => events.map(({ id }) => id);
  expect(ids(await list(`after=${rows[1]?.sk}&limit=2`))).toEqual([rows[2]?.sk, rows[3]?.sk]);
  expect(ids(await list(`after=${rows[1]?.sk}&type=store.opened`))).toEqual([rows[2]?.sk, rows[4]?.sk]);
  expect(ids(await list(`after=${rows[4]?.sk}`))).toEqual([]);
});

test('400s for an event that the store does not have any more, or never had, and beside a cursor', async () => {
  const [old, young, foreign] = [newId(), newId(), newId()];
  await putAll([
    closing(old, true, start - 30 * day - 1),
    closing(young, true, start - 30 * day + 1),
    { ...closing(foreign, true, start - day), pk: `${service.store}#EVENT` },
    ...creditEvents(store, newId(), 3, start - day),
  ]);
  const cursor = encodeURIComponent((await call('GET', '/v1/events?limit=1')).body.pagination.nextCursor);

  const statuses = [`after=${old}`, `after=${foreign}`, `after=${young}&cursor=${cursor}`, `after=${young}`];
  const answers = await Promise.all(statuses.map((query) => call('GET', `/v1/events?${query}`)));

  const gone = 'after must be the id of an event of the last 30 days. Leave it out to begin with the oldest.';
  expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
    [400, gone],
    [400, gone],
    [400, 'after must not be sent beside a cursor.'],
    [200, undefined],
  ]);
  // The table deletes it a little after its time.
  expect((await list()).map(({ id }) => id)).not.toContain(old);
});

test('400s for an unknown type, with the known ones', async () => {
  const { status, body } = await call('GET', '/v1/events?type=webhook.ping');

  expect([status, body.errors]).toEqual([400, [`type must be one of ${eventNames.join(', ')}.`]]);
});

const one = (type: EventType, data: object, notedAt: number) =>
  eventRow(store, { type, data: data as never, notedAt: start - day + notedAt });
const eventsOfAll = () => {
  const [id, uuid, username] = [newId(), newId(), 'ada'];
  const box = { name: 'main', priority: 0, url: 'https://example.com/', region: 'Here' };
  const card = { ownerUuid: uuid, ownerUsername: username, credit: 5, texture: null, purchased: false };
  return [
    one('store.closed', { id: store, name: 'Events', open: false }, 0),
    one('giftcard.disabled', { id, active: false, redeemed: false, transfer: true, ...card }, 1),
    one('customer.banned', { uuid, username, isBanned: true }, 2),
    one('dispenser.registered', { ...box, registeredAt: timestamp(start) }, 3),
    one('credit.changed', { uuid, username, credit: 1, restrictedCredit: 0, sequence: 1 }, 4),
    one('store.opened', { id: store, name: 'Events', open: true }, 5),
  ];
};
const readerWith = async (...more: Scope[]) => service.callAs(await service.keyWith(['events:read', ...more], store));

test.each<[Scope[], EventType[]]>([
  [[], []],
  [['credits:read'], ['credit.changed']],
  [['giftcards:read'], ['giftcard.disabled']],
  [
    ['deliveries:read', 'customers:read'],
    ['customer.banned', 'dispenser.registered'],
  ],
])('leaves out events that a key with %s beside events:read may not read', async (more, visible) => {
  await putAll(eventsOfAll());
  const reader = await readerWith(...more);

  const all = await walkList<Event>(reader, '/v1/events', 1);

  expect(all.map(({ type }) => type)).toEqual(['store.closed', ...visible, 'store.opened']);
});

test('403s for a type that the key may not read, naming the scope, after every fault of form', async () => {
  const rows = eventsOfAll();
  await putAll(rows);
  const reader = await readerWith('customers:read');
  const ask = async (query: string) => {
    const { status, body } = await reader('GET', `/v1/events?${query}`);
    return [status, body.detail];
  };
  const { nextCursor } = (await call('GET', '/v1/events?limit=1')).body.pagination;
  const cursor = encodeURIComponent(nextCursor);

  const answers = [
    await ask('type=giftcard.granted'),
    await ask(`type=dispenser.lost&after=${newId()}`),
    await ask('type=sale.completed&limit=0'),
    await ask(`type=sale.completed&cursor=${cursor}`),
    await ask(`type=sale.completed&after=${newId()}&cursor=${cursor}`),
  ];

  expect(answers).toEqual([
    [403, 'The API key lacks the scope giftcards:read to read giftcard.granted.'],
    [403, 'The API key lacks the scope deliveries:read to read dispenser.lost.'],
    [400, 'Limit must be between 1 and 1000.'],
    [400, 'Cursor is invalid.'],
    [400, 'after must not be sent beside a cursor.'],
  ]);
});

test('goes on after an event that the key may not read', async () => {
  const rows = eventsOfAll();
  await putAll(rows);
  const reader = await readerWith();

  const { status, body } = await reader('GET', `/v1/events?after=${rows[1]?.sk}`);

  expect([status, body.data.map(({ id }: Event) => id)]).toEqual([200, [rows[5]?.sk]]);
});
