import { type AppliedCoupon, findApplication } from '../../../lib/catalogue/applied-coupons.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import { listEvents } from '../../../lib/events/events.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { appliedImporter } from '../../../lib/operator/imports/applied-coupons.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import { identifier } from '../../../lib/routes/wire.ts';
import { partition } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import { partitionsOf } from '../deployment/scan.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, foreignId, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

/** The applied coupons of a store that are in force, ordered by the customers' UUIDs. */
async function* listApplied(store: string): AsyncGenerator<Values> {
  const at = timestamp(now());
  for (const pk of [...(await partitionsOf(store, 'APPLIED')).keys()].sort())
    for (const { sk, couponId, expiresAt } of await rowsOf<AppliedCoupon>({ partition: pk })({ descending: false })) {
      const [, product] = sk.split('#');
      if (expiresAt > at) yield { resident: pk.slice(pk.lastIndexOf('#') + 1), coupon: couponId, product, expiresAt };
    }
}

/**
 * An old file could bring back an application that its customer has replaced. Events of the last thirty days name each
 * application's coupon and end, and so show one that came back.
 */
const checkApplied: Check = async (store, listener) => {
  const told = new Map<string, string[]>();
  for await (const { data } of everyRow(listEvents(store, ['coupon.applied']), ({ rank }) => rank)) {
    const { customerUuid, productId, couponId, expiresAt } = JSON.parse(data);
    const place = JSON.stringify([customerUuid, productId]);
    told.set(place, [...(told.get(place) ?? []), `${couponId} ${expiresAt}`]);
  }
  return forEvery(told, listener, async ([place, all]) => {
    const [uuid, productId]: [string, string | null] = JSON.parse(place);
    const last = all.at(-1);
    const isSetBack = all.slice(all.indexOf(last ?? '')).some((one) => one !== last);
    const item = isSetBack ? await findApplication(store, uuid, productId ?? undefined) : undefined;
    if (!item || `${item.couponId} ${item.expiresAt}` !== last || item.expiresAt <= timestamp(now())) return [];
    return [`customer ${uuid}: the coupon ${item.code} was set back over another that was applied since.`];
  });
};

export const appliedCoupons: Kind = {
  file: {
    name: 'applied',
    summary: 'coupons that customers have applied, while they are in force',
    columns: columns({
      resident: ['person', identifier(), 'the customer, by UUID or username'],
      coupon: ['text', foreignId(), 'the coupon, by id', 'coupons'],
      product: [
        'text',
        foreignId().optional(),
        'the product that it counts for, by id or as the file of products names it; empty: the whole store',
        'products',
      ],
      expiresAt: ['end', wireTimestamp(), 'until when; a row whose time is over changes nothing'],
    }),
    unique: ({ resident, product }, uuidOf) => ({ resident: [`${uuidOf(resident)} ${product ?? ''}`] }),
    onlyAdded: true,
    importer: () => appliedImporter,
    rows: listApplied,
  },
  audit: [
    {
      what: 'applied coupons',
      check: checkApplied,
      holds: 'none in force was set back over another that its customer chose since',
    },
  ],
  personal: [
    personal<Key>({
      words: ['applied coupon', 'applied coupons'],
      effect: 'deleted',
      find: (store, uuid) => all(rowsOf<Key>({ partition: partition(store, 'APPLIED', uuid) })),
      kept: () => undefined,
    }),
  ],
};
