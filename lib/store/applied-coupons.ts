import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId, now, timestamp } from '../clock.ts';
import { invalid, notFound } from '../http/problem.ts';
import type { Identifier } from '../identifier.ts';
import { type CouponChoice, findChosen } from './coupon-choice.ts';
import type { CouponItem } from './coupons.ts';
import { hasProduct } from './products.ts';
import { findResident } from './residents.ts';
import { db, partition, tableName, ttlAttribute } from './table.ts';
import { findVisitor, welcome } from './visitor.ts';

const hourMillis = 3_600_000;

/**
 * An application of a coupon to a customer: one for the whole store and one for each product. It is live while
 * `now < expiresAt`, whether or not the table has collected it.
 */
const appliedKey = (store: string, customer: string, productId: string | undefined) => ({
  pk: partition(store, 'APPLIED', customer),
  sk: productId === undefined ? 'store' : `product#${productId}`,
});

/** The 400 of everybody whom a request names and who does not exist, or nothing. */
const refuseUnknown = (named: Record<string, object | undefined>): void => {
  const unknown = Object.keys(named).filter((name) => named[name] === undefined);
  if (unknown.length > 0) throw invalid(...unknown.map((name) => `${name} names a resident who does not exist.`));
};

const ownerOf = async ({ couponOwnerUuid }: CouponChoice) =>
  couponOwnerUuid === undefined ? {} : { couponOwnerUuid: await findResident({ uuid: couponOwnerUuid }) };

/**
 * Writes the application over any earlier one; one write, which also decides whether that was live. The SDK may send
 * it again if the answer is lost: `application` keeps it from finding itself as the earlier one.
 */
const writeApplication = async (
  key: { pk: string; sk: string },
  { id, couponOwnerUuid }: CouponItem,
  expiresAt: number,
): Promise<{ earlier: string }> => {
  try {
    const { Attributes } = await db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: key,
        UpdateExpression:
          'SET couponId = :id, couponOwnerUuid = :owner, earlier = if_not_exists(expiresAt, :none), ' +
          'expiresAt = :expiresAt, #ttl = :ttl, application = :application',
        ConditionExpression: 'attribute_not_exists(application) OR application <> :application',
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: {
          ':id': id,
          ':owner': couponOwnerUuid,
          ':none': '',
          ':expiresAt': timestamp(expiresAt),
          ':ttl': Math.ceil(expiresAt / 1000),
          ':application': newId(),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return Attributes as { earlier: string };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    return unmarshall(error.Item) as { earlier: string };
  }
};

/**
 * Applies a coupon to a customer. Throws 400 for residents who do not exist and for a coupon that is inactive or
 * expired, 404 for a coupon or product that the store does not have.
 */
export const applyCoupon = async (
  store: string,
  identifier: Identifier,
  { productId, expiresInHours, ...choice }: CouponChoice & { productId?: string | undefined; expiresInHours: number },
) => {
  const at = now();
  const [customer, owner, coupon, hasIt] = await Promise.all([
    findVisitor(store, identifier),
    ownerOf(choice),
    findChosen(store, choice, timestamp(at)),
    productId === undefined || hasProduct(store, productId),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon || !hasIt) throw notFound();
  if (!coupon.active) throw invalid('The coupon is not active.');
  if (coupon.expiration <= timestamp(at)) throw invalid('The coupon has expired.');
  await welcome(store, customer);
  const expiresAt = at + expiresInHours * hourMillis;
  const { earlier } = await writeApplication(appliedKey(store, customer.uuid, productId), coupon, expiresAt);
  return {
    couponId: coupon.id,
    code: coupon.code,
    discount: coupon.discount,
    scope: productId === undefined ? ('store' as const) : ('product' as const),
    ...(productId !== undefined && { productId }),
    customerUuid: customer.uuid,
    customerUsername: customer.username,
    expiresAt: timestamp(expiresAt),
    replaced: earlier > timestamp(at),
  };
};

/**
 * Removes the customer's live application of this coupon (by owner: of any of the owner's coupons) at this scope.
 * Throws 400 for residents who do not exist, 404 for a coupon that the store does not have.
 */
export const revokeCoupon = async (
  store: string,
  identifier: Identifier,
  { productId, ...choice }: CouponChoice & { productId?: string | undefined },
): Promise<{ revoked: boolean }> => {
  const at = timestamp(now());
  const [customer, owner, coupon] = await Promise.all([
    findResident(identifier),
    ownerOf(choice),
    findChosen(store, choice, at),
  ]);
  refuseUnknown({ identifier: customer, ...owner });
  if (!customer || !coupon) throw notFound();
  const [attribute, value] =
    choice.couponOwnerUuid === undefined ? ['couponId', coupon.id] : ['couponOwnerUuid', choice.couponOwnerUuid];
  try {
    await db.send(
      new DeleteCommand({
        TableName: tableName(),
        Key: appliedKey(store, customer.uuid, productId),
        ConditionExpression: `${attribute} = :value AND expiresAt > :at`,
        ExpressionAttributeValues: { ':value': value, ':at': at },
      }),
    );
    return { revoked: true };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { revoked: false };
    throw error;
  }
};
