import { deleteMany, type Key, rowsOf } from '../table/query.ts';
import { transact } from '../table/retry.ts';
import { tableName } from '../table/table.ts';
import { ended } from './attempts.ts';
import { type Delivery, orderOf, positionOfDelivery, stateList } from './deliveries.ts';
import { dispenserKey } from './dispensers.ts';
import type { Order } from './message.ts';

/**
 * Lets a delivery wait for the dispenser to register. With `onlyWithoutAddress` it does so only if there is no address
 * in that very moment: a registration must not miss a delivery that begins to wait beside it. False where it does not
 * wait, since there is an address, or a later attempt.
 */
export const letWait = async (delivery: Delivery, error: string, onlyWithoutAddress: boolean): Promise<boolean> => {
  const { store, attempts } = delivery;
  const update = ended(delivery, 'waiting', error, ', inARow = :none');
  Object.assign(update.ExpressionAttributeValues, { ':none': 0 });
  // The attempt's number makes each wait an item of its own, so that clearing one away cannot take the next with it.
  const wait = {
    pk: stateList(store, 'waiting'),
    sk: `${positionOfDelivery(delivery)}#${attempts}`,
    order: orderOf(delivery),
  };
  const noAddress = {
    TableName: tableName(),
    Key: dispenserKey(store),
    ConditionExpression: 'attribute_not_exists(#url)',
    ExpressionAttributeNames: { '#url': 'url' },
  };
  const refusals = await transact([
    { Update: update },
    { Put: { TableName: tableName(), Item: wait } },
    ...(onlyWithoutAddress ? [{ ConditionCheck: noAddress }] : []),
  ]);
  return !refusals;
};

interface Wait extends Key {
  order: Order;
}

/** The first of the store's waiting deliveries, up to `limit`. Read from the table itself: none is missed. */
export const listWaits = (store: string, limit: number): Promise<Wait[]> =>
  rowsOf<Wait>({ partition: stateList(store, 'waiting') })({ descending: false, limit });

/** Clears waits away, once their deliveries are on the queue. */
export const clearWaits = (waits: Wait[]): Promise<void> => deleteMany(waits);
