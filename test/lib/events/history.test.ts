import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/stream-consumer.ts';
import { historyKey } from '../../../lib/credit/history.ts';
import { type LastChange, storedChange } from '../../../lib/credit/state.ts';
import { sequenceText, sumsOf } from '../../../lib/events/days.ts';
import { processOverride } from '../../../lib/process.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { type Item, put, targetOf } from '../../../lib/table/language.ts';
import { engine, write } from '../../../lib/table/table.ts';
import { received, startTestQueue } from '../../support/deliveries.ts';
import { randomFrom } from '../../support/faults.ts';
import { logLines } from '../../support/log.ts';
import { freshTable, wholeTable } from '../../support/service.ts';
import { makeUpChanges, recordOf, shardBatch } from '../../support/stream-records.ts';
import { volume } from '../../support/volume.ts';

const store = 'Store1';
const ada = '11111111-1111-1111-1111-111111111111';
const at = '2026-03-04T05:06:07.008Z';

beforeEach(async () => {
  await freshTable();
});

const withoutRecord = ({ record, ...item }: Item): Item => item;

/** The table's items by key but for events, days without their checkpoints, and rows without their records' numbers. */
const table = async (): Promise<Record<string, Item>> => {
  const items: Record<string, Item> = {};
  for (const { pk, sk, ...item } of (await wholeTable()) as (Item & { pk: string; sk: string })[])
    if (!pk.endsWith('#EVENT')) items[`${pk} ${sk}`] = pk.endsWith('#DAY') ? sumsOf(item) : withoutRecord(item);
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
  const { batchItemFailures } = await handler(shardBatch(records));
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

  test('leaves a mark of the record whose consumer died before it counted: it counts when it comes back, once', async () => {
    const mark = { erased: at, record: sequenceText(first.dynamodb?.SequenceNumber ?? '') };
    await dynamodb.write(put({ ...historyKey(store, ada, 'regular', 1), ...mark }));

    for (let time = 0; time < 2; time++) await consume(first);

    expect(await table()).toEqual({ [row(1)]: { erased: at }, [day]: { creditAdded: 5, regularNet: 5 } });
  });

  test.each([
    ['a later record, by a clock that is behind', -1, '2026-03-04T05:06:07.009Z', true],
    ['an earlier record, by a clock that was behind', 1, '2026-03-04T05:06:07.007Z', false],
  ])('comes back: %s', async (_, ahead, erased, isMade) => {
    const number = BigInt(first.dynamodb?.SequenceNumber ?? '') + BigInt(ahead);
    const mark = { erased, record: sequenceText(String(number)) };
    await dynamodb.write(put({ ...historyKey(store, ada, 'regular', 1), ...mark }));

    await consume(first);

    expect((await table())[row(1)]?.kind).toBe(isMade ? 'increment' : undefined);
  });

  test('comes back: a part of a lot that moved away is not joined to the new change', async () => {
    const part = { id: 'a', amount: 5, expiresAt: '2027-01-01T00:00:00.000Z' };
    await dynamodb.write(
      put({ ...historyKey(store, ada, 'regular', 1), erased: '2026-03-04T05:06:07.007Z', erasedLots: [part] }),
    );
    const [again, now] = ['a', 'b'].map((id) => recordOf(undefined, lot(id, 5, { changed: 1 })));
    // A process that begins has met nothing twice, and so writes before it looks.
    const states = new Map<unknown, unknown>();
    processOverride.stateOf = <T>(make: () => T) => {
      if (!states.has(make)) states.set(make, make());
      return states.get(make) as T;
    };
    onTestFinished(() => void delete processOverride.stateOf);

    await consume(again as DynamoDBRecord);
    await consume(again as DynamoDBRecord, first, now as DynamoDBRecord);
    await consume(again as DynamoDBRecord);
    expect((await table())[row(1)]).toMatchObject({ kind: 'increment', lots: [{ ...part, id: 'b' }] });
  });

  test('comes back: their change counts, and so does one of before, with its number, in the same batch', async () => {
    const [before, now] = [5, 7].map((credit) =>
      recordOf(undefined, customer(1, { credit, creditUnlotted: credit, lastChange: increment() })),
    ) as [DynamoDBRecord, DynamoDBRecord];
    const mark = { erased: at, record: sequenceText(before.dynamodb?.SequenceNumber ?? '') };
    await dynamodb.write(put({ ...historyKey(store, ada, 'regular', 1), ...mark }));

    for (let time = 0; time < 2; time++) await consume(before, now);

    const items = await table();
    expect(items[row(1)]).toMatchObject({ kind: 'increment', amount: 7, credit: 7 });
    expect(items[day]).toEqual({ creditAdded: 12, regularNet: 12 });
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

  test('counts once: cards granted and redeemed, deliveries that ended', async () => {
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

    expect(await table()).toEqual({
      [day]: { giftCardsGranted: 1, giftCardsRedeemed: 1, delivered: 1, failed: 2 },
    });
  });

  test('counts each failure of a delivery, and none anew where it could not be put on the queue again', async () => {
    const later = at.replace('07.', '08.');
    const failed = delivery('failed', { failedAt: at });
    const opened = delivery('queued', { failures: [at] });

    await consume(
      recordOf(delivery('queued'), failed),
      recordOf(failed, opened),
      recordOf(opened, failed),
      recordOf(failed, opened),
      recordOf(opened, delivery('failed', { failures: [at], failedAt: later })),
    );

    expect(await table()).toEqual({ [day]: { failed: 2 } });
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

  const newBad = () =>
    recordOf(customer(1, {}), customer(2, { lastChange: { kind: 'a gift', at, types: [] }, reason: 'für 🎁' }));

  test('sets a record aside that it cannot read, and takes the others', async () => {
    const { historyFailuresUrl } = await startTestQueue();
    const bad = newBad();

    const failures = await consume(change(8), bad, change(9));

    expect(failures).toEqual([]);
    expect((await received(historyFailuresUrl)).map((text) => JSON.parse(text))).toEqual([bad]);
    expect(Object.keys(await table()).sort()).toEqual([row(8), row(9), day].sort());
  });

  test('reports such a record alone where the queue does not take it, and counts those behind it when it comes back', async () => {
    process.env.HISTORY_FAILURES_URL = 'http://127.0.0.1:1/none';
    const records = [change(8), newBad(), change(9)] as const;

    const failures = await consume(...records);
    const first = await table();
    const { historyFailuresUrl } = await startTestQueue();
    await consume(...records.slice(1));

    expect(failures).toEqual([records[1].dynamodb?.SequenceNumber]);
    expect(Object.keys(first).sort()).toEqual([row(8), row(9), day].sort());
    expect([first[day], (await table())[day]]).toEqual([
      { creditAdded: 1, regularNet: 1 },
      { creditAdded: 2, regularNet: 2 },
    ]);
    expect(await received(historyFailuresUrl)).toHaveLength(1);
  });

  test('reports the records of a store whose rows the table does not take, and takes those of others', async () => {
    const elsewhere = recordOf(undefined, {
      ...customer(1, { credit: 5, lastChange: increment() }),
      pk: 'Store2#CUSTOMER',
    });
    const here = change(8);
    engine.write = (write) => {
      if (targetOf(write).pk.startsWith(store)) throw Object.assign(new Error('no'), { $fault: 'client' });
      return dynamodb.write(write);
    };
    try {
      expect(await consume(here, elsewhere)).toEqual([here.dynamodb?.SequenceNumber]);
    } finally {
      Reflect.deleteProperty(engine, 'write');
    }

    expect(Object.keys(await table())).toEqual(expect.arrayContaining([expect.stringContaining('Store2#HISTORY')]));
  });

  test('costs a unit for each row and one for the day, and half a one for the first look at the day', async () => {
    logLines.length = 0;

    await consume(change(1));
    await consume(...Array.from({ length: 20 }, (_, index) => change(index + 2)));

    const made = logLines.filter((line) => 'history' in line);
    expect(made).toMatchObject([
      { records: 1, calls: 3, units: 1 + 1 + 0.5 },
      { records: 20, calls: 20 + 1, units: 20 + 1 },
    ]);
  });

  test('costs two units for each row where there are many, in one call for 90 rows', async () => {
    await consume(change(1));
    logLines.length = 0;

    await consume(...Array.from({ length: 90 }, (_, index) => change(index + 2)));

    expect(logLines).toMatchObject([
      { history: 'made', records: 90, calls: 1 + 1, units: 2 * 90 + 1 },
      // An event takes one unit, and one for its place in the list; the journal takes two places more. Looking for
      // webhooks takes one.
      { events: 'noted', count: 90, calls: 90 + 1, units: 4 * 90 + 1 },
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

  // A refused transaction; 91 reads and one row, whose amount is 0 and so counts nowhere; reads that find everything;
  // nothing.
  expect(units.slice(1)).toEqual([91 + 1, 90 + 180, 180]);
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
    engine.write = async () => {
      throw Object.assign(new Error('no'), { $fault: 'client' });
    };
    try {
      expect(await consume(named)).toEqual([named.dynamodb?.SequenceNumber]);
    } finally {
      Reflect.deleteProperty(engine, 'write');
    }

    await consume(named);
    expect(await table()).toHaveProperty([row(1)]);
    await freshTable();
    await consume(named);
    expect(await table()).toHaveProperty([row(1)]);
  });
});

describe('a day', () => {
  const granted = (id: string) =>
    recordOf(undefined, {
      ...{ pk: `${store}#GIFTCARD`, sk: id, id, ownerUuid: ada, credit: 5, active: true, grantedAt: at },
    });
  const counted = async (): Promise<unknown> => (await table())[day]?.giftCardsGranted;
  const cards = (count: number) => Array.from({ length: count }, () => granted(randomUUID()));

  test('counts each record once where a batch comes back longer, shorter, or from an earlier place', async () => {
    const records = cards(9);

    for (const [start, end] of [
      [0, 3],
      [0, 5],
      [2, 4],
      [4, 9],
      [0, 9],
    ])
      await consume(...records.slice(start, end));

    expect(await counted()).toBe(9);
  });

  test('counts the records of each shard by its own checkpoint: children, siblings, and those of a new stream', async () => {
    const records = cards(4);
    const sent = records.map((record, place) => ({
      ...record,
      dynamodb: { ...record.dynamodb, SequenceNumber: `${90 - place}` },
    }));
    const streamOf = (label: string) => `arn:aws:dynamodb:us-east-1:1:table/t/stream/${label}`;
    const places = [
      ['shardId-1', streamOf('2026-01-01')],
      ['shardId-1-1', streamOf('2026-01-01')],
      ['shardId-1-2', streamOf('2026-01-01')],
      ['shardId-1', streamOf('2026-02-02')],
    ] as const;

    for (let time = 0; time < 2; time++)
      for (const [place, [shardId, eventSourceARN]] of places.entries())
        await handler({ ...shardBatch([sent[place] as DynamoDBRecord], shardId), eventSourceARN });

    expect(await counted()).toBe(4);
  });

  test('compares numbers by their value, of up to 40 digits', async () => {
    const numbers = ['9', '10', '62000000000025130113980', '620000000000251301139801', '1'.repeat(40)];

    for (const SequenceNumber of numbers) {
      const [record] = cards(1);
      await consume({ ...record, dynamodb: { ...record?.dynamodb, SequenceNumber } });
    }

    expect(await counted()).toBe(5);
    expect(numbers.map(sequenceText)).toEqual(numbers.map(sequenceText).toSorted());
  });

  test('is not counted twice by two consumers that have the same batch at once', async () => {
    const records = cards(40);

    await Promise.all([consume(...records.slice(0, 25)), consume(...records), consume(...records)]);

    expect(await counted()).toBe(40);
  });

  test('tells the operator of a record that made a row below the checkpoint, which no day counts', async () => {
    const { historyFailuresUrl } = await startTestQueue();
    const change = (version: number, uuid: string) =>
      recordOf(undefined, {
        ...customer(version, { credit: 5, lastChange: increment() }),
        ...customerKey(store, uuid),
      });
    const [late, next] = [change(1, ada), change(1, randomUUID())];
    await consume(next);
    logLines.length = 0;

    const failed = [await consume(late), await consume(late)];

    expect(failed).toEqual([[], []]);
    expect((await table())[day]).toEqual({ creditAdded: 5, regularNet: 5 });
    expect(logLines).toContainEqual(expect.objectContaining({ level: 'ERROR', history: 'uncounted' }));
    expect((await received(historyFailuresUrl)).map((text) => JSON.parse(text))).toEqual([late]);
  });

  describe('a row that was there, though the answer to its first write was lost', () => {
    /** Consumes a record whose row's first write fails without an answer. Answers how often it was sent. */
    const consumeUnanswered = async (record: DynamoDBRecord): Promise<number> => {
      let sent = 0;
      engine.write = async (write) => {
        if (targetOf(write).pk.includes('#HISTORY#') && ++sent === 1) throw new Error('socket hang up');
        return dynamodb.write(write);
      };
      try {
        expect(await consume(record)).toEqual([]);
      } finally {
        Reflect.deleteProperty(engine, 'write');
      }
      return sent;
    };
    const change = (uuid = ada) => {
      const facts = { credit: 5, creditUnlotted: 5, lastChange: increment() };
      return recordOf(undefined, { ...customer(1, facts), ...customerKey(store, uuid) });
    };

    test('is not told of as late where it was counted', async () => {
      const counted = change();
      // The second record finds nothing, so the consumer writes the next row without reading it first.
      for (const record of [counted, change(randomUUID())]) await consume(record);
      logLines.length = 0;

      expect(await consumeUnanswered(counted)).toBe(2);

      expect(logLines).not.toContainEqual(expect.objectContaining({ history: 'uncounted' }));
      expect((await table())[day]).toEqual({ creditAdded: 10, regularNet: 10 });
    });

    test('is not counted where a backfill has made and counted it', async () => {
      await consume(change(randomUUID()));
      await write(put({ ...historyKey(store, ada, 'regular', 1), kind: 'increment', at, amount: 5, balance: 5 }));

      expect(await consumeUnanswered(change())).toBe(2);

      expect((await table())[day]).toEqual({ creditAdded: 5, regularNet: 5 });
    });
  });
});

describe('an event without a shard', () => {
  const record = recordOf(undefined, customer(1, { credit: 5, creditUnlotted: 5, lastChange: increment() }));

  test('fails, since nobody could tell what its days have counted', async () => {
    await expect(handler({ Records: [record] })).rejects.toThrow('names no shard');

    expect(await table()).toEqual({});
  });

  test('makes history where a person sends it again, and counts in no day', async () => {
    expect(await handler({ Records: [record], isSentAgain: true })).toMatchObject({ batchItemFailures: [] });

    expect(Object.keys(await table())).toEqual([row(1)]);
  });
});

const seed = Number(process.env.HISTORY_SEED ?? Math.floor(Math.random() * 2 ** 31));

interface TestShard {
  id: string;
  records: DynamoDBRecord[];
  /** Its records come before its children's. */
  parent?: TestShard | undefined;
  taken: number;
}

/**
 * Puts records into shards, each item's in one shard at a time. Shards end and have two children each in the middle and
 * at random places.
 */
const inShards = (random: () => number, records: readonly DynamoDBRecord[]): TestShard[] => {
  const all: TestShard[] = [];
  const open = Array.from({ length: 3 }, (_, place): TestShard[] => [{ id: `shard-${place}`, records: [], taken: 0 }]);
  all.push(...open.flat());
  for (const [place, record] of records.entries()) {
    const { pk, sk } = record.dynamodb?.Keys ?? {};
    const hash = createHash('sha256').update(`${pk?.S} ${sk?.S}`).digest();
    const lineage = open[(hash[0] as number) % open.length] as TestShard[];
    if (random() < 6 / records.length || place === Math.floor(records.length / 2)) {
      const parents = lineage.splice(0);
      for (let child = 0; child < 2; child++) {
        const parent = parents[Math.min(child, parents.length - 1)];
        lineage.push({ id: `${parent?.id}-${child}`, records: [], parent, taken: 0 });
      }
      all.push(...lineage);
    }
    (lineage[(hash[1] as number) % lineage.length] as TestShard).records.push(record);
  }
  return all;
};

test(`ends the same from records shuffled between shards that split, of batches that are cut anywhere and come back, and of dying consumers (HISTORY_SEED=${seed})`, {
  timeout: volume(60_000, 900_000),
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

  const shards = inShards(random, records);
  // A consumer dies before a write reaches the table, or after it.
  const lives = new AsyncLocalStorage<{ writesLeft: number }>();
  const killed = Object.assign(new Error('killed'), { $fault: 'client' });
  engine.write = async (write) => {
    const life = lives.getStore() ?? { writesLeft: Number.POSITIVE_INFINITY };
    life.writesLeft -= 1;
    if (life.writesLeft < 0) throw killed;
    const written = await dynamodb.write(write);
    if (life.writesLeft === 0) throw killed;
    return written;
  };
  const take = async ({ id, records: all }: TestShard, start: number): Promise<number> => {
    const batch = all.slice(start, start + 1 + Math.floor(random() * 150));
    const writesLeft = random() < 0.3 ? Math.floor(random() * 3 * batch.length) : Number.POSITIVE_INFINITY;
    const { batchItemFailures } = await lives.run({ writesLeft }, () => handler(shardBatch(batch, id)));
    return batchItemFailures.length > 0 ? 0 : batch.length;
  };
  const consumer = async (shard: TestShard): Promise<void> => {
    while (shard.taken < shard.records.length) {
      const start = shard.taken;
      const done = take(shard, start);
      // Lambda hands out what it handed out before, also beside the batch that is under way.
      const again = random() < 0.4 ? take(shard, Math.max(0, start - Math.floor(random() * 200))) : undefined;
      await again;
      shard.taken = start + (await done);
    }
  };
  const isOver = (shard: TestShard | undefined): boolean =>
    !shard || (shard.taken === shard.records.length && isOver(shard.parent));
  try {
    for (let left = shards; left.length > 0; left = left.filter((shard) => !isOver(shard)))
      await Promise.all(left.filter(({ parent }) => isOver(parent)).map(consumer));
  } finally {
    Reflect.deleteProperty(engine, 'write');
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
  expect(shards.length).toBeGreaterThan(3);
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
