import { findResident } from '../avatars/residents.ts';
import { now, timestamp } from '../clock.ts';
import { loaded, reversed, type Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import type { DeliveryAnswer, DeliveryFilter, DeliveryState } from '../routes/deliveries.ts';
import { answer, decide, writeOne } from '../table/decide.ts';
import { deliveryKey, partition } from '../table/keys.ts';
import {
  all,
  any,
  atMost,
  type Condition,
  holds,
  is,
  isKnown,
  isNew,
  put,
  update,
  type Write,
} from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { get, getMany, type OutsideId, removeMany, rowsOf, transact, updateExisting, write } from '../table/table.ts';
import { beforeRetry, type Standing } from './choose-box.ts';
import { type Order, orderIn } from './message.ts';
import { keepDays, keepsNotes, recordDays } from './settings.ts';

/** The record of a delivery. The first attempt makes it. Before that the delivery exists only as its message. */
export interface Delivery extends Omit<Order, 'kind' | 'message'>, Standing {
  /** The note that goes with the item. It is deleted once the delivery was made, since nobody needs it then. */
  message?: string;
  state: DeliveryState;
  /** The time at which the delivery is given up. */
  expiresAt: string;
  /** The number of claims. It also tells one attempt from the next. */
  attempts: number;
  /** The number of claims in which no box was asked. */
  unasked?: number;
  /** The number of claims since it was last queued. */
  inARow: number;
  lastError?: string;
  deliveredAt?: string;
  failedAt?: string;
  /** The times at which it failed before it was opened again. The sums of the days counted each failure. */
  failures?: readonly string[];
  /** The last request that opened it again and put it on the queue. */
  retriedBy?: string;
  /** Until this time no other worker can claim it. Empty while no worker has it. */
  leaseUntil: string;
  /** The time at which the table deletes the record, in seconds since 1970. */
  [ttlAttribute]: number;
}

/** The partition of the index, and of waits, that holds a store's deliveries in a state. */
const stateList = (store: string, state: DeliveryState): string => partition(store, 'DELIVERY', state);
/** The partition of the index with the deliveries to a recipient, ordered by id. */
export const recipientList = (store: string, uuid: string): string => partition(store, 'DELIVERY', `to#${uuid}`);
/** The place of a delivery in the list of a state: the oldest comes first. */
export const positionOfDelivery = ({ createdAt, id }: Pick<Delivery, 'createdAt' | 'id'>): string =>
  `${createdAt}#${id}`;

/** The attributes that a record has in addition to its order. */
const own: (keyof Delivery)[] = [
  ...(['state', 'expiresAt', 'attempts', 'inARow', 'lastError', 'deliveredAt', 'failedAt'] as const),
  ...(['failures', 'retriedBy', 'leaseUntil', 'unasked', 'box', 'heard', 'isRetried'] as const),
];

/** The order from which a record was made. */
const orderOf = (delivery: Delivery): Order => {
  const { store, id, productId, recipientUuid, recipientUsername, item, message = '', createdAt, saleId } = delivery;
  const known = { store, id, productId, recipientUuid, recipientUsername, item, message, createdAt };
  return { kind: 'deliver', ...known, ...(saleId !== undefined && { saleId }), ...orderIn(delivery, own) };
};

/** The time at which a delivery that was queued at `from` is given up. */
const keepUntil = (from: number): string => timestamp(from + keepDays * 86_400_000);

/** The attribute by which the table later deletes a record that is written now. */
const recordEnd = () => ({ [ttlAttribute]: Math.ceil(now() / 1000) + recordDays() * 86_400 });

/** The attributes of a delivery in a state, with its place in the operator's lists. They end any lease. */
const movedTo = (store: string, state: DeliveryState) => ({
  ...recordEnd(),
  state,
  ranked: stateList(store, state),
  leaseUntil: '',
  // A failed delivery that is made after all keeps the time at which it failed: a day's sums have counted it.
  ...(state !== 'delivered' && { failedAt: state === 'failed' ? timestamp(now()) : undefined }),
});

/** Undefined until an attempt at the delivery has begun. */
export const findDelivery = (store: string, id: string): Promise<Delivery | undefined> =>
  get<Delivery>(deliveryKey(store, id));

/** Throws 404. */
export const getDelivery = async (store: string, id: string): Promise<Delivery> => {
  const item = await findDelivery(store, id);
  if (!item) throw notFound();
  return item;
};

/** The store's deliveries in a state, in the order of `positionOfDelivery`: the oldest first. */
export const listDeliveries = (store: string, state: DeliveryState): Source<Delivery> =>
  loaded(
    rowsOf<Key & { rank: string }>({ partition: stateList(store, state), index: 'byRank' }),
    ({ rank }) => rank,
    async (rows) => {
      const found = await getMany<Delivery & Key>(rows);
      return found.filter((delivery) => delivery.state === state);
    },
  );

/** A delivery in the form of the API. */
export const deliveryAnswer = (delivery: Delivery): DeliveryAnswer => {
  const { id, state, productId, item, recipientUuid, recipientUsername, attempts, unasked = 0, createdAt } = delivery;
  const { lastError = null, deliveredAt = null, failedAt = null } = delivery;
  const endedAt = { queued: null, waiting: null, delivered: deliveredAt, failed: failedAt }[state];
  return {
    id,
    state,
    productId,
    item,
    recipientUuid,
    recipientUsername,
    attempts: attempts - unasked,
    lastError,
    createdAt,
    endedAt,
    saleId: delivery.saleId ?? null,
  };
};

/** The deliveries to a recipient, ordered by id, the oldest first. */
const listDeliveriesTo = (store: string, uuid: string): Source<Delivery> =>
  loaded(
    rowsOf<Key>({ partition: recipientList(store, uuid), index: 'byFlags' }),
    ({ sk }) => sk,
    (rows) => getMany<Delivery & Key>(rows),
  );

/** The smallest id of deliveries made since a time, in milliseconds since 1970. */
const leastIdSince = (millis: number): string =>
  millis
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-');

/**
 * The ids of the sales in a span of time, ends included, whose deliveries were ordered and have been tried. A
 * delivery's id begins with the time of its sale. The answer may be a moment old.
 */
export const salesWithDelivery = async (store: string, from: number, to: number): Promise<Set<string>> => {
  const bounds = { first: leastIdSince(from), last: leastIdSince(to + 1) };
  const list = rowsOf<Delivery>({ partition: partition(store, 'DELIVERY'), ...bounds, isEventual: true });
  const tried = await list({ descending: false });
  return new Set(tried.flatMap(({ saleId }) => saleId ?? []));
};

/**
 * The time at which a delivery of the product to this recipient was last ordered. Undefined if none was ordered after
 * this time, or none has been tried.
 */
export const lastOrderSince = async (
  millis: number,
  { store, recipientUuid, productId }: Pick<Order, 'store' | 'recipientUuid' | 'productId'>,
): Promise<string | undefined> => {
  const from = { position: leastIdSince(millis), inclusive: true };
  const recent = await listDeliveriesTo(store, recipientUuid)({ descending: false, from });
  return recent.findLast(({ productId: other, createdAt }) => other === productId && Date.parse(createdAt) > millis)
    ?.createdAt;
};

const byId = ({ id }: Delivery): string => id;

/**
 * The list that a filter asks for, newest first, and the part of its cursors. The lists of a store and of a recipient
 * are ordered by id, so by the time of the order. With a state, a recipient's deliveries are searched for it.
 */
export const deliveriesList = async (
  store: string,
  { state, recipient }: DeliveryFilter,
): Promise<{ source: Source<Delivery>; positionOf: (delivery: Delivery) => string; part: string }> => {
  if (!recipient && state)
    return { source: reversed(listDeliveries(store, state)), positionOf: positionOfDelivery, part: state };
  if (!recipient) {
    const source = rowsOf<Delivery>({ partition: partition(store, 'DELIVERY') });
    return { source: reversed(source), positionOf: byId, part: '' };
  }
  const uuid = recipient.uuid ?? (await findResident(store, recipient))?.uuid;
  if (uuid === undefined) return { source: async () => [], positionOf: byId, part: 'nobody' };
  const source = loaded(listDeliveriesTo(store, uuid), byId, async (rows) =>
    rows.filter((delivery) => delivery.state === (state ?? delivery.state)),
  );
  return { source: reversed(source), positionOf: byId, part: uuid };
};

/** A delivery that was opened again for another 14 days. */
interface Reopening {
  delivery: Delivery;
  /** The order to put on the queue; undefined if a worker has taken it since the request opened the delivery. */
  order: Order | undefined;
  /** Puts the record back as it was, unless a worker has claimed it since. */
  undo: () => Promise<unknown>;
}

/**
 * Opens a delivery again for a request, unless `refusalOf` refuses. A repeated request finds what it opened. Throws 404
 * for an unknown delivery.
 */
export const reopenDelivery = (
  store: string,
  id: string,
  outside: OutsideId,
  refusalOf: (delivery: Delivery) => Promise<Error | undefined> | undefined,
): Promise<Reopening> =>
  decide<Reopening>(async () => {
    const [key, by] = [deliveryKey(store, id), outside.id];
    const before = await getDelivery(store, id);
    const { state, attempts, expiresAt, inARow, failedAt, failures, retriedBy, [ttlAttribute]: end } = before;
    const { heard, isRetried } = before;
    const isOurs = retriedBy === by;
    if (isOurs && !(state === 'queued' && inARow === 0))
      return answer({ delivery: before, order: undefined, undo: async () => undefined });
    const refusal = isOurs ? undefined : await refusalOf(before);
    if (refusal) throw refusal;
    const undo = () => {
      const own = {
        expiresAt,
        inARow,
        failedAt,
        failures,
        heard,
        isRetried,
        retriedBy: undefined,
        [ttlAttribute]: end,
      };
      const isUnclaimed = all(is('state', 'queued'), is('attempts', attempts), is('retriedBy', by));
      return write(update(key, { set: { ...movedTo(store, state), ...own }, when: isUnclaimed }));
    };
    const ended = failedAt === undefined ? failures : [...(failures ?? []), failedAt];
    // After a failure all boxes are asked again, whatever they answered before.
    const toAsk = { heard: state === 'failed' ? undefined : beforeRetry(before), isRetried: true };
    const renewed = { failures: ended, expiresAt: keepUntil(now()), inARow: 0, retriedBy: by };
    const opening = update(key, {
      set: { ...movedTo(store, 'queued'), ...renewed, ...toAsk },
      when: all(is('state', state), is('attempts', attempts), is('retriedBy', retriedBy)),
    });
    return writeOne<Delivery, Reopening>(opening, {
      result: (delivery) => ({ delivery, order: orderOf(delivery), undo }),
      outside,
    });
  });

/** The attributes of a new record that do not change. */
const begunBy = (order: Omit<Order, 'kind'>) => ({
  ...order,
  flags: recipientList(order.store, order.recipientUuid),
  rank: positionOfDelivery(order),
  expiresAt: keepUntil(Date.parse(order.createdAt)),
});

/** A delivery that a worker has claimed for an attempt. */
interface Claim {
  /** False if the delivery is final or another worker has its lease. */
  claimed: boolean;
  /** The record after the claim; without a claim the present record. */
  delivery: Delivery;
  /** The standing before the claim. */
  before: Standing;
}

/**
 * Claims a delivery for one attempt at the box that `boxOf` names, if it names one. No other worker can claim it for
 * `leaseMillis`. The first claim makes the record. The record names the box before the box is asked: if nobody learns
 * the answer, the box may have given the item.
 */
export const claimDelivery = async (
  { kind: _, ...order }: Order,
  leaseMillis: number,
  boxOf: (standing: Standing) => string | undefined = () => undefined,
): Promise<Claim> => {
  const { store, id } = order;
  const isOpen = any(is('state', 'queued'), is('state', 'waiting'));
  const attempt = async (before: Standing, when: Condition): Promise<Claim> => {
    const box = boxOf(before);
    const leased = { ...movedTo(store, 'queued'), leaseUntil: timestamp(now() + leaseMillis) };
    const outcome = await write<Delivery>(
      update(deliveryKey(store, id), {
        set: { ...leased, ...(box !== undefined && { box, isRetried: undefined }) },
        ifMissing: begunBy(order),
        add: { attempts: 1, inARow: 1 },
        when,
      }),
      // If an earlier copy of this write arrived, its lease refuses the retry.
      { repeatable: true },
    );
    return { claimed: outcome.done, delivery: outcome.done ? outcome.result : (outcome.found as Delivery), before };
  };
  const first = await attempt({}, isNew);
  if (first.claimed) return first;
  const { attempts, box, heard, isRetried } = first.delivery;
  const leaseIsOver = all(isKnown, isOpen, atMost('leaseUntil', timestamp(now())), is('attempts', attempts));
  return holds(leaseIsOver, { ...first.delivery }) ? attempt({ box, heard, isRetried }, leaseIsOver) : first;
};

/** The attributes that the end of an attempt changes besides the state. */
export type AttemptEnd = Standing & Pick<Partial<Delivery>, 'inARow' | 'unasked'>;

/** The write that ends an attempt. Refused if a later attempt has begun, whose outcome counts instead. */
const ending = ({ store, id, attempts }: Delivery, state: DeliveryState, lastError: string, more: AttemptEnd) =>
  update(deliveryKey(store, id), {
    set: { ...movedTo(store, state), lastError, ...more },
    when: all(is('state', 'queued'), is('attempts', attempts)),
  });

/** Ends an attempt. Returns false if a later attempt has overtaken it. */
const endAttempt = async (
  delivery: Delivery,
  state: DeliveryState,
  error: string,
  more: AttemptEnd,
): Promise<boolean> => (await write(ending(delivery, state, error, more))).done;

/** The error of a delivery whose sale was refunded. */
export const refundedError = 'refunded';

/**
 * The writes that end the delivery of a refunded sale, given its record as it was read. None if the delivery has ended.
 * An attempt that is under way may still give the item. Refused if the record has changed since.
 */
export const refundedDelivery = ({ kind: _, ...order }: Order, record: Delivery | undefined): Write[] => {
  const ended = { ...movedTo(order.store, 'failed'), lastError: refundedError };
  const key = deliveryKey(order.store, order.id);
  if (record) {
    const { state, attempts } = record;
    const isOpen = state === 'queued' || state === 'waiting';
    return isOpen ? [update(key, { set: ended, when: all(is('state', state), is('attempts', attempts)) })] : [];
  }
  // After this time no attempt is made, and the record of an earlier attempt may be deleted.
  if (timestamp(now()) >= keepUntil(Date.parse(order.createdAt))) return [];
  return [put({ ...key, ...begunBy(order), ...ended, attempts: 0, inARow: 0 }, isNew)];
};

/** Records a failed attempt that will be followed by another. */
export const releaseDelivery = (delivery: Delivery, error: string, more: AttemptEnd = {}): Promise<boolean> =>
  endAttempt(delivery, 'queued', error, more);

export const failDelivery = (delivery: Delivery, error: string, more: AttemptEnd = {}): Promise<boolean> =>
  endAttempt(delivery, 'failed', error, more);

/** Records that the dispenser gave the item. No outcome of a later attempt changes that. */
export const completeDelivery = async ({ store, id }: Delivery): Promise<void> => {
  await updateExisting(deliveryKey(store, id), {
    set: { ...movedTo(store, 'delivered'), lastError: undefined, ...(!keepsNotes() && { message: undefined }) },
    ifMissing: { deliveredAt: timestamp(now()) },
  });
};

/** The item of a delivery that waits for a dispenser. The next registration finds it. */
export interface WaitingRow extends Key {
  order: Order;
}

/** Lets a delivery wait for a dispenser. Returns the wait, or undefined if a later attempt has overtaken this one. */
export const letWait = async (
  delivery: Delivery,
  error: string,
  more: AttemptEnd = {},
): Promise<WaitingRow | undefined> => {
  const { store, attempts } = delivery;
  // Each wait has an item of its own, named after its attempt, so removing one wait cannot remove the next.
  const key = { pk: stateList(store, 'waiting'), sk: `${positionOfDelivery(delivery)}#${attempts}` };
  const wait: WaitingRow = { ...key, order: orderOf(delivery) };
  const refusals = await transact([
    ending(delivery, 'waiting', error, { inARow: 0, ...more }),
    put({ ...wait, ...recordEnd() }),
  ]);
  return refusals ? undefined : wait;
};

/** The first waiting deliveries of the store, up to `limit`. It reads the table itself, so it misses none. */
export const listWaits = (store: string, limit: number): Promise<WaitingRow[]> =>
  rowsOf<WaitingRow>({ partition: stateList(store, 'waiting') })({ descending: false, limit });

/** Removes waits whose deliveries are on the queue. */
export const clearWaits = (waits: WaitingRow[]): Promise<void> => removeMany(waits);
