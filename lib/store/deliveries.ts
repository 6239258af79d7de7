import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { now, timestamp } from '../clock.ts';
import type { Order } from '../delivery/message.ts';
import { keepDays } from '../delivery/settings.ts';
import type { Source } from '../http/page.ts';
import { invalid, notFound } from '../http/problem.ts';
import { dispenserKey } from './dispensers.ts';
import { deleteMany, getMany, type Key, loaded, rowsOf } from './query.ts';
import { pastConflicts, refusedToNotFound, transact } from './retry.ts';
import { db, partition, tableName } from './table.ts';

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

const keyOf = (store: string, id: string) => ({ pk: partition(store, 'DELIVERY'), sk: id });
const stateList = (store: string, state: DeliveryState): string => partition(store, 'DELIVERY', state);
const rankOf = ({ createdAt, id }: Pick<Delivery, 'createdAt' | 'id'>): string => `${createdAt}#${id}`;

/** The order that a record was made of. */
const orderOf = (delivery: Delivery): Order => {
  const { store, id, productId, recipientUuid, recipientUsername, item, message, createdAt } = delivery;
  return { kind: 'deliver', store, id, productId, recipientUuid, recipientUsername, item, message, createdAt };
};

const keepUntil = (from: number): string => timestamp(from + keepDays * 86_400_000);

/** The parts of an update that moves a delivery to a state, its place in the operators' lists included. */
const moved = (store: string, state: DeliveryState) => ({
  set: '#state = :state, ranked = :ranked, leaseUntil = :lease',
  names: { '#state': 'state' },
  values: { ':state': state, ':ranked': stateList(store, state), ':lease': '' },
});

/**
 * Takes a delivery up for one attempt, with its record made if this is the first. No other worker can for `leaseMillis`.
 * `taken` is false, with the record as it is, where it is over already or another worker has it.
 */
export const takeUp = async (
  { kind: _, ...order }: Order,
  leaseMillis: number,
): Promise<{ taken: boolean; delivery: Delivery }> => {
  const { store, id } = order;
  const fixed = Object.entries({ ...order, rank: rankOf(order), expiresAt: keepUntil(Date.parse(order.createdAt)) });
  const { set, names, values } = moved(store, 'queued');
  try {
    const { Attributes } = await pastConflicts(() =>
      db.send(
        new UpdateCommand({
          TableName: tableName(),
          Key: keyOf(store, id),
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
const ended = ({ store, id, attempts }: Delivery, state: DeliveryState, error: string, alsoSet = '') => {
  const { set, names, values } = moved(store, state);
  return {
    TableName: tableName(),
    Key: keyOf(store, id),
    UpdateExpression: `SET ${set}, lastError = :error${alsoSet}`,
    ConditionExpression: '#state = :queued AND attempts = :attempts',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':error': error, ':queued': 'queued', ':attempts': attempts },
  };
};

/** Whether the attempt could end so; false where a later one has overtaken it. */
const unlessOvertaken = async (update: ReturnType<typeof ended>): Promise<boolean> => {
  try {
    await pastConflicts(() => db.send(new UpdateCommand(update)));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return false;
  }
};

/** The attempt failed; another will be made. */
export const letGo = (delivery: Delivery, error: string): Promise<boolean> =>
  unlessOvertaken(ended(delivery, 'queued', error));

export const failDelivery = (delivery: Delivery, error: string): Promise<boolean> =>
  unlessOvertaken(ended(delivery, 'failed', error));

/** The item was given. That counts, whatever a later attempt says or has said. */
export const completeDelivery = async ({ store, id }: Delivery): Promise<void> => {
  const { set, names, values } = moved(store, 'delivered');
  await pastConflicts(() =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: keyOf(store, id),
        UpdateExpression: `SET ${set}, deliveredAt = if_not_exists(deliveredAt, :at) REMOVE lastError`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ':at': timestamp(now()) },
      }),
    ),
  );
};

const waitingList = (store: string): string => partition(store, 'DELIVERY', 'waiting');

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
  const wait = { pk: waitingList(store), sk: `${rankOf(delivery)}#${attempts}`, order: orderOf(delivery) };
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
  rowsOf<Wait>({ partition: waitingList(store) })({ descending: false, limit });

/** Clears waits away, once their deliveries are on the queue. */
export const clearWaits = (waits: Wait[]): Promise<void> => deleteMany(waits);

/** Throws 404. */
export const getDelivery = async (store: string, id: string): Promise<Delivery> => {
  const { Item } = await db.send(
    new GetCommand({ TableName: tableName(), Key: keyOf(store, id), ConsistentRead: true }),
  );
  if (!Item) throw notFound();
  return Item as Delivery;
};

/** The store's deliveries in a state, the oldest first; `positionOfDelivery` says where each stands. */
export const listDeliveries = (store: string, state: DeliveryState): Source<Delivery> =>
  loaded(
    rowsOf<{ sk: string; rank: string }>({ partition: stateList(store, state), index: 'byRank' }),
    ({ rank }) => rank,
    async (rows) => {
      const found = await getMany<Delivery & Key>(rows.map(({ sk }) => keyOf(store, sk)));
      return found.filter((delivery) => delivery.state === state);
    },
  );

export const positionOfDelivery = rankOf;

/**
 * Readies a delivery to be sent again, with another 14 days. Answers the order to put on the queue. Throws 404 for an
 * unknown one, 400 for one that was delivered: the dispenser would not give it twice.
 */
export const reopenDelivery = async (store: string, id: string): Promise<Order> => {
  const { state } = await getDelivery(store, id);
  if (state === 'delivered') throw invalid('The delivery was made already: order a new one.');
  const { set, names, values } = moved(store, 'queued');
  const { Attributes } = await refusedToNotFound(() =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: keyOf(store, id),
        UpdateExpression: `SET ${set}, expiresAt = :until, inARow = :none`,
        ConditionExpression: '#state <> :delivered',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ':until': keepUntil(now()), ':none': 0, ':delivered': 'delivered' },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return orderOf(Attributes as Delivery);
};
