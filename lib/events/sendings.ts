import { now, timestamp } from '../clock.ts';
import { orderIn } from '../delivery/message.ts';
import { loaded, reversed, type Source } from '../lists/source.ts';
import type { SendingState, SentEventType, WebhookDelivery } from '../routes/webhooks.ts';
import { partition, storeOf } from '../table/keys.ts';
import { all, any, atMost, is, isKnown, isNew, missing, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { getMany, rowsOf, updateExisting, write } from '../table/table.ts';
import { dueList } from './webhooks.ts';

/** The type of the event that only a test sends. */
export const pingType = 'webhook.ping' satisfies SentEventType;

/** The order to send an event to a webhook, as the queue has it. */
export interface EventOrder {
  store: string;
  webhook: string;
  event: string;
  type: SentEventType;
  /** When the event was noted, or the test was asked for. */
  notedAt: string;
}

/** The record of how an event is sent to a webhook. The first attempt makes it, or the first wait. */
export interface Sending extends Key, Omit<EventOrder, 'store'> {
  state: SendingState;
  attempts: number;
  status?: number;
  lastError?: string;
  /** When it is tried next. */
  nextAt?: string;
  leaseUntil?: string;
  /** The list of its state: while it is pending after a failure, or failed. */
  flags?: string;
  /** Its place in the list from which the sweep queues messages again. */
  dues?: string;
  due?: string;
  [ttlAttribute]: number;
}

const keepSeconds = 30 * 86_400;

const listKey = (store: string, webhook: string, state?: SendingState): string =>
  partition(store, 'WEBHOOK', state === undefined ? webhook : `${webhook}#${state}`);

/** The list of the events that are held back for a webhook, in the order in which they were noted. */
export const heldList = (store: string, webhook: string): string => partition(store, 'WEBHOOK', `${webhook}#held`);

/** The order that a record was made from. */
export const orderOf = (sending: Sending): EventOrder => {
  const own = ['state', 'attempts', 'status', 'lastError', 'nextAt', 'leaseUntil'] satisfies (keyof Sending)[];
  const { webhook, event, type, notedAt } = sending;
  return { store: storeOf(sending), webhook, event, type, notedAt, ...orderIn(sending, own) };
};

const sendingKey = ({ store, webhook, event, notedAt }: EventOrder): Key => ({
  pk: listKey(store, webhook),
  sk: `${notedAt}#${event}`,
});

const base = (order: EventOrder) => ({
  ...orderIn(order, ['kind', 'store']),
  state: 'pending',
  [ttlAttribute]: Math.ceil(now() / 1000) + keepSeconds,
});

const waiting = (order: EventOrder, nextAt: string) => ({
  nextAt,
  dues: dueList,
  due: nextAt,
  flags: listKey(order.store, order.webhook, 'pending'),
  leaseUntil: '',
});

const isLeaseOver = (at: string) => any(missing('leaseUntil'), atMost('leaseUntil', at));

/** Holds back an event that was never tried, until `releaseHeld`. Answers false if it was tried, or is being tried. */
export const holdBack = async (order: EventOrder, until: string): Promise<boolean> => {
  const untried = all(is('state', 'pending'), is('attempts', 0), isLeaseOver(timestamp(now())));
  const { done } = await write(
    update(sendingKey(order), {
      set: { ...waiting(order, until), dues: heldList(order.store, order.webhook), due: order.notedAt },
      ifMissing: { ...base(order), attempts: 0 },
      when: any(isNew, untried),
    }),
  );
  return done;
};

/** Claims an event for one attempt, for `leaseMillis`. Not `claimed` if it has ended, is not due, or is being tried. */
export const claimSending = async (
  order: EventOrder,
  leaseMillis: number,
): Promise<{ claimed: boolean; sending: Sending }> => {
  const at = timestamp(now());
  const isDue = any(missing('nextAt'), atMost('nextAt', at));
  const outcome = await write<Sending>(
    update(sendingKey(order), {
      set: { leaseUntil: timestamp(now() + leaseMillis) },
      ifMissing: base(order),
      add: { attempts: 1 },
      when: any(isNew, all(isKnown, is('state', 'pending'), isLeaseOver(at), isDue)),
    }),
    // If the first attempt of this write arrived, its lease refuses the retry.
    { repeatable: true },
  );
  return outcome.done
    ? { claimed: true, sending: outcome.result }
    : { claimed: false, sending: outcome.found as Sending };
};

const ended = { nextAt: undefined, dues: undefined, due: undefined, leaseUntil: undefined };

/** Records that the webhook took the event. No outcome of a later attempt changes that. */
export const completeSending = async ({ pk, sk }: Key, status: number): Promise<void> => {
  const set = { ...ended, state: 'delivered', status, lastError: undefined, flags: undefined };
  await updateExisting({ pk, sk }, { set });
};

interface SendFailure {
  status: number | undefined;
  lastError: string;
}

const ofAttempt = ({ attempts }: Sending) => all(is('state', 'pending'), is('attempts', attempts));

/** Records a failed attempt, and the next one at `nextAt`. */
export const retrySending = async (
  order: EventOrder,
  sending: Sending,
  failed: SendFailure,
  nextAt: string,
): Promise<void> => {
  const set = { ...failed, ...waiting(order, nextAt) };
  await write(update(sendingKey(order), { set, when: ofAttempt(sending) }));
};

/** Records that an event is given up. */
export const failSending = async (order: EventOrder, failed: SendFailure): Promise<void> => {
  const set = { ...ended, ...failed, state: 'failed', flags: listKey(order.store, order.webhook, 'failed') };
  await write(update(sendingKey(order), { set, when: is('state', 'pending') }));
};

/** A record without an outcome is not shown: its first attempt is under way. */
const isShown = ({ state, nextAt }: Sending): boolean => state !== 'pending' || nextAt !== undefined;

/** The deliveries of a webhook, newest first, or only the deliveries in a state. */
export const listSendings = (store: string, webhook: string, state?: SendingState): Source<Sending> => {
  const everything = rowsOf<Sending>({ partition: listKey(store, webhook) });
  const keep = async (rows: Sending[]) => rows.filter((row) => isShown(row) && row.state === (state ?? row.state));
  if (state === undefined || state === 'delivered') return reversed(loaded(everything, eventPosition, keep));
  const ofState = rowsOf<Sending>({ partition: listKey(store, webhook, state), index: 'byFlags' });
  return reversed(loaded(ofState, eventPosition, async (rows) => keep(await getMany<Sending>(rows))));
};

/** The place of a delivery in its lists. */
export const eventPosition = ({ sk }: Key): string => sk;

/** A delivery in the form of the API. */
export const webhookDelivery = ({
  event,
  type,
  state,
  attempts,
  status,
  lastError,
  nextAt,
}: Sending): WebhookDelivery => ({
  id: event,
  eventId: event,
  type,
  state,
  attempts,
  status: status ?? null,
  lastError: lastError ?? null,
  nextAt: nextAt ?? null,
});
