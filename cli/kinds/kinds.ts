import * as z from 'zod';
import { timestamp as asText, now } from '../../lib/clock.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { nilUuid, uuidPattern } from '../../lib/identifier.ts';
import { createCoupon } from '../../lib/routes/coupons.ts';
import { banCustomer, updateCustomer } from '../../lib/routes/customers.ts';
import { updateGiftCard } from '../../lib/routes/gift-cards.ts';
import { createProduct } from '../../lib/routes/products.ts';
import { refusals, saleStates } from '../../lib/routes/sales.ts';
import { timestamp } from '../../lib/routes/timestamp.ts';
import { boolean, identifier, integer, text, username, uuid } from '../../lib/routes/wire.ts';
import { listCategories } from '../../lib/store/categories.ts';
import { listCoupons, never, normalisedCode } from '../../lib/store/coupons.ts';
import { listCustomerItems } from '../../lib/store/customers.ts';
import { listStoreCards } from '../../lib/store/gift-cards.ts';
import { listPurchases } from '../../lib/store/spend.ts';
import { categories } from './categories.ts';
import { columns, foreignId, type Kind, saleShares, shares, taken } from './columns.ts';
import { coupons, createdAtOf } from './coupons.ts';
import { credit } from './credit.ts';
import { customers } from './customers.ts';
import { giftCards } from './gift-cards.ts';
import { products } from './products.ts';
import { purchases } from './purchases.ts';
import { residents } from './residents.ts';
import { type SaleFields, sales } from './sales.ts';
import { listCredit, listProducts, listResidents, listSales, rowsOf } from './stored-rows.ts';

const optionalId = foreignId().optional();
const idHelp = 'a UUID, or the id that it has in another system';
const namedIdHelp = `${idHelp}; empty: made of the name`;

// A file is checked by the same schemas as a request.
const product = createProduct.body.in.shape;
const permissions = product.permissions.unwrap().shape;
const discount = product.discount.unwrap().shape;
const coupon = createCoupon.body.shape;
const card = updateGiftCard.body.shape;
const customerDiscount = updateCustomer.body.shape.discount.unwrap().default(0);
const banReason = banCustomer.body.shape.reason.unwrap().default('');

const by = text({ min: 1, max: 255 }).optional();
const time = timestamp().optional();
const timeOfSale = (what: string) =>
  timestamp().refine((at) => at <= asText(now()), {
    error: `must not be in the future: correct the time, or import the ${what} later`,
  });
const flag = boolean().default(false);
const creditType = z.enum(creditTypes, { error: 'must be regular or restricted' }).default('regular');
const lotState = z
  .enum(['open', 'drained', 'expired', 'superseded'], { error: 'must be open, drained, expired or superseded' })
  .default('open');
const avatar = uuid().refine((value) => value !== nilUuid, { error: 'must be the UUID of an avatar' });
const source = z.enum(['operator', 'store'], { error: 'must be operator or store' }).default('operator');
const formerNames = z
  .array(username(), { error: 'must be usernames' })
  .max(50, { error: 'must be at most 50 usernames' })
  .default([]);
const categoryIds = z.array(foreignId(), { error: 'must be ids or names of categories' }).default([]);

const checkCreditRow: Kind['checkRow'] = ({ amount, expiresAt, remaining, state, ...others }, report) => {
  if (expiresAt === undefined) {
    const ofLots = { remaining, ...others };
    if (state !== undefined && state !== 'open') report('state', 'must be open or empty where there is no expiresAt');
    for (const name of ['remaining', 'createdAt', 'createdBy', 'endedAt', 'endedBy'] as (keyof typeof ofLots)[])
      if (ofLots[name] !== undefined) report(name, 'must be empty where there is no expiresAt');
    return;
  }
  if (typeof amount !== 'number') return;
  const left = remaining ?? (state === 'drained' ? 0 : amount);
  if (amount < 1) report('amount', 'must be at least 1 for a lot');
  else if (Number(left) > amount) report('remaining', 'must be at most the amount');
  else if (state === 'drained' && left !== 0) report('remaining', 'must be 0 or empty for a lot that is drained');
  else if (state !== 'drained' && left === 0) report('remaining', 'must be over 0; a lot with nothing left is drained');
  if ((state ?? 'open') === 'open')
    for (const name of ['endedAt', 'endedBy'])
      if (others[name] !== undefined) report(name, 'must be empty for a lot that is open');
};

const saleState = z.enum(saleStates, { error: 'must be completed, refused or refunded' }).default('completed');
const refusal = z.enum(refusals, { error: `must be one of ${refusals.join(', ')}` }).optional();
const discountSource = z
  .enum(['none', 'customer', 'coupon'], { error: 'must be none, customer or coupon' })
  .default('none');
const percent = z
  .number({ error: 'must be a number from 0 to 100' })
  .min(0, { error: 'must be a number from 0 to 100' })
  .max(100, { error: 'must be a number from 0 to 100' })
  .default(0);
const reference = text({ min: 0, max: 100 }).optional();

/** A sale adds up as the service makes them: its price, the money, the shares, and the times of its state. */
const checkSaleRow: Kind['checkRow'] = (row, report) => {
  const { state, refusal, buyer, base, total, credit, restrictedCredit, paid, refund, change, refundedAt } =
    row as unknown as SaleFields;
  const { at, shares, 'coupon.id': coupon, 'coupon.couponOwnerUuid': owner } = row as unknown as SaleFields;
  const isRefused = state === 'refused';
  if (isRefused !== (refusal !== undefined))
    report('refusal', isRefused ? 'must say why the sale was refused' : 'must be empty unless the sale was refused');
  if (!isRefused && !buyer) report('buyer', 'must not be empty unless the sale was refused');
  if ((state === 'refunded') !== (refundedAt !== undefined))
    report('refundedAt', 'must be there where the state is refunded, and only there');
  else if (refundedAt !== undefined && refundedAt < at) report('refundedAt', 'must not be before the sale');
  if (total > base) report('total', 'must be at most the base');
  const due = state === 'completed' ? change : paid;
  if (refund !== due) report('refund', `must be ${due}: ${state === 'completed' ? 'the change' : 'all that was paid'}`);
  if (change > paid || (isRefused && change !== paid))
    report('change', isRefused ? `must be ${paid}: all that was paid` : 'must be at most what was paid');
  if (!isRefused && total !== credit + restrictedCredit + paid - change)
    report('total', 'must be the credit, the restricted credit and what was paid less the change, together');
  const shared = shares.reduce((sum, { amount }) => sum + amount, 0);
  if (shared > (isRefused ? 0 : paid - change)) report('shares', 'must be at most what was paid less the change');
  if ((coupon === undefined) !== (owner === undefined))
    report('coupon.couponOwnerUuid', 'must be there where there is a coupon.id, and only there');
  for (const [name, most] of [
    ['taken.regular', credit],
    ['taken.restricted', restrictedCredit],
  ] as const)
    if ((row as unknown as SaleFields)[name].reduce((sum, [, amount]) => sum + amount, 0) > most)
      report(name, 'must be at most the credit that paid');
};

const cardColumns = columns({
  id: ['text', optionalId, idHelp],
  owner: ['text', identifier(), 'the owner, by UUID or username'],
  credit: ['integer', integer(0), 'the credit on it, in whole L$'],
  active: ['boolean', card.active, 'whether it can be used'],
  redeemed: ['boolean', flag, 'whether it has been used'],
  transfer: ['boolean', card.transfer, 'whether it may be given away'],
  texture: ['text', card.texture, "its texture's UUID; empty: none"],
  purchased: ['boolean', flag, 'whether it was bought, not granted'],
});

const cardDefaults = new Map(cardColumns.map(({ name, check }) => [name, check.safeParse(undefined).data]));

/** In the order in which they refer to each other: an import in this order finds the rows that it needs. */
export const kinds: readonly Kind[] = [
  {
    name: 'residents',
    summary: 'avatars by UUID, with their current and former names; shared by all stores of the deployment',
    columns: columns({
      uuid: ['text', avatar, "the avatar's UUID"],
      username: [
        'text',
        identifier().transform(({ uuid, username }) => uuid ?? username),
        'the current name, such as ada.lovelace or bob',
      ],
      formerNames: ['list', formerNames, 'names that the avatar had before; they still find it'],
      source: ['text', source, 'operator: all stores see the names; store: only the store of the import does'],
    }),
    checkRow: ({ uuid, username, source }, report) => {
      if (!uuidPattern.test(String(username)) || (username === uuid && source === 'store')) return;
      report('username', 'must be a username; only a resident of the source store may have their own UUID there');
    },
    unique: (row) => ({
      uuid: [row.uuid as string],
      'username or formerNames': [...new Set([row.username as string, ...((row.formerNames ?? []) as string[])])],
    }),
    importer: () => residents,
    rows: listResidents,
  },
  {
    name: 'categories',
    summary: 'categories of products; which products are in them is a column of products',
    columns: columns({
      id: ['text', optionalId, namedIdHelp],
      name: ['text', text({ min: 1, max: 255 }), 'the name'],
    }),
    id: { from: ({ name }) => String(name) },
    importer: () => categories,
    rows: (store) => rowsOf(listCategories(store), 'id', ({ id, name }) => ({ id, name })),
  },
  {
    name: 'products',
    summary: 'products, with the categories that they are in',
    columns: columns({
      id: ['text', optionalId, namedIdHelp],
      name: ['text', product.name, 'the name'],
      price: ['integer', product.price, 'in whole L$'],
      image: ['text', product.image, "the texture's UUID"],
      listed: ['boolean', product.listed, 'whether shops list it'],
      bloggable: ['boolean', product.bloggable, 'whether bloggers may have it'],
      'permissions.copy': ['boolean', permissions.copy, 'whether its owner may copy it'],
      'permissions.modify': ['boolean', permissions.modify, 'whether its owner may modify it'],
      'permissions.transfer': ['boolean', permissions.transfer, 'whether its owner may give it away'],
      'discount.value': ['number', discount.value, 'percent or L$, as the type says'],
      'discount.type': ['integer', discount.type, '0 percent, 1 L$ off, 2 another price'],
      'discount.startDate': ['text', discount.startDate, 'when it begins; empty: has begun'],
      'discount.endDate': ['text', discount.endDate, 'when it ends; empty: never'],
      availableAmount: ['integer', product.availableAmount, 'how many are left, if limited'],
      limited: ['boolean', product.limited, 'whether there is a limited number'],
      item: ['text', product.item, 'the inworld item that is delivered; empty: the name'],
      blockCredits: ['boolean', product.blockCredits, 'whether credit cannot buy it'],
      description: ['text', product.description, 'text, of several lines if need be'],
      profitShares: ['shares', shares(), 'who shares the profit: user:percent;user:percent'],
      demoId: ['text', foreignId().nullable().default(null), 'the id of the product that is its demo'],
      active: ['boolean', product.active, 'false for a product that is no longer sold'],
      mpListing: ['integer', integer(0).default(0), 'its listing on the marketplace; 0: none'],
      categories: ['list', categoryIds, 'its categories, by id or as the file of categories names them'],
    }),
    id: { from: ({ name }) => String(name) },
    importer: () => products(),
    rows: listProducts,
  },
  {
    name: 'customers',
    summary: 'settings of customers; their credit and purchases have files of their own',
    columns: columns({
      resident: ['text', identifier(), 'the customer, by UUID or username'],
      discount: ['integer', customerDiscount, 'their discount'],
      newsSubscriber: ['boolean', flag, 'whether they get the news'],
      isBanned: ['boolean', flag, 'whether they are banned'],
      banReason: ['text', banReason, 'why, if they are'],
    }),
    unique: ({ resident }, uuidOf) => ({ resident: [uuidOf(resident)] }),
    importer: () => customers,
    rows: (store) =>
      rowsOf(listCustomerItems(store), 'sk', (item) => ({
        ...{ discount: 0, newsSubscriber: false, isBanned: false },
        ...item,
        resident: item.sk,
      })),
  },
  {
    name: 'credit',
    summary: "customers' credit: a row for each lot, and one without expiresAt for credit that does not expire",
    columns: columns({
      resident: ['text', identifier(), 'the customer, by UUID or username'],
      type: ['text', creditType, 'regular or restricted'],
      amount: ['integer', integer(0), 'in whole L$: the amount that was added'],
      expiresAt: ['text', time, 'when it expires; empty: never'],
      remaining: ['integer', integer(0).optional(), 'the part that is left; empty: all of it'],
      id: ['text', optionalId, idHelp],
      state: ['text', lotState, 'open, or how it ended'],
      createdAt: ['text', time, 'when it was added'],
      createdBy: ['text', by, 'the request that added it'],
      endedAt: ['text', time, 'when it ended, if it has'],
      endedBy: ['text', by, 'the request that ended it'],
    }),
    checkRow: checkCreditRow,
    id: {
      from: ({ resident, type = 'regular', amount, expiresAt }, uuidOf) =>
        JSON.stringify([uuidOf(resident), type, amount, expiresAt]),
      repeats: ({ expiresAt }) => expiresAt !== undefined,
    },
    unique: ({ id, resident, type = 'regular', expiresAt }, uuidOf): Record<string, string[]> =>
      expiresAt === undefined ? { resident: [`${uuidOf(resident)} ${type}`] } : { id: [id as string] },
    onlyAdded: true,
    importer: (checksOnly) => credit(checksOnly ? new Map() : undefined),
    rows: listCredit,
  },
  {
    name: 'coupons',
    summary: 'coupons, with limits of use and expiry',
    columns: columns({
      id: ['text', optionalId, idHelp],
      code: ['text', coupon.code, 'the code that customers type; unique in the store, whatever its case'],
      owner: ['text', identifier(), 'who gets the commission, by UUID or username'],
      discount: ['number', coupon.discount, 'percent off'],
      ownerProfit: ['number', coupon.ownerProfit, "the owner's commission in percent"],
      active: ['boolean', coupon.active, 'whether it can be used'],
      bloggersSync: ['boolean', coupon.bloggersSync, 'whether it is kept in step with bloggers'],
      usesPerCustomer: ['integer', integer(0).default(0), 'how often a customer may use it; 0: no limit'],
      expiration: ['text', timestamp().default(never), 'when it expires; empty: never'],
      createdAt: ['text', time, "when it was created: an owner's newest coupon counts"],
    }),
    id: {},
    unique: ({ id, code }) => ({
      ...(id !== undefined && { id: [id as string] }),
      code: [normalisedCode(code as string)],
    }),
    importer: () => coupons,
    rows: (store) =>
      rowsOf(listCoupons(store, undefined), 'sk', (item) => ({
        ...item,
        owner: item.couponOwnerUuid,
        createdAt: createdAtOf(item),
      })),
  },
  {
    name: 'giftcards',
    summary: 'gift cards, including redeemed and purchased ones',
    columns: cardColumns,
    id: {
      // A column with the default and a missing column make the same id, since they mean the same card.
      from: ({ id: _, owner, ...values }, uuidOf) => {
        const said = Object.entries(values).filter(([name, value]) => value !== cardDefaults.get(name));
        return JSON.stringify([uuidOf(owner), said.sort()]);
      },
      repeats: () => true,
    },
    importer: () => giftCards,
    rows: (store) => rowsOf(listStoreCards(store), 'sk', (item) => ({ ...item, owner: item.ownerUuid })),
  },
  {
    name: 'purchases',
    summary:
      'purchases made elsewhere: who bought which product, when and for how much; spend and owned products follow',
    columns: columns({
      id: ['text', by, 'the id of the purchase, such as a transaction key'],
      resident: ['text', identifier(), 'the buyer, by UUID or username'],
      product: ['text', foreignId(), 'the product, by id or as the file of products names it'],
      price: ['integer', integer(0), 'the price that was paid, in whole L$'],
      at: ['text', timeOfSale('purchase'), 'when; not in the future'],
    }),
    id: {
      from: ({ resident, product: bought, price, at }, uuidOf) => JSON.stringify([uuidOf(resident), bought, price, at]),
      repeats: () => true,
      asText: true,
    },
    onlyAdded: true,
    importer: () => purchases,
    rows: (store) =>
      rowsOf(listPurchases(store), 'sk', ({ sk, uuid: buyer, productId, ...item }) => ({
        ...item,
        id: sk,
        resident: buyer,
        product: productId,
      })),
  },
  {
    name: 'sales',
    summary:
      'sales that the service made, refused and refunded ones too; spend, owned products and uses of coupons follow',
    columns: columns({
      id: ['text', foreignId(), idHelp],
      state: ['text', saleState, 'completed, refused or refunded'],
      refusal: ['text', refusal, 'why it was refused, if it was'],
      product: ['text', foreignId(), 'the product, by id or as the file of products names it'],
      buyer: ['text', identifier().optional(), 'who paid, by UUID or username; empty: nobody had the name'],
      recipient: ['text', identifier().optional(), 'who got the product; empty: the buyer'],
      base: ['integer', integer(0), 'the price before the discount, in whole L$'],
      'discount.source': ['text', discountSource, 'none, customer or coupon: whose percentage counted'],
      'discount.percent': ['number', percent, 'the percentage'],
      'discount.couponId': ['text', foreignId().nullable().default(null), 'the coupon whose percentage counted'],
      total: ['integer', integer(0), 'the price after the discount'],
      credit: ['integer', integer(0).default(0), 'the regular store credit that paid'],
      restrictedCredit: ['integer', integer(0).default(0), 'the restricted store credit that paid'],
      paid: ['integer', integer(0), 'the L$ that were paid inworld'],
      refund: ['integer', integer(0).default(0), 'the L$ that the buyer got back in all'],
      change: ['integer', integer(0).default(0), 'the part of it that was due at once'],
      shares: ['saleShares', saleShares(), 'who is owed what: kind user percent L$;kind user percent L$'],
      'coupon.id': ['text', optionalId, 'the coupon of which it is a use'],
      'coupon.couponOwnerUuid': ['text', identifier().optional(), "that coupon's owner"],
      'coupon.ownerProfit': ['number', percent, "that owner's commission in percent"],
      'coupon.usesPerCustomer': ['integer', integer(0).default(0), 'how often a customer could use it; 0: no limit'],
      'taken.regular': ['taken', taken(), 'the regular credit that it took from lots: expiry L$;expiry L$'],
      'taken.restricted': ['taken', taken(), 'the restricted credit that it took from lots'],
      deliveryId: ['text', uuid().nullable().default(null), 'the UUID of its delivery'],
      at: ['text', timeOfSale('sale'), 'when; not in the future'],
      reference: ['text', reference, "the request's own reference"],
      refundedAt: ['text', timeOfSale('sale').optional(), 'when it was refunded, if it was'],
      refundReference: ['text', reference, "the refund's own reference"],
      refundReason: ['text', text({ min: 0, max: 200 }).optional(), 'why it was refunded'],
      request: ['text', text({ min: 0, max: 64 }).default(''), 'tells the request from others under the same id'],
    }),
    checkRow: checkSaleRow,
    id: {},
    onlyAdded: true,
    importer: () => sales,
    rows: listSales,
  },
];
