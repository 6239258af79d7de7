import type { CustomerItem } from '../../avatars/customers.ts';
import { type OwnedItem, ownedWrite } from '../../avatars/owned.ts';
import type { Resident } from '../../avatars/residents.ts';
import { buyerUpsert, type SpendItem, spendWrite, spentMore } from '../../avatars/spend.ts';
import { type CouponUses, countUse } from '../../catalogue/coupon-uses.ts';
import type { CreditType } from '../../credit/rules.ts';
import type { Refusal, SaleState } from '../../routes/sales.ts';
import type { Bonus, Share, Terms, UsedCoupon } from '../../sale/rules.ts';
import { listedAs, type SaleItem, saleWrite, type TakenCredit } from '../../sale/sales.ts';
import { couponUsesKey, customerKey, ownedKey, productKey, saleKey, spendKey } from '../../table/keys.ts';
import type { Write } from '../../table/language.ts';
import { type Fault, type Group, type Importer, type Row, readItems, unknownReference } from './rows.ts';

/** A sale as a row tells it. */
export interface SaleFields extends Omit<Terms, 'toPay' | 'coupon' | 'inGroup'> {
  id: string;
  state: SaleState;
  refusal?: Refusal | undefined;
  /** A product's id. */
  product: string;
  /** Missing if nobody has the name: then the sale was refused. */
  buyer?: Resident | undefined;
  /** By default the buyer. */
  recipient?: Resident | undefined;
  paid: number;
  refund: number;
  change: number;
  /** Either all three are given, or none. */
  changePaid?: { transactionId?: string | undefined; amount?: number | undefined; at?: string | undefined };
  shares: (Omit<Share, 'residentUuid'> & { user: Resident })[];
  /** The used coupon, if the sale used one. */
  coupon: Omit<UsedCoupon, 'id' | 'couponOwnerUuid'> & {
    id?: string | undefined;
    couponOwnerUuid?: Resident | undefined;
  };
  taken: Record<CreditType, TakenCredit>;
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

const couponOf = ({ coupon: { id, couponOwnerUuid: owner, ...terms } }: SaleFields): UsedCoupon | undefined =>
  id === undefined || !owner ? undefined : { id, couponOwnerUuid: owner.uuid, ...terms };

const bonusIn = ({ bonus: amount, bonusType: type, bonusExpiresAt: expiresAt }: SaleFields): Bonus | undefined =>
  amount > 0 ? { type, amount, ...(expiresAt !== undefined && { expiresAt }) } : undefined;

const changePaidIn = ({ changePaid: { transactionId, amount, at } = {} }: SaleFields): SaleItem['changePaid'] =>
  transactionId !== undefined && amount !== undefined && at !== undefined ? { transactionId, amount, at } : undefined;

/** The sale of a row. Nothing orders its delivery. */
const soldIn = (row: Row<SaleFields>, store: string): SaleRow => {
  const { fields } = row;
  const { id, product: productId, buyer, recipient = buyer, shares, taken, bonusType: _, bonusExpiresAt: __ } = fields;
  const { reference, refundedAt, refundReference, refundReason, payOut, vendorUuid, giftCardId } = fields;
  const { state, base, total, credit, restrictedCredit, paid, refund, change, deliveryId, at, request } = fields;
  const [coupon, bonus, changePaid] = [couponOf(fields), bonusIn(fields), changePaidIn(fields)];
  const sold = { ...saleKey(store, id), state, at, productId, buyerUuid: buyer?.uuid ?? null };
  const sale: SaleItem = {
    ...sold,
    ...listedAs(store, sold),
    refusal: fields.refusal ?? null,
    recipientUuid: recipient?.uuid ?? null,
    discount: fields.discount,
    base,
    total,
    credit,
    restrictedCredit,
    paid,
    refund,
    change,
    deliveryId,
    request,
    shares: shares.map(({ user, ...share }) => ({ residentUuid: user.uuid, ...share })),
    ...(coupon && { coupon }),
    ...(taken.restricted.length + taken.regular.length > 0 && { taken }),
    ...(bonus && { bonus }),
    ...(changePaid && { changePaid }),
    ...(giftCardId !== undefined && { giftCardId }),
    ...(reference && { reference }),
    ...(refundedAt && { refundedAt }),
    ...(refundReference && { refundReference }),
    ...(refundReason && { refundReason }),
    ...(vendorUuid && { vendorUuid }),
    ...(payOut && { payOut }),
    imported: state === 'refunded' ? 'refunded' : true,
  };
  return { row, sale, buyer, recipient };
};

/** The stored items that sales change, read consistently. */
const readSaleItems = async (store: string, all: readonly SaleRow[]) => {
  const completed = all.filter(({ sale }) => sale.state === 'completed');
  const avatars = completed.flatMap(({ buyer, recipient }) => [buyer?.uuid ?? '', recipient?.uuid ?? '']);
  const [sale, product, customer, spend, owned, uses] = await Promise.all([
    readItems<SaleItem>(all.map((sold) => sold.sale)),
    readItems(all.map((sold) => productKey(store, sold.sale.productId))),
    readItems<CustomerItem>(avatars.map((uuid) => customerKey(store, uuid))),
    readItems<SpendItem>(avatars.map((uuid) => spendKey(store, uuid))),
    readItems<OwnedItem>(completed.map((sold) => ownedKey(store, sold.recipient?.uuid ?? '', sold.sale.productId))),
    readItems<CouponUses>(
      completed.flatMap(({ buyer, sale: { coupon } }) =>
        coupon && buyer ? [couponUsesKey(store, buyer.uuid, coupon.id)] : [],
      ),
    ),
  ]);
  return { sale, product, customer, spend, owned, uses };
};

type StoredItems = Awaited<ReturnType<typeof readSaleItems>>;

/** The facts of a sale that nothing changes afterwards, as one text. */
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

/** The writes of one buyer's completed sales to one recipient: sales, spend, owned products and uses of coupons. */
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

/** A transaction takes 100 items: four for buyer and recipient, and at most four for each of 24 sales. */
const together = 24;

/**
 * Sales. One transaction records completed sales of one buyer, with their spend, the products owned and the uses of
 * coupons. No delivery follows. Credit and stock do not change: the files of credit and of products have them.
 */
export const saleImporter: Importer<SaleFields> = {
  plan: async (rows, { store }) => {
    const all = rows.map((row) => soldIn(row, store));
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
    // A round writes one transaction for each buyer and recipient. The next round plans the rest.
    for (const theirs of byParties.values())
      for (let i = 0; i < theirs.length; i += together) {
        const some = theirs.slice(i, i + together);
        const writes = completedWrites(store, some, stored);
        groups.push({ rows: some.map(({ row }) => row), outcome: 'created', writes });
      }
    return groups;
  },
};
