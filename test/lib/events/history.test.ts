import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { handler } from '../../../functions/stream-consumer.ts';
import { historyKey } from '../../../lib/credit/history.ts';
import { type LastChange, storedChange } from '../../../lib/credit/state.ts';
import { customerKey } from '../../../lib/store/customers.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import { type Item, put } from '../../../lib/table/language.ts';
import { engine } from '../../../lib/table/table.ts';
import { received, startTestQueue } from '../../support/deliveries.ts';
import { randomFrom } from '../../support/faults.ts';
import { logLines } from '../../support/log.ts';
import { freshTable, wholeTable } from '../../support/service.ts';
import { makeUpChanges, recordOf } from '../../support/stream-records.ts';
import { volume } from '../../support/volume.ts';

const store = 'Store1';
const ada = '11111111-1111-1111-1111-111111111111';
const at = '2026-03-04T05:06:07.008Z';

beforeEach(async () => {
  await freshTable();
});

/** The table's items by key but for events, the parts of each day added up. */
const table = async (): Promise<Record<string, Item>> => {
  const items: Record<string, Item> = {};
  for (const { pk, sk, ...item } of (await wholeTable()) as (Item & { pk: string; sk: string })[]) {
    if (pk.endsWith('#EVENT')) continue;
    const isDay = pk.endsWith('#DAY');
    const name = `${pk} ${isDay ? sk.slice(0, 10) : sk}`;
    const sums = isDay ? items[name] : undefined;
    items[name] = sums
      ? Object.fromEntries(
          [...new Set([...Object.keys(sums), ...Object.keys(item)])].map((key) => [
            key,
            Number(sums[key] ?? 0) + Number(item[key] ?? 0),
          ]),
        )
      : item;
  }
  return items;
};

const nameOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk} ${sk}`;
const row = (sequence: number, type: 'regular' | 'restricted' = 'regular'): string =>
  nameOf(historyKey(store, ada, type, sequence));
const day = `${store}#DAY 2026-03-04`;

const customer = (
  version: number | undefined,
  { lastChange, ...more }: { lastChange?: object; [attribute: string]: unknown },
) => ({
  ...customerKey(store, ada),
  username: 'ada',
  ...(version !== undefined && { creditVersion: version }),
  ...(lastChange && { lastChange: storedChange(lastChange as LastChange) }),
  ...more,
});

const lot = (id: string, remaining: number, more: object = {}) => ({
  pk: `${store}#LOT#${ada}`,
  sk: `regular#epoch#2027-01-01T00:00:00.000Z#${id}`,
  remaining,
  state: 'open',
  expiresAt: '2027-01-01T00:00:00.000Z',
  ...more,
});

const consume = async (...records: ReturnType<typeof recordOf>[]): Promise<string[]> => {
  const { batchItemFailures } = await handler({ Records: records });
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};

const increment = (more: object = {}) => ({ kind: 'increment', at, types: [{ type: 'regular' }], ...more });

describe('a change', () => {
  test('becomes one row with its facts, and counts in its day', async () => {
    const change = { kind: 'set', at, types: [{ type: 'regular', expired: 30 }], reason: 'a gift', keyId: 'k' };

    await consume(
      recordOf(
        customer(4, { credit: 100, creditUnlotted: 10, restrictedCredit: 5, lastChange: increment() }),
        customer(5, { credit: 120, creditUnlotted: 120, restrictedCredit: 5, lastChange: change }),
      ),
    );

    const facts = { kind: 'set', at, reason: 'a gift', keyId: 'k', amount: 50, expired: 30, unlotted: 110 };
    expect(await table()).toEqual({
      [row(5)]: { ...facts, credit: 120, restrictedCredit: 5 },
      [day]: { creditAdded: 50, creditExpired: 30, regularNet: 20 },
    });
  });

  test('of both types becomes two rows, of which the first tells of the time between the two', async () => {
    const change = { kind: 'sale', at, types: [{ type: 'restricted' }, { type: 'regular' }], saleId: 's' };

    await consume(
      recordOf(
        customer(1, {
          credit: 100,
          creditUnlotted: 100,
          restrictedCredit: 8,
          restrictedUnlotted: 8,
          lastChange: increment(),
        }),
        customer(3, { credit: 60, creditUnlotted: 60, restrictedCredit: 0, restrictedUnlotted: 0, lastChange: change }),
      ),
    );

    const facts = { kind: 'sale', at, saleId: 's', expired: 0 };
    expect(await table()).toEqual({
      [row(2, 'restricted')]: { ...facts, amount: -8, unlotted: -8, credit: 100, restrictedCredit: 0 },
      [row(3)]: { ...facts, amount: -40, unlotted: -40, credit: 60, restrictedCredit: 0 },
      [day]: { creditSpent: 48, regularNet: -40, restrictedNet: -8 },
    });
  });

  test('gets the parts of its lots from their own records, whichever come first', async () => {
    const facts = recordOf(
      customer(1, { credit: 50, lastChange: increment() }),
      customer(2, { credit: 65, lastChange: increment() }),
    );
    const parts = [
      recordOf(undefined, lot('c', 40, { changed: 2 })),
      recordOf(lot('a', 10, { changed: 1 }), lot('a', 10, { changed: 2, state: 'expired' })),
      recordOf(lot('b', 20), lot('b', 5, { changed: 2 })),
    ];

    await consume(parts[0] as never);
    await consume(facts, parts[1] as never);
    await consume(parts[2] as never);

    const { [row(2)]: made } = await table();
    expect(made).toMatchObject({ kind: 'increment', amount: 15 });
    expect(made?.lots).toMatchObject([
      { id: 'a', amount: -10 },
      { id: 'b', amount: -15 },
      { id: 'c', amount: 40 },
    ]);
  });

  test('of more than 200 lots keeps the first 200, and the time at which the last one expires', async () => {
    const expiresAt = (index: number) => new Date(Date.UTC(2027, 0, 1) + ((index * 7) % 250) * 1000).toISOString();
    const records = Array.from({ length: 250 }, (_, index) =>
      recordOf(
        lot(`l${index}`, 3, { expiresAt: expiresAt(index) }),
        lot(`l${index}`, 3, { expiresAt: expiresAt(index), state: 'superseded', changed: 9 }),
      ),
    );

    await consume(...records.slice(100, 230));
    await consume(...records.slice(0, 110));
    await consume(...records.slice(220));

    const { [row(9)]: made } = await table();
    const times = Array.from({ length: 250 }, (_, index) => expiresAt(index)).sort();
    expect(made?.lots).toMatchObject(times.slice(0, 200).map((time) => ({ expiresAt: time })));
    expect(made?.lastExpiresAt).toBe(times.at(-1));
    expect(made?.kind).toBeUndefined();
  });
});

describe('credit from before there was history', () => {
  const held = {
    credit: 70,
    creditUnlotted: 20,
    creditLots: 1,
    creditDue: '2027-01-01T00:00:00.000Z',
    restrictedCredit: 5,
    restrictedUnlotted: 5,
  };
  const opening = { kind: 'opening', at, expired: 0 };
  const openings = (last: number) => ({
    [row(last - 1)]: {
      ...{ ...opening, amount: 70, unlotted: 20, credit: 70, restrictedCredit: 0 },
      lastExpiresAt: '2027-01-01T00:00:00.000Z',
    },
    [row(last, 'restricted')]: { ...opening, amount: 5, unlotted: 5, credit: 70, restrictedCredit: 5 },
  });

  test('opens the history of a customer with their next change', async () => {
    await consume(
      recordOf(customer(7, held), customer(8, { ...held, credit: 71, creditUnlotted: 21, lastChange: increment() })),
    );

    expect(await table()).toEqual({
      ...openings(7),
      [row(8)]: { kind: 'increment', at, amount: 1, expired: 0, unlotted: 1, credit: 71, restrictedCredit: 5 },
      [day]: { creditAdded: 76, regularNet: 71, restrictedNet: 5 },
    });
  });

  test('opens it with the backfill, which leaves the balances as they are', async () => {
    const types = [{ type: 'regular' }, { type: 'restricted' }];
    await consume(recordOf(customer(7, held), customer(9, { ...held, lastChange: { kind: 'opening', at, types } })));

    expect(await table()).toEqual({ ...openings(9), [day]: { creditAdded: 75, regularNet: 70, restrictedNet: 5 } });
  });

  test('needs no opening where nothing is held', async () => {
    await consume(
      recordOf(customer(2, { credit: 0 }), customer(3, { credit: 1, creditUnlotted: 1, lastChange: increment() })),
    );

    expect(Object.keys(await table()).sort()).toEqual([row(3), day].sort());
  });
});

describe('an erased avatar', () => {
  const first = recordOf(undefined, customer(1, { credit: 5, creditUnlotted: 5, lastChange: increment() }));
  const markAt = async (erased: string): Promise<void> => {
    const mark = { ...historyKey(store, ada, 'regular', 1), erased, ttl: 1_900_000_000 };
    await dynamodb.write(put(mark));
  };

  test('is no change where their customer arrives under another UUID', async () => {
    await consume(recordOf(undefined, customer(4, { credit: 0, lastChange: increment(), moved: true })));

    expect(await table()).toEqual({});
  });

  test.each([
    ['as late as', at],
    ['earlier than', '2026-03-04T05:06:07.009Z'],
  ])('leaves a mark: a change %s it makes no row and counts in no day', async (_, erased) => {
    await markAt(erased);

    const failed = await consume(first);

    expect(failed).toEqual([]);
    expect(await table()).toEqual({ [row(1)]: { erased, ttl: 1_900_000_000 } });
  });

  test('comes back: a later change takes the place of the mark, for good', async () => {
    await markAt('2026-03-04T05:06:07.007Z');

    await consume(first);

    const facts = { kind: 'increment', at, amount: 5, expired: 0, unlotted: 5, credit: 5, restrictedCredit: 0 };
    expect(await table()).toEqual({ [row(1)]: facts, [day]: { creditAdded: 5, regularNet: 5 } });
  });
});

describe('a change without a row of history', () => {
  const card = (id: string, more: object = {}) => ({
    ...{ pk: `${store}#GIFTCARD`, sk: id, id, ownerUuid: ada, ownerUsername: 'ada', credit: 5, active: true },
    ...{ redeemed: false, transfer: false, texture: null, purchased: false, ...more },
  });
  const delivery = (state: string, more: object = {}) => ({
    ...{ pk: `${store}#DELIVERY`, sk: 'd', id: madeId, state, productId: madeId, item: 'Chair', attempts: 1 },
    ...{ recipientUuid: ada, recipientUsername: 'ada', createdAt: at },
    ...more,
  });
  const oldId = '00000000-0000-0000-0000-000000000005';
  const madeId = '019cb7a5-7fc0-7000-8000-000000000000';

  test('counts once, by its mark: cards granted and redeemed, deliveries that ended', async () => {
    const redeemed = { redeemed: true, redeemedAt: at };
    const records = [
      recordOf(undefined, card(madeId, { grantedAt: at })),
      recordOf(undefined, card('imported')),
      recordOf(card(madeId), card(madeId, redeemed)),
      recordOf(delivery('queued'), delivery('failed', { failedAt: at })),
      recordOf(delivery('queued'), delivery('failed', { failedAt: at.replace('07.', '08.') })),
      recordOf(delivery('queued'), delivery('delivered', { deliveredAt: at })),
    ];

    await consume(...records);
    await consume(...records);

    const { [day]: sums, ...marks } = await table();
    expect(sums).toEqual({ giftCardsGranted: 1, giftCardsRedeemed: 1, delivered: 1, failed: 2 });
    expect(Object.keys(marks)).toHaveLength(5);
    // Eight days after the stream has had the change.
    for (const { ttl } of Object.values(marks)) expect(ttl).toBe(1_790_000_000 + 8 * 86_400);
  });

  test('is none: other writes of the same items, waits, cards of another system, and removals', async () => {
    const failures = await consume(
      recordOf(undefined, card('an old number')),
      recordOf(card(madeId), card(madeId, { active: false })),
      recordOf(card(oldId, { redeemed: true }), card(oldId, { redeemed: true, active: false })),
      recordOf(delivery('queued'), delivery('waiting')),
      recordOf(delivery('failed', { failedAt: at }), delivery('failed', { failedAt: at, lastError: 'x' })),
      recordOf(undefined, { pk: `${store}#DELIVERY#waiting`, sk: 'w' }),
      recordOf(delivery('delivered', { deliveredAt: at }), undefined),
      recordOf(customer(1, { lastChange: increment() }), customer(1, { lastChange: increment(), discount: 5 })),
      recordOf(lot('a', 5, { changed: 3 }), lot('a', 4, { changed: 3, stamp: 'x' })),
      recordOf(undefined, { pk: `${store}#HISTORY#${ada}#regular`, sk: '000000000001' }),
    );

    expect(failures).toEqual([]);
    expect(await table()).toEqual({});
  });
});

describe('a batch', () => {
  const change = (version: number) =>
    recordOf(
      customer(version - 1, { credit: version - 1, creditUnlotted: version - 1, lastChange: increment() }),
      customer(version, { credit: version, creditUnlotted: version, lastChange: increment() }),
    );

  const bad = recordOf(
    customer(1, {}),
    customer(2, { lastChange: { kind: 'a gift', at, types: [] }, reason: 'für 🎁' }),
  );

  test('sets a record aside that it cannot read, and takes the others', async () => {
    const { historyFailuresUrl } = await startTestQueue();

    const failures = await consume(change(8), bad, change(9));

    expect(failures).toEqual([]);
    expect((await received(historyFailuresUrl)).map((text) => JSON.parse(text))).toEqual([bad]);
    expect(Object.keys(await table()).sort()).toEqual([row(8), row(9), day].sort());
  });

  test('reports such a record alone where the queue does not take it', async () => {
    process.env.HISTORY_FAILURES_URL = 'http://127.0.0.1:1/none';

    const failures = await consume(change(8), bad, change(9));

    expect(failures).toEqual([bad.dynamodb?.SequenceNumber]);
    expect(Object.keys(await table()).sort()).toEqual([row(8), row(9), day].sort());
  });

  test('reports the records of a store whose rows the table does not take, and takes those of others', async () => {
    const elsewhere = recordOf(undefined, {
      ...customer(1, { credit: 5, lastChange: increment() }),
      pk: 'Store2#CUSTOMER',
    });
    const here = change(8);
    engine.transact = (writes, token) => {
      if (JSON.stringify(writes).includes(store)) throw Object.assign(new Error('no'), { $fault: 'client' });
      return dynamodb.transact(writes, token);
    };
    try {
      expect(await consume(here, elsewhere)).toEqual([here.dynamodb?.SequenceNumber]);
    } finally {
      Reflect.deleteProperty(engine, 'transact');
    }

    expect(Object.keys(await table())).toEqual(expect.arrayContaining([expect.stringContaining('Store2#HISTORY')]));
  });

  test('costs two units for each row and two for the day, in one call for 90 rows, without a read', async () => {
    logLines.length = 0;

    await consume(...Array.from({ length: 90 }, (_, index) => change(index + 2)));

    expect(logLines).toMatchObject([
      { history: 'made', records: 90, calls: 1, units: 2 * 90 + 2 },
      // An event takes a unit, and one for its place in the list. A look for webhooks takes one.
      { events: 'noted', count: 90, calls: 90 + 1, units: 2 * 90 + 1 },
    ]);
  });
});

test('looks before it writes once it has met a repeat, until it finds none', async () => {
  const change = (version: number) =>
    recordOf(customer(version - 1, { lastChange: increment() }), customer(version, { lastChange: increment() }));
  const batch = (from: number) => Array.from({ length: 90 }, (_, index) => change(from + index));
  await consume(...batch(2));
  const units: number[] = [];

  for (const records of [batch(2), [...batch(2), change(92)], batch(93), batch(183)]) {
    logLines.length = 0;
    await consume(...records);
    units.push(logLines[0]?.units ?? 0);
  }

  // A refused transaction; 91 reads and one row, whose amount is 0 and counts nowhere; a look that finds nothing; none.
  expect(units.slice(1)).toEqual([91 + 2, 90 + 180, 180]);
});

describe('a record that a consumer has had', () => {
  const named = { ...recordOf(undefined, customer(1, { credit: 5, lastChange: increment() })), eventID: 'e1' };

  test('costs nothing when it comes back', async () => {
    await consume(named);
    logLines.length = 0;

    expect(await consume(named, named)).toEqual([]);

    expect(logLines).toEqual([]);
  });

  test('is written where it failed, and in another table', async () => {
    engine.transact = async () => {
      throw Object.assign(new Error('no'), { $fault: 'client' });
    };
    try {
      expect(await consume(named)).toEqual([named.dynamodb?.SequenceNumber]);
    } finally {
      Reflect.deleteProperty(engine, 'transact');
    }

    await consume(named);
    expect(await table()).toHaveProperty([row(1)]);
    await freshTable();
    await consume(named);
    expect(await table()).toHaveProperty([row(1)]);
  });
});

const seed = Number(process.env.HISTORY_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Shuffles in place (Fisher-Yates). */
const shuffled = <T>(random: () => number, all: T[]): T[] => {
  for (let index = all.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [all[index], all[other]] = [all[other] as T, all[index] as T];
  }
  return all;
};

test(`ends the same from records that are shuffled, tripled, cut and taken by dying consumers (HISTORY_SEED=${seed})`, {
  timeout: volume(60_000, 300_000),
}, async () => {
  const random = randomFrom(seed);
  const uuids = Array.from({ length: 12 }, (_, index) => ada.replace(/..$/, String(10 + index)));
  const next = makeUpChanges(random, store, uuids);
  const changes = Array.from({ length: volume(300, 10_000) }, next);
  const records = changes.flatMap((change) => change.records);
  for (let start = 0; start < records.length; start += 500)
    expect(await consume(...records.slice(start, start + 500))).toEqual([]);
  const inOrder = await table();
  await freshTable();

  const queue = shuffled(random, [...records, ...records, ...records]);
  // A consumer dies before its transaction reaches the table, or after it.
  const killed = Object.assign(new Error('killed'), { $fault: 'client' });
  engine.transact = async (writes, token) => {
    const dies = random();
    if (dies < 0.05) throw killed;
    await dynamodb.transact(writes, token);
    if (dies > 0.95) throw killed;
  };
  const consumer = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, 1 + Math.floor(random() * 150));
      if ((await consume(...batch)).length > 0) queue.push(...batch);
    }
  };
  try {
    await Promise.all([consumer(), consumer(), consumer()]);
  } finally {
    Reflect.deleteProperty(engine, 'transact');
  }

  const rows = Object.fromEntries(
    changes.flatMap((change) =>
      change.rows.map(({ key, row: facts, parts }) => [
        nameOf(key),
        { ...facts, ...(parts.length > 0 && { lots: parts }) },
      ]),
    ),
  );
  const made = await table();
  expect(isDeepStrictEqual(made, inOrder)).toBe(true);
  const isRow = ([name]: [string, unknown]): boolean => name.includes('#HISTORY#');
  expect(Object.fromEntries(Object.entries(made).filter(isRow))).toEqual(rows);
  // Every change counts once: the days add up to the balances.
  const held = Object.values(made).reduce<number>((sum, item) => sum + Number(item.regularNet ?? 0), 0);
  const balances = changes
    .flatMap((change) => change.rows)
    .reduce<Record<string, number>>((last, { key, row: facts }) => {
      last[key.pk.split('#')[2] as string] = facts.credit;
      return last;
    }, {});
  expect(held).toBe(Object.values(balances).reduce((sum, credit) => sum + credit, 0));
});
