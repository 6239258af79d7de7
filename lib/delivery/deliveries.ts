import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { now, timestamp } from '../clock.ts';
import type { Source } from '../lists/page.ts';
import { invalid, notFound } from '../problem.ts';
import { getMany, type Key, loaded, rowsOf } from '../table/query.ts';
import { pastConflicts } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';
import type { Order } from './message.ts';
import { keepDays } from './settings.ts';

/** `queued`: a worker will try. `waiting`: for the dispenser to register. The other two are final. */
export const deliveryStates = ['queued', 'waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The record of a delivery. It begins with the first attempt; until then the delivery is its message in the queue. */
export interface Delivery extends Omit<Order, 'kind'> {
  state: DeliveryState;
  /** Given up then. */
  expiresAt: string;
  /** How often a worker took it up; also tells one attempt from the next. */
  attempts: number;
  /** The same, since it was last queued. */
  inARow: number;
  lastError?: string;
  deliveredAt?: string;
  /** No other worker takes it up until then; empty while none has it. */
  leaseUntil: string;
}

export const deliveryKey = (store: string, id: string) => ({ pk: partition(store, 'DELIVERY'), sk: id });
/** The partition of the index, and of waits, that holds a store's deliveries in a state. */
export const stateList = (store: string, state: DeliveryState): string => partition(store, 'DELIVERY', state);
/** Where a delivery stands in the lists: the oldest first. */
export const positionOfDelivery = ({ createdAt, id }: Pick<Delivery, 'createdAt' | 'id'>): string =>
  `${createdAt}#${id}`;

/** The order that a record was made of. */
export const orderOf = (delivery: Delivery): Order => {
  const { store, id, productId, recipientUuid, recipientUsername, item, message, createdAt } = delivery;
  return { kind: 'deliver', store, id, productId, recipientUuid, recipientUsername, item, message, createdAt };
};

/** When a delivery that was queued then is given up. */
export const keepUntil = (from: number): string => timestamp(from + keepDays * 86_400_000);

/** The parts of an update that moves a delivery to a state, its place in the operators' lists included. */
export const movedTo = (store: string, state: DeliveryState) => ({
  set: '#state = :state, ranked = :ranked, leaseUntil = :lease',
  names: { '#state': 'state' },
  values: { ':state': state, ':ranked': stateList(store, state), ':lease': '' },
});

/** Throws 404. */
export const getDelivery = async (store: string, id: string): Promise<Delivery> => {
  const item = await findItem<Delivery>(deliveryKey(store, id));
  if (!item) throw notFound();
  return item;
};

/** The store's deliveries in a state, the oldest first; `positionOfDelivery` says where each stands. */
export const listDeliveries = (store: string, state: DeliveryState): Source<Delivery> =>
  loaded(
    rowsOf<{ sk: string; rank: string }>({ partition: stateList(store, state), index: 'byRank' }),
    ({ rank }) => rank,
    async (rows) => {
      const found = await getMany<Delivery & Key>(rows.map(({ sk }) => deliveryKey(store, sk)));
      return found.filter((delivery) => delivery.state === state);
    },
  );

/**
 * Readies a delivery to be sent again, with another 14 days. Answers the order to put on the queue. Throws 404 for an
 * unknown one, 400 for one that was delivered: the dispenser would not give it twice.
 */
export const reopenDelivery = async (store: string, id: string): Promise<Order> => {
  const wasMade = invalid('The delivery was made already: order a new one.');
  const { state } = await getDelivery(store, id);
  if (state === 'delivered') throw wasMade;
  const { set, names, values } = movedTo(store, 'queued');
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: deliveryKey(store, id),
    UpdateExpression: `SET ${set}, expiresAt = :until, inARow = :none`,
    ConditionExpression: '#state <> :delivered',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':until': keepUntil(now()), ':none': 0, ':delivered': 'delivered' },
    ReturnValues: 'ALL_NEW',
  });
  try {
    const { Attributes } = await pastConflicts(() => db.send(update));
    return orderOf(Attributes as Delivery);
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? wasMade : error;
  }
};
