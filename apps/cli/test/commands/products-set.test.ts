import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCategory } from '../../../../lib/catalogue/categories.ts';
import { addMember } from '../../../../lib/catalogue/memberships.ts';
import { createProduct, getProduct, productItem, updateProduct } from '../../../../lib/catalogue/products.ts';
import { takeCopy } from '../../../../lib/catalogue/stock.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import type { ProductFields } from '../../../../lib/routes/products.ts';
import { put } from '../../../../lib/table/language.ts';
import { inChunks, transact, write } from '../../../../lib/table/table.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { isOfCommand, startForCli } from '../support/cli.ts';

let count = 0;
const service = await startForCli({ demo: false });

/** A store with products of these fields, and `set`, which runs the command with a reference of its own. */
const aStore = async (products: readonly Partial<ProductFields>[]) => {
  const { id: store } = await createStore(`Prices ${randomUUID()}`);
  const made: { id: string }[] = [];
  for (const fields of products) made.push(await createProduct(store, productWith(fields)));
  const reference = `RUN-${++count}`;
  const run = (...args: string[]) => service.run('products', 'set', '--store', store, ...args);
  const set = (...args: string[]) => run('--reference', reference, ...args);
  const read = async () => {
    const found = await Promise.all(made.map(({ id }) => getProduct(store, id)));
    return found.map(({ price, discount }) => [price, discount.value]);
  };
  const logged = async () =>
    (await service.run('log', '--store', store, '--json')).rows.map(({ action, details }) => [action, details]);
  return { store, reference, ids: made.map(({ id }) => id), run, set, read, logged };
};

/** Calls `around` for each transaction that sets or puts back a product of a run, with its number from 1 on. */
const atEachLine = (around: (number: number, send: () => Promise<unknown>) => Promise<unknown>) => {
  let number = 0;
  return intercept(async ({ input }, send) => {
    const writes: { Update?: object }[] = input.TransactItems ?? [];
    const isLine = writes.some(({ Update }) => Update && JSON.stringify(Update).includes('#PRICED'));
    return isLine ? around(++number, send) : send();
  });
};

const dates = ['--from', '2090-12-24', '--until', '2090-12-26'];

test('shows each product before and after with the sums, writes nothing before it is told to, and then sets all', async () => {
  const { ids, set, read, logged } = await aStore([
    { name: 'Chair', price: 15 },
    { name: 'Bench', price: 5, discount: { value: 2, type: 1, startDate: null, endDate: null } },
    { name: 'Gone', price: 7, active: false },
  ]);
  const change = ['--all', '--discount', '20', ...dates, '--prices', '-10%'];
  let writes = 0;
  const stop = intercept(async ({ isWrite }, send) => {
    if (isWrite && isOfCommand()) writes += 1;
    return send();
  });

  const preview = await set(...change, '--dry-run');
  const rows = await set(...change, '--dry-run', '--json');
  const unasked = await set(...change);
  stop();
  const before = await read();
  const done = await set(...change, '--yes');

  expect(preview.stdout).toMatch(/Chair +15 +14 +- +20% from 2090-12-24 00:00Z until 2090-12-26 23:59Z/);
  expect(preview.stdout).toMatch(/Bench +5 +5 +L\$ 2 off +20% from/);
  expect(rows.rows).toMatchObject([
    { id: ids[0], name: 'Chair', price: 15, newPrice: 14, newDiscount: { value: 20, type: 0 } },
    { id: ids[1], name: 'Bench', price: 5, newPrice: 5, discount: { value: 2, type: 1 } },
    { products: 2, prices: 20, newPrices: 19, costs: 18, newCosts: 15 },
  ]);
  expect([preview.code, rows.code, unasked.code, done.code, writes]).toEqual([0, 0, 2, 0, 0]);
  expect(unasked.stderr).toMatch(/There is no terminal to ask at: give --yes/);
  expect(before).toEqual([
    [15, 0],
    [5, 2],
    [7, 0],
  ]);
  expect(await read()).toEqual([
    [14, 20],
    [5, 20],
    [7, 0],
  ]);
  expect(done.stderr).toMatch(/Set: 2 of 2 products/);
  expect((await logged())[0]).toMatchObject(['products.set', { lines: 2, percent: -10, discount: { value: 20 } }]);
});

test('takes a category by name, products by their ids, or a file of them', async () => {
  const { store, ids, run, read } = await aStore([{ price: 10 }, { price: 20 }, { price: 30 }]);
  const [first = '', second = '', third = ''] = ids;
  const { id } = await createCategory(store, { name: 'Winter Coats' });
  await addMember(store, id, second);
  const path = join(service.dir, 'products.csv');
  writeFileSync(path, `id\n${third}\n`);

  const ran = [
    await run('--category', 'winter coats', '--prices', '50', '--reference', 'A', '--yes'),
    await run('--products', `${first},${third}`, '--prices', '100', '--reference', 'B', '--yes'),
    await run('--file', path, '--discount', '7.5', '--reference', 'C', '--yes'),
  ];

  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await read()).toEqual([
    [20, 0],
    [30, 0],
    [60, 7.5],
  ]);
});

test('a run that dies goes on with what is not set, raises no price twice, and skips what a person has changed since', async () => {
  const { store, ids, set, read } = await aStore(Array.from({ length: 30 }, () => ({ price: 100 })));
  const change = ['--all', '--prices', '10', '--yes'];
  const allUnderWay = Promise.withResolvers<void>();
  const stop = atEachLine(async (number, send) => {
    if (number < 12) return send();
    // The table has taken this one, and its answer is lost. Seven others are under way, and die too.
    if (number === 12) await send();
    if (number === 12 + 7) allUnderWay.resolve();
    await allUnderWay.promise;
    throw Object.assign(new Error('killed'), { $fault: 'client' });
  });
  const killed = await set(...change);
  stop();
  const between = await read();
  const open = between.findIndex(([price]) => price === 100);
  await updateProduct(store, ids[open] as string, productWith({ name: 'Mine', price: 1 }));
  await createProduct(store, productWith({ name: 'New', price: 100 }));

  const resumed = await set(...change, '--json');
  const again = await set(...change);

  expect(killed.code).toBe(1);
  expect(between.filter(([price]) => price === 110).length).toBe(12);
  expect([resumed.code, again.code]).toEqual([1, 1]);
  expect(resumed.stderr).toMatch(/Set: 29 of 30 products/);
  expect(resumed.rows.at(-1)).toEqual({
    id: ids[open],
    name: 'Chair',
    why: expect.stringMatching(/^skipped: somebody/),
  });
  expect(await read()).toEqual(between.map((_, at) => [at === open ? 1 : 110, 0]));
});

test('a product that is edited after the preview is skipped, and one that is sold then is set', async () => {
  const { store, ids, set, read } = await aStore([{ price: 100 }, { price: 200, limited: true, availableAmount: 3 }]);
  const [edited = '', sold = ''] = ids;
  let isDone = false;
  const stop = intercept(async ({ input }, send) => {
    if (isDone || !JSON.stringify(input.TransactItems ?? '').includes('#PRICED')) return send();
    isDone = true;
    await updateProduct(store, edited, productWith({ name: 'Renamed', price: 100 }));
    await write(takeCopy(store, await getProduct(store, sold)));
    return send();
  });

  const ran = await set('--all', '--discount', '50', '--yes', '--json');
  stop();

  expect(ran.code).toBe(1);
  expect(ran.rows.slice(-1)).toEqual([{ id: edited, name: 'Chair', why: expect.stringMatching(/since the preview/) }]);
  expect(await read()).toEqual([
    [100, 0],
    [200, 50],
  ]);
  expect((await getProduct(store, sold)).availableAmount).toBe(2);
});

test('an undo puts back what is as the run has set it, once, and lists the rest', async () => {
  const discount = { value: 5, type: 1 as const, startDate: null, endDate: '2089-01-01T00:00:00.000Z' };
  const { store, ids, reference, set, read, logged } = await aStore([
    { price: 100, discount },
    { price: 200 },
    { price: 300 },
  ]);
  const [, described = '', repriced = ''] = ids;
  await set('--all', '--discount', '20', '--prices', '10', '--yes');
  const fields = await getProduct(store, described);
  await updateProduct(store, described, productWith({ ...fields, description: 'New text' }));
  await updateProduct(store, repriced, productWith({ price: 1 }));

  const preview = await set('--undo', '--dry-run');
  const undone = await set('--undo', '--yes', '--json');
  const again = await set('--undo', '--yes', '--json');
  const anew = await set('--all', '--discount', '20', '--prices', '10', '--yes');

  expect(preview.stdout).toMatch(/Chair +110 +100 +20% +L\$ 5 off until 2089-01-01 00:00Z/);
  expect([undone.code, again.code, anew.code]).toEqual([1, 1, 1]);
  expect(undone.rows.at(-1)).toMatchObject({ id: repriced, why: 'has another price or discount than the run set' });
  expect(undone.stderr).toMatch(/Put back: 2 of 3 products/);
  expect(anew.stderr).toMatch(/was undone at/);
  expect(await read()).toEqual([
    [100, 5],
    [200, 0],
    [1, 0],
  ]);
  expect((await logged())[0]).toEqual(['products.put_back', { reference, lines: 2 }]);
});

test('another selection or change under a reference is refused, and each wrong option says what to change', async () => {
  const { reference, run, set, read } = await aStore([{ price: 2_000_000_000 }]);
  await set('--all', '--discount', '20', ...dates, '--yes');

  const expectFault = async (fault: RegExp, ...args: string[]) => {
    const { stderr, code } = await run(...args);
    expect([code, stderr]).toEqual([expect.toBeOneOf([1, 2]), expect.stringMatching(fault)]);
  };
  await expectFault(/Another selection or change was set/, '--reference', reference, '--all', '--discount', '21');
  await expectFault(/Say which products: give --all, --category/, '--reference', 'X', '--discount', '5');
  await expectFault(/Say what changes: give --discount, --prices/, '--reference', 'X', '--all');
  await expectFault(
    /--from and --until are the dates of a discount/,
    '--reference',
    'X',
    '--all',
    '--prices',
    '5',
    ...dates,
  );
  await expectFault(/must be in the future/, '--reference', 'X', '--all', '--discount', '5', '--until', '2020-01-01');
  await expectFault(
    /--until must be later than --from/,
    ...['--reference', 'X', '--all', '--discount', '5', '--from', '2090-12-26', '--until', '2090-12-24'],
  );
  await expectFault(/percentage from 0 to 100/, '--reference', 'X', '--all', '--discount', '101');
  await expectFault(/percentage from -100 to 1000/, '--reference', 'X', '--all', '--prices', '-101');
  await expectFault(/above 2147483647: give a smaller --prices/, '--reference', 'X', '--all', '--prices', '10');
  await expectFault(
    /has no product .*: correct the id/,
    '--reference',
    'X',
    '--products',
    randomUUID(),
    '--prices',
    '1',
  );
  await expectFault(/has no category Hats. There are/, '--reference', 'X', '--category', 'Hats', '--prices', '1');
  await expectFault(/Nothing would change: 1 product looked at/, '--reference', 'X', '--all', '--prices', '0');
  await expectFault(/Nothing was set under the reference/, '--reference', 'X', '--undo');
  await expectFault(/--reference must not be empty/, '--reference', ' ', '--all', '--prices', '1');
  expect(await read()).toEqual([[2_000_000_000, 20]]);
});

test('prices round half up and end at 0', async () => {
  const { set, read } = await aStore([{ price: 5 }, { price: 15 }, { price: 0 }, { price: 1 }]);

  await set('--all', '--prices', '-50', '--yes');
  const half = await read();
  const { set: toNothing, read: readNothing } = await aStore([{ price: 5 }]);
  await toNothing('--all', '--prices', '-100', '--yes');

  expect(half.map(([price]) => price)).toEqual([3, 8, 0, 1]);
  expect(await readNothing()).toEqual([[0, 0]]);
});

test('2,000 products take one call each, and 20 to note them before', async () => {
  const { store, set } = await aStore([]);
  const items = Array.from({ length: 2000 }, (_, i) => put(productItem(store, productWith({ price: 10 + i }))));
  for (const some of inChunks(items, 100)) await transact(some);
  const calls: Record<string, number> = {};
  const stop = intercept(async ({ operation }, send) => {
    if (isOfCommand()) calls[operation] = (calls[operation] ?? 0) + 1;
    return send();
  });

  const ran = await set('--all', '--discount', '20', '--yes');
  stop();

  expect(ran.stderr).toMatch(/Set: 2,000 of 2,000 products/);
  // The notes, the run with its rows in the log, the products, and the end of the run.
  expect(calls.TransactWriteItems).toBe(20 + 1 + 2000 + 1);
  const { TransactWriteItems: _, ...reads } = calls;
  expect(Object.values(reads).reduce((sum, count) => sum + count, 0)).toBeLessThan(20);
});
