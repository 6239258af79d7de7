import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { notFound } from '../problem.ts';
import { pastConflicts, pauseOvertaken, transact } from '../table/retry.ts';
import { db, tableName } from '../table/table.ts';
import { codeKey, codeTaken, foldedCode } from './coupon-codes.ts';
import { type Coupon, type CouponFields, type CouponItem, couponKey, flagsOf } from './coupons.ts';

/** Sets the fields of a coupon, provided that its code (folded) is still `expected`. */
const replaceFields = (store: string, id: string, fields: CouponFields, expected: string) => {
  const set = Object.entries({ ...fields, folded: foldedCode(fields.code), flags: flagsOf(store, fields.active) });
  const sets = set.map(([name]) => `#${name} = :${name}`).join(', ');
  return {
    TableName: tableName(),
    Key: couponKey(store, id),
    UpdateExpression: `SET ${sets}, ranked = ${fields.active ? 'rankedOn' : 'rankedOff'}`,
    ConditionExpression: '#folded = :expected',
    ExpressionAttributeNames: Object.fromEntries(set.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      ':expected': expected,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/** The coupon as replaced, or why not: the coupon as it is, with another code than the new one. Throws 404. */
const keepCode = async (store: string, id: string, fields: CouponFields): Promise<{ done: Coupon } | CouponItem> => {
  const update = replaceFields(store, id, fields, foldedCode(fields.code));
  try {
    const { Attributes } = await pastConflicts(() =>
      db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' })),
    );
    return { done: Attributes as CouponItem };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (!error.Item) throw notFound();
    return unmarshall(error.Item) as CouponItem;
  }
};

/** Frees the coupon's code and takes the new one, or does nothing. Answers false if the coupon has got another code. */
const changeCode = async (store: string, coupon: CouponItem, fields: CouponFields): Promise<boolean> => {
  const refusals = await transact([
    { Update: replaceFields(store, coupon.id, fields, coupon.folded) },
    { Delete: { TableName: tableName(), Key: codeKey(store, coupon.folded) } },
    {
      Put: {
        TableName: tableName(),
        Item: { ...codeKey(store, foldedCode(fields.code)), id: coupon.id },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
  ]);
  if (refusals?.[0]?.refused) return false;
  if (refusals) throw codeTaken();
  return true;
};

/**
 * Replaces a coupon's fields; the owner and what only an import sets stay. One write while the code stays the same but
 * for its case; else a transaction that also moves the code. Throws 404, or 400 if another coupon has the code.
 */
export const updateCoupon = async (store: string, id: string, fields: CouponFields): Promise<Coupon> => {
  for (let attempt = 1; ; attempt++) {
    const outcome = await keepCode(store, id, fields);
    if ('done' in outcome) return outcome.done;
    if (await changeCode(store, outcome, fields)) return { ...outcome, ...fields };
    await pauseOvertaken(attempt);
  }
};
