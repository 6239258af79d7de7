import { handler as work } from '../../functions/delivery-worker.ts';
import { indexes, ttlAttribute } from '../../lib/table/schema.ts';
import { batchFrom, contextWith, received } from './deliveries.ts';
import { intercept } from './faults.ts';
import { catchUp } from './history.ts';

/**
 * The cost of a call with everything that follows it: the endpoint, the stream's consumer and the delivery worker. Here
 * each call is alone. In a busy store the consumer takes several changes at once, which saves up to two write units for
 * each.
 */

export interface Units {
  /** Write units, those of indexes included. */
  writes: number;
  reads: number;
}

interface WholeBudget extends Units {
  /** The endpoint and the case, as in `budgets`. */
  endpoint: string;
  when: string;
  /** The name of its row in docs/operate/costs.md. */
  row: string;
  /** Assumed, as the page says. */
  milliseconds: number;
  /** Calls of the consumer that follow. */
  consumerCalls: number;
  /** A worker calls a dispenser. */
  delivers?: true;
}

export const wholeBudgets: readonly WholeBudget[] = [
  {
    ...{ endpoint: 'create-quote', when: 'with credit, no lots, no coupon', row: 'a quote' },
    ...{ writes: 0, reads: 5, milliseconds: 20, consumerCalls: 0 },
  },
  {
    ...{ endpoint: 'create-sale', when: 'in L$', row: 'a sale in L$, its delivery included' },
    ...{ writes: 24, reads: 11, milliseconds: 60, consumerCalls: 3, delivers: true },
  },
  {
    ...{ endpoint: 'create-sale', when: 'in L$, by a vendor', row: 'a sale in L$ by a vendor' },
    ...{ writes: 25, reads: 11, milliseconds: 60, consumerCalls: 3, delivers: true },
  },
  {
    ...{ endpoint: 'create-sale', when: 'of a limited product, in L$', row: 'a sale of a limited product in L$' },
    ...{ writes: 26, reads: 11, milliseconds: 60, consumerCalls: 3, delivers: true },
  },
  {
    ...{ endpoint: 'refund-sale', when: 'no credit, no coupon', row: 'a refund after the delivery' },
    ...{ writes: 16, reads: 7, milliseconds: 60, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'increment-credit', when: 'adds, no lot', row: 'a credit increment without lots' },
    ...{ writes: 7, reads: 1, milliseconds: 20, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'increment-credit', when: 'expires, first lot', row: 'a credit increment that adds a first lot' },
    ...{ writes: 11, reads: 2, milliseconds: 20, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'grant-gift-card', when: 'to a customer', row: 'a gift card granted' },
    ...{ writes: 6, reads: 1.5, milliseconds: 20, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'redeem-gift-card', when: 'permanent, no lots', row: 'a gift card redeemed' },
    ...{ writes: 14, reads: 3, milliseconds: 60, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'update-category', when: '', row: 'a change of a category, with its row of the journal' },
    ...{ writes: 4, reads: 1, milliseconds: 20, consumerCalls: 1 },
  },
  {
    ...{
      endpoint: 'update-product',
      when: 'same name and flags',
      row: 'a change of a product, with its row of the journal',
    },
    ...{ writes: 4, reads: 1, milliseconds: 20, consumerCalls: 1 },
  },
  {
    ...{ endpoint: 'deliver-product', when: 'recipient in memory', row: 'a delivery without a sale' },
    ...{ writes: 9, reads: 4, milliseconds: 20, consumerCalls: 2, delivers: true },
  },
];

/** Dollars a million calls, by the prices that docs/operate/costs.md names. */
export const costOf = ({ writes, reads, milliseconds, consumerCalls, delivers }: WholeBudget) => {
  const perGigabyteSecond = 13.3334;
  const runs = (count: number, gigabytes: number, seconds: number): number =>
    count * (0.2 + gigabytes * seconds * perGigabyteSecond);
  const table = 0.625 * writes + 0.125 * reads;
  const lambda = runs(1, 0.5, milliseconds / 1000) + runs(consumerCalls, 0.5, 0.05) + (delivers ? runs(1, 0.25, 1) : 0);
  const logs = 0.5 + 0.25 * consumerCalls + (delivers ? 0.5 : 0);
  const [gateway, queue] = [3.5, delivers ? 1.2 : 0];
  return { gateway, lambda, table, logs, queue, sum: gateway + lambda + table + logs + queue };
};

/** Lets the consumer and the worker do all that is there for them. */
export const untilIdle = async (queueUrl: string): Promise<void> => {
  for (;;) {
    await catchUp();
    const bodies = await received(queueUrl);
    if (bodies.length === 0) return;
    await work(batchFrom(queueUrl, bodies), contextWith(60_000));
  }
};

interface Capacity {
  CapacityUnits?: number;
}

/** Counts the units that the table reports while `run` runs. It reports none of a write that a condition refuses. */
export const unitsOf = async (run: () => Promise<unknown>): Promise<Units> => {
  const units: Units = { writes: 0, reads: 0 };
  const stop = intercept(async ({ isWrite }, send) => {
    const answer = await send();
    for (const { CapacityUnits = 0 } of [answer.output.ConsumedCapacity ?? []].flat() as Capacity[])
      units[isWrite ? 'writes' : 'reads'] += CapacityUnits;
    return answer;
  });
  await run().finally(stop);
  return units;
};

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The size of a value as DynamoDB counts it. For an item subtract 3 bytes. */
const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(Math.abs(value)).replace('.', '').length / 2) + 1;
  if (value === null || typeof value !== 'object') return 1;
  if (Array.isArray(value) || value instanceof Set) return 3 + total([...value].map((one) => 1 + bytesOf(one)));
  return 3 + total(Object.entries(value).map(([name, one]) => 1 + Buffer.byteLength(name) + bytesOf(one)));
};

/** An item's entry in an index; none if it lacks a key of the index. */
const entriesOf = (item: Record<string, unknown>): Record<string, unknown>[] =>
  Object.values(indexes)
    .filter(({ partition, sort }) => item[partition] !== undefined && item[sort] !== undefined)
    .map(({ partition, sort, include }) => {
      const names = ['pk', 'sk', partition, sort, ...include];
      return Object.fromEntries(names.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
    });

/** The bytes that AWS bills for items which stay: 100 more for each, and for each entry in an index. */
export const storedBytes = (items: readonly Record<string, unknown>[]): number =>
  total(
    items
      .filter((item) => !(ttlAttribute in item))
      .flatMap((item) => [item, ...entriesOf(item)])
      .map((item) => 100 + bytesOf(item)),
  );
