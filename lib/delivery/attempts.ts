import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { now, timestamp } from '../clock.ts';
import { pastConflicts } from '../table/retry.ts';
import { db, tableName } from '../table/table.ts';
import {
  type Delivery,
  type DeliveryState,
  deliveryKey,
  keepUntil,
  movedTo,
  positionOfDelivery,
} from './deliveries.ts';
import type { Order } from './message.ts';

/**
 * Takes a delivery up for one attempt, with its record made if this is the first. No other worker can for `leaseMillis`.
 * `taken` is false, with the record as it is, where it is over already or another worker has it.
 */
export const takeUp = async (
  { kind: _, ...order }: Order,
  leaseMillis: number,
): Promise<{ taken: boolean; delivery: Delivery }> => {
  const { store, id } = order;
  const fixed = Object.entries({
    ...order,
    rank: positionOfDelivery(order),
    expiresAt: keepUntil(Date.parse(order.createdAt)),
  });
  const { set, names, values } = movedTo(store, 'queued');
  try {
    const { Attributes } = await pastConflicts(() =>
      db.send(
        new UpdateCommand({
          TableName: tableName(),
          Key: deliveryKey(store, id),
          UpdateExpression: `SET ${set}, ${fixed.map(([name]) => `#${name} = if_not_exists(#${name}, :${name})`).join(', ')} ADD attempts :one, inARow :one`,
          ConditionExpression: 'attribute_not_exists(pk) OR (#state IN (:state, :waiting) AND leaseUntil <= :now)',
          ExpressionAttributeNames: { ...names, ...Object.fromEntries(fixed.map(([name]) => [`#${name}`, name])) },
          ExpressionAttributeValues: {
            ...values,
            ...Object.fromEntries(fixed.map(([name, value]) => [`:${name}`, value])),
            ':one': 1,
            ':waiting': 'waiting',
            ':now': timestamp(now()),
            ':lease': timestamp(now() + leaseMillis),
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
    return { taken: true, delivery: Attributes as Delivery };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    return { taken: false, delivery: unmarshall(error.Item) as Delivery };
  }
};

/** The update that ends an attempt. It is refused where a later attempt has begun, whose word then counts. */
export const ended = ({ store, id, attempts }: Delivery, state: DeliveryState, error: string, alsoSet = '') => {
  const { set, names, values } = movedTo(store, state);
  return {
    TableName: tableName(),
    Key: deliveryKey(store, id),
    UpdateExpression: `SET ${set}, lastError = :error${alsoSet}`,
    ConditionExpression: '#state = :queued AND attempts = :attempts',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':error': error, ':queued': 'queued', ':attempts': attempts },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/** Whether the attempt could end so, perhaps by an update whose answer was lost; false where a later one has overtaken it. */
const unlessOvertaken = async (update: ReturnType<typeof ended>): Promise<boolean> => {
  try {
    await pastConflicts(() => db.send(new UpdateCommand(update)));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { state, attempts } = error.Item ? (unmarshall(error.Item) as Delivery) : {};
    const { ':state': wanted, ':attempts': ours } = update.ExpressionAttributeValues;
    return state === wanted && attempts === ours;
  }
};

/** The attempt failed; another will be made. */
export const letGo = (delivery: Delivery, error: string): Promise<boolean> =>
  unlessOvertaken(ended(delivery, 'queued', error));

export const failDelivery = (delivery: Delivery, error: string): Promise<boolean> =>
  unlessOvertaken(ended(delivery, 'failed', error));

/** The item was given. That counts, whatever a later attempt says or has said. */
export const completeDelivery = async ({ store, id }: Delivery): Promise<void> => {
  const { set, names, values } = movedTo(store, 'delivered');
  await pastConflicts(() =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: deliveryKey(store, id),
        UpdateExpression: `SET ${set}, deliveredAt = if_not_exists(deliveredAt, :at) REMOVE lastError`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ':at': timestamp(now()) },
      }),
    ),
  );
};
