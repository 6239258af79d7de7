import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { boundReads, boundWrites, forgetShares } from '../../../lib/http/store-share.ts';
import { Problem } from '../../../lib/problem.ts';
import { RefusedError } from '../../../lib/table/engine.ts';
import { applied, conditionOf, holds, type Item, targetOf } from '../../../lib/table/language.ts';
import { type Meter, newMeter } from '../../../lib/table/meter.ts';
import { engine } from '../../../lib/table/table.ts';
import { intercept } from '../../support/faults.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

/** One store's reads and writes leave the rest of the table's units to the others. */

let service: Awaited<ReturnType<typeof startTestService>>;
let time = Date.parse('2027-06-15T12:00:00.000Z');
beforeAll(async () => {
  service = await startTestService();
  for (const call of [service.call, service.callOther])
    for (const name of ['Lamp', 'Chair']) await call('POST', '/v1/products', { name, price: 5 });
});

const share = 2_000;
beforeEach(() => {
  process.env.STORE_READ_UNITS = String(share);
  forgetShares();
  // The share that earlier tests used up is free again.
  time += 3_600_000;
  setClock(time);
});

/**
 * The units of a search in a store of 100,000 products: each query of an index answers as if it had read the fourth
 * part of them.
 */
const asLarge = (units = 13_850) =>
  intercept(async ({ operation, input }, send) => {
    const answer = await send();
    if (
      operation === 'Query' &&
      input.IndexName === 'byText' &&
      JSON.stringify(input.ExpressionAttributeValues).includes(service.store)
    )
      answer.output.ConsumedCapacity.CapacityUnits = units / 4;
    return answer;
  });

const search = '/v1/products?search=no+such+product';

test('429s with Retry-After the dear searches of one store, and serves the other store, and all else', async () => {
  const stop = asLarge();

  const first = await service.call('GET', search);
  const more = [await service.call('GET', search), await service.call('GET', search)];

  expect(first.status).toBe(200);
  const refused = more.at(-1);
  expect(refused?.status).toBe(429);
  expect(refused?.headers.get('content-type')).toBe('application/problem+json');
  expect(Object.keys(refused?.body)).toEqual(['status', 'title', 'detail', 'instance']);
  const seconds = Number(refused?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(30);
  expect((await service.callOther('GET', search)).status).toBe(200);
  expect((await service.call('POST', '/v1/products', { name: 'Stool', price: 1 })).status).toBe(201);
  stop();
  expect((await service.call('GET', search)).status).toBe(429);
  setClock(time + 1000 * seconds);
  expect((await service.call('GET', search)).status).toBe(200);
});

test('a store that searches its small catalogue as often as it may is never refused, and each search costs what it did', async () => {
  const costs = [];

  for (let tenth = 0; tenth < 300; tenth++) {
    setClock(time + 100 * tenth);
    const { status, cost } = await service.call('GET', search);
    costs.push([status, cost?.calls, cost?.units]);
  }

  expect(new Set(costs.map(String))).toEqual(new Set([String(costs[0])]));
  expect(costs[0]?.[0]).toBe(200);
});

test('a process notes what it has read at once where the table was busy, and else when that is much', async () => {
  const stopLarge = asLarge(600);
  const noted = async () =>
    (await wholeTable(`${service.store}#UNITS`)).filter(({ usedUntil }) => Number(usedUntil) > time);
  let refusals = 1;
  const goOn = () =>
    intercept(async ({ operation }, send) => {
      if (operation === 'Query' && refusals-- > 0)
        throw new ProvisionedThroughputExceededException({ message: 'Busy', $metadata: {} });
      return send();
    });

  await service.call('GET', search);
  const before = await noted();
  const stop = goOn();
  const { status } = await service.call('GET', search);
  stop();
  const after = await noted();

  expect([before, status]).toEqual([[], 200]);
  // 1,200 units take 600 milliseconds of the share.
  expect(after).toMatchObject([{ usedUntil: expect.toSatisfy((until) => until >= time + 300 && until <= time + 610) }]);
  stopLarge();
});

test('a list goes on where the units cannot be noted', async () => {
  const stopLarge = asLarge();
  const stop = intercept(async ({ input, isWrite }, send) => {
    if (isWrite && input.Key?.pk?.endsWith('#UNITS')) throw new Error('The table is away.');
    return send();
  });

  const answers = [await service.call('GET', search), await service.call('GET', search)];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  stop();
  stopLarge();
  // The events that were not noted then are noted now.
  expect((await service.call('GET', search)).status).toBe(429);
});

test('429s with Retry-After a write of a store that has written too much, which changes nothing, and serves all else', async () => {
  process.env.STORE_WRITE_UNITS = '10';
  const name = `Bench ${time}`;
  const write = () => service.call('POST', '/v1/products', { name, price: 1 });
  const found = async () => (await service.call('GET', '/v1/products?search=bench')).body.data.length;

  let answer = await write();
  let made = 0;
  for (; answer.status === 201 && made < 20; made++) answer = await write();
  const seconds = Number(answer.headers.get('retry-after'));

  expect(answer.status).toBe(429);
  expect(answer.body.detail).toMatch(/has written more than its share/);
  expect([made, await found()]).toEqual([expect.toSatisfy((count) => count < 4), made]);
  expect((await service.callOther('POST', '/v1/products', { name, price: 1 })).status).toBe(201);
  setClock(time + 1000 * seconds);
  expect((await write()).status).toBe(201);
});

test('a write costs no call more in a process that writes less than its own part of the share', async () => {
  process.env.STORE_WRITE_UNITS = '1000';
  const costs = new Set<string>();

  for (let second = 0; second < 60; second++) {
    setClock(time + 1000 * second);
    const { status, cost } = await service.call('POST', '/v1/products', { name: `Stool ${second}`, price: 1 });
    costs.add(`${status} ${cost?.calls} ${cost?.units}`);
  }

  expect([...costs]).toEqual([expect.stringMatching(/^201 /)]);
});

/** A Lambda process that searches without end, page after page of 128 units, and starts again after a refusal. */
const newProcess = (store: string) => {
  const known: Parameters<typeof boundReads>[3] = new Map();
  let meter: Pick<Meter, 'onUnits'> | undefined;
  const until429 = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem && error.status === 429)) throw error;
      meter = undefined;
    }
  };
  return {
    /** True if it may read a page now. */
    wants: async (): Promise<boolean> => {
      await until429(() => {
        const next = meter ?? newMeter(true);
        boundReads(store, 'reads', next, known);
        meter = next;
      });
      return meter !== undefined;
    },
    /** The table has served the page, or was too busy for it. */
    read: (isServed: boolean): Promise<void> => until429(() => meter?.onUnits?.(isServed ? 128 : 0, false, !isServed)),
  };
};

test('forty processes that search for one store leave half of what the table serves to the others', async () => {
  const processes = Array.from({ length: 40 }, () => newProcess('greedy'));
  const capacity = 4_000;
  const used: number[] = [];
  // The item alone, in memory: its writes are thousands.
  let item: Item | undefined;
  engine.write = async (one) => {
    if (!holds(conditionOf(one), item)) throw new RefusedError(item);
    item = applied(one, item);
    return item;
  };

  // The table serves 4,000 units a second, which the processes would use up. Every 32 ms one of them gets a page, and
  // the others get none.
  for (let tick = 0; tick < 2_000; tick++) {
    setClock(time + 32 * tick);
    let units = 0;
    for (let asked = 0; asked < processes.length; asked++) {
      const one = processes[(tick + asked) % processes.length];
      if (!(await one?.wants())) continue;
      await one?.read(units === 0);
      units = 128;
    }
    const second = Math.floor((32 * tick) / 1000);
    used[second] = (used[second] ?? 0) + units;
  }
  Reflect.deleteProperty(engine, 'write');

  const sum = (from: number, to: number): number => used.slice(from, to).reduce((one, other) => one + other, 0);
  // At first the store may be ten seconds ahead of its share, and each process hears of it with its next page.
  expect(used[0]).toBeGreaterThan(0.9 * capacity);
  expect(sum(0, 64)).toBeLessThanOrEqual((64 + 10) * share + 40 * 128);
  for (let from = 15; from <= 59; from++)
    expect(sum(from, from + 5) / 5, `from ${from}`).toBeLessThanOrEqual(1.05 * share);
  expect(sum(15, 64) / 49).toBeGreaterThan(0.95 * share);
}, 120_000);

/** The items of shares alone, in memory: their writes are thousands. */
const sharesInMemory = (spends: (units: number) => boolean) => {
  const items = new Map<string, Item>();
  engine.write = async (one) => {
    spends(1);
    const { sk } = targetOf(one);
    if (!holds(conditionOf(one), items.get(sk))) throw new RefusedError(items.get(sk));
    const item = applied(one, items.get(sk));
    if (item) items.set(sk, item);
    return item;
  };
  return () => Reflect.deleteProperty(engine, 'write');
};

/**
 * A table that serves this many units a second, and keeps the unused units of two seconds. DynamoDB keeps them for five
 * minutes.
 */
const newTable = (perSecond: number) => {
  let [left, at] = [2 * perSecond, time];
  return (units: number, millis: number): boolean => {
    left = Math.min(2 * perSecond, left + ((millis - at) * perSecond) / 1000);
    at = millis;
    if (left < units) return false;
    left -= units;
    return true;
  };
};

/** A process of Lambda that makes one dear request after the other, and waits as long as a refusal says. */
const newWriter = (store: string, units: number, spends: (units: number) => boolean) => {
  const known: Parameters<typeof boundWrites>[3] = new Map();
  let [meter, freeAt] = [undefined as Pick<Meter, 'onUnits'> | undefined, 0];
  return async (millis: number): Promise<void> => {
    if (millis < freeAt) return;
    try {
      if (!meter) {
        const next = newMeter();
        await boundWrites(store, 'writes', next, known);
        meter = next;
      }
      const isServed = spends(units);
      await meter.onUnits?.(isServed ? units : 0, true, !isServed);
      if (isServed) meter = undefined;
      freeAt = millis + 20;
    } catch (error) {
      if (!(error instanceof Problem && error.status === 429)) throw error;
      freeAt = millis + 1000 * Number(error.headers['Retry-After']);
    }
  };
};

test.each([
  ['the dearest requests', 110],
  ['sales', 20],
])(
  'twenty processes that make %s for one store without end leave the other store its writes',
  async (_, units) => {
    process.env.STORE_WRITE_UNITS = '1000';
    const table = newTable(2_000);
    const used: number[] = [];
    let [millis, other] = [time, { served: 0, throttled: 0 }];
    /** The units that the greedy store uses, in tenths of a second. */
    const spends = (some: number): boolean => {
      const isServed = table(some, millis);
      const tenth = Math.floor((millis - time) / 100);
      while (used.length <= tenth) used.push(0);
      used[tenth] = (used[tenth] ?? 0) + (isServed ? some : 0);
      return isServed;
    };
    const stop = sharesInMemory(spends);
    const writers = Array.from({ length: 20 }, () => newWriter('greedy', units, spends));
    for (; other.served + other.throttled < 10_000; millis += 10) {
      setClock(millis);
      for (const writer of writers) await writer(millis);
      // The other store makes 50 requests of 6 units a second, always after all others.
      if ((millis - time) % 20 === 0)
        other = table(6, millis)
          ? { ...other, served: other.served + 1 }
          : { ...other, throttled: other.throttled + 1 };
    }

    stop();
    const inTenSeconds = used.map((_tenth, from) => used.slice(from, from + 100).reduce((sum, some) => sum + some, 0));
    expect(other).toEqual({ served: 10_000, throttled: 0 });
    expect(Math.max(...inTenSeconds)).toBeLessThanOrEqual(1.25 * 10_000);
    expect(used.reduce((sum, some) => sum + some, 0)).toBeGreaterThan(0.8 * 1000 * (used.length / 10));
  },
  60_000,
);
