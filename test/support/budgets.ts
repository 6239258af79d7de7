import { randomUUID } from 'node:crypto';
import { forgetResidents } from '../../lib/avatars/residents.ts';
import { recordPurchase } from '../../lib/avatars/spend.ts';
import { now, timestamp } from '../../lib/clock.ts';
import { dayKey, dayOf } from '../../lib/events/days.ts';
import { customerNameKey, sharedKey } from '../../lib/table/keys.ts';
import { update } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import { catalogueBudgets, ruleBudgets } from './budgets-catalogue.ts';
import { pageBudgets } from './budgets-pages.ts';
import { creditEvents, journalRows } from './event-rows.ts';
import { historyRows } from './history-rows.ts';
import { newResident } from './residents.ts';
import { putAll } from './seed.ts';
import type { Call } from './service.ts';

/**
 * The most that an endpoint may cost: calls to the table in sequence, and capacity units, those of indexes included. A
 * test enforces these budgets, and the bench prints them.
 */
export interface Budget {
  endpoint: string;
  /** The kind of customer or row, if it matters. */
  when: string;
  /** Sequential calls. */
  steps: number;
  /** The meter counts one step less if a read beside a chain of two reads is slower than the first of the chain. */
  overlaps?: true;
  /**
   * Request units: 1 per 4 KiB read consistently, half of that from an index, 1 per KiB written, 2 in a transaction.
   */
  units: number;
  /** Makes the rows that the call needs. Returns what is to be sent. */
  prepare: (call: Call, store: string) => Promise<Parameters<Call>>;
}

const soon = (seconds = 3600): string => timestamp(now() + seconds * 1000);

/** A customer who holds unlotted credit, and these open lots of L$ 10. */
const customer = async (call: Call, lots = 0): Promise<string> => {
  const { uuid } = await newResident();
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 1000 });
  for (let lot = 1; lot <= lots; lot++)
    await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 10, expiresAt: soon(lot * 60) });
  return uuid;
};

const read =
  (rest: string): Budget['prepare'] =>
  async (call) => ['GET', `/v1/customers/${await customer(call)}${rest}`];

/** The path of the history of a customer with three changes. */
const withHistory = async (call: Call, store: string): Promise<string> => {
  const uuid = await customer(call);
  await putAll(historyRows(store, uuid, [{ amount: 1000 }, { amount: 5, type: 'restricted' }, { amount: -10 }]));
  return `/v1/customers/${uuid}/credit/history`;
};

/** An undo of the last change of a customer with these open lots. With `isRemoval` the change has taken all of them. */
const undoing =
  (count: number, isRemoval = false): Budget['prepare'] =>
  async (call, store) => {
    const uuid = await customer(call, count);
    const { data } = (await call('GET', `/v1/customers/${uuid}/credit/lots?state=open`)).body;
    const parts = (data as { id: string; expiresAt: string }[]).map(({ id, expiresAt }) => ({ id, expiresAt }));
    const changes = parts.map((part) => ({ amount: 10, lots: [{ ...part, amount: 10 }] }));
    const taken = parts.map((part) => ({ ...part, amount: -10 }));
    if (isRemoval) {
      await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: -10 * count });
      changes.push({ amount: -10 * count, lots: taken });
    }
    await putAll(historyRows(store, uuid, [{ amount: 1000 }, ...changes]));
    return ['POST', `/v1/customers/${uuid}/actions/undo-credit-change`, { sequence: 1 + changes.length }];
  };

const act =
  (action: string, body: (() => object) | undefined, lots = 0): Budget['prepare'] =>
  async (call) => ['POST', `/v1/customers/${await customer(call, lots)}/actions/${action}`, body?.()];

const byName =
  (isCold: boolean): Budget['prepare'] =>
  async (call) => {
    const { uuid, username } = await newResident();
    await call('PUT', `/v1/customers/${uuid}`, {});
    if (isCold) forgetResidents();
    else await call('GET', `/v1/customers/${username}`);
    return ['GET', `/v1/customers/${username}`];
  };

/** An avatar whom the store alone was told of. */
const told: Budget['prepare'] = async (call) => {
  const uuid = randomUUID();
  await call('PUT', `/v1/residents/${uuid}`, { username: `told${uuid.slice(-6)}.walker` });
  forgetResidents();
  return ['GET', `/v1/customers/told${uuid.slice(-6)}.walker`];
};

const newcomer: Budget['prepare'] = async () => {
  const uuid = randomUUID();
  return ['PUT', `/v1/residents/${uuid}`, { username: `new${uuid.slice(-6)}.walker` }];
};

const spender: Budget['prepare'] = async (_call, store) => {
  const buyer = await newResident();
  await recordPurchase(store, { id: randomUUID(), buyer, productId: randomUUID(), price: 5, at: timestamp(now()) });
  return ['GET', `/v1/customers/${buyer.uuid}/spend`];
};

export const budgets: readonly Budget[] = [
  { endpoint: 'get-customer', when: 'by UUID', steps: 1, units: 1, prepare: read('') },
  { endpoint: 'get-customer', when: 'by name, warm', steps: 1, units: 1, prepare: byName(false) },
  { endpoint: 'get-customer', when: 'by name, cold', steps: 2, units: 2, prepare: byName(true) },
  { endpoint: 'get-store', when: '', steps: 1, units: 2, prepare: async () => ['GET', '/v1/store'] },
  {
    endpoint: 'get-days',
    when: '30 days of a small store',
    steps: 1,
    units: 1,
    prepare: async (_call, store) => {
      const day = { creditAdded: 500, creditRemoved: 200, creditExpired: 30, regularNet: 300, restrictedNet: -30 };
      for (let age = 0; age < 30; age++)
        await write(update(dayKey(store, dayOf(soon(-86_400 * age))), { add: { ...day, delivered: 9, failed: 1 } }));
      return ['GET', '/v1/store/days'];
    },
  },
  {
    endpoint: 'list-events',
    when: 'one type, three events',
    steps: 2,
    units: 2,
    prepare: async (_call, store) => {
      await putAll(creditEvents(store, randomUUID(), 3, now() - 60_000));
      return ['GET', '/v1/events?type=credit.changed'];
    },
  },
  // A list for each type, and one for all types of what is rare.
  {
    endpoint: 'list-events',
    when: 'nothing after the last one',
    steps: 2,
    units: 8.5,
    prepare: async (_call, store) => {
      const [event] = creditEvents(store, randomUUID(), 1, now() - 30_000);
      await putAll([event as object]);
      return ['GET', `/v1/events?after=${event?.sk}`];
    },
  },
  // The list, its rows that are events with a list of their own, ten rows, and the names of the keys.
  {
    endpoint: 'list-journal',
    when: 'a page of 10',
    steps: 3,
    units: 6.5,
    prepare: async (_call, store) => {
      for (let count = 0; count < 10; count++) await putAll(journalRows(store, '0123456789ab', now() - 60_000 - count));
      return ['GET', '/v1/journal?limit=10'];
    },
  },
  ...(
    [
      ['create-webhook', 'POST', '', 3, 6],
      ['get-webhook', 'GET', '/{id}', 1, 1],
      ['update-webhook', 'PUT', '/{id}', 2, 2],
      ['delete-webhook', 'DELETE', '/{id}', 1, 4],
      ['rotate-webhook-secret', 'POST', '/{id}/actions/rotate-secret', 1, 1],
      ['test-webhook', 'POST', '/{id}/actions/test', 1, 1],
      ['list-webhook-deliveries', 'GET', '/{id}/deliveries', 2, 2],
    ] as const
  ).map(
    ([endpoint, method, path, steps, units]): Budget => ({
      ...{ endpoint, when: '', steps, units },
      prepare: async (call) => {
        process.env.DISPENSER_LOOPBACK = 'allowed';
        const body = { url: 'http://127.0.0.1:1/', events: ['store.closed'] };
        const id = path === '' ? '' : (await call('POST', '/v1/webhooks', body)).body.id;
        return [method, `/v1/webhooks${path.replace('{id}', id)}`, method === 'GET' ? undefined : body];
      },
    }),
  ),
  // A change of keys looks at the asking key and the store in its transaction, and writes two rows of the log.
  ...(
    [
      ['issue-key', '', 'POST', '', 3, 16],
      ['rename-key', '', 'PUT', '/{id}', 4, 13],
      ['rotate-key', '', 'POST', '/{id}/actions/rotate', 4, 19],
      ['revoke-key', '', 'POST', '/{id}/actions/revoke', 4, 13],
      ['get-key', '', 'GET', '/{id}', 2, 2],
    ] as const
  ).map(
    ([endpoint, when, method, path, steps, units]): Budget => ({
      ...{ endpoint, when, steps, units },
      prepare: async (call) => {
        const { id } = (await call('POST', '/v1/keys', { name: 'Box', preset: 'dispenser' })).body;
        const body = { name: 'Box', preset: 'shop' };
        return [method, `/v1/keys${path.replace('{id}', id)}`, method === 'PUT' ? { name: 'Other' } : body];
      },
    }),
  ),
  {
    endpoint: 'list-keys',
    when: 'the first two',
    steps: 3,
    units: 5,
    // A third tells that the list goes on. Their issuer is not among them.
    prepare: async (_call, store) => {
      const ids = [1, 2, 3, 4].map((number) => `00000000000${number}`);
      const key = { store, name: 'Box', scopes: [], status: 'active', createdAt: timestamp(now()), issuedBy: ids[3] };
      await putAll(
        ids.flatMap((id) => [
          { pk: `${store}#KEYS`, sk: id },
          { ...sharedKey('KEY', id), id, ...key },
        ]),
      );
      return ['GET', '/v1/keys?limit=2'];
    },
  },
  {
    endpoint: 'end-key',
    when: '',
    steps: 2,
    units: 7,
    prepare: async () => ['POST', '/v1/store/key/actions/end'],
  },
  {
    endpoint: 'close-store',
    when: 'open',
    steps: 2,
    units: 2,
    prepare: async () => ['POST', '/v1/store/actions/close', { reason: 'Stocktaking' }],
  },
  {
    endpoint: 'open-store',
    when: 'closed',
    steps: 2,
    units: 2,
    prepare: async (call) => {
      await call('POST', '/v1/store/actions/close');
      return ['POST', '/v1/store/actions/open'];
    },
  },
  { endpoint: 'get-customer', when: 'by name, told to the store, cold', steps: 5, units: 6, prepare: told },
  { endpoint: 'update-resident', when: 'a new avatar', steps: 2, units: 9, prepare: newcomer },
  { endpoint: 'get-credit', when: 'by UUID', steps: 1, units: 1, prepare: read('/credit') },
  {
    endpoint: 'list-credit-lots',
    when: '3 open lots of one type',
    steps: 2,
    units: 2,
    prepare: async (call) => ['GET', `/v1/customers/${await customer(call, 3)}/credit/lots?state=open`],
  },
  {
    endpoint: 'list-credit-lots',
    when: '3 lots, any type',
    steps: 3,
    units: 3,
    prepare: async (call) => ['GET', `/v1/customers/${await customer(call, 3)}/credit/lots`],
  },
  {
    endpoint: 'list-credit-history',
    when: 'one type',
    steps: 1,
    units: 1,
    prepare: async (call, store) => ['GET', `${await withHistory(call, store)}?type=regular`],
  },
  {
    endpoint: 'list-credit-history',
    when: 'any type',
    steps: 1,
    units: 2,
    prepare: async (call, store) => ['GET', await withHistory(call, store)],
  },
  { endpoint: 'get-spend', when: 'has bought', steps: 1, units: 1, prepare: spender },
  {
    endpoint: 'update-customer',
    when: 'discount',
    steps: 1,
    units: 1,
    prepare: async (call) => ['PUT', `/v1/customers/${await customer(call)}`, { discount: 5 }],
  },
  { endpoint: 'ban-customer', when: '', steps: 1, units: 1, prepare: act('ban', () => ({ reason: 'Spam' })) },
  { endpoint: 'unban-customer', when: '', steps: 1, units: 1, prepare: act('unban', undefined) },
  ...(['credit', 'restricted-credit'] as const).flatMap((type): Budget[] => [
    {
      endpoint: `increment-${type}`,
      when: 'adds, no lot',
      steps: 1,
      units: 1,
      prepare: act(`increment-${type}`, () => ({ delta: 5 })),
    },
    {
      endpoint: `set-${type}`,
      when: 'no lots',
      steps: 1,
      units: 1,
      prepare: act(`set-${type}`, () => ({ credit: 5 })),
    },
    // The design wants one call of 4 units. A transaction answers no balances, so the customer is read first (1), and
    // the customer enters the index of due customers (1).
    {
      endpoint: `increment-${type}`,
      when: 'expires, first lot',
      steps: 2,
      units: 6,
      prepare: act(`increment-${type}`, () => ({ delta: 5, expiresAt: soon() })),
    },
    {
      endpoint: `set-${type}`,
      when: 'expires, no lots',
      steps: 2,
      units: 6,
      prepare: act(`set-${type}`, () => ({ credit: 5, expiresAt: soon() })),
    },
  ]),
  {
    endpoint: 'increment-credit',
    when: 'takes, no lots',
    steps: 1,
    units: 1,
    prepare: act('increment-credit', () => ({ delta: -5 })),
  },
  // The design wants two calls for a change that touches lots. There are three. First the fast update is tried, and its
  // refusal reads the customer (1 unit, which the table does not report and which is not counted here). Then the lots
  // are read (1). Then comes the transaction, with 1 more if the customer leaves the index of due customers, or 2 if
  // they move in it.
  {
    endpoint: 'increment-credit',
    when: 'takes a part of 1 lot',
    steps: 3,
    units: 5,
    prepare: act('increment-credit', () => ({ delta: -5 }), 1),
  },
  {
    endpoint: 'increment-credit',
    when: 'drains 3 of 4 lots',
    steps: 3,
    units: 11,
    prepare: act('increment-credit', () => ({ delta: -30 }), 4),
  },
  {
    endpoint: 'set-credit',
    when: 'closes 3 lots',
    steps: 3,
    units: 10,
    prepare: act('set-credit', () => ({ credit: 5 }), 3),
  },
  // The customer, then history of both types; of a lot the lots too. Each row of history since takes its part of 8 KiB.
  { endpoint: 'undo-credit-change', when: 'a permanent increment', steps: 3, units: 6, prepare: undoing(0) },
  { endpoint: 'undo-credit-change', when: 'an increment with an end', steps: 4, units: 10, prepare: undoing(1) },
  { endpoint: 'undo-credit-change', when: 'a removal over 3 lots', steps: 3, units: 13, prepare: undoing(3, true) },
  {
    endpoint: 'list-names',
    when: 'a page of 10',
    steps: 1,
    units: 0.5,
    prepare: async (_call, store) => {
      const nameOf = (number: number): string => `nina${number}.of`;
      const item = (number: number) => ({
        ...customerNameKey(store, nameOf(number)),
        uuid: randomUUID(),
        username: nameOf(number),
      });
      await putAll(Array.from({ length: 20 }, (_, number) => item(number)));
      return ['GET', '/v1/names?prefix=nina&limit=10'];
    },
  },
  {
    endpoint: 'list-customers',
    when: 'a page of 10',
    steps: 1,
    units: 1,
    prepare: async () => ['GET', '/v1/customers?limit=10'],
  },
  {
    endpoint: 'list-customers',
    when: 'a page of 10 by news',
    steps: 2,
    units: 6,
    prepare: async () => ['GET', '/v1/customers?limit=10&newsSubscriber=false'],
  },
  ...catalogueBudgets,
  ...pageBudgets,
  ...ruleBudgets,
];
