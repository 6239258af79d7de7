import { timestamp } from '../../lib/clock.ts';
import type { Item } from '../../lib/table/language.ts';
import type { MemoryTable } from '../../test/lib/table/memory.ts';
import type { State, World } from './world.ts';

/** Everything that files and another service can tell about records, at the end of a schedule. */

type Said = Readonly<Record<string, readonly unknown[]>>;

/** The records with their values, as one text sorted by name. */
const textOf = (said: Said): string =>
  JSON.stringify(
    Object.entries(said)
      .filter(([, values]) => values.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** All records that files tell of, as the model has them. */
export const saidInModel = ({ told, products, coupons, avatars }: State, world: World): string =>
  textOf({
    ...Object.fromEntries(world.products.map((id) => [id, [products[id]?.price, products[id]?.active]])),
    ...Object.fromEntries(
      coupons.map(({ id, discount, active, usesPerCustomer }) => [id, [discount, active, usesPerCustomer]]),
    ),
    ...Object.fromEntries(
      world.avatars.flatMap((uuid) => [
        [`${uuid} news`, told.subscribers[uuid] ? [true] : []],
        ...Object.entries(avatars[uuid]?.applications ?? {}).map(([scope, { couponId, expiresAt }]) => [
          `${uuid} ${scope}`,
          [couponId, timestamp(expiresAt)],
        ]),
      ]),
    ),
    ...Object.fromEntries(Object.entries(told.purchases).map(([id, { uuid, price }]) => [id, [uuid, price]])),
  });

/** All records that files tell of, as the table has them. */
export const saidInTable = (
  table: MemoryTable,
  { store, products, coupons, avatars }: World,
  start: number,
): string => {
  const item = (kind: string, sk: string) => table.get({ pk: `${store}#${kind}`, sk }) ?? {};
  const all = (kind: string) => [...(table.partitions.get(`${store}#${kind}`)?.values() ?? [])] as Item[];
  const lasts = ({ expiresAt }: Item): boolean => String(expiresAt) > timestamp(start);
  return textOf({
    ...Object.fromEntries(products.map((id) => [id, [item('PRODUCT', id).price, item('PRODUCT', id).active]])),
    ...Object.fromEntries(
      coupons.map((id) => {
        const { discount, active, usesPerCustomer } = item('COUPON', id);
        return [id, [discount, active, usesPerCustomer]];
      }),
    ),
    ...Object.fromEntries(
      avatars.flatMap((uuid) => [
        [`${uuid} news`, item('CUSTOMER', uuid).newsSubscriber ? [true] : []],
        ...all(`APPLIED#${uuid}`)
          .filter(lasts)
          .map(({ sk, couponId, expiresAt }) => [
            `${uuid} ${String(sk).replace(/^product#/, '')}`,
            [couponId, expiresAt],
          ]),
      ]),
    ),
    ...Object.fromEntries(all('PURCHASE').map(({ sk, uuid, price }) => [String(sk), [uuid, price]])),
  });
};
