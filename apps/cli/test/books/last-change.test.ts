import { beforeEach, describe, expect, test } from 'vitest';
import { findCustomerItem } from '../../../../lib/avatars/customers.ts';
import { putGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { asDecided, type CreditLot, changedIn, lotType } from '../../../../lib/credit/lot.ts';
import { listLots } from '../../../../lib/credit/lots.ts';
import { redeemGiftCard } from '../../../../lib/credit/redeem.ts';
import {
  type Author,
  type CreditItem,
  type LastChange,
  lastChangeOf,
  storedChange,
} from '../../../../lib/credit/state.ts';
import { repairReason } from '../../../../lib/operator/read-credit.ts';
import { repairCredit } from '../../../../lib/operator/repair-credit.ts';
import { changeKinds } from '../../../../lib/routes/credit.ts';
import { customerKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { add, change, store, sweep } from '../../../../test/lib/credit/credit.ts';
import { customerOf, drain, later, start } from '../../../../test/lib/credit/large-credit.ts';
import { customerWithLots, newCustomer } from '../../../../test/support/credit-seed.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada } from '../../../../test/support/residents.ts';
import { freshTable, setClock, startTestService } from '../../../../test/support/service.ts';
import { importText } from '../support/import-files.ts';

/** Each change of credit leaves its cause on the customer's item and its number on the lots that it touches. */

const noon = timestamp(start);
const request: Author = { by: 'request-1', keyId: 'key-1', reason: 'A prize', reference: 'T-7' };

const readOf = async (uuid: string, of = store) => {
  const item = (await findCustomerItem(of, uuid)) as CreditItem;
  return { item, version: item.creditVersion, last: lastChangeOf(item), lots: await listLots(of, uuid) };
};

/** The type, state and number of each lot. */
const numbersOf = (lots: readonly CreditLot[]) => lots.map((lot) => [lotType(lot), lot.state, changedIn(lot)]);

const expected = (kind: LastChange['kind'], at: number, more: Partial<LastChange> = {}): LastChange => ({
  kind,
  at: timestamp(at),
  types: [{ type: 'regular' }],
  ...more,
});

beforeEach(async () => {
  await freshTable();
  setClock(start);
});

test.each(changeKinds)('a change of the kind %s reads as it was stored', (kind) => {
  const changes: LastChange[] = [
    { kind, at: noon, types: [{ type: 'regular' }, { type: 'restricted', expired: 5 }], saleId: 'sale' },
    {
      kind,
      at: noon,
      types: [
        { type: 'regular', expired: 5 },
        { type: 'regular', bonus: 12, isPermanent: true },
      ],
    },
    { kind, at: noon, types: [{ type: 'restricted' }, { type: 'regular', bonus: -7, expired: 30 }], keyId: 'k' },
    { kind, at: noon, types: [{ type: 'restricted' }], requestId: 'r', keyId: 'k', reason: 'why', giftCardId: 'card' },
  ];

  const read = changes.map((lastChange) => lastChangeOf({ lastChange: storedChange(lastChange) }));

  expect(read).toEqual(changes);
});

describe('the last change names its request, key, reason and reference', () => {
  const told = { requestId: 'request-1', keyId: 'key-1', reason: 'A prize', reference: 'T-7' };
  const expiresAt = timestamp(later);
  test.each([
    ['an addition', { kind: 'increment', delta: 5 }],
    ['an addition that expires', { kind: 'increment', delta: 5, expiresAt }],
    ['a removal', { kind: 'increment', delta: -1 }],
    ['a set', { kind: 'set', credit: 5 }],
    ['a set that expires', { kind: 'set', credit: 5, expiresAt }],
  ] as const)('%s, without lots and with one', async (_, command) => {
    for (const uuid of [await customerOf(0), await customerOf(1)]) {
      for (const type of ['regular', 'restricted'] as const) {
        await changeCredit(store, { uuid }, type, { kind: 'increment', delta: 1 }, { by: 'before' });
        const before = await readOf(uuid);

        await changeCredit(store, { uuid }, type, command, request);

        const after = await readOf(uuid);
        expect(after.last).toEqual(expected(command.kind, start, { types: [{ type }], ...told }));
        expect(after.version).toBe((before.version ?? 0) + 1);
      }
    }
  });
});

test('a change without texts leaves none of the change before', async () => {
  const uuid = await customerOf(0);
  await changeCredit(store, { uuid }, 'regular', { kind: 'increment', delta: 5 }, request);

  await add(uuid, 5);

  expect((await readOf(uuid)).last).toEqual(expected('increment', start));
});

test('each lot has the number of the change that touched it last', async () => {
  const uuid = await newCustomer();
  await add(uuid, 10, later);
  await add(uuid, 10, later + 1);
  await add(uuid, 10, later + 2);
  await changeCredit(
    store,
    { uuid },
    'restricted',
    { kind: 'set', credit: 3, expiresAt: timestamp(later) },
    { by: 'test' },
  );
  const made = numbersOf((await readOf(uuid)).lots);
  await drain(uuid, 15);
  const drained = numbersOf((await readOf(uuid)).lots);
  await change(uuid, { kind: 'set', credit: 1 });

  expect(made.map(([type, state, changed]) => `${type} ${state} ${changed}`)).toEqual([
    'regular open 1',
    'regular open 2',
    'regular open 3',
    'restricted open 4',
  ]);
  expect(drained).toEqual([
    ['regular', 'drained', 5],
    ['regular', 'open', 5],
    ['regular', 'open', 3],
    ['restricted', 'open', 4],
  ]);
  expect(numbersOf((await readOf(uuid)).lots)).toEqual([
    ['regular', 'drained', 5],
    ['regular', 'superseded', 6],
    ['regular', 'superseded', 6],
    ['restricted', 'open', 4],
  ]);
});

test.each([
  ['a set', { kind: 'set', credit: 9 }, ['expired', 'superseded']],
  ['an addition', { kind: 'increment', delta: 9 }, ['expired', 'open']],
  ['a removal', { kind: 'increment', delta: -1 }, ['expired', 'open']],
] as const)('%s tells the L$ that came due in it', async (_, command, states) => {
  const uuid = await customerOf(2);
  setClock(later);

  await change(uuid, command);

  const { last, lots } = await readOf(uuid);
  expect(last).toEqual(expected(command.kind, later, { types: [{ type: 'regular', expired: 2 }] }));
  expect(lots.map(({ state }) => state)).toEqual(states);
  expect(lots.slice(0, 1).map(changedIn)).toEqual([2]);
});

test('the sweep makes a change of its own for each type that is due', async () => {
  const uuid = await customerOf(2);
  const restricted = { kind: 'increment', delta: 7, expiresAt: timestamp(later) } as const;
  await changeCredit(store, { uuid }, 'restricted', restricted, request);
  setClock(later + 1);

  await sweep();

  const { last, version, lots } = await readOf(uuid);
  expect(last).toEqual(expected('expire', later + 1, { types: [{ type: 'restricted', expired: 7 }] }));
  expect(version).toBe(4);
  expect(numbersOf(lots)).toEqual([
    ['regular', 'expired', 3],
    ['regular', 'expired', 3],
    ['restricted', 'expired', 4],
  ]);
});

/** Has every closing of a lot outside the transaction fail. */
const withoutSettling = async (work: () => Promise<unknown>): Promise<void> => {
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#LOT#'))
      throw new Error('The function has died.');
    return send();
  });
  await work().finally(stop);
};

test.each([
  ['a removal', () => ({ kind: 'increment', delta: -241 }) as const, { drained: 120, open: 1 }],
  ['a set', () => ({ kind: 'set', credit: 1 }) as const, { superseded: 121 }],
])(
  '%s of more lots than a transaction holds numbers all of them, though a sweep settles it',
  async (_, command, states) => {
    const uuid = await customerOf(121);
    await withoutSettling(() => changeCredit(store, { uuid }, 'regular', command(), request));
    const before = await readOf(uuid);

    await sweep();

    const { item, last, version, lots } = await readOf(uuid);
    expect(item.pending).toBeUndefined();
    expect(before.item.pending).toBeDefined();
    expect([last, version]).toEqual([before.last, 2]);
    expect(numbersOf(before.lots.map((lot) => asDecided(lot, before.item)))).toEqual(numbersOf(lots));
    expect(last).toMatchObject({ kind: command().kind, requestId: 'request-1', reason: 'A prize' });
    expect(Object.groupBy(lots, (lot) => `${lot.state} ${changedIn(lot)}`)).toEqual(
      Object.fromEntries(
        Object.entries(states).map(([state, count]) => [`${state} 2`, Array(count).fill(expect.anything())]),
      ),
    );
  },
);

test('a set of more lots than it reads closes the due ones first, in a change without its texts', async () => {
  // Within a minute of the last change a set reads all lots.
  setClock(start - 60_000);
  const uuid = await customerOf(150);
  setClock(later + 9);
  const causes: (LastChange | undefined)[] = [];
  const stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation === 'TransactWriteItems') causes.push((await readOf(uuid)).last);
    return answer;
  });

  await changeCredit(store, { uuid }, 'regular', { kind: 'set', credit: 9 }, request);
  stop();

  const { version, lots } = await readOf(uuid);
  const made = { requestId: 'request-1', keyId: 'key-1' };
  expect(causes).toEqual([
    expected('expire', later + 9, { types: [{ type: 'regular', expired: 20 }], ...made }),
    expected('set', later + 9, { ...made, reason: 'A prize', reference: 'T-7' }),
  ]);
  expect(version).toBe(3);
  expect(lots.filter(({ state }) => state === 'expired').map(changedIn)).toEqual(Array(10).fill(2));
  expect(lots.filter(({ state }) => state === 'superseded').map(changedIn)).toEqual(Array(140).fill(3));
});

test('a redemption names the card', async () => {
  const uuid = await customerWithLots(store, [{ amount: 4, expiresAt: timestamp(later) }]);
  const fields = { credit: 300, texture: null, transfer: true, active: true };
  const { id } = await putGiftCard(store, { uuid, username: 'owner' }, fields);
  setClock(later);

  await redeemGiftCard(store, id, { identifier: { uuid }, expiresAt: timestamp(later + 60_000) }, request);

  const { last, lots } = await readOf(uuid);
  const types = [{ type: 'regular' as const, expired: 4 }];
  const told = { requestId: 'request-1', keyId: 'key-1', reason: 'A prize', reference: 'T-7' };
  expect(last).toEqual(expected('redeem', later, { types, giftCardId: id, ...told }));
  expect(numbersOf(lots).toSorted()).toEqual([
    ['regular', 'expired', 2],
    ['regular', 'open', 2],
  ]);
});

test('an import numbers its changes and the lots, open and closed', async () => {
  const of = await freshStore();
  setClock(start);
  const text = [
    'resident,type,amount,expiresAt,state',
    'ada.lovelace,,30,2099-01-01T00:00:00Z,open',
    'ada.lovelace,,8,2020-01-01T00:00:00Z,expired',
    'ada.lovelace,restricted,7,2099-01-01T00:00:00Z,open',
    'ada.lovelace,restricted,5,,',
  ];

  await importText(of, tempDir(), 'credit.csv', `${text.join('\n')}\n`);

  const { last, version, lots, item } = await readOf(ada.uuid, of);
  expect([version, item.importedVersion]).toEqual([2, 2]);
  const [second] = last?.types ?? [];
  expect(last).toEqual(expected('import', start, { types: [{ type: second?.type ?? 'regular' }] }));
  const numberOf = (type: string): number => (type === second?.type ? 2 : 1);
  expect(lots.map(changedIn)).toEqual(lots.map((lot) => numberOf(lotType(lot))));
  expect(lots).toHaveLength(3);
});

test('a repair numbers each type that it touches, and says so', async () => {
  const uuid = await customerOf(1);
  const stray = { kind: 'set', credit: 3, expiresAt: timestamp(later) } as const;
  await changeCredit(store, { uuid }, 'restricted', stray, request);
  const [, lot] = (await readOf(uuid)).lots as [CreditLot, CreditLot];
  await write(update(lot, { set: { remaining: 0 } }));
  await write(update(customerKey(store, uuid), { set: { credit: 100 } }));

  // Until then not all of the last change might show.
  const at = start + 60_001;
  await repairCredit(store, uuid, { at: timestamp(at), by: 'operator' }, () => {});

  const { last, version, lots } = await readOf(uuid);
  const types: LastChange['types'] = [{ type: 'regular' }, { type: 'restricted' }];
  expect(last).toEqual(expected('set', at, { types, reason: repairReason }));
  expect(version).toBe(4);
  expect(numbersOf(lots)).toEqual([
    ['regular', 'open', 1],
    ['restricted', 'drained', 4],
  ]);
});

describe('over HTTP', () => {
  test('empty texts are as good as none; the longest cost a unit more until the next change', async () => {
    const service = await startTestService();
    const uuid = await newCustomer();
    const add = (body: object) =>
      service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 5, ...body });
    await add({});

    const empty = await add({ reason: ' ', reference: '' });
    const { last } = await readOf(uuid, service.store);
    const long = await add({ reason: '🧶'.repeat(200), reference: 'é'.repeat(100) });
    const next = await add({});

    expect(last).not.toHaveProperty('reason');
    expect(last).not.toHaveProperty('reference');
    expect([empty, long, next, await add({})].map(({ cost }) => cost?.units)).toEqual([1, 2, 2, 1]);
  });

  test('the four actions keep who changed the credit, and why; a repeat with its Idempotency-Key changes nothing', async () => {
    const service = await startTestService();
    const texts = { reason: ' Häkeln 🧶 ', reference: ' #7 ' };
    for (const [action, body] of [
      ['set-credit', { credit: 5 }],
      ['set-restricted-credit', { credit: 5 }],
      ['increment-credit', { delta: 5 }],
      ['increment-restricted-credit', { delta: -5 }],
    ] as const)
      for (const headers of [{}, { 'Idempotency-Key': action }]) {
        const uuid = await newCustomer();
        const path = `/v1/customers/${uuid}/actions`;
        await service.call('POST', `${path}/increment-restricted-credit`, { delta: 9 });

        const answer = await service.call('POST', `${path}/${action}`, { ...body, ...texts }, headers);
        const { item, last } = await readOf(uuid, service.store);
        if ('Idempotency-Key' in headers)
          await service.call('POST', `${path}/${action}`, { ...body, ...texts }, headers);

        expect(answer.status).toBe(200);
        expect(last).toMatchObject({
          kind: action.startsWith('set') ? 'set' : 'increment',
          types: [{ type: action.includes('restricted') ? 'restricted' : 'regular' }],
          requestId: answer.headers.get('x-request-id'),
          keyId: expect.stringMatching(/^\w{12}$/),
          reason: 'Häkeln 🧶',
          reference: '#7',
        });
        expect((await readOf(uuid, service.store)).item).toEqual(item);
      }
  });
});
