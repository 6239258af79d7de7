import * as z from 'zod';
import { now } from '../../../lib/clock.ts';
import { creditTypes } from '../../../lib/credit/rules.ts';
import { findDelivery } from '../../../lib/delivery/deliveries.ts';
import { keepDays } from '../../../lib/delivery/settings.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { shareOf } from '../../../lib/price.ts';
import type { Refusal, SaleState } from '../../../lib/routes/sales.ts';
import { discountSources, refusals, saleStates } from '../../../lib/routes/sales.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer, maxLength, objectUuid, text, uuid } from '../../../lib/routes/wire.ts';
import type { Bonus, Share, Terms, UsedCoupon } from '../../../lib/sale/rules.ts';
import { isOwed, listedAs, listSales, type SaleItem, saleWrite, type TakenCredit } from '../../../lib/sale/sales.ts';
import { orderOf } from '../../../lib/sale/unsent.ts';
import { type CouponUses, countUse, couponUsesKey } from '../../../lib/store/coupon-uses.ts';
import { type CustomerItem, customerKey } from '../../../lib/store/customers.ts';
import { productKey } from '../../../lib/store/memberships.ts';
import { type OwnedItem, ownedKey, ownedWrite } from '../../../lib/store/owned.ts';
import type { Resident } from '../../../lib/store/residents.ts';
import { saleKey } from '../../../lib/store/sale-state.ts';
import { buyerUpsert, type SpendItem, spendWrite, spentMore } from '../../../lib/store/spend.ts';
import { spendKey } from '../../../lib/store/spend-list.ts';
import type { Write } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get, getMany } from '../../../lib/table/table.ts';
import { fixed, type ItemForm, readNumber, readParts } from '../../shared/cells.ts';
import { type Check, forEvery } from './audit.ts';
import { givenChecker } from './audit-given.ts';
import { columns, flag, foreignId, idHelp, optionalId, rowsFrom, timeOfSale, type Values } from './columns.ts';
import type { ImportFile, Kind } from './kind.ts';
import { matching, personal, replaced } from './personal.ts';
import {
  type Fault,
  type Group,
  type Importer,
  idFrom,
  type Row,
  residentOf,
  type Setting,
  unknownReference,
} from './rows.ts';

/** A share of a sale, as a file names its avatar. */
interface FileShare extends Omit<Share, 'residentUuid'> {
  user: Identifier;
}

interface SaleFields extends Omit<Terms, 'toPay' | 'coupon' | 'discount' | 'inGroup'> {
  id: string;
  state: SaleState;
  refusal?: Refusal | undefined;
  /** A product's id, or the text that its id is made of. */
  product: string;
  /** Absent where nobody has the name: then the sale was refused. */
  buyer?: Identifier | undefined;
  /** By default the buyer. */
  recipient?: Identifier | undefined;
  'discount.source': Terms['discount']['source'];
  'discount.percent': number;
  'discount.couponId': string | null;
  paid: number;
  refund: number;
  change: number;
  shares: FileShare[];
  'coupon.id'?: string | undefined;
  'coupon.couponOwnerUuid'?: Identifier | undefined;
  'coupon.ownerProfit': number;
  'coupon.usesPerCustomer': number;
  'taken.regular': TakenCredit;
  'taken.restricted': TakenCredit;
  bonus: number;
  bonusType: Bonus['type'];
  bonusExpiresAt?: string | undefined;
  giftCardId?: string | undefined;
  deliveryId: string | null;
  at: string;
  reference?: string | undefined;
  refundedAt?: string | undefined;
  refundReference?: string | undefined;
  refundReason?: string | undefined;
  payOut: boolean;
  request: string;
  vendorUuid?: string | undefined;
}

interface SaleRow {
  row: Row<SaleFields>;
  sale: SaleItem;
  buyer: Resident | undefined;
  recipient: Resident | undefined;
}

const couponOf = (setting: Setting, { fields }: Row<SaleFields>): UsedCoupon | undefined => {
  const { 'coupon.id': id, 'coupon.couponOwnerUuid': owner } = fields;
  if (id === undefined || !owner) return undefined;
  return {
    id: idFrom(setting.store, 'coupons', id),
    couponOwnerUuid: residentOf(setting, owner).uuid,
    ownerProfit: fields['coupon.ownerProfit'],
    usesPerCustomer: fields['coupon.usesPerCustomer'],
  };
};

const bonusIn = ({ bonus: amount, bonusType: type, bonusExpiresAt: expiresAt }: SaleFields): Bonus | undefined =>
  amount > 0 ? { type, amount, ...(expiresAt !== undefined && { expiresAt }) } : undefined;

/** The sale of a row. It stands in no list of deliveries to be ordered. */
const soldIn = (row: Row<SaleFields>, setting: Setting): SaleRow => {
  const { store } = setting;
  const { fields } = row;
  const { base, total, credit, restrictedCredit, paid, refund, change, state, at, deliveryId, request } = fields;
  const { reference, refundedAt, refundReference, refundReason, payOut, vendorUuid, giftCardId } = fields;
  const [buyer, other] = [fields.buyer, fields.recipient].map((named) => named && residentOf(setting, named));
  const recipient = other ?? buyer;
  const productId = idFrom(store, 'products', fields.product);
  const couponId = fields['discount.couponId'];
  const coupon = couponOf(setting, row);
  const taken = { restricted: fields['taken.restricted'], regular: fields['taken.regular'] };
  const bonus = bonusIn(fields);
  const key = saleKey(store, fields.id);
  const sale: SaleItem = {
    ...key,
    ...listedAs(store, { ...key, state, at, productId, buyerUuid: buyer?.uuid ?? null }),
    state,
    refusal: fields.refusal ?? null,
    productId,
    buyerUuid: buyer?.uuid ?? null,
    recipientUuid: recipient?.uuid ?? null,
    discount: {
      source: fields['discount.source'],
      percent: fields['discount.percent'],
      couponId: couponId === null ? null : idFrom(store, 'coupons', couponId),
    },
    base,
    total,
    credit,
    restrictedCredit,
    paid,
    refund,
    change,
    deliveryId,
    at,
    request,
    shares: fields.shares.map(({ user, kind, percent, amount }) => ({
      residentUuid: residentOf(setting, user).uuid,
      kind,
      percent,
      amount,
    })),
    ...(coupon && { coupon }),
    ...(taken.restricted.length + taken.regular.length > 0 && { taken }),
    ...(bonus && { bonus }),
    ...(giftCardId !== undefined && { giftCardId }),
    ...(reference && { reference }),
    ...(refundedAt && { refundedAt }),
    ...(refundReference && { refundReference }),
    ...(refundReason && { refundReason }),
    ...(vendorUuid && { vendorUuid }),
    ...(payOut && { payOut }),
    imported: true,
  };
  return { row, sale, buyer, recipient };
};

/** The stored items that sales change, read at one moment. */
const readSaleItems = async (store: string, all: readonly SaleRow[]) => {
  const completed = all.filter(({ sale }) => sale.state === 'completed');
  const avatars = completed.flatMap(({ buyer, recipient }) => [buyer?.uuid ?? '', recipient?.uuid ?? '']);
  const read = async <T extends Key>(keys: Key[]): Promise<(key: Key) => T | undefined> => {
    const items = new Map(
      (await getMany<T>(keys, { consistent: true })).map((item) => [`${item.pk} ${item.sk}`, item]),
    );
    return ({ pk, sk }) => items.get(`${pk} ${sk}`);
  };
  const [sale, product, customer, spend, owned, uses] = await Promise.all([
    read<SaleItem>(all.map((sold) => sold.sale)),
    read(all.map((sold) => productKey(store, sold.sale.productId))),
    read<CustomerItem>(avatars.map((uuid) => customerKey(store, uuid))),
    read<SpendItem>(avatars.map((uuid) => spendKey(store, uuid))),
    read<OwnedItem>(completed.map((sold) => ownedKey(store, sold.recipient?.uuid ?? '', sold.sale.productId))),
    read<CouponUses>(
      completed.flatMap(({ buyer, sale: { coupon } }) =>
        coupon && buyer ? [couponUsesKey(store, buyer.uuid, coupon.id)] : [],
      ),
    ),
  ]);
  return { sale, product, customer, spend, owned, uses };
};

type StoredItems = Awaited<ReturnType<typeof readSaleItems>>;

/** The facts of a sale that nothing changes afterwards, in one text. */
const fingerprint = ({
  productId,
  buyerUuid,
  recipientUuid,
  base,
  total,
  paid,
  change,
  at,
  ...sale
}: SaleItem): string =>
  JSON.stringify([productId, buyerUuid, recipientUuid, base, total, paid, change, at, sale.refusal]);

/** The fault of a sale that contradicts the table. */
const saleFault = ({ row, sale }: SaleRow, stored: SaleItem | undefined, isProduct: boolean): Fault | undefined => {
  const { id, product } = row.fields;
  if (stored && fingerprint(stored) !== fingerprint(sale))
    return { field: 'id', value: id, message: 'was recorded already with other values; an import changes no sale' };
  if (stored && sale.state === 'refunded' && stored.state !== 'refunded')
    return {
      field: 'state',
      value: sale.state,
      message: `must be ${stored.state}, as the store has it: refund it with store sales refund ${sale.sk}`,
    };
  if (stored || isProduct || sale.state === 'refused') return undefined;
  return { field: 'product', value: product, message: unknownReference('products') };
};

/** The writes of completed sales of one buyer to one recipient: sales, spend, owned products and uses of coupons. */
const completedWrites = (store: string, some: readonly SaleRow[], stored: StoredItems): Write[] => {
  const { buyer, recipient } = some[0] as SaleRow & { buyer: Resident; recipient: Resident };
  const isForOneself = buyer.uuid === recipient.uuid;
  const customerOf = ({ uuid }: Resident): CustomerItem | undefined => stored.customer(customerKey(store, uuid));
  const spendOf = ({ uuid }: Resident): SpendItem | undefined => stored.spend(spendKey(store, uuid));
  const spend = (one: Resident, ...[amounts, acquired]: [Parameters<typeof spentMore>[1], number]): Write => {
    const { username = one.username, newsSubscriber } = customerOf(one) ?? {};
    const after = spentMore(spendOf(one), amounts, acquired);
    return spendWrite(store, { uuid: one.uuid, username }, spendOf(one), after, newsSubscriber);
  };
  const sales = some.map(({ sale }) => sale);
  const amounts = sales.map(({ paid, refund, at }) => ({ price: paid - refund, at })).filter(({ price }) => price > 0);
  const bought = Object.entries(Object.groupBy(sales, ({ productId }) => productId)).map(([productId, of = []]) => {
    const key = ownedKey(store, recipient.uuid, productId);
    return { key, owned: stored.owned(key), times: of.map(({ at }) => at) };
  });
  const acquired = bought.filter(({ owned }) => !owned).length;
  const isSpending = amounts.length > 0 || (isForOneself && acquired > 0);
  const used = Object.entries(Object.groupBy(sales, ({ coupon }) => coupon?.id ?? ''));
  return [
    ...(isSpending ? [spend(buyer, amounts, isForOneself ? acquired : 0)] : []),
    buyerUpsert(store, buyer, customerOf(buyer)),
    ...(isForOneself ? [] : [buyerUpsert(store, recipient, customerOf(recipient))]),
    ...(isForOneself || acquired === 0 ? [] : [spend(recipient, [], acquired)]),
    ...sales.map(saleWrite),
    ...bought.map(({ key, owned, times }) => ownedWrite(key, owned, times)),
    ...used.flatMap(([couponId, of = []]) => {
      const key = couponUsesKey(store, buyer.uuid, couponId);
      return couponId === '' ? [] : [countUse(key, stored.uses(key), of.length)];
    }),
  ];
};

/** A transaction takes 100 items: four of buyer and recipient, and at most four for each of 24 sales. */
const together = 24;

/**
 * Sales. One transaction records completed sales of one buyer, their spend, the products owned and the uses of coupons.
 * No delivery follows, and credit and stock stay, since the files of customers' credit and of products have those.
 */
const saleImporter: Importer<SaleFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const all = rows.map((row) => soldIn(row, setting));
    const stored = await readSaleItems(store, all);
    const groups: Group<SaleFields>[] = [];
    const byParties = new Map<string, SaleRow[]>();
    for (const sold of all) {
      const { row, sale } = sold;
      const there = stored.sale(sale);
      const fault = saleFault(sold, there, stored.product(productKey(store, sale.productId)) !== undefined);
      if (fault || there) groups.push({ rows: [row], outcome: fault ?? 'unchanged' });
      else if (sale.state !== 'completed') groups.push({ rows: [row], outcome: 'created', writes: [saleWrite(sale)] });
      else {
        const parties = `${sale.buyerUuid} ${sale.recipientUuid}`;
        byParties.set(parties, [...(byParties.get(parties) ?? []), sold]);
      }
    }
    // A round writes one transaction for each buyer and each recipient. The next round plans the rest.
    for (const theirs of byParties.values())
      for (let i = 0; i < theirs.length; i += together) {
        const some = theirs.slice(i, i + together);
        const writes = completedWrites(store, some, stored);
        groups.push({ rows: some.map(({ row }) => row), outcome: 'created', writes });
      }
    return groups;
  },
};

const saleState = z.enum(saleStates, { error: 'must be completed, refused or refunded' }).default('completed');
const refusal = z.enum(refusals, { error: `must be one of ${refusals.join(', ')}` }).optional();
const discountSource = z
  .enum(discountSources, { error: `must be one of ${discountSources.join(', ')}` })
  .default('none');
const bonusType = z.enum(creditTypes, { error: 'must be regular or restricted' }).default('restricted');
const percent = z
  .number({ error: 'must be a number from 0 to 100' })
  .min(0, { error: 'must be a number from 0 to 100' })
  .max(100, { error: 'must be a number from 0 to 100' })
  .default(0);
const reference = text({ min: 0, max: maxLength.reference }).optional();

/** A share of a sale as CSV: commission ada.lovelace 10 25. */
const shareForm: ItemForm<Share> = {
  read: (item) =>
    readParts(
      item,
      ([kind = '', residentUuid = '', percent = '', amount = '']) => ({
        residentUuid,
        kind,
        percent: readNumber(percent),
        amount: readNumber(amount),
      }),
      4,
    ),
  write: ({ kind, residentUuid, percent, amount }) => `${kind} ${residentUuid} ${fixed(percent)} ${amount}`,
};

const saleShareWords =
  'must be shares as kind, avatar, percent and L$, such as commission ada.lovelace 10 25;share bob 40 100';

/** The shares of a sale, as the API writes them. */
const saleShares = () =>
  z
    .array(
      z
        .object(
          {
            residentUuid: identifier(),
            kind: z.enum(['commission', 'share'], { error: saleShareWords }),
            percent: z.number({ error: saleShareWords }).min(0).max(100),
            amount: integer(0),
          },
          { error: saleShareWords },
        )
        .transform(({ residentUuid, ...share }): FileShare => ({ user: residentUuid, ...share })),
      { error: saleShareWords },
    )
    .default([]);

/** Credit from a lot as CSV: 2030-01-31T00:00:00.000Z 30. */
const takenForm: ItemForm<{ expiresAt: string; amount: number }> = {
  read: (item) => readParts(item, ([expiresAt = '', amount = '']) => ({ expiresAt, amount: readNumber(amount) }), 2),
  write: ({ expiresAt, amount }) => `${expiresAt} ${amount}`,
};

const takenWords = 'must be amounts with the end of their lot, such as 2030-01-31T00:00:00.000Z 30';

/** Credit that a sale took from lots. */
const taken = () =>
  z
    .array(
      z
        .object({ expiresAt: timestamp(), amount: integer(1) }, { error: takenWords })
        .transform(({ expiresAt, amount }): TakenCredit[number] => [expiresAt, amount]),
      { error: takenWords },
    )
    .default([]);

type Report = (field: string, message: string) => void;

/** The state of a sale says if it was refused, to whom it was, and when it was refunded. */
const checkState = ({ state, refusal, buyer, at, refundedAt, payOut }: SaleFields, report: Report): void => {
  const isRefused = state === 'refused';
  if (isRefused !== (refusal !== undefined))
    report('refusal', isRefused ? 'must say why the sale was refused' : 'must be empty unless the sale was refused');
  if (!isRefused && !buyer) report('buyer', 'must not be empty unless the sale was refused');
  if ((state === 'refunded') !== (refundedAt !== undefined))
    report('refundedAt', 'must be there where the state is refunded, and only there');
  else if (refundedAt !== undefined && refundedAt < at) report('refundedAt', 'must not be before the sale');
  if (payOut && state !== 'refunded') report('payOut', 'must be false or empty unless the sale was refunded');
};

/** The price, what paid for it and what was given back come to the same. */
const checkMoney = (fields: SaleFields, report: Report): void => {
  const { state, base, total, credit, restrictedCredit, paid, refund, change } = fields;
  const isRefused = state === 'refused';
  if (total > base) report('total', 'must be at most the base');
  const due = state === 'completed' ? change : paid;
  if (refund !== due) report('refund', `must be ${due}: ${state === 'completed' ? 'the change' : 'all that was paid'}`);
  if (change > paid || (isRefused && change !== paid))
    report('change', isRefused ? `must be ${paid}: all that was paid` : 'must be at most what was paid');
  if (!isRefused && total !== credit + restrictedCredit + paid - change)
    report('total', 'must be the credit, the restricted credit and what was paid less the change, together');
};

/** The shares, and the credit of lots, are of what was paid. */
const checkParts = (fields: SaleFields, report: Report): void => {
  const { state, paid, change, shares, credit, restrictedCredit, bonus } = fields;
  if (bonus > (state === 'refused' ? 0 : paid - change))
    report('bonus', 'must be at most what was paid less the change');
  const shared = shares.reduce((sum, { amount }) => sum + amount, 0);
  if (shared > (state === 'refused' ? 0 : paid - change))
    report('shares', 'must be at most what was paid less the change');
  if ((fields['coupon.id'] === undefined) !== (fields['coupon.couponOwnerUuid'] === undefined))
    report('coupon.couponOwnerUuid', 'must be there where there is a coupon.id, and only there');
  for (const [name, most] of [
    ['taken.regular', credit],
    ['taken.restricted', restrictedCredit],
  ] as const)
    if (fields[name].reduce((sum, [, amount]) => sum + amount, 0) > most)
      report(name, 'must be at most the credit that paid');
};

/** A sale adds up as the service makes them. */
const checkSaleRow: ImportFile['checkRow'] = (row, report) => {
  const fields = row as unknown as SaleFields;
  checkState(fields, report);
  checkMoney(fields, report);
  checkParts(fields, report);
};

const lotPart = ([expiresAt, amount]: TakenCredit[number]) => ({ expiresAt, amount });

/** The sales of a store, in the order of their ids. */
const listSaleRows = (store: string): AsyncGenerator<Values> =>
  rowsFrom(listSales(store), 'sk', ({ sk, productId, buyerUuid, recipientUuid, shares, taken, bonus, ...sale }) => ({
    payOut: false,
    ...sale,
    ...(bonus && { bonus: bonus.amount, bonusType: bonus.type, bonusExpiresAt: bonus.expiresAt }),
    id: sk,
    product: productId,
    buyer: buyerUuid,
    recipient: recipientUuid,
    // The table keeps the members of an object in no order.
    shares: shares.map(({ residentUuid, kind, percent, amount }) => ({ residentUuid, kind, percent, amount })),
    taken: taken && { regular: taken.regular.map(lotPart), restricted: taken.restricted.map(lotPart) },
  }));

/** Sales that they paid for, got the product of, or have a part in. */
export const findSales = (store: string, uuid: string): Promise<SaleItem[]> =>
  matching(listSales(store), ({ buyerUuid, recipientUuid, shares, coupon }) =>
    [buyerUuid, recipientUuid, coupon?.couponOwnerUuid, ...shares.map((share) => share.residentUuid)].includes(uuid),
  );

const sharesFaults = ({ shares, paid, change, state }: SaleItem): string[] => {
  let left = state === 'refused' ? 0 : paid - change;
  const kept = left;
  return shares.flatMap(({ residentUuid, kind, percent, amount }) => {
    const due = Math.min(shareOf(kept, percent), left);
    left -= amount;
    return amount === due ? [] : [`owes ${residentUuid} L$ ${amount} as ${kind}, not L$ ${due}`];
  });
};

/** The rules that a sale keeps by itself. Answers what is wrong, a sentence each. */
const saleFaults = (store: string, sale: SaleItem): string[] => {
  const { sk, state, refusal, total, credit, restrictedCredit, paid, refund, change, refundedAt, bonus } = sale;
  const faults = sharesFaults(sale);
  if (bonus && (bonus.amount < 1 || bonus.amount > (state === 'refused' ? 0 : paid - change)))
    faults.push(`gives a bonus of L$ ${bonus.amount} for L$ ${paid - change}`);
  if ((state === 'refused') !== (refusal !== null)) faults.push(`is ${state}, with the refusal ${refusal}`);
  if ((state === 'refunded') !== (refundedAt !== undefined)) faults.push(`is ${state}, refunded at ${refundedAt}`);
  if (state !== 'refused' && credit + restrictedCredit + paid - change !== total)
    faults.push(`costs L$ ${total}, but L$ ${credit + restrictedCredit + paid - change} paid for it`);
  const due = state === 'completed' ? change : paid;
  if (refund !== due) faults.push(`gives L$ ${refund} back, not L$ ${due}`);
  for (const [name, place] of Object.entries(listedAs(store, sale)))
    if (sale[name as keyof SaleItem] !== place)
      faults.push(`is listed at ${sale[name as keyof SaleItem]}, not ${place}`);
  return faults.map((fault) => `sale ${sk}: ${fault}.`);
};

/** Each sale adds up, its shares are those of what it kept, it gave its bonus and card, and it stands in its lists. */
export const checkSales: Check = (store, listener) => {
  const checkGiven = givenChecker(store);
  return forEvery(
    everyRow(listSales(store), ({ sk }) => sk),
    listener,
    async ({ sk }) => {
      const sale = await get<SaleItem>(saleKey(store, sk));
      return sale ? [...saleFaults(store, sale), ...(await checkGiven(sale))] : [];
    },
  );
};

/** True once a worker has the delivery of a sale. */
const wasTried = async (sale: SaleItem): Promise<boolean> => {
  const { store, id } = orderOf(sale);
  return (await findDelivery(store, id)) !== undefined;
};

export const saleItems = personal<SaleItem>({
  words: ['sale', 'sales'],
  effect: 'pseudonym; where they bought or received, note and references go',
  find: findSales,
  // Once an avatar is erased, nothing orders the delivery, and a message that is on its way has their name.
  blocker: async (sale) =>
    isOwed(sale) && Date.parse(sale.at) > now() - keepDays * 86_400_000 && !(await wasTried(sale))
      ? `The delivery of the sale ${sale.sk} has not begun yet. Wait until it has: the next sweeps order it (store sweep).`
      : undefined,
  // Who only has a share of it wrote none of its texts, and its refund still finds its reference.
  kept: (item, { store, uuid, pseudonym }) => {
    const { message, reference, refundReference, recipientUsername, ...rest } = item;
    const isTheirs = item.buyerUuid === uuid || item.recipientUuid === uuid;
    const sale = replaced(isTheirs ? rest : item, uuid, pseudonym) as SaleItem;
    return { ...sale, ...listedAs(store, sale) };
  },
});

/** Sales that the service made. */
export const sales: Kind = {
  file: {
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
      'discount.source': ['text', discountSource, 'none, coupon, customer, tier or group: whose percentage counted'],
      'discount.percent': ['number', percent, 'the percentage'],
      'discount.couponId': ['text', foreignId().nullable().default(null), 'the coupon whose percentage counted'],
      total: ['integer', integer(0), 'the price after the discount'],
      credit: ['integer', integer(0).default(0), 'the regular store credit that paid'],
      restrictedCredit: ['integer', integer(0).default(0), 'the restricted store credit that paid'],
      paid: ['integer', integer(0), 'the L$ that were paid inworld'],
      refund: ['integer', integer(0).default(0), 'the L$ that the buyer got back in all'],
      change: ['integer', integer(0).default(0), 'the part of it that was due at once'],
      shares: [shareForm, saleShares(), 'who is owed what: kind user percent L$;kind user percent L$'],
      'coupon.id': ['text', optionalId, 'the coupon of which it is a use'],
      'coupon.couponOwnerUuid': ['text', identifier().optional(), "that coupon's owner"],
      'coupon.ownerProfit': ['number', percent, "that owner's commission in percent"],
      'coupon.usesPerCustomer': ['integer', integer(0).default(0), 'how often a customer could use it; 0: no limit'],
      'taken.regular': [takenForm, taken(), 'the regular credit that it took from lots: expiry L$;expiry L$'],
      'taken.restricted': [takenForm, taken(), 'the restricted credit that it took from lots'],
      bonus: ['integer', integer(0).default(0), 'the credit that it gave to the buyer'],
      bonusType: ['text', bonusType, 'regular or restricted'],
      bonusExpiresAt: ['text', timestamp().optional(), 'when that credit expires; empty: never'],
      giftCardId: ['text', uuid().optional(), 'the UUID of the gift card that it made'],
      deliveryId: ['text', uuid().nullable().default(null), 'the UUID of its delivery'],
      at: ['text', timeOfSale('sale'), 'when; not in the future'],
      reference: ['text', reference, "the request's own reference"],
      refundedAt: ['text', timeOfSale('sale').optional(), 'when it was refunded, if it was'],
      refundReference: ['text', reference, "the refund's own reference"],
      refundReason: ['text', text({ min: 0, max: maxLength.reason }).optional(), 'why it was refunded'],
      payOut: ['boolean', flag, 'whether its refund was owed to the buyer, to be paid out'],
      request: ['text', text({ min: 0, max: 64 }).default(''), 'tells the request from others under the same id'],
      vendorUuid: ['text', objectUuid().optional(), 'the object inworld that sold it'],
    }),
    checkRow: checkSaleRow,
    id: {},
    onlyAdded: true,
    importer: () => saleImporter,
    rows: listSaleRows,
  },
  personal: [saleItems],
  audit: [
    {
      what: 'sales',
      check: checkSales,
      holds:
        'price = credit + what was paid; shares are those of what was kept; bonus and gift card were given; each is in its lists',
    },
  ],
};
