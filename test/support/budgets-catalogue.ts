import { randomUUID } from 'node:crypto';
import { createCategory } from '../../lib/catalogue/categories.ts';
import { divideStock } from '../../lib/catalogue/stock.ts';
import { idAt, newId, now, timestamp } from '../../lib/clock.ts';
import { sharedKey } from '../../lib/table/keys.ts';
import { update } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import type { Budget } from './budgets.ts';
import { seedOneOfEach } from './one-of-each.ts';
import { payoutRows } from './payout-rows.ts';
import { cleo, newResident } from './residents.ts';
import { putAll } from './seed.ts';
import type { Call } from './service.ts';

/** The budgets of coupons, gift cards, products, quotes, payouts and categories. */

const idOf = async (call: Call, path: string, body: object): Promise<string> =>
  (await call('POST', path, body)).body.id;

let codes = 0;
const coupon = (call: Call, owner: string): Promise<string> => {
  codes += 1;
  return idOf(call, '/v1/coupons', { code: `Code ${codes}`, ownerIdentifier: owner });
};
const card = (call: Call, owner: string): Promise<string> =>
  idOf(call, `/v1/customers/${owner}/actions/grant-gift-card`, { credit: 5 });
const product = (call: Call): Promise<string> => idOf(call, '/v1/products', { name: 'Lamp', price: 5 });
const category = (call: Call): Promise<string> => idOf(call, '/v1/categories', { name: 'Light' });

const several = async (count: number, make: () => Promise<unknown>): Promise<void> => {
  for (let made = 0; made < count; made++) await make();
};

/** A resident whom the function has in its cache. */
const known = async (call: Call): Promise<string> => {
  const { uuid } = await newResident();
  await card(call, uuid);
  return uuid;
};

const onCoupon =
  (method: string, body?: object): Budget['prepare'] =>
  async (call) => [method, `/v1/coupons/${await coupon(call, await known(call))}`, body];

const onCard =
  (method: string, rest: string, body?: object): Budget['prepare'] =>
  async (call) => [method, `/v1/giftcards/${await card(call, await known(call))}${rest}`, body];

const applied =
  (action: 'apply-coupon' | 'revoke-coupon'): Budget['prepare'] =>
  async (call) => {
    const who = await known(call);
    const body = { couponId: await coupon(call, who), scope: 0 };
    await call('POST', `/v1/customers/${who}/actions/apply-coupon`, body);
    return ['POST', `/v1/customers/${who}/actions/${action}`, body];
  };

const onProduct =
  (method: string, body?: object): Budget['prepare'] =>
  async (call) => [method, `/v1/products/${await product(call)}`, body];

const onCategory =
  (method: string, body?: object): Budget['prepare'] =>
  async (call) => [method, `/v1/categories/${await category(call)}`, body];

const post =
  (path: string, body: object): Budget['prepare'] =>
  async () => ['POST', path, body];

/** A page of 10 rows of a longer list. */
const pageOf =
  (path: string, make: (call: Call) => Promise<unknown>): Budget['prepare'] =>
  async (call) => {
    await several(11, () => make(call));
    return ['GET', `${path}?limit=10`];
  };

const ownersPage =
  (pathOf: (owner: string) => string, make: (call: Call, owner: string) => Promise<unknown>): Budget['prepare'] =>
  async (call) => {
    const owner = await known(call);
    return pageOf(pathOf(owner), () => make(call, owner))(call, '');
  };

/** A buyer who holds credit, beside a product and a coupon applied for it. */
const buying =
  (isApplied: boolean): Budget['prepare'] =>
  async (call) => {
    const [buyerIdentifier, productId] = [await known(call), await product(call)];
    await call('POST', `/v1/customers/${buyerIdentifier}/actions/increment-credit`, { delta: 5 });
    const body = { couponId: await coupon(call, buyerIdentifier), scope: 1, productId };
    if (isApplied) await call('POST', `/v1/customers/${buyerIdentifier}/actions/apply-coupon`, body);
    return ['POST', '/v1/quotes', { productId, buyerIdentifier, useCredit: true }];
  };

/** A sale to a customer who has bought something else before. */
const selling =
  (fields: object): Budget['prepare'] =>
  async (call) => {
    const buyerIdentifier = await known(call);
    const body = { name: 'Lamp', price: 5, availableAmount: 3, ...fields };
    const productId = await idOf(call, '/v1/products', body);
    await call('POST', '/v1/sales', { id: newId(), productId: await product(call), buyerIdentifier, paid: 5 });
    return ['POST', '/v1/sales', { id: newId(), productId, buyerIdentifier, paid: 5, useCredit: true }];
  };

/** The same in L$ alone: it neither reads nor writes the buyer's credit. */
const sellingForLindens =
  (fields: object, also: object = {}): Budget['prepare'] =>
  async (call, store) => {
    const [method, path, body] = await selling(fields)(call, store);
    return [method, path, { ...(body as object), useCredit: false, ...also }];
  };

/** The path of a vendor that sells a product and registered just now. */
const vendor = async (call: Call): Promise<string> => {
  const path = `/v1/vendors/${randomUUID()}`;
  await call('PUT', path, { ...vendorFields, productId: await product(call) });
  return path;
};
const vendorFields = { name: 'Vendor', region: 'Cloud Edge' };

/** The dearest small sale: a limited product, with a coupon, to a buyer whose credit of both types is in lots. */
const sellingForLots: Budget['prepare'] = async (call) => {
  const [, path, body] = await selling({ limited: true, price: 50 })(call, '');
  const { buyerIdentifier, productId } = body as { buyerIdentifier: string; productId: string };
  const act = (action: string, fields: object) =>
    call('POST', `/v1/customers/${buyerIdentifier}/actions/${action}`, fields);
  const expiresAt = '2099-01-01T00:00:00Z';
  await act('increment-credit', { delta: 20, expiresAt });
  await act('increment-restricted-credit', { delta: 10, expiresAt });
  codes += 1;
  const couponFields = { code: `Code ${codes}`, ownerIdentifier: buyerIdentifier, discount: 50 };
  const couponId = await idOf(call, '/v1/coupons', couponFields);
  await act('apply-coupon', { couponId, scope: 1, productId });
  return ['POST', path, body];
};

/** A store that owes two avatars something, and the payout that its key has claimed before. */
const claiming = async (call: Call, store: string): Promise<string> => {
  const { id } = (await call('GET', '/v1/store')).body.key;
  const payout = newId();
  await putAll(payoutRows(store, await newResident(), [payout], id));
  await write(update(sharedKey('STORE', store), { set: { payoutsBegunAt: timestamp(now()) } }));
  return payout;
};

/** Rules of a store whose every part counts. */
const allRules = {
  groupDiscount: 10,
  tiers: [{ from: 1, percent: 20 }],
  bonus: { percent: 40, groupPercent: 60, type: 'restricted', expiresInDays: 90 },
};

/** A request in a store with rules. The rules stay, so these budgets come last. */
const withRules =
  (prepare: Budget['prepare']): Budget['prepare'] =>
  async (call, store) => {
    await call('PUT', '/v1/store/rules', {});
    const [method, path, body] = await prepare(call, store);
    await call('PUT', '/v1/store/rules', allRules);
    return [method, path, { ...(body as object), inGroup: true }];
  };

/** A sale for which too little was paid. */
const refused: Budget['prepare'] = async (call) => {
  const body = { productId: await product(call), buyerIdentifier: await known(call), paid: 4 };
  return ['POST', '/v1/sales', { ...body, id: newId() }];
};

/** A gift between two residents whom the function does not know, and who are no customers. */
const giving: Budget['prepare'] = async (call) => {
  const [buyer, recipient] = [await newResident(), await newResident()];
  const asked = { productId: await product(call), buyerIdentifier: buyer.uuid, recipientIdentifier: recipient.uuid };
  return ['POST', '/v1/sales', { ...asked, id: newId(), paid: 5 }];
};

/** A customer who owns two products and got one of them twice, an hour ago. */
const owner = async (call: Call) => {
  const { uuid } = await newResident();
  codes += 1;
  return { uuid, ...(await seedOneOfEach(call, { code: `Owned ${codes}`, owner: uuid, customer: uuid })) };
};

const onDelivery =
  (method: string, rest = ''): Budget['prepare'] =>
  async (call) => {
    const { delivery } = await owner(call);
    return [method, `/v1/deliveries/${delivery}${rest}`];
  };

export const catalogueBudgets: readonly Budget[] = [
  { endpoint: 'get-coupon', when: '', steps: 1, units: 1, prepare: onCoupon('GET') },
  // The transaction takes the design's 4 units. The coupon is in two indexes (2), and its owner is read (1).
  {
    endpoint: 'create-coupon',
    when: 'owner not in memory',
    steps: 2,
    units: 7,
    prepare: async () => ['POST', '/v1/coupons', { code: 'Budget', ownerIdentifier: (await newResident()).uuid }],
  },
  {
    endpoint: 'update-coupon',
    when: 'same code',
    steps: 1,
    units: 1,
    prepare: async (call) => {
      const owner = await known(call);
      const code = `A code of ${owner}`;
      return ['PUT', `/v1/coupons/${await idOf(call, '/v1/coupons', { code, ownerIdentifier: owner })}`, { code }];
    },
  },
  {
    endpoint: 'limit-coupon',
    when: '',
    steps: 1,
    units: 1,
    prepare: async (call) => {
      const id = await coupon(call, await known(call));
      return ['PUT', `/v1/coupons/${id}/limits`, { expiration: null, usesPerCustomer: 1 }];
    },
  },
  {
    endpoint: 'list-coupons',
    when: 'a page of 10',
    steps: 1,
    units: 2,
    prepare: pageOf('/v1/coupons', async (call) => coupon(call, await known(call))),
  },
  {
    endpoint: 'list-owner-coupons',
    when: 'a page of 10',
    steps: 2,
    units: 6.5,
    prepare: ownersPage((owner) => `/v1/coupons/owner/${owner}`, coupon),
  },
  // One unit to write, 1 to read the coupon, and 0.5 to read whether the resident is a customer.
  { endpoint: 'apply-coupon', when: 'by id', steps: 2, units: 2.5, prepare: applied('apply-coupon') },
  { endpoint: 'revoke-coupon', when: 'by id', steps: 2, units: 2, prepare: applied('revoke-coupon') },
  { endpoint: 'get-gift-card', when: '', steps: 1, units: 1, prepare: onCard('GET', '') },
  {
    endpoint: 'update-gift-card',
    when: 'stays active',
    steps: 1,
    units: 1,
    prepare: onCard('PUT', '', { credit: 9, transfer: true }),
  },
  // Two units more, since the card moves in the index of its owner's cards.
  {
    endpoint: 'disable-gift-card',
    when: 'was active',
    steps: 1,
    units: 3,
    prepare: onCard('POST', '/actions/disable'),
  },
  // Card and customer are read at once (2); the transaction writes both (4), and the card moves in the index of its
  // owner's cards (2).
  {
    endpoint: 'redeem-gift-card',
    when: 'permanent, no lots',
    steps: 2,
    units: 8,
    prepare: async (call) => {
      const identifier = await known(call);
      return ['POST', `/v1/giftcards/${await card(call, identifier)}/actions/redeem`, { identifier }];
    },
  },
  {
    endpoint: 'redeem-gift-card',
    when: 'expires, first lot',
    steps: 2,
    units: 11,
    prepare: async (call) => {
      const identifier = await known(call);
      const body = { identifier, expiresAt: '2099-01-01T00:00:00Z' };
      return ['POST', `/v1/giftcards/${await card(call, identifier)}/actions/redeem`, body];
    },
  },
  // The index of the owner's cards (0.5), then the card (1), are read beside the customer.
  {
    endpoint: 'redeem-own-cards',
    when: 'one card, no lots',
    steps: 3,
    overlaps: true,
    units: 8.5,
    prepare: async (call) => ['POST', `/v1/customers/${await known(call)}/giftcards/actions/redeem`],
  },
  {
    endpoint: 'grant-gift-card',
    when: 'to a customer',
    steps: 2,
    units: 2.5,
    prepare: async (call) => ['POST', `/v1/customers/${await known(call)}/actions/grant-gift-card`, { credit: 5 }],
  },
  {
    endpoint: 'list-gift-cards',
    when: 'a page of 10',
    steps: 2,
    units: 7.5,
    prepare: ownersPage((owner) => `/v1/customers/${owner}/giftcards`, card),
  },
  {
    endpoint: 'create-product',
    when: '',
    steps: 1,
    units: 3,
    prepare: post('/v1/products', { name: 'Lamp', price: 5 }),
  },
  {
    endpoint: 'update-product',
    when: 'same name and flags',
    steps: 1,
    units: 1,
    prepare: onProduct('PUT', { name: 'Lamp', price: 6 }),
  },
  { endpoint: 'get-product', when: '', steps: 1, units: 1, prepare: onProduct('GET') },
  { endpoint: 'list-products', when: 'a page of 10', steps: 2, units: 7.5, prepare: pageOf('/v1/products', product) },
  {
    endpoint: 'deliver-product',
    when: 'recipient in memory',
    steps: 1,
    units: 1,
    prepare: async (call) => {
      const recipientIdentifier = await known(call);
      return ['POST', `/v1/products/${await product(call)}/actions/deliver`, { recipientIdentifier }];
    },
  },
  // The owned products take one unit, and the name of each takes half a unit.
  {
    endpoint: 'list-owned-products',
    when: 'owns two',
    steps: 2,
    units: 2,
    prepare: async (call) => ['GET', `/v1/customers/${(await owner(call)).uuid}/products?limit=10`],
  },
  // Product (1), recent deliveries (0.5 and 0.5 for each) and owned product (1) are read, and the last is marked (1).
  {
    endpoint: 'redeliver-product',
    when: 'after two deliveries',
    steps: 5,
    units: 4.5,
    prepare: async (call) => {
      const { uuid, product: owned } = await owner(call);
      return ['POST', `/v1/customers/${uuid}/products/${owned}/actions/redeliver`];
    },
  },
  // Store, product, buyer and both applications are read at once, then coupon and uses.
  { endpoint: 'create-quote', when: 'with credit, no lots, no coupon', steps: 1, units: 5, prepare: buying(false) },
  { endpoint: 'create-quote', when: 'with credit and a coupon', steps: 2, units: 7, prepare: buying(true) },
  // Store, product, buyer and both applications (5), spend and owned product (1) are read. The transaction writes sale,
  // spend and owned product. The sale enters three indexes, and the spend moves in one. If credit was asked for, the
  // buyer's is checked (2), though there is none.
  { endpoint: 'create-sale', when: 'in L$', steps: 2, units: 17, prepare: sellingForLindens({}) },
  {
    endpoint: 'create-sale',
    when: 'of a limited product, in L$',
    steps: 2,
    units: 19,
    prepare: sellingForLindens({ limited: true }),
  },
  {
    endpoint: 'create-sale',
    when: 'in L$, by a vendor',
    steps: 2,
    units: 17,
    prepare: sellingForLindens({}, { vendorUuid: randomUUID() }),
  },
  { endpoint: 'create-sale', when: 'no lots, no coupon', steps: 2, units: 19, prepare: selling({}) },
  { endpoint: 'create-sale', when: 'of a limited product', steps: 2, units: 21, prepare: selling({ limited: true }) },
  // The sale leads to no list by its change.
  {
    endpoint: 'report-change',
    when: '',
    steps: 1,
    units: 1,
    prepare: async (call, store) => {
      const [, , body] = await selling({})(call, store);
      const { paid } = body as { paid: number };
      const { change, id } = (await call('POST', '/v1/sales', { ...(body as object), paid: paid + 5 })).body;
      return ['POST', `/v1/sales/${id}/actions/change-paid`, { transactionId: randomUUID(), amount: change }];
    },
  },
  // The sale (1), then buyer, product, spend, owned product and delivery (5) are read. The transaction writes sale,
  // spend, owned product and the record of the delivery; the sale moves in two indexes, and the delivery
  // enters two.
  {
    endpoint: 'refund-sale',
    when: 'no credit, no coupon',
    steps: 3,
    units: 22,
    prepare: async (call, store) => {
      const [, , body] = await selling({})(call, store);
      await call('POST', '/v1/sales', body);
      return ['POST', `/v1/sales/${(body as { id: string }).id}/actions/refund`];
    },
  },
  // Coupon and uses (2) are read after the application; the transaction has the uses (2) and two lots more, the buyer
  // moves in a second index, and the sale has more than 1 KB (2).
  {
    endpoint: 'create-sale',
    when: 'of a limited product, with a coupon and lots of both types',
    steps: 4,
    overlaps: true,
    units: 31,
    prepare: sellingForLots,
  },
  // The names of both are looked up after their items were not found; two customers, two of spend and an owned product
  // are new.
  { endpoint: 'create-sale', when: 'a gift between newcomers', steps: 3, units: 27.5, prepare: giving },
  // The sale enters the lists of its state, of its product and of its buyer.
  { endpoint: 'create-sale', when: 'refused', steps: 2, units: 11, prepare: refused },
  {
    endpoint: 'get-sale',
    when: '',
    steps: 1,
    units: 1,
    prepare: async (call) => ['GET', `/v1/sales/${(await owner(call)).sale}`],
  },
  {
    endpoint: 'list-sales',
    when: 'two to a buyer',
    steps: 2,
    units: 1.5,
    prepare: async (call) => ['GET', `/v1/sales?limit=10&buyer=${(await owner(call)).uuid}`],
  },
  // Vendor and product are read, which may be a moment old.
  {
    endpoint: 'register-vendor',
    when: 'nothing has changed',
    steps: 2,
    units: 1,
    prepare: async (call) => ['PUT', await vendor(call), vendorFields],
  },
  {
    endpoint: 'register-vendor',
    when: 'has moved',
    steps: 3,
    units: 2,
    prepare: async (call) => ['PUT', await vendor(call), { ...vendorFields, position: '<1, 2, 3>' }],
  },
  // The product is read twice (1.5). Vendor and number (4) are written; the vendor enters two indexes.
  {
    endpoint: 'register-vendor',
    when: 'first',
    steps: 4,
    units: 8,
    prepare: async (call) => {
      const productId = await product(call);
      return ['PUT', `/v1/vendors/${randomUUID()}`, { ...vendorFields, productId }];
    },
  },
  { endpoint: 'get-vendor', when: '', steps: 2, units: 2, prepare: async (call) => ['GET', await vendor(call)] },
  {
    endpoint: 'list-vendors',
    when: 'one of a product',
    steps: 3,
    units: 1.5,
    prepare: async (call) => {
      const productId = (await call('GET', await vendor(call))).body.product.id;
      return ['GET', `/v1/vendors?limit=10&product=${productId}`];
    },
  },
  // The product (1) is read; the vendor leaves the list of one product (1) and enters that of another (1).
  {
    endpoint: 'set-vendor-product',
    when: 'another one',
    steps: 2,
    units: 4,
    prepare: async (call) => ['PUT', `${await vendor(call)}/product`, { productId: await product(call) }],
  },
  { endpoint: 'delete-vendor', when: '', steps: 1, units: 8, prepare: async (call) => ['DELETE', await vendor(call)] },
  // Store and list are read, then the accounts. The payout enters three lists, and its account leaves one.
  {
    endpoint: 'claim-payout',
    when: 'of three payees or more',
    steps: 3,
    units: 12.5,
    prepare: async (call, store) => {
      await claiming(call, store);
      return ['POST', '/v1/payouts/actions/claim'];
    },
  },
  // Payout and account (2) are written, and the payout moves in the list of its state.
  {
    endpoint: 'report-payout',
    when: 'was unknown',
    steps: 3,
    units: 8,
    prepare: async (call, store) => {
      const id = await claiming(call, store);
      return ['POST', `/v1/payouts/${id}/actions/report`, { result: 'paid' }];
    },
  },
  {
    endpoint: 'settle-payout',
    when: 'was unknown',
    steps: 3,
    units: 8,
    prepare: async (call, store) => {
      const id = await claiming(call, store);
      return ['POST', `/v1/payouts/${id}/actions/settle`, { result: 'paid' }];
    },
  },
  {
    endpoint: 'pay-payee',
    when: 'a part of what is owed',
    steps: 2,
    units: 8,
    prepare: async (call, store) => {
      await claiming(call, store);
      return ['POST', `/v1/payees/${cleo.uuid}/actions/pay`, { amount: 5 }];
    },
  },
  {
    endpoint: 'get-payout',
    when: '',
    steps: 2,
    units: 2,
    prepare: async (call, store) => ['GET', `/v1/payouts/${await claiming(call, store)}`],
  },
  {
    endpoint: 'list-payouts',
    when: 'one to a payee',
    steps: 3,
    units: 1.5,
    prepare: async (call, store) => {
      const { residentUuid } = (await call('GET', `/v1/payouts/${await claiming(call, store)}`)).body;
      return ['GET', `/v1/payouts?limit=10&payee=${residentUuid}`];
    },
  },
  {
    endpoint: 'list-dispensers',
    when: 'of one box',
    steps: 1,
    units: 1,
    prepare: async () => ['GET', '/v1/dispensers'],
  },
  { endpoint: 'get-delivery', when: '', steps: 1, units: 1, prepare: onDelivery('GET') },
  // The delivery is read (1), and moves in the index of the states (3).
  { endpoint: 'retry-delivery', when: 'failed', steps: 2, units: 4, prepare: onDelivery('POST', '/actions/retry') },
  {
    endpoint: 'list-deliveries',
    when: 'two to a recipient',
    steps: 2,
    units: 1.5,
    prepare: async (call) => {
      const { uuid } = await owner(call);
      return ['GET', `/v1/deliveries?limit=10&recipient=${uuid}`];
    },
  },
  { endpoint: 'get-category', when: '', steps: 1, units: 1, prepare: onCategory('GET') },
  { endpoint: 'create-category', when: '', steps: 1, units: 1, prepare: post('/v1/categories', { name: 'Light' }) },
  { endpoint: 'update-category', when: '', steps: 1, units: 1, prepare: onCategory('PUT', { name: 'Dark' }) },
  // The deletion is a transaction with the note of who did it (4). Then the memberships are read (1).
  {
    endpoint: 'delete-category',
    when: 'without products',
    steps: 2,
    units: 5,
    prepare: async (_call, store) => {
      const { id } = await createCategory(store, { name: 'Light' }, { id: idAt(now() - 3_600_000) });
      return ['DELETE', `/v1/categories/${id}`];
    },
  },
  { endpoint: 'delete-category', when: 'less than an hour old', steps: 2, units: 2, prepare: onCategory('DELETE') },
  {
    endpoint: 'list-categories',
    when: 'a page of 10',
    steps: 1,
    units: 1,
    prepare: pageOf('/v1/categories', category),
  },
  {
    endpoint: 'add-product',
    when: '',
    steps: 1,
    units: 6,
    prepare: async (call) => ['POST', `/v1/categories/${await category(call)}/products/${await product(call)}`],
  },
  {
    endpoint: 'remove-product',
    when: 'was in it',
    steps: 1,
    units: 4,
    prepare: async (call) => {
      const path = `/v1/categories/${await category(call)}/products/${await product(call)}`;
      await call('POST', path);
      return ['DELETE', path];
    },
  },
  // The shares are read after the product (1). proof/simulation/crowd.test.ts has the other costs of a divided stock.
  {
    endpoint: 'get-product',
    when: 'of a divided stock',
    steps: 2,
    units: 2,
    prepare: async (call, store) => {
      const id = await idOf(call, '/v1/products', { name: 'Lamp', price: 5, limited: true, availableAmount: 500 });
      await divideStock(store, id);
      return ['GET', `/v1/products/${id}`];
    },
  },
];

export const ruleBudgets: readonly Budget[] = [
  { endpoint: 'get-rules', when: '', steps: 1, units: 1, prepare: async () => ['GET', '/v1/store/rules'] },
  { endpoint: 'update-rules', when: '', steps: 1, units: 1, prepare: async () => ['PUT', '/v1/store/rules', allRules] },
  // The spend (1) is read beside the coupon.
  { endpoint: 'create-quote', when: 'with rules', steps: 2, units: 8, prepare: withRules(buying(true)) },
  // The spend is read anew (1); the transaction has the buyer (2), who moves in an index (1), and a lot (2) more.
  {
    endpoint: 'create-sale',
    when: 'with rules',
    steps: 3,
    overlaps: true,
    units: 23,
    prepare: withRules(sellingForLindens({})),
  },
  {
    endpoint: 'create-sale',
    when: 'with rules and a coupon',
    steps: 3,
    overlaps: true,
    units: 24,
    prepare: withRules(async (call, store) => {
      const [, , body] = await buying(true)(call, store);
      return ['POST', '/v1/sales', { ...(body as object), useCredit: false, id: newId(), paid: 5 }];
    }),
  },
];
