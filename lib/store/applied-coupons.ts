import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId } from '../clock.ts';
import { isRecorded, transactOnce } from '../table/idempotency.ts';
import type { Key } from '../table/query.ts';
import { pastConflicts, pauseOvertaken, type TransactItem, transact } from '../table/retry.ts';
import { db, findItem, partition, tableName, ttlAttribute } from '../table/table.ts';

/**
 * An application of a coupon to a customer: one for the whole store and one for each product. It is live while
 * `now < expiresAt`, whether or not the table has collected it. Times are as `timestamp` writes them.
 */
export interface Application {
  couponId: string;
  couponOwnerUuid: string;
  expiresAt: string;
}

interface StoredApplication extends Application, Key {
  /** New with every write. */
  application: string;
  /** When the application that this one was written over was to lapse; empty if there was none. */
  earlier: string;
}

export const applicationKey = (store: string, customer: string, productId: string | undefined): Key => ({
  pk: partition(store, 'APPLIED', customer),
  sk: productId === undefined ? 'store' : `product#${productId}`,
});

/** The fields of a new application. */
const written = (application: Application) => ({
  ...application,
  [ttlAttribute]: Math.ceil(Date.parse(application.expiresAt) / 1000),
  application: newId(),
});

/**
 * Writes the application over any earlier one; one write, which also answers when that was to lapse. The SDK may send it
 * again if the answer is lost: `application` keeps it from finding itself as the earlier one.
 */
const writeOver = async (key: Key, application: Application): Promise<string> => {
  const fields = Object.entries(written(application));
  const sets = fields.map(([name]) => `#${name} = :${name}`).join(', ');
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: key,
    UpdateExpression: `SET ${sets}, earlier = if_not_exists(#expiresAt, :none)`,
    ConditionExpression: 'attribute_not_exists(pk) OR #application <> :application',
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ':none': '',
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await pastConflicts(() => db.send(update));
    return (Attributes as StoredApplication).earlier;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    return (unmarshall(error.Item) as StoredApplication).earlier;
  }
};

/**
 * For a request whose answer is recorded with its change, or which writes more: a transaction does not answer, so the application there is
 * read, and what is made of it is written on condition that it is still there. `decide` answers what to write, if
 * anything, and the request's answer.
 */
const decideOnce = async <T>(
  key: Key,
  decide: (seen: StoredApplication | undefined) => { write?: { Put: object } | { Delete: object }; answer: T },
  withIt: TransactItem[] = [],
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    const seen = await findItem<StoredApplication>(key);
    const { write, answer } = decide(seen);
    if (!write) return answer;
    const unchanged = seen
      ? { ConditionExpression: 'application = :seen', ExpressionAttributeValues: { ':seen': seen.application } }
      : { ConditionExpression: 'attribute_not_exists(pk)' };
    const [[operation, target]] = Object.entries(write) as [[string, object]];
    const item = { [operation]: { TableName: tableName(), ...target, ...unchanged } };
    if (!(await transactOnce([item, ...withIt], answer))) return answer;
    await pauseOvertaken(attempt);
  }
};

/**
 * Puts an application in its place, and what must be written with it. `answerOf` makes the request's answer of whether a
 * live one was there at `at`.
 */
export const putApplication = async <T>(
  key: Key,
  application: Application,
  at: string,
  answerOf: (replaced: boolean) => T,
  withIt: TransactItem[],
): Promise<T> => {
  if (!isRecorded() && withIt.length === 0) return answerOf((await writeOver(key, application)) > at);
  return decideOnce(
    key,
    (seen) => ({
      write: { Put: { Item: { ...key, ...written(application) } } },
      answer: answerOf((seen?.expiresAt ?? '') > at),
    }),
    withIt,
  );
};

/** Deletes the application if it is live at `at` and of that coupon, or of that owner. */
export const deleteApplication = async (
  key: Key,
  of: { couponId: string } | { couponOwnerUuid: string },
  at: string,
): Promise<{ revoked: boolean }> => {
  const [[attribute, value]] = Object.entries(of) as [[keyof Application, string]];
  if (isRecorded())
    return decideOnce<{ revoked: boolean }>(key, (seen) =>
      seen && seen[attribute] === value && seen.expiresAt > at
        ? { write: { Delete: { Key: key } }, answer: { revoked: true } }
        : { answer: { revoked: false } },
    );
  // A transaction, for its token: sent again after a lost answer, it neither finds itself nor deletes what came after it.
  const refusals = await transact([
    {
      Delete: {
        TableName: tableName(),
        Key: key,
        ConditionExpression: `${attribute} = :value AND expiresAt > :at`,
        ExpressionAttributeValues: { ':value': value, ':at': at },
      },
    },
  ]);
  return { revoked: !refusals };
};
