import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { now, timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import type { CreditLot } from '../../../../lib/credit/lot.ts';
import { listLots } from '../../../../lib/credit/lots.ts';
import { type CreditType, creditTypes } from '../../../../lib/credit/rules.ts';
import { holdingOf } from '../../../../lib/credit/state.ts';
import { findRepair, repairCredit } from '../../../../lib/operator/repair-credit.ts';
import { Problem } from '../../../../lib/problem.ts';
import { customerKey } from '../../../../lib/table/keys.ts';
import { remove, update } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { write } from '../../../../lib/table/table.ts';
import { add, booksOf, change, store, sweep } from '../../../../test/lib/credit/credit.ts';
import { creditOf, customerWithLots, newCustomer } from '../../../../test/support/credit-seed.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { trials } from '../../../../test/support/volume.ts';
import { halve } from '../support/half.ts';

/** `CREDIT_REPAIR_SEED` and `_PATH` replay a random run, `_RUNS` asks for more. */
const seed = Number(process.env.CREDIT_REPAIR_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.CREDIT_REPAIR_RUNS ?? trials(2, 60));
const start = Date.parse('2028-02-29T12:00:00.000Z');
const end = start + 3_600_000;

let stop = () => {};
afterEach(() => stop());

/** Of a repair a minute later, when every item of the last change shows. */
const cause = () => ({ at: timestamp(now() + 60_001), by: 'operator' });
const repair = (uuid: string) => repairCredit(store, uuid, cause(), () => {});
const setItem = (uuid: string, set: object) => write(update(customerKey(store, uuid), { set: { ...set } }));
const setLot = (lot: Key, set: object) => write(update(lot, { set: { ...set } }));
const lotsOf = (...ends: number[]) => ends.map((at) => ({ amount: 9, expiresAt: timestamp(at) }));

describe('a repair', () => {
  beforeEach(async () => {
    await freshTable();
    setClock(start);
  });

  test.each([
    ['two drains at once', { credit: 13 }, 18],
    ['two lots that expired twice', { credit: -5, creditLots: 0, creditDue: undefined }, 18],
    ['a lot that was added unseen', { creditLots: 1, creditDue: timestamp(end + 1), due: timestamp(end + 1) }, 18],
    ['a due time of nobody', { creditDue: undefined, due: undefined, dues: undefined }, 18],
    ['another shard', { dues: 'CUSTOMER#DUE#9' }, 18],
    ['a lot of which nothing is known', { creditNewest: 'regular#e#2028-01-01T00:00:00.000Z#1' }, 18],
    ['less than no unlotted credit', { creditUnlotted: -4 }, 18],
    ['a balance of its own', { credit: 25, creditUnlotted: 7 }, 25],
    ['unlotted credit beside the balance', { creditUnlotted: 7 }, 25],
  ])('makes the balance of the lots and the unlotted credit: %s', async (_, fault, balance) => {
    const uuid = await customerWithLots(store, lotsOf(end, end + 1));
    await setItem(uuid, fault);
    const lots = await listLots(store, uuid);

    const left = await repair(uuid);

    expect(left).toEqual([]);
    expect(await booksOf(uuid)).toMatchObject({ balance, unlotted: balance - 18, states: { open: 2 } });
    expect(await listLots(store, uuid)).toEqual(lots);
    expect((await add(uuid, -balance)).credit).toBe(0);
  });

  test('finds nothing in books that add up, and writes nothing', async () => {
    const uuid = await customerWithLots(store, lotsOf(end), 5);
    await add(uuid, -2);
    const before = await wholeTable();

    const found = [await findRepair(store, uuid, cause()), await repair(uuid)];

    expect(found).toEqual([undefined, []]);
    expect(await wholeTable()).toEqual(before);
  });

  test('leaves a customer whose lots an erasure has begun to move', async () => {
    const uuid = await newCustomer();
    await add(uuid, 9, end);
    await add(uuid, -9);
    for (const lot of await listLots(store, uuid)) await write(remove(lot));

    expect([await findRepair(store, uuid, cause()), await repair(uuid)]).toEqual([undefined, []]);
  });

  test('of half a set keeps the lot that was set, if it is there', async () => {
    const uuid = await customerWithLots(store, lotsOf(end, end + 1));
    stop = halve((_, { sk }) => sk !== uuid && !sk.includes(timestamp(end)));
    await change(uuid, { kind: 'set', credit: 50, expiresAt: timestamp(end + 9) });
    stop();

    await repair(uuid);

    expect(await booksOf(uuid)).toMatchObject({ balance: 50, states: { superseded: 2, open: 1 } });
  });

  test('of half a set keeps the lots of before, if the lot that was set is not there', async () => {
    const uuid = await customerWithLots(store, lotsOf(end, end + 1));
    stop = halve((_, { sk }) => sk === uuid || sk.includes(timestamp(end)));
    await change(uuid, { kind: 'set', credit: 50, expiresAt: timestamp(end + 9) });
    stop();

    await repair(uuid);

    expect(await booksOf(uuid)).toMatchObject({ balance: 9, states: { superseded: 1, open: 1 } });
    expect((await add(uuid, -9)).credit).toBe(0);
  });

  test('makes a resident a customer who has lots and is none', async () => {
    const uuid = await newCustomer();
    stop = halve((_, { sk }) => sk !== uuid);
    await add(uuid, 9, end);
    stop();

    await repair(uuid);

    expect(await booksOf(uuid)).toMatchObject({ balance: 9, states: { open: 1 } });
  });

  test('closes any number of lots that a set has replaced', async () => {
    const uuid = await customerWithLots(store, lotsOf(...Array.from({ length: 230 }, (_, index) => end + index)));
    stop = halve((place) => place < 2);
    await change(uuid, { kind: 'set', credit: 50, expiresAt: timestamp(end + 999) });
    stop();
    await write(update(customerKey(store, uuid), { set: { pending: undefined } }));

    await repair(uuid);

    expect(await booksOf(uuid)).toMatchObject({ balance: 50, states: { superseded: 230, open: 1 } });
  });

  test('finishes a large change that is pending, and trusts what it has decided', async () => {
    const uuid = await customerWithLots(store, lotsOf(...Array.from({ length: 120 }, (_, index) => end + index)));
    stop = intercept(({ operation, input }, send) =>
      operation === 'UpdateItem' && String(input.Key.pk.S).includes('#LOT#')
        ? Promise.reject(new Error('dies'))
        : send(),
    );
    await add(uuid, -1000);
    stop();
    await setItem(uuid, { credit: 1 });
    expect((await findRepair(store, uuid, cause()))?.corrections).toMatchObject([
      { what: 'regular balance', willBe: 80 },
    ]);

    await repair(uuid);

    expect(await booksOf(uuid)).toMatchObject({ balance: 80, states: { drained: 111, open: 9 } });
  });

  test('lets a large change close every lot, also one that is later than the customer was', async () => {
    const uuid = await customerWithLots(store, lotsOf(...Array.from({ length: 120 }, (_, index) => end + index)));
    const [lot] = (await listLots(store, uuid)) as [CreditLot];
    await setLot(lot, { version: 7 });
    await setItem(uuid, { credit: 1 });

    await repair(uuid);
    await change(uuid, { kind: 'set', credit: 5 });

    expect(await booksOf(uuid)).toMatchObject({ balance: 5, states: { superseded: 120 } });
  });

  test('decides anew if the credit has changed since it was read', async () => {
    const uuid = await customerWithLots(store, lotsOf(end), 30);
    await setItem(uuid, { dues: 'CUSTOMER#DUE#9' });
    const seen: unknown[] = [];
    let races = 2;

    await repairCredit(store, uuid, cause(), ({ writes }) => seen.push(writes));
    await setItem(uuid, { dues: 'CUSTOMER#DUE#9' });
    stop = intercept(async ({ operation }, send) => {
      if (operation === 'TransactWriteItems' && races-- > 0) await add(uuid, 1);
      return send();
    });
    await repairCredit(store, uuid, cause(), ({ writes }) => seen.push(writes));

    expect(seen).toHaveLength(4);
    expect(await booksOf(uuid)).toMatchObject({ balance: 41, unlotted: 32 });
  });

  test('leaves books alone whose lots contradict themselves, and says why', async () => {
    const uuid = await customerWithLots(store, lotsOf(end, end + 1));
    const [lot] = (await listLots(store, uuid)) as [CreditLot];
    await setLot(lot, { remaining: 10 });
    await setItem(uuid, { credit: 1 });
    const before = await wholeTable();

    const left = await repair(uuid);

    expect(left).toEqual([`customer ${uuid}: lot ${lot.sk} has 10 of 9 left.`]);
    expect(await wholeTable()).toEqual(before);
  });

  test('leaves lots alone whose owner nobody knows', async () => {
    const uuid = await customerWithLots(store, lotsOf(end));
    await write(remove(customerKey(store, uuid)));
    await write(remove({ pk: `RESIDENT#${uuid}`, sk: `RESIDENT#${uuid}` }));

    expect(await repair(uuid)).toEqual([expect.stringContaining('import residents first')]);
  });
});

interface Torn {
  type: CreditType;
  amount: number;
  isSet: boolean;
  life: number | undefined;
  wait: number;
  /** Says for its first five items whether the table keeps them, if it is one of the last changes. */
  kept: boolean[];
}

const torn: fc.Arbitrary<Torn> = fc.record({
  type: fc.constantFrom(...creditTypes),
  amount: fc.integer({ min: -40, max: 60 }),
  isSet: fc.boolean(),
  life: fc.option(fc.constantFrom(500, 1000, 2000), { nil: undefined }),
  wait: fc.constantFrom(0, 0, 0, 600),
  kept: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
});

test(`after halves of any changes the books add up, unlotted credit is kept, and every change works (seed ${seed})`, async () => {
  await freshTable();
  let clock = start;
  const carryOut = async (uuid: string, { type, amount, isSet, life, wait }: Torn) => {
    clock += wait;
    setClock(clock);
    const expiresAt = life === undefined || amount < 0 ? undefined : timestamp(clock + life);
    const command = isSet
      ? { kind: 'set' as const, credit: Math.abs(amount), expiresAt }
      : { kind: 'increment' as const, delta: amount || 1, expiresAt };
    await changeCredit(store, { uuid }, type, command, { by: 'test' }).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    });
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(torn, { maxLength: 8 }),
      fc.array(torn, { minLength: 1, maxLength: 3 }),
      async (whole, halves) => {
        const uuid = await newCustomer();
        await add(uuid, 1);
        for (const each of whole) await carryOut(uuid, each);
        for (const each of halves) {
          stop = halve((place) => each.kept[place] ?? true);
          await carryOut(uuid, each).catch(() => {});
          stop();
        }
        const { item: before } = await creditOf(store, uuid);
        const unlottedOf = (item: typeof before, type: CreditType) => holdingOf(item, type).unlotted;

        const left = await repair(uuid);

        const { item, faults } = await creditOf(store, uuid);
        expect([left, faults]).toEqual([[], []]);
        for (const type of creditTypes) expect(unlottedOf(item, type)).toBe(unlottedOf(before, type));
        expect(await findRepair(store, uuid, cause())).toBeUndefined();
        expect(await sweep()).toMatchObject({ failed: 0 });
        const { item: swept } = await creditOf(store, uuid);
        for (const type of creditTypes) {
          const { balance: credit } = holdingOf(swept, type);
          const drain = { kind: 'increment' as const, delta: -credit };
          if (credit > 0) await changeCredit(store, { uuid }, type, drain, { by: 'test' });
        }
      },
    ),
    { numRuns: runs, seed, ...(process.env.CREDIT_REPAIR_PATH && { path: process.env.CREDIT_REPAIR_PATH }) },
  );
});
