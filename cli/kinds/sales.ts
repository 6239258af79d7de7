import type { Identifier } from '../../lib/identifier.ts';
import type { Refusal, SaleState } from '../../lib/routes/sales.ts';
import type { Share, Terms, UsedCoupon } from '../../lib/sale/rules.ts';
import { listedAs, type SaleItem, saleWrites, type Taken } from '../../lib/sale/sales.ts';
import { type CouponUses, countUse, couponUsesKey } from '../../lib/store/coupon-uses.ts';
import { type CustomerItem, customerKey, customerUpsert } from '../../lib/store/customers.ts';
import { productKey } from '../../lib/store/memberships.ts';
import { type OwnedItem, ownedKey, ownedWrite } from '../../lib/store/owned.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { saleKey } from '../../lib/store/sale-state.ts';
import { rankedBy, type SpendItem, spendKey, spendWrite, spentMore } from '../../lib/store/spend.ts';
import type { Write } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany } from '../../lib/table/table.ts';
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

/** A share as a file names its avatar. */
export interface FileShare extends Omit<Share, 'residentUuid'> {
  user: Identifier;
}

export interface SaleFields extends Omit<Terms, 'toPay' | 'coupon' | 'discount'> {
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
  'taken.regular': Taken;
  'taken.restricted': Taken;
  deliveryId: string | null;
  at: string;
  reference?: string | undefined;
  refundedAt?: string | undefined;
  refundReference?: string | undefined;
  refundReason?: string | undefined;
  request: string;
}

interface Sold {
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

/** The sale of a row. It stands in no list of deliveries to be ordered. */
const soldIn = (row: Row<SaleFields>, setting: Setting): Sold => {
  const { store } = setting;
  const { fields } = row;
  const { base, total, credit, restrictedCredit, paid, refund, change, state, at, deliveryId, request } = fields;
  const { reference, refundedAt, refundReference, refundReason } = fields;
  const [buyer, other] = [fields.buyer, fields.recipient].map((named) => named && residentOf(setting, named));
  const recipient = other ?? buyer;
  const productId = idFrom(store, 'products', fields.product);
  const couponId = fields['discount.couponId'];
  const coupon = couponOf(setting, row);
  const taken = { restricted: fields['taken.restricted'], regular: fields['taken.regular'] };
  const key = saleKey(store, fields.id);
  const sale: SaleItem = {
    ...key,
    ...listedAs(store, { ...key, state, at, productId }),
    ...{ state, refusal: fields.refusal ?? null, productId },
    ...{ buyerUuid: buyer?.uuid ?? null, recipientUuid: recipient?.uuid ?? null },
    discount: {
      source: fields['discount.source'],
      percent: fields['discount.percent'],
      couponId: couponId === null ? null : idFrom(store, 'coupons', couponId),
    },
    ...{ base, total, credit, restrictedCredit, paid, refund, change, deliveryId, at, request },
    shares: fields.shares.map(({ user, kind, percent, amount }) => ({
      ...{ residentUuid: residentOf(setting, user).uuid, kind, percent, amount },
    })),
    ...(coupon && { coupon }),
    ...(taken.restricted.length + taken.regular.length > 0 && { taken }),
    ...(reference && { reference }),
    ...(refundedAt && { refundedAt }),
    ...(refundReference && { refundReference }),
    ...(refundReason && { refundReason }),
    imported: true,
  };
  return { row, sale, buyer, recipient };
};

/** The stored items that sales change, read at one moment. */
const readStored = async (store: string, all: readonly Sold[]) => {
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

type Stored = Awaited<ReturnType<typeof readStored>>;

/** The facts of a sale that nothing changes afterwards, in one text. */
const factsOf = ({ productId, buyerUuid, recipientUuid, base, total, paid, change, at, ...sale }: SaleItem): string =>
  JSON.stringify([productId, buyerUuid, recipientUuid, base, total, paid, change, at, sale.refusal]);

/** The fault of a sale that contradicts the table. */
const faultOf = ({ row, sale }: Sold, stored: SaleItem | undefined, isProduct: boolean): Fault | undefined => {
  const { id, product } = row.fields;
  if (stored && factsOf(stored) !== factsOf(sale))
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
const completedWrites = (store: string, some: readonly Sold[], stored: Stored): Write[] => {
  const { buyer, recipient } = some[0] as Sold & { buyer: Resident; recipient: Resident };
  const isForOneself = buyer.uuid === recipient.uuid;
  const named = (one: Resident): Resident => ({
    uuid: one.uuid,
    username: stored.customer(customerKey(store, one.uuid))?.username ?? one.username,
  });
  const sales = some.map(({ sale }) => sale);
  const amounts = sales.map(({ paid, refund, at }) => ({ price: paid - refund, at })).filter(({ price }) => price > 0);
  const bought = Object.entries(Object.groupBy(sales, ({ productId }) => productId)).map(([productId, of = []]) => {
    const key = ownedKey(store, recipient.uuid, productId);
    return { key, owned: stored.owned(key), times: of.map(({ at }) => at) };
  });
  const acquired = bought.filter(({ owned }) => !owned).length;
  const spendOf = ({ uuid }: Resident): SpendItem | undefined => stored.spend(spendKey(store, uuid));
  const spent = spentMore(spendOf(buyer), amounts, isForOneself ? acquired : 0);
  const isSpending = amounts.length > 0 || (isForOneself && acquired > 0);
  const used = Object.entries(Object.groupBy(sales, ({ coupon }) => coupon?.id ?? ''));
  return [
    ...(isSpending ? [spendWrite(store, named(buyer), spendOf(buyer), spent)] : []),
    customerUpsert(store, buyer, isSpending ? { set: rankedBy(spent.sum, buyer.uuid) } : {}),
    ...(isForOneself ? [] : [customerUpsert(store, recipient)]),
    ...(isForOneself || acquired === 0
      ? []
      : [spendWrite(store, named(recipient), spendOf(recipient), spentMore(spendOf(recipient), [], acquired))]),
    ...sales.flatMap((sale) => saleWrites(store, sale)),
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
export const sales: Importer<SaleFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const all = rows.map((row) => soldIn(row, setting));
    const stored = await readStored(store, all);
    const groups: Group<SaleFields>[] = [];
    const byParties = new Map<string, Sold[]>();
    for (const sold of all) {
      const { row, sale } = sold;
      const there = stored.sale(sale);
      const fault = faultOf(sold, there, stored.product(productKey(store, sale.productId)) !== undefined);
      if (fault || there) groups.push({ rows: [row], outcome: fault ?? 'unchanged' });
      else if (sale.state !== 'completed')
        groups.push({ rows: [row], outcome: 'created', writes: saleWrites(store, sale) });
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
