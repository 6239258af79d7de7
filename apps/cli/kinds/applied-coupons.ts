import { now, timestamp } from '../../../lib/clock.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import { identifier } from '../../../lib/routes/wire.ts';
import type { AppliedCoupon } from '../../../lib/store/applied-coupons.ts';
import { type CouponItem, couponKey } from '../../../lib/store/coupons.ts';
import { productKey } from '../../../lib/store/memberships.ts';
import { type Key, partition, ttlAttribute } from '../../../lib/table/schema.ts';
import { getMany, rowsOf } from '../../../lib/table/table.ts';
import { partitionsOf } from '../deployment/scan.ts';
import { columns, foreignId, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';
import {
  type Fault,
  type Group,
  type Importer,
  idFrom,
  type Row,
  replacing,
  residentOf,
  type Setting,
  unknownReference,
} from './rows.ts';

interface AppliedFields {
  resident: Identifier;
  coupon: string;
  product?: string;
  expiresAt: string;
}

const keyOf = ({ fields }: Row<AppliedFields>, setting: Setting): Key => {
  const { resident, product } = fields;
  const scope = product === undefined ? 'store' : `product#${idFrom(setting.store, 'products', product)}`;
  return { pk: partition(setting.store, 'APPLIED', residentOf(setting, resident).uuid), sk: scope };
};

const unknownCoupon = 'must be a coupon of the store, by UUID or by the id of its row: import coupons first';

/** A row whose time is over changes nothing, nor does one that is there with a later time. */
const appliedGroup = (
  row: Row<AppliedFields>,
  setting: Setting,
  itemAt: (key: Key) => Key | undefined,
): Group<AppliedFields> => {
  const { coupon: couponText, product, expiresAt, resident } = row.fields;
  const { store } = setting;
  const couponId = idFrom(store, 'coupons', couponText);
  const coupon = itemAt(couponKey(store, couponId)) as CouponItem | undefined;
  const fault = (field: string, value: string, message: string): Group<AppliedFields> => {
    const outcome: Fault = { field, value, message };
    return { rows: [row], outcome };
  };
  if (!coupon) return fault('coupon', couponText, unknownCoupon);
  if (product !== undefined && !itemAt(productKey(store, idFrom(store, 'products', product))))
    return fault('product', product, unknownReference('products'));
  const stored = itemAt(keyOf(row, setting)) as AppliedCoupon | undefined;
  if (expiresAt <= timestamp(now()) || (stored && stored.expiresAt >= expiresAt))
    return { rows: [row], outcome: 'unchanged' };
  const customer = residentOf(setting, resident);
  const item = {
    ...keyOf(row, setting),
    couponId,
    code: coupon.code,
    discount: coupon.discount,
    couponOwnerUuid: coupon.couponOwnerUuid,
    username: customer.username,
    expiresAt,
    earlier: '',
    [ttlAttribute]: Math.ceil(Date.parse(expiresAt) / 1000),
  };
  return {
    rows: [row],
    outcome: stored ? 'changed' : 'created',
    writes: replacing<Key>(stored, item),
    customers: [customer],
  };
};

/** Coupons that customers have applied, with the values of their coupons. */
const appliedImporter: Importer<AppliedFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const keys = rows.flatMap((row) => [
      keyOf(row, setting),
      couponKey(store, idFrom(store, 'coupons', row.fields.coupon)),
      ...(row.fields.product === undefined ? [] : [productKey(store, idFrom(store, 'products', row.fields.product))]),
    ]);
    const unique = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
    const items = await getMany<Key>(unique, { consistent: true });
    const found = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
    return rows.map((row) => appliedGroup(row, setting, ({ pk, sk }) => found.get(`${pk} ${sk}`)));
  },
};

/** The applications of a store that are in force, in the order of the customers' UUIDs. */
async function* listApplied(store: string): AsyncGenerator<Values> {
  const at = timestamp(now());
  for (const pk of [...(await partitionsOf(store, 'APPLIED')).keys()].sort())
    for (const { sk, couponId, expiresAt } of await rowsOf<AppliedCoupon>({ partition: pk })({ descending: false })) {
      const [, product] = sk.split('#');
      if (expiresAt > at) yield { resident: pk.slice(pk.lastIndexOf('#') + 1), coupon: couponId, product, expiresAt };
    }
}

/** Coupons that customers have applied for their next purchases. */
export const appliedCoupons: Kind = {
  file: {
    name: 'applied',
    summary: 'coupons that customers have applied, while they are in force',
    columns: columns({
      resident: ['text', identifier(), 'the customer, by UUID or username'],
      coupon: ['text', foreignId(), 'the coupon, by id'],
      product: [
        'text',
        foreignId().optional(),
        'the product that it counts for, by id or as the file of products names it; empty: the whole store',
      ],
      expiresAt: ['text', wireTimestamp(), 'until when; a row whose time is over changes nothing'],
    }),
    unique: ({ resident, product }, uuidOf) => ({ resident: [`${uuidOf(resident)} ${product ?? ''}`] }),
    onlyAdded: true,
    importer: () => appliedImporter,
    rows: listApplied,
  },
  personal: [
    personal<Key>({
      words: ['applied coupon', 'applied coupons'],
      effect: 'deleted',
      find: (store, uuid) => all(rowsOf<Key>({ partition: partition(store, 'APPLIED', uuid) })),
      kept: () => undefined,
    }),
  ],
};
