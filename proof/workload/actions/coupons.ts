import type { Resident } from '../../../lib/avatars/residents.ts';
import * as rows from '../../../lib/routes/coupons.ts';
import { type Action, compare, compareIds, readRow, type World, withOwn, writeRow } from '../action.ts';
import { send } from '../client.ts';

/** Actions on coupons that the client's customers own, and on their applications. Clients compete for some codes. */

const maxCoupons = 10;

const fieldsOf = ({ below }: World, code: string) => ({
  code,
  discount: below(101),
  ownerProfit: below(50) / 2,
  active: below(4) > 0,
  bloggersSync: below(2) === 0,
});

/** A code for which clients compete: within two seconds it differs only in case. */
const wantedCode = ({ below }: World): string => `${below(2) === 0 ? 'Race' : 'RACE'}-${Math.floor(Date.now() / 2000)}`;

const create = async (world: World): Promise<void> => {
  const { service, own, below, unique, pick, customers } = world;
  if (own.coupons.length >= maxCoupons) return update(world);
  const isWanted = below(3) === 0;
  const fields = fieldsOf(world, isWanted ? wantedCode(world) : unique('Code'));
  const owner = pick(customers) as Resident;
  const call = { body: { ...fields, ownerIdentifier: owner.username }, expect: isWanted ? [201, 400] : [201] };
  const answer = await send(service, rows.createCoupon, call);
  if (answer.status !== 201) return;
  const { id } = answer.body;
  const { wins } = service.book;
  if (isWanted) wins.set(fields.code.toLowerCase(), (wins.get(fields.code.toLowerCase()) ?? 0) + 1);
  const known = { ...fields, couponOwnerUuid: owner.uuid, couponOwnerUsername: owner.username, usesPerCustomer: 0 };
  own.coupons.push(id);
  service.book.changed('COUPON', id, known);
  compare(world, `coupon ${id} as created`, answer.body, known);
};

const update = (world: World): Promise<void> =>
  withOwn(world, 'coupons', (id) => {
    const { below, unique, service } = world;
    const { code } = (service.book.rows.COUPON.get(id)?.fields ?? {}) as { code: string };
    // A coupon keeps a contested code: another client might rightly win a freed one.
    const body = fieldsOf(world, below(2) === 0 || /^race/i.test(code) ? code : unique('Code'));
    return writeRow(world, 'COUPON', id, [rows.updateCoupon, { params: { id }, body }], body);
  });

const read = (world: World): Promise<void> =>
  withOwn(world, 'coupons', (id) => readRow(world, 'COUPON', id, [rows.getCoupon, { params: { id } }]));

const place = ({ own, pick, below, customers }: World) => {
  const { uuid } = pick(customers) as Resident;
  const productId = below(2) === 0 ? undefined : pick(own.products);
  return { uuid, productId, key: `${uuid} ${productId === undefined ? 'store' : `product#${productId}`}` };
};

const apply = async (world: World): Promise<void> => {
  const { service, own, pick, below } = world;
  const id = pick(own.coupons);
  if (id === undefined) return;
  const { code, active } = (service.book.rows.COUPON.get(id)?.fields ?? {}) as { code: string; active: boolean };
  const { uuid, productId, key } = place(world);
  const body = {
    ...(below(2) === 0 ? { couponId: id } : { code: code.toUpperCase() }),
    scope: productId === undefined ? 0 : 1,
    productId,
    expiresInHours: 168,
  };
  const call = { params: { identifier: uuid }, body, expect: [active ? 200 : 400] };
  const answer = await send(service, rows.applyCoupon, call);
  if (answer.status !== 200) return;
  const { applied } = service.book;
  service.book.changed('CUSTOMER', uuid, {});
  compare(world, `applying coupon ${id} at ${key}`, answer.body, { couponId: id, code, replaced: applied.has(key) });
  applied.set(key, id);
};

const revoke = async (world: World): Promise<void> => {
  const { service, own, pick } = world;
  const couponId = pick(own.coupons);
  if (couponId === undefined) return;
  const { uuid, productId, key } = place(world);
  const body = { couponId, scope: productId === undefined ? 0 : 1, productId };
  const answer = await send(service, rows.revokeCoupon, { params: { identifier: uuid }, body });
  const revoked = service.book.applied.get(key) === couponId;
  compare(world, `revoking coupon ${couponId} at ${key}`, answer.body, { revoked });
  if (revoked) service.book.applied.delete(key);
};

const listOfOwner = async (world: World): Promise<void> => {
  const { service, own, pick, customers } = world;
  const { uuid, username } = pick(customers) as Resident;
  const { body } = await send(service, rows.listOwnerCoupons, { params: { identifier: username } });
  const known = own.coupons.filter((id) => service.book.rows.COUPON.get(id)?.fields.couponOwnerUuid === uuid);
  compareIds(world, `the coupons of ${username}`, body.data, known);
};

export const couponActions: readonly Action[] = [
  { weight: 3, run: create },
  { weight: 2, run: update },
  { weight: 4, run: read },
  { weight: 4, run: apply },
  { weight: 3, run: revoke },
  { weight: 2, run: listOfOwner },
];
