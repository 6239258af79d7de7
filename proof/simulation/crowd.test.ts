import { afterAll, beforeAll, expect, test } from 'vitest';
import { putResident } from '../../lib/operator/residents.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { Problem } from '../../lib/problem.ts';
import { ConflictError, type Engine } from '../../lib/table/engine.ts';
import { targetOf } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { buy, newProduct, stockOf } from '../../test/lib/sale/sales.ts';
import { MemoryTable, memoryEngine, nameOf } from '../../test/lib/table/memory.ts';
import { simulate } from './environment.ts';
import { Machine, works } from './machine.ts';

/**
 * A crowd buys one product at once, in virtual time, from a table that refuses overlapping transactions like DynamoDB.
 */

/** How long a call takes without any conflict. */
const callMillis = 5;

let stop = () => {};
beforeAll(() => {
  stop = simulate();
});
afterAll(() => stop());

/** An engine on which a transaction holds its items for this long. Other writes of them are refused meanwhile. */
const holding = (engine: Engine, holdMillis: number, { sleep }: Machine) => {
  const held = new Set<string>();
  const counts = { refused: 0 };
  const refuseHeld = async (keys: readonly Key[]): Promise<void> => {
    await sleep(callMillis);
    if (!keys.some((key) => held.has(nameOf(key)))) return;
    counts.refused += 1;
    throw new ConflictError(new Error('TransactionConflict'));
  };
  const calls: Partial<Engine> = {
    get: async (key) => sleep(callMillis).then(() => engine.get(key)),
    getSome: async (...args) => sleep(callMillis).then(() => engine.getSome(...args)),
    query: async (query) => sleep(callMillis).then(() => engine.query(query)),
    getTogether: async (keys) => {
      await refuseHeld(keys);
      return engine.getTogether(keys);
    },
    write: async (write) => {
      await refuseHeld([targetOf(write)]);
      return engine.write(write);
    },
    transact: async (writes, token) => {
      const keys = writes.map(targetOf);
      await refuseHeld(keys);
      for (const key of keys) held.add(nameOf(key));
      await sleep(holdMillis);
      for (const key of keys) held.delete(nameOf(key));
      return engine.transact(writes, token);
    },
  };
  return { calls, counts };
};

const start = Date.parse('2028-02-29T12:00:00.000Z');

const uuidOf = (number: number): string => `${String(number).padStart(8, '0')}-c0de-4000-8000-000000000000`;

interface Crowd {
  /** The copies of a limited product. */
  copies?: number;
  sales: number;
  buyers: number;
  callers: number;
}

/** DynamoDB holds an item for perhaps 10 to 25 ms. */
const holdMillis = 15;

/**
 * Lets a crowd buy a product. Answers how the sales ended, the milliseconds of all of them and of the slowest one, and
 * the copies left.
 */
const crowd = async (seed: number, { copies, sales, buyers, callers }: Crowd) => {
  const table = new MemoryTable();
  const machine = new Machine(seed, table, start, { faults: 0, deaths: 0, torn: 0, staleMillis: 0 });
  Object.assign(machine.engine, memoryEngine(table));
  const process = { skew: 0, states: new Map() };
  const alive = { callsLeft: Number.POSITIVE_INFINITY, isDead: false, onDeath: () => undefined };
  const work = { machine, process, operation: '', ...alive };
  machine.isQuiet = true;
  const [store, product] = await works.run(work, async () => {
    for (let buyer = 0; buyer < buyers; buyer++) await putResident({ uuid: uuidOf(buyer), username: `buyer${buyer}` });
    const { id } = await createStore('Crowded');
    return [
      id,
      await newProduct(id, { price: 10, limited: copies !== undefined, availableAmount: copies ?? 0 }),
    ] as const;
  });
  machine.isQuiet = false;
  const { calls, counts } = holding(memoryEngine(table), holdMillis, machine);
  Object.assign(machine.engine, calls);
  const outcomes: Record<string, number> = {};
  let [next, slowest] = [0, 0];
  const caller = async (): Promise<void> => {
    while (next < sales) {
      const buyer = uuidOf(next++ % buyers);
      const asked = machine.time;
      const outcome = await buy(store, { productId: product, buyer, paid: 10 }).then(
        ({ state, refusal }) => refusal ?? state,
        (error) => (error instanceof Problem ? String(error.status) : String(error)),
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      slowest = Math.max(slowest, machine.time - asked);
    }
  };
  const begun = machine.time;
  const all = Promise.all(Array.from({ length: callers }, () => works.run(work, caller)));
  await machine.run();
  await all;
  const took = machine.time - begun;
  machine.isQuiet = true;
  const stock = await works.run(work, () => stockOf(store, product));
  return { outcomes, stock, ...counts, slowest, took };
};

const crowds: [string, Crowd][] = [
  // A stock of 99 copies is in one item, however many people buy.
  ['of 16 buys a limited product', { copies: 99, sales: 96, buyers: 24, callers: 16 }],
  ['of 64 buys a limited product of many copies', { copies: 1000, sales: 500, buyers: 64, callers: 64 }],
  ['of 16 buys a product without limit for one buyer', { sales: 96, buyers: 1, callers: 16 }],
  ['of 64 buys a product without limit for one buyer', { sales: 192, buyers: 1, callers: 64 }],
];

test.each(crowds)('a crowd %s without a sale that is answered 503', async (_, asked) => {
  const { sales, copies = sales } = asked;
  const { outcomes, stock, refused, slowest } = await crowd(1, asked);

  expect([outcomes, stock]).toEqual([{ completed: sales }, copies - sales]);
  expect(slowest).toBeLessThan(20_000);
  // The table did refuse what overlapped. Without that this would show nothing.
  expect(refused).toBeGreaterThan(sales);
});

test('a crowd buys the last copies of a divided stock, each copy once', async () => {
  const { outcomes, stock } = await crowd(1, { copies: 150, sales: 250, buyers: 64, callers: 64 });

  expect([outcomes, stock]).toEqual([{ completed: 150, 'sold-out': 100 }, 0]);
});

test('a crowd of 16 buys a limited product at no less than half the pace of one without limit', async () => {
  const asked = { sales: 1000, buyers: 64, callers: 16 };
  const [limited, unlimited] = [await crowd(1, { ...asked, copies: 1500 }), await crowd(1, asked)];

  expect(limited.took / unlimited.took).toBeLessThan(2);
});
