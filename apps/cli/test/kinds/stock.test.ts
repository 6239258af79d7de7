import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { divideStock, gatherStock, listStoredShares, type StockShare } from '../../../../lib/catalogue/stock.ts';
import { source } from '../../../../lib/clock.ts';
import type { EventItem } from '../../../../lib/events/events.ts';
import { productImporter } from '../../../../lib/operator/imports/products.ts';
import { writeRows } from '../../../../lib/operator/imports/rows.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { scopes } from '../../../../lib/routes/scopes.ts';
import { maxInteger } from '../../../../lib/routes/wire.ts';
import { productKey } from '../../../../lib/table/keys.ts';
import { remove, update } from '../../../../lib/table/language.ts';
import { get, write } from '../../../../lib/table/table.ts';
import { intercept, type TableCall } from '../../../../test/support/faults.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { type Call, setClock, startTestService, wholeTable } from '../../../../test/support/service.ts';
import { checkShares, checkStock, products } from '../../kinds/products.ts';

/** A stock that is divided into shares, as it is read, sold, refunded, replaced, imported and audited. */

let service: Awaited<ReturnType<typeof startTestService>>;
let store: string;
let call: Call;
let buyerIdentifier: string;
let stop = () => {};
beforeAll(async () => {
  service = await startTestService();
  await keepHistory();
});
beforeEach(async () => {
  setClock(Date.parse('2028-02-29T12:00:00.000Z'));
  // Without jitter, retries do not wait; and the first share is drawn.
  source.random = () => 0;
  store = (await createStore('Crowded')).id;
  call = service.callAs(await service.keyWith(scopes, store));
  buyerIdentifier = (await newResident()).uuid;
});
afterEach(() => stop());

const fields = { name: 'Chair', price: 10, limited: true };

const newProduct = async (availableAmount: number): Promise<string> => {
  const { body } = await call('POST', '/v1/products', { ...fields, availableAmount });
  await divideStock(store, body.id);
  return body.id;
};

const sharesNow = (): Promise<StockShare[]> => listStoredShares(store)({ descending: false });
const copiesOfShares = async (): Promise<number[]> => (await sharesNow()).map(({ copies }) => copies);
const stockOf = async (id: string): Promise<number> => (await call('GET', `/v1/products/${id}`)).body.availableAmount;
const itemOf = (id: string) => get<{ availableAmount: number; divided?: string }>(productKey(store, id));
const put = (id: string, body: object, headers = {}) =>
  call('PUT', `/v1/products/${id}`, { ...fields, ...body }, headers);
const sell = async (productId: string) => {
  const { body, cost } = await call('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier, paid: 10 });
  return { outcome: body.refusal ?? body.state, id: body.id, units: cost?.units ?? 0 };
};

/** Leaves this many copies in each share, and none in the item. */
const leave = async (id: string, ...copies: number[]): Promise<void> => {
  await write(update(productKey(store, id), { set: { availableAmount: 0 } }));
  for (const [place, share] of (await sharesNow()).entries())
    await write(update(share, { set: { copies: copies[place] ?? 0 } }));
};

/** Runs what follows outside a request, whose function may not do everything that another one does. */
const outside = AsyncLocalStorage.snapshot();

/** Runs `work` once, right before the first such call. */
const meanwhile = (isIt: (call: TableCall) => boolean, work: () => Promise<unknown>): void => {
  let done = false;
  stop = intercept(async (one, send) => {
    if (!done && isIt(one)) {
      done = true;
      await outside(work);
    }
    return send();
  });
};
const isSale = ({ operation, input }: TableCall): boolean =>
  operation === 'TransactWriteItems' && JSON.stringify(input).includes('#SALE');
const readsShares = ({ operation, input }: TableCall): boolean =>
  operation === 'Query' && JSON.stringify(input).includes('#STOCK');

const faults = async (): Promise<string[]> => {
  const found: string[] = [];
  const listener = { onFault: (fault: string) => found.push(fault), onChecked: () => {} };
  await checkStock(store, listener);
  await checkShares(store, listener);
  return found;
};

describe('a stock is divided', () => {
  test('into 16 equal shares, but for the copies that are kept in the item', async () => {
    const id = await newProduct(117);

    expect([(await itemOf(id))?.availableAmount, await copiesOfShares()]).toEqual([21, Array(16).fill(6)]);
    expect(await faults()).toEqual([]);
  });

  test.each([
    ['a stock of less than 100 copies', { availableAmount: 99 }],
    ['a product without limit', { availableAmount: 500, limited: false }],
    ['more copies than a refund could be added to', { availableAmount: maxInteger }],
  ])('never: %s', async (_, body) => {
    const { body: made } = await call('POST', '/v1/products', { ...fields, ...body });

    await divideStock(store, made.id);

    expect(await sharesNow()).toEqual([]);
  });

  test('once, and gathered again without the loss of a copy', async () => {
    const id = await newProduct(300);
    await divideStock(store, id);
    expect(await sharesNow()).toHaveLength(16);

    await gatherStock(store, id);
    await gatherStock(store, id);

    expect([await sharesNow(), await itemOf(id)]).toMatchObject([[], { availableAmount: 300 }]);
    expect(await itemOf(id)).not.toHaveProperty('divided');
  });
});

test('a gathering counts a copy that is sold while it reads the shares', async () => {
  const id = await newProduct(150);
  meanwhile(
    ({ operation, input }) => operation === 'TransactWriteItems' && JSON.stringify(input).includes('"Delete"'),
    () => sell(id),
  );

  await gatherStock(store, id);

  expect([await stockOf(id), await sharesNow()]).toEqual([149, []]);
});

describe('all copies are told', () => {
  test('by the product, each list, a quote, an export and the answer of PUT', async () => {
    const [id, other] = [await newProduct(150), await newProduct(120)];
    const { body: category } = await call('POST', '/v1/categories', { name: 'Seats' });
    await call('POST', `/v1/categories/${category.id}/products/${id}`);
    const listed = async (query: string) =>
      (await call('GET', `/v1/products?${query}`)).body.data
        .map((one: { availableAmount: number }) => one.availableAmount)
        .sort();

    expect([await stockOf(id), await stockOf(other)]).toEqual([150, 120]);
    expect([await listed('limit=10'), await listed('search=chair'), await listed(`category=${category.id}`)]).toEqual([
      [120, 150],
      [120, 150],
      [150],
    ]);
    const exported = [];
    for await (const row of products.file?.rows(store) ?? []) exported.push(row.availableAmount);
    expect(exported.sort()).toEqual([120, 150]);
    expect((await call('POST', '/v1/quotes', { productId: id, buyerIdentifier })).body.refusal).toBeNull();
    expect((await put(id, { availableAmount: 150 })).body.availableAmount).toBe(150);
  });

  test('by a list for one query more, however many are divided', async () => {
    for (let made = 0; made < 3; made++) await newProduct(90);
    const { cost: plain } = await call('GET', '/v1/products');
    for (let made = 0; made < 2; made++) await newProduct(150);

    const { cost } = await call('GET', '/v1/products?limit=5');

    expect([plain?.steps, cost?.steps]).toEqual([2, 3]);
    // Half a unit for each product, and for the 4 KB of their shares.
    expect((cost?.units ?? 0) - (plain?.units ?? 0)).toBe(2 * 0.5 + 0.5);
  });

  test.each([
    ['the product', (id: string) => stockOf(id)],
    ['a list', async () => (await call('GET', '/v1/products')).body.data[0].availableAmount],
  ])('by %s, though it is gathered while its shares are read', async (_, read) => {
    const id = await newProduct(150);
    meanwhile(readsShares, () => gatherStock(store, id));

    expect(await read(id)).toBe(150);
  });

  test('by the product, though it is gathered and divided again while its shares are read', async () => {
    const id = await newProduct(150);
    meanwhile(readsShares, async () => {
      await gatherStock(store, id);
      await divideStock(store, id);
    });

    expect(await stockOf(id)).toBe(150);
  });
});

describe('a sale', () => {
  test('takes a copy from one share, and leaves the product as it is', async () => {
    const id = await newProduct(150);
    const item = await itemOf(id);

    expect((await sell(id)).outcome).toBe('completed');

    expect([await stockOf(id), await itemOf(id), (await copiesOfShares()).sort()]).toEqual([
      149,
      item,
      [7, ...Array(15).fill(8)],
    ]);
  });

  test('costs one read unit more than one of a stock that lies in one item', async () => {
    const unitsOf = async (copies: number): Promise<number> => {
      const id = await newProduct(copies);
      return (await sell(id)).units;
    };
    await sell(await newProduct(50));

    expect(await unitsOf(150)).toBe((await unitsOf(50)) + 1);
  });

  test('draws a share that has copies', async () => {
    const id = await newProduct(150);
    await leave(id, 0, 0, 0, 20);

    expect((await sell(id)).outcome).toBe('completed');

    expect((await copiesOfShares())[3]).toBe(19);
  });

  test('whose share was emptied meanwhile takes a copy of another one', async () => {
    const id = await newProduct(150);
    meanwhile(isSale, async () => {
      const [first] = await sharesNow();
      await write(update(first as StockShare, { set: { copies: 0 } }));
    });

    expect((await sell(id)).outcome).toBe('completed');
    expect((await copiesOfShares()).slice(0, 2)).toEqual([0, 7]);
  });

  test('gathers the shares when they have less than 16 copies, and the last copies are sold, each once', async () => {
    const id = await newProduct(150);
    await leave(id, 1, 0, 1);

    const outcomes = [];
    for (let sale = 1; sale <= 3; sale++) outcomes.push((await sell(id)).outcome);

    expect([outcomes, await sharesNow(), await stockOf(id)]).toEqual([['completed', 'completed', 'sold-out'], [], 0]);
    await catchUp();
    const events = (await wholeTable(`${store}#EVENT`)) as unknown as EventItem[];
    expect(events.filter(({ type }) => type === 'product.sold_out')).toHaveLength(1);
  });

  test('is not refused for a copy that a refund has put back while the shares were empty', async () => {
    const id = await newProduct(150);
    const { id: sold } = await sell(id);
    await leave(id);
    expect((await call('POST', `/v1/sales/${sold}/actions/refund`)).status).toBe(200);

    expect([await stockOf(id), (await sell(id)).outcome, (await sell(id)).outcome]).toEqual([
      1,
      'completed',
      'sold-out',
    ]);
  });

  test('that is refused for something else gathers nothing', async () => {
    const id = await newProduct(150);
    await leave(id, 1);
    await call('POST', '/v1/store/actions/close');

    expect([(await sell(id)).outcome, await sharesNow()]).toMatchObject(['closed', { length: 16 }]);
  });
});

describe('a refund', () => {
  test('puts the copy back, and twice the same sale only one', async () => {
    const id = await newProduct(150);
    const { id: sold } = await sell(id);

    for (let time = 1; time <= 2; time++) await call('POST', `/v1/sales/${sold}/actions/refund`);

    expect([await stockOf(id), await faults()]).toEqual([150, []]);
  });
});

describe('a PUT', () => {
  test('replaces all copies, and takes the shares away', async () => {
    const id = await newProduct(150);

    const { status, body, cost } = await put(id, { availableAmount: 40 });

    // The refused update, whose unit is not reported, the mark (1), the product and its shares (2), the transaction
    // (34), the product again (1), and the update (1).
    expect([cost?.steps, cost?.units]).toEqual([7, 39]);
    expect([status, body.availableAmount, await stockOf(id), await sharesNow()]).toEqual([200, 40, 40, []]);
    expect(await itemOf(id)).not.toHaveProperty('wholeUntil');
  });

  test('beside a sale that has read the shares counts it: the sale takes a copy of the new stock', async () => {
    const id = await newProduct(150);
    meanwhile(isSale, () => put(id, { availableAmount: 40 }));

    expect([(await sell(id)).outcome, await stockOf(id)]).toEqual(['completed', 39]);
  });

  test('that leaves no copy refuses a sale that has read the shares', async () => {
    const id = await newProduct(150);
    meanwhile(isSale, () => put(id, { availableAmount: 0 }));

    expect([(await sell(id)).outcome, await stockOf(id)]).toEqual(['sold-out', 0]);
  });

  test('that ends the limit lets a sale that has read the shares through', async () => {
    const id = await newProduct(150);
    meanwhile(isSale, () => put(id, { availableAmount: 7, limited: false }));

    expect([(await sell(id)).outcome, await stockOf(id)]).toEqual(['completed', 7]);
  });

  test('moves the product within its categories too', async () => {
    const id = await newProduct(150);
    const { body: category } = await call('POST', '/v1/categories', { name: 'Seats' });
    await call('POST', `/v1/categories/${category.id}/products/${id}`);

    expect((await put(id, { availableAmount: 30, bloggable: true })).status).toBe(200);

    const { body } = await call('GET', `/v1/products?category=${category.id}&bloggable=true`);
    expect(body.data).toMatchObject([{ id, availableAmount: 30 }]);
  });

  test('with If-Match is refused after a sale, and leaves the shares; else it replaces the stock', async () => {
    const id = await newProduct(150);
    const etag = async () => (await call('GET', `/v1/products/${id}`)).headers.get('etag') ?? '';
    const first = await etag();
    await sell(id);

    const stale = await put(id, { availableAmount: 40 }, { 'If-Match': first });
    expect([stale.status, await stockOf(id), await sharesNow()]).toMatchObject([412, 149, { length: 16 }]);
    const fresh = await put(id, { availableAmount: 40 }, { 'If-Match': await etag() });
    expect([fresh.status, await stockOf(id)]).toEqual([200, 40]);
  });

  test('with If-Match is refused for a sale that is made while it gathers the shares', async () => {
    const id = await newProduct(150);
    const etag = (await call('GET', `/v1/products/${id}`)).headers.get('etag') ?? '';
    meanwhile(
      ({ operation, input }) => operation === 'UpdateItem' && JSON.stringify(input).includes('wholeUntil'),
      () => sell(id),
    );

    expect((await put(id, { availableAmount: 40 }, { 'If-Match': etag })).status).toBe(412);
    expect(await stockOf(id)).toBe(149);
  });

  test('keeps the stock whole until it is made: sales gather it, and none divides it', async () => {
    const id = await newProduct(150);
    await write(update(productKey(store, id), { set: { wholeUntil: '2028-02-29T12:00:05.000Z' } }));

    expect((await sell(id)).outcome).toBe('completed');
    await divideStock(store, id);
    expect([await sharesNow(), await stockOf(id)]).toEqual([[], 149]);
    setClock(Date.parse('2028-02-29T12:00:05.000Z'));
    await divideStock(store, id);

    expect([await sharesNow(), await stockOf(id)]).toMatchObject([{ length: 16 }, 149]);
  });
});

describe('an import', () => {
  const rowOf = (id: string, more: object) => ({ line: 1, fields: { id, ...fields, ...more } });
  const importRow = async (id: string, more: object, setsStock = false) => {
    const [group] = await writeRows(productImporter(), [rowOf(id, more)], { store, setsStock });
    return group?.outcome;
  };

  test('of what the product is changes nothing', async () => {
    const id = await newProduct(150);
    const table = await wholeTable(store);

    expect([await importRow(id, { availableAmount: 150 }), await importRow(id, {})]).toEqual([
      'unchanged',
      'unchanged',
    ]);
    expect(await wholeTable(store)).toEqual(table);
  });

  test('of another price leaves the copies where they are', async () => {
    const id = await newProduct(150);

    expect(await importRow(id, { availableAmount: 150, price: 12 })).toBe('changed');

    expect([await stockOf(id), await sharesNow(), await faults()]).toMatchObject([150, { length: 16 }, []]);
  });

  test('of another number of copies replaces all of them', async () => {
    const id = await newProduct(150);

    expect(await importRow(id, { availableAmount: 120 }, true)).toBe('changed');

    expect([await stockOf(id), await sharesNow(), await faults()]).toEqual([120, [], []]);
  });

  test('that is tried out writes nothing', async () => {
    const id = await newProduct(150);
    const table = await wholeTable(store);

    const [group] = await productImporter().plan([rowOf(id, { availableAmount: 120 })], {
      store,
      setsStock: true,
    });

    expect([group?.outcome, await wholeTable(store)]).toEqual(['changed', table]);
  });
});

test('the audit finds a share that is missing, below 0, or of no product', async () => {
  const [id, other] = [await newProduct(150), await newProduct(120)];
  const [first, second] = (await sharesNow()).filter(({ sk }) => sk.startsWith(id));
  await write(update(first as StockShare, { set: { copies: -1 } }));
  await write(update(productKey(store, other), { set: { divided: undefined } }));

  expect(await faults()).toHaveLength(1 + 16);
  expect((await faults())[0]).toBe(`product ${id} (Chair): the share ${first?.sk} of its stock has -1 copies.`);

  await write(remove(second as StockShare));
  expect(await faults()).toContain(`product ${id} (Chair): shares of its divided stock are missing.`);
});
