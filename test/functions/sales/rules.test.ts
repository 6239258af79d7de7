import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import { auditHistory, readHistory } from '../../../lib/operator/audit-history.ts';
import { readCredit } from '../../../lib/operator/read-credit.ts';
import { customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { ada, bob, seedResidents } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const day = 86_400_000;
const limit = 1_000_000_000;

beforeAll(async () => {
  setClock(start);
  await startTestQueue();
  service = await startTestService();
  await keepHistory();
  await seedResidents();
});
beforeEach(() => setClock(start));

const call = (...request: Parameters<typeof service.call>) => service.call(...request);
const rules = async (body: object) => expect((await call('PUT', '/v1/store/rules', body)).status).toBe(200);
const create = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/v1/products', { name: 'Lamp', price: 100, ...fields })).body.id;
const act = (uuid: string, action: string, body: object) =>
  call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const quote = async (body: object) => (await call('POST', '/v1/quotes', body)).body;
const sell = async (body: object) => (await call('POST', '/v1/sales', { id: randomUUID(), ...body })).body;
const refund = async (id: string) => (await call('POST', `/v1/sales/${id}/actions/refund`, { reference: 'T 1' })).body;
const creditOf = async (uuid: string) => {
  const { credit, restrictedCredit } = (await call('GET', `/v1/customers/${uuid}/credit`)).body;
  return { credit, restrictedCredit };
};
const lotsOf = async (uuid: string) => (await call('GET', `/v1/customers/${uuid}/credit/lots?state=open`)).body.data;

/** The rows of a customer's history, the oldest first; books and history agree. */
const historyOf = async (uuid: string) => {
  await catchUp();
  const { item, lots = [] } = (await readCredit(service.store, uuid)) ?? {};
  if (item) expect(auditHistory(item, await readHistory(service.store, uuid), lots)).toEqual([]);
  return (await call('GET', `/v1/customers/${uuid}/credit/history`)).body.data.toReversed();
};

const has = async (uuid: string, discount: number): Promise<void> => {
  await call('PUT', `/v1/customers/${uuid}`, { discount });
};
const applies = async (uuid: string, discount: number): Promise<string> => {
  const fields = { code: randomUUID(), discount, ownerProfit: 0, active: true, bloggersSync: false };
  const { id: couponId } = await createCoupon(service.store, ada, fields, {});
  await act(uuid, 'apply-coupon', { couponId, scope: 0 });
  return couponId;
};
const spent = (uuid: string, price: number, daysAgo: number) =>
  recordPurchase(service.store, {
    id: randomUUID(),
    buyer: { uuid, username: uuid },
    productId: randomUUID(),
    price,
    at: timestamp(start - daysAgo * day),
  });

describe('the price', () => {
  const tiers = [
    { from: 100, percent: 8 },
    { from: 1000, percent: 4 },
  ];

  test.each([
    ['nobody', 0, false, { source: 'none', percent: 0 }, 100],
    ['a buyer just below the first tier', 99, false, { source: 'none', percent: 0 }, 100],
    ['a buyer who has reached the first tier', 100, false, { source: 'tier', percent: 8 }, 92],
    ['the highest tier reached, though a lower one takes off more', 1000, false, { source: 'tier', percent: 4 }, 96],
    ['the group where that is more than the tier', 1000, true, { source: 'group', percent: 5 }, 95],
    ['the tier where that is more than the group', 999, true, { source: 'tier', percent: 8 }, 92],
  ])('is that of %s, in quote and sale', async (_, price, inGroup, discount, total) => {
    await rules({ groupDiscount: 5, tiers });
    const [uuid, productId] = [await newCustomer(), await create()];
    if (price > 0) await spent(uuid, price, 364);
    const asked = { productId, buyerIdentifier: uuid, inGroup };

    const [quoted, sale] = [await quote(asked), await sell({ ...asked, paid: total })];

    expect([quoted.discount, quoted.total, quoted.toPay]).toEqual([{ ...discount, couponId: null }, total, total]);
    expect([sale.state, sale.discount, sale.total]).toEqual(['completed', { ...discount, couponId: null }, total]);
  });

  test('counts the spend of the last 365 days alone, and what this sale spends not yet', async () => {
    await rules({ tiers: [{ from: 100, percent: 50 }] });
    const [uuid, productId] = [await newCustomer(), await create()];
    await spent(uuid, 100, 365);

    const sales = [];
    for (const paid of [100, 50]) sales.push(await sell({ productId, buyerIdentifier: uuid, paid }));

    expect(sales.map(({ state, discount }) => [state, discount.source])).toEqual([
      ['completed', 'none'],
      ['completed', 'tier'],
    ]);
  });

  test.each([
    ['coupon, customer, tier and group', 10, 10, 'coupon'],
    ['customer, tier and group', 0, 10, 'customer'],
    ['tier and group', 0, 0, 'tier'],
  ])('of equal percentages of %s goes to the first', async (_, couponDiscount, customerDiscount, source) => {
    await rules({ groupDiscount: 10, tiers: [{ from: 1, percent: 10 }] });
    const [uuid, productId] = [await newCustomer(), await create()];
    await spent(uuid, 5, 1);
    const couponId = await applies(uuid, couponDiscount);
    await has(uuid, customerDiscount);

    const sale = await sell({ productId, buyerIdentifier: uuid, inGroup: true, paid: 90 });

    expect(sale.discount).toEqual({ source, percent: 10, couponId: source === 'coupon' ? couponId : null });
  });

  test('is that of the buyer, not of the recipient', async () => {
    await rules({ tiers: [{ from: 1, percent: 10 }] });
    const [uuid, other, productId] = [await newCustomer(), await newCustomer(), await create()];
    await spent(other, 5, 1);

    const asked = { productId, buyerIdentifier: uuid, recipientIdentifier: other, paid: 100 };

    expect((await sell(asked)).discount.source).toBe('none');
  });

  test('and the tag of the group are fixed by a quote; the bonus follows the rules of now', async () => {
    await rules({ groupDiscount: 10, bonus: { percent: 1, groupPercent: 50 } });
    const [uuid, productId] = [await newCustomer(), await create()];
    const asked = { productId, buyerIdentifier: uuid };
    const [inside, outside] = [await quote({ ...asked, inGroup: true }), await quote(asked)];
    await rules({ groupDiscount: 90, bonus: { percent: 10, groupPercent: 20 } });

    const sales = [
      await sell({ ...asked, quote: inside.quote, paid: 90 }),
      await sell({ ...asked, quote: outside.quote, inGroup: true, paid: 100 }),
    ];

    expect([inside.bonus, outside.bonus]).toEqual([45, 1]);
    expect(sales.map(({ state, discount, bonus }) => [state, discount.source, bonus])).toEqual([
      ['completed', 'group', 18],
      ['completed', 'none', 10],
    ]);
  });

  test('goes by the sale’s own tag where the quote has expired', async () => {
    await rules({ groupDiscount: 10 });
    const [uuid, productId] = [await newCustomer(), await create()];
    const asked = { productId, buyerIdentifier: uuid };
    const { quote: text } = await quote({ ...asked, inGroup: true });
    setClock(start + 120_000);

    expect((await sell({ ...asked, quote: text, paid: 100 })).discount.source).toBe('none');
  });
});

describe('a bonus', () => {
  test.each([
    ['percent', { percent: 2.5 }, false, 99, 2],
    ['percent, where the group gets less', { percent: 5, groupPercent: 3 }, true, 100, 5],
    ['groupPercent in the group', { percent: 5, groupPercent: 12.5 }, true, 99, 12],
    ['percent outside the group', { percent: 5, groupPercent: 12.5 }, false, 99, 4],
    ['nothing where it rounds down to 0', { percent: 0.9999 }, false, 100, 0],
  ])('is %s of what is paid, rounded down', async (_, bonus, inGroup, price, amount) => {
    await rules({ bonus });
    const [uuid, productId] = [await newCustomer(), await create({ price })];
    const asked = { productId, buyerIdentifier: uuid, inGroup };

    const [quoted, sale] = [await quote(asked), await sell({ ...asked, paid: price + 7 })];

    expect([quoted.bonus, sale.bonus, sale.state]).toEqual([amount, amount, 'completed']);
    expect(await creditOf(uuid)).toEqual({ credit: 0, restrictedCredit: amount });
    expect((await call('GET', `/v1/sales/${sale.id}`)).body.bonus).toBe(amount);
    expect(await historyOf(uuid)).toHaveLength(amount > 0 ? 1 : 0);
  });

  test('has a row behind that of the sale, with its id, request and time, and counts in its day', async () => {
    setClock(start + 20 * day);
    await rules({ bonus: { percent: 10, type: 'regular', expiresInDays: 30 } });
    const uuid = await customerWithLots(service.store, [{ amount: 30, expiresAt: timestamp(start + 99 * day) }]);
    await act(uuid, 'increment-restricted-credit', { delta: 20 });
    const productId = await create();

    const sale = await sell({ productId, buyerIdentifier: uuid, useCredit: true, paid: 50 });

    expect([sale.state, sale.bonus, sale.credit, sale.restrictedCredit]).toEqual(['completed', 5, 30, 20]);
    const rows = (await historyOf(uuid)).slice(-3);
    const expiresAt = timestamp(start + 50 * day);
    expect(rows.map(({ kind, type, amount, credit }: Record<string, unknown>) => [kind, type, amount, credit])).toEqual(
      [
        ['sale', 'restricted', -20, 30],
        ['sale', 'regular', -30, 0],
        ['bonus', 'regular', 5, 5],
      ],
    );
    for (const row of rows)
      expect(row).toMatchObject({ saleId: sale.id, at: sale.at, requestId: rows[0].requestId, keyId: rows[0].keyId });
    expect(rows[2].lots).toEqual([{ id: expect.any(String), amount: 5, expiresAt }]);
    expect(await lotsOf(uuid)).toEqual([
      expect.objectContaining({ amount: 5, remaining: 5, type: 'regular', expiresAt }),
    ]);
    const [counted] = (await call('GET', '/v1/store/days?from=2028-03-20&to=2028-03-20')).body.data;
    expect(counted).toMatchObject({ creditAdded: 30 + 20 + 5, creditSpent: 50, paid: 50 });
  });

  test('is cut to what the limit leaves, after the sale has taken its own credit; then the due lots make room', async () => {
    await rules({ bonus: { percent: 50, type: 'regular' } });
    const [productId, uuid] = [await create(), await newCustomer()];
    await act(uuid, 'set-credit', { credit: limit - 3 });
    const asked = { productId, buyerIdentifier: uuid };

    const first = [(await quote(asked)).bonus, (await sell({ ...asked, paid: 100 })).bonus];
    const full = [(await quote(asked)).bonus, (await sell({ ...asked, paid: 100 })).bonus];
    const version = (await historyOf(uuid)).length;
    const paying = { ...asked, productId: await create({ price: limit + 20 }), useCredit: true };
    const paid = [(await quote(paying)).bonus, (await sell({ ...paying, paid: 20 })).bonus];
    await act(uuid, 'set-credit', { credit: limit, expiresAt: timestamp(start + 1000) });
    setClock(start + 1000);
    const due = [(await quote(asked)).bonus, (await sell({ ...asked, paid: 100 })).bonus];

    expect([first, full, version, paid, due]).toEqual([[3, 3], [0, 0], 2, [10, 10], [50, 50]]);
    expect(await creditOf(uuid)).toEqual({ credit: 50, restrictedCredit: 0 });
    expect((await historyOf(uuid)).at(-1)).toMatchObject({ kind: 'bonus', amount: 50, expired: limit });
  });

  test('is the buyer’s in a gift, and nobody’s where the sale is refused or costs nothing', async () => {
    await rules({ bonus: { percent: 10 } });
    const [buyer, other, productId] = [await newCustomer(), await newCustomer(), await create()];
    const asked = { productId, buyerIdentifier: buyer, recipientIdentifier: other };

    const given = await sell({ ...asked, paid: 100 });
    const short = await sell({ ...asked, paid: 99 });
    const inactive = await quote({ ...asked, productId: await create({ active: false }) });
    const free = await sell({ ...asked, productId: await create({ price: 0 }), paid: 5 });

    expect([given, short, inactive, free].map(({ refusal, bonus }) => [refusal, bonus])).toEqual([
      [null, 10],
      ['underpaid', 0],
      ['inactive', 0],
      [null, 0],
    ]);
    expect([await creditOf(buyer), await creditOf(other)]).toEqual([
      { credit: 0, restrictedCredit: 10 },
      { credit: 0, restrictedCredit: 0 },
    ]);
  });

  test('is given to a stranger, who becomes a customer', async () => {
    await rules({ bonus: { percent: 10 } });
    const stranger = randomUUID();

    const sale = await sell({ productId: await create(), buyerIdentifier: stranger, paid: 100 });

    expect([sale.bonus, await creditOf(stranger)]).toEqual([10, { credit: 0, restrictedCredit: 10 }]);
  });

  test('is one and the same for a repeat of the sale', async () => {
    await rules({ bonus: { percent: 10 } });
    const uuid = await newCustomer();
    const body = { id: randomUUID(), productId: await create(), buyerIdentifier: uuid, paid: 100, inGroup: true };

    const [first, again, other] = [await sell(body), await sell(body), await sell({ ...body, inGroup: null })];

    expect([first.bonus, again, other.title]).toEqual([10, first, expect.any(String)]);
    expect((await creditOf(uuid)).restrictedCredit).toBe(10);
  });
});

describe('a refund', () => {
  const expiring = { percent: 10, type: 'regular', expiresInDays: 30 };
  const permanent = { percent: 10, type: 'regular' };
  const buying = async (bonus: object) => {
    await rules({ bonus });
    const [uuid, productId] = [await newCustomer(), await create()];
    return { uuid, productId, sale: await sell({ productId, buyerIdentifier: uuid, paid: 100 }) };
  };
  const kinds = async (uuid: string) =>
    (await historyOf(uuid)).map(({ kind, amount }: { kind: string; amount: number }) => `${kind} ${amount}`);

  test.each([
    ['its lot', expiring],
    ['permanent credit', permanent],
    ['restricted credit', { percent: 10 }],
  ])('takes the bonus back from %s in a row of its own, and the sale still tells of it', async (_, bonus) => {
    const { uuid, sale } = await buying(bonus);

    const refunded = await refund(sale.id);

    expect([refunded.state, refunded.bonus]).toEqual(['refunded', 10]);
    expect(await kinds(uuid)).toEqual(['bonus 10', 'bonus -10']);
    const [, row] = await historyOf(uuid);
    expect(row).toMatchObject({ saleId: sale.id, at: refunded.refundedAt, reference: 'T 1', credit: 0 });
    expect(await lotsOf(uuid)).toEqual([]);
    expect(await refund(sale.id)).toEqual(refunded);
    expect(await kinds(uuid)).toHaveLength(2);
  });

  test('takes what is left of the lot, after the sale’s credit came back, and nothing of other lots', async () => {
    await rules({ bonus: expiring });
    const uuid = await customerWithLots(service.store, [{ amount: 40, expiresAt: timestamp(start + 10 * day) }]);
    const productId = await create();
    const sale = await sell({ productId, buyerIdentifier: uuid, useCredit: true, paid: 60 });
    await act(uuid, 'increment-credit', { delta: -4 });
    await act(uuid, 'increment-credit', { delta: 7, expiresAt: timestamp(start + 20 * day) });

    await refund(sale.id);

    expect((await kinds(uuid)).slice(-2)).toEqual(['refund 40', 'bonus -2']);
    const left = (await lotsOf(uuid)).map(({ remaining, expiresAt }: Record<string, unknown>) => [
      remaining,
      expiresAt,
    ]);
    expect(left).toEqual([
      [40, timestamp(start + 10 * day)],
      [7, timestamp(start + 20 * day)],
    ]);
  });

  test('takes nothing back that another sale’s refund brought back from it, that was set away or spent', async () => {
    const { uuid, productId, sale } = await buying(expiring);
    await rules({});
    const second = await sell({ productId, buyerIdentifier: uuid, useCredit: true, paid: 90 });
    await refund(second.id);
    const before = await creditOf(uuid);

    await refund(sale.id);

    expect([before.credit, (await creditOf(uuid)).credit]).toEqual([10, 10]);
    const other = await buying(expiring);
    await act(other.uuid, 'set-credit', { credit: 50 });
    await refund(other.sale.id);
    expect((await creditOf(other.uuid)).credit).toBe(50);
    expect(await kinds(other.uuid)).toEqual(['bonus 10', 'set 40']);
  });

  test('takes of permanent credit at most the bonus, and at most what there is; never of a lot', async () => {
    const rich = await buying(permanent);
    await act(rich.uuid, 'increment-credit', { delta: 50 });
    await refund(rich.sale.id);
    const poor = await buying(permanent);
    await act(poor.uuid, 'increment-credit', { delta: -7 });
    await act(poor.uuid, 'increment-credit', { delta: 50, expiresAt: timestamp(start + day) });
    await refund(poor.sale.id);

    expect([(await creditOf(rich.uuid)).credit, (await creditOf(poor.uuid)).credit]).toEqual([50, 50]);
    expect(await kinds(poor.uuid)).toEqual(['bonus 10', 'increment -7', 'increment 50', 'bonus -3']);
  });

  test('leaves a bonus that is due to the sweep', async () => {
    const { uuid, sale } = await buying({ ...expiring, expiresInDays: 1 });
    setClock(start + day);

    await refund(sale.id);

    expect(await kinds(uuid)).toEqual(['bonus 10']);
    expect(await lotsOf(uuid)).toHaveLength(1);
  });

  test('ends the lot of the bonus though others of the same end come before and behind it', async () => {
    await rules({ bonus: expiring });
    const end = timestamp(start + 30 * day);
    const uuid = await customerWithLots(service.store, [{ amount: 1, expiresAt: end }]);
    const productId = await create();
    const sale = await sell({ productId, buyerIdentifier: uuid, paid: 100 });
    setClock(start + 1);
    await act(uuid, 'increment-credit', { delta: 3, expiresAt: end });

    await refund(sale.id);

    expect((await lotsOf(uuid)).map(({ remaining }: { remaining: number }) => remaining)).toEqual([1, 3]);
    await act(uuid, 'increment-credit', { delta: -4 });
    expect(await kinds(uuid)).toHaveLength(5);
  });

  test('counts the bonus as removed', async () => {
    setClock(start + 40 * day);
    const { sale } = await buying(permanent);
    await refund(sale.id);
    await catchUp();

    const [counted] = (await call('GET', '/v1/store/days?from=2028-04-09&to=2028-04-09')).body.data;

    expect(counted).toMatchObject({ creditAdded: 10, creditRemoved: 10, creditSpent: 0 });
  });
});

test('the events of sales tell of the bonus, and the one of the credit has the number of its row', async () => {
  await rules({ bonus: { percent: 10 } });
  const uuid = bob.uuid;
  await act(uuid, 'increment-credit', { delta: 20 });
  const sale = await sell({ productId: await create(), buyerIdentifier: uuid, useCredit: true, paid: 80 });
  await catchUp();
  setClock(start + 60_000);

  const { data } = (await call('GET', '/v1/events?limit=1000')).body;

  const told = data.filter(({ data: of }: { data: Record<string, unknown> }) => of.id === sale.id || of.uuid === uuid);
  const shown = told.map(
    ({ type, data: of }: { type: string; data: Record<string, unknown> }) => `${type} ${of.bonus ?? of.sequence}`,
  );
  expect(shown.toSorted()).toEqual(['credit.changed 1', 'credit.changed 3', 'sale.completed 8']);
});
