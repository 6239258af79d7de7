import { now, source, timestamp } from '../clock.ts';
import { AddressError, checkAddress, publicHosts } from '../delivery/address.ts';
import { post, shown, until } from '../delivery/call.ts';
import type { Handling } from '../delivery/deliver.ts';
import { type Lane, sendMessages } from '../delivery/queue.ts';
import { slowWebhookMillis, webhookTimeoutMillis } from '../delivery/settings.ts';
import { type EventType, eventNames } from '../routes/events.ts';
import type { SentEventType } from '../routes/webhooks.ts';
import { eventKey } from '../table/keys.ts';
import { get } from '../table/table.ts';
import { discordMessage } from './discord.ts';
import { releaseHeld } from './due.ts';
import { type EventItem, type NotedEvent, notedAtOf } from './events.ts';
import {
  claimSending,
  completeSending,
  type EventOrder,
  failSending,
  holdBack,
  pingType,
  retrySending,
  type Sending,
} from './sendings.ts';
import { signatureOf } from './signature.ts';
import { findWebhook, isSlow, listWebhooks, noteHealth, noteSlow, secretsOf, type WebhookItem } from './webhooks.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** The pauses before the attempts after the first. */
const schedule = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];

/** An event is tried for at least this time, even if an attempt that died with its worker used up its pause. */
const triedMillis = schedule.reduce((sum, pause) => sum + pause, 0);

/** Adds up to a tenth, so that events that failed together do not return together. */
const withJitter = (millis: number): number => Math.ceil(millis * (1 + source.random() / 10));

/** A webhook is disabled when all its attempts have failed for this time. */
const maxFailingMillis = 5 * 24 * hour;

const maxRetryAfterMillis = 24 * hour;

/** The longer a webhook has not answered, the longer its pause. */
const pauseOf = (failingMillis: number): number => Math.min(Math.max(failingMillis / 4, 30 * second), 30 * minute);

interface Answer {
  status?: number;
  error: string;
  retryAfterMillis?: number;
}

/** The pause that an answer asks for: seconds, or a date. */
const retryAfterOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const millis = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now();
  return Number.isNaN(millis) ? undefined : Math.min(Math.max(millis, 0), maxRetryAfterMillis);
};

/** An event in the form of its messages; `data` is JSON. */
export interface SentEvent extends Pick<NotedEvent, 'at' | 'data' | 'sample'> {
  id: string;
  type: SentEventType;
}

/** The body and the headers of a message, in the form of Standard Webhooks. A sample says that it is one. */
export const signedMessage = (
  { id, type, at, data, sample }: SentEvent,
  secrets: readonly string[],
  millis: number,
) => {
  const start = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(at)}`;
  const body = `${start}${sample ? ',"sample":true' : ''},"data":${data}}`;
  const seconds = Math.floor(millis / 1000);
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureOf({ id, seconds, body }, secrets),
    },
  };
};

/** The body and the headers of a message in the format of its webhook. */
const webhookRequest = (
  webhook: WebhookItem,
  { event: id, type, notedAt }: EventOrder,
  event: EventItem | undefined,
) => {
  const { at = notedAt, data = JSON.stringify({ webhookId: webhook.id }), sample } = event ?? {};
  if (webhook.format === 'discord')
    return {
      body: JSON.stringify(discordMessage(type, JSON.parse(data), at, sample)),
      headers: { 'Content-Type': 'application/json' },
    };
  return signedMessage({ id, type, at, data, ...(sample && { sample }) }, secretsOf(webhook), now());
};

/** Sends an event once. Never throws, and always ends within the time-out. */
const attempt = async (url: string, request: ReturnType<typeof webhookRequest>): Promise<Answer> => {
  const timeout = webhookTimeoutMillis();
  const signal = AbortSignal.timeout(timeout);
  try {
    const address = await until(signal, checkAddress(url, publicHosts));
    const { status, text, retryAfter } = await post(address, request, signal);
    const retryAfterMillis = retryAfterOf(retryAfter);
    const error = `It answered ${status}${shown(text) && `: ${shown(text)}`}`;
    return { status, error, ...(retryAfterMillis !== undefined && { retryAfterMillis }) };
  } catch (error) {
    if (error instanceof AddressError) return { error: `The address was refused: ${error.message}` };
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: signal.aborted ? `No answer within ${timeout} ms` : String(code ?? message) };
  }
};

const succeeded = async (webhook: WebhookItem, sending: Sending, status: number, millis: number): Promise<Handling> => {
  await completeSending(sending, status);
  const pause = millis > slowWebhookMillis() ? Math.ceil(2 * millis) : 0;
  if (webhook.failingSince !== undefined || webhook.pausedUntil !== undefined || pause > 0)
    await noteHealth(webhook, { failingSince: undefined }, pause);
  if (pause === 0) await releaseNext(webhook);
  return { outcome: 'delivered' };
};

/**
 * Queues another event that was held back, one for each answer of the webhook: so the webhook gets them as fast as it
 * takes them.
 */
const releaseNext = async (webhook: WebhookItem): Promise<void> => {
  if (webhook.due !== undefined) await releaseHeld(webhook, 1, (orders) => queueEvents(orders, 'slow'));
};

/** Gives the event up, and disables its webhook. */
const disable = async (webhook: WebhookItem, order: EventOrder, { status, error }: Answer): Promise<Handling> => {
  await noteHealth(webhook, { state: 'disabled' });
  await failSending(order, { status, lastError: error });
  return { outcome: 'disabled' };
};

const failed = async (webhook: WebhookItem, order: EventOrder, sending: Sending, answer: Answer): Promise<Handling> => {
  const { status, error: lastError, retryAfterMillis } = answer;
  const { failingSince = timestamp(now()) } = webhook;
  const failingMillis = now() - Date.parse(failingSince);
  if (status === 410 || failingMillis >= maxFailingMillis) return disable(webhook, order, answer);
  // An answer with an error costs no time, so there is no pause unless the answer asks for one with Retry-After.
  const pause = status === undefined ? pauseOf(failingMillis) : retryAfterMillis;
  const isNews = webhook.failingSince === undefined || pause !== undefined;
  if (isNews) await noteHealth(webhook, { failingSince }, pause);
  if (pause === undefined) await releaseNext(webhook);
  const isEarly = now() - Date.parse(order.notedAt) < triedMillis;
  const delay = schedule[sending.attempts - 1] ?? (isEarly ? schedule.at(-1) : undefined);
  if (delay === undefined) {
    await failSending(order, { status, lastError });
    return { outcome: 'failed' };
  }
  const millis = Math.max(withJitter(delay), retryAfterMillis ?? 0);
  await retrySending(order, sending, { status, lastError }, timestamp(now() + millis));
  return millis <= minute ? { outcome: 'pending', againSeconds: Math.ceil(millis / 1000) } : { outcome: 'pending' };
};

/** The message of an event that is not due comes back, unless the sweep will send another message. */
const untilDue = ({ state, nextAt, leaseUntil }: Sending): Handling => {
  if (state !== 'pending') return { outcome: 'repeated' };
  const at = [nextAt ?? '', leaseUntil ?? ''].sort().at(-1) ?? '';
  const millis = Date.parse(at) - now();
  return millis > minute
    ? { outcome: 'pending' }
    : { outcome: 'taken', againSeconds: Math.max(Math.ceil(millis / 1000), 0) };
};

/** The reason why an order is not carried out: its webhook or its event may have changed since. */
const whyNotSent = ({ type }: EventOrder, webhook: WebhookItem | undefined, event: EventItem | undefined) => {
  if (!webhook) return 'The webhook is not there any more.';
  if (type === pingType) return undefined;
  // Its avatar may have been erased.
  if (event?.data === undefined) return 'The event is not there any more.';
  if (webhook.state === 'disabled') return 'The webhook is disabled.';
  // A key that may not read events of this type may have changed the address together with the types.
  return webhook.events.includes(type) ? undefined : `The webhook does not subscribe to ${type} any more.`;
};

/** Makes one attempt to send an event to a webhook. A duplicate message makes no second one, even in another worker. */
export const sendEvent = async (order: EventOrder, lane: Lane): Promise<Handling> => {
  const { store, event: id, type } = order;
  const [webhook, event] = await Promise.all([
    findWebhook(store, order.webhook),
    type === pingType ? undefined : get<EventItem>(eventKey(store, id)),
  ]);
  const reason = whyNotSent(order, webhook, event);
  if (!webhook || reason !== undefined) {
    await failSending(order, { status: undefined, lastError: reason ?? '' });
    if (webhook) await releaseNext(webhook);
    return { outcome: 'dropped' };
  }
  if (lane === 'quick' && isSlow(webhook)) {
    await queueEvents([order], 'slow');
    return { outcome: 'moved' };
  }
  const { pausedUntil = '' } = webhook;
  if (timestamp(now()) < pausedUntil) {
    const until = timestamp(Date.parse(pausedUntil) + withJitter(second));
    if (await holdBack(order, until)) return { outcome: 'pending' };
  }
  const { claimed, sending } = await claimSending(order, 2 * webhookTimeoutMillis());
  if (!claimed) return untilDue(sending);
  const started = performance.now();
  let noting: Promise<void> | undefined;
  const slow = setTimeout(() => {
    noting = noteSlow(webhook).catch(() => undefined);
  }, slowWebhookMillis());
  const answer = await attempt(webhook.url, webhookRequest(webhook, order, event));
  clearTimeout(slow);
  await noting;
  const { status = 0 } = answer;
  return status >= 200 && status < 300
    ? succeeded(webhook, sending, status, performance.now() - started)
    : failed(webhook, order, sending, answer);
};

const isEventType = (type: string): type is EventType => eventNames.includes(type as EventType);

/** Puts orders on the queue of a lane. Each webhook's orders are a group, so a busy one does not starve the others. */
export const queueEvents = async (orders: readonly EventOrder[], lane?: Lane): Promise<void> => {
  const groups = Object.entries(Object.groupBy(orders, ({ webhook }) => webhook));
  await Promise.all(
    groups.map(([webhook, some = []]) =>
      sendMessages(
        webhook,
        some.map((order) => ({ kind: 'event' as const, ...order })),
        lane,
      ),
    ),
  );
};

/** Orders the sending of a store's events to each webhook that subscribes to them. */
export const announce = async (store: string, events: readonly NotedEvent[]): Promise<void> => {
  if (events.length === 0) return;
  const webhooks = (await listWebhooks(store)({ descending: false })).filter(({ state }) => state === 'active');
  const ordersOf = (some: readonly WebhookItem[]): EventOrder[] =>
    some.flatMap(({ id: webhook, events: types, since }) =>
      events.flatMap((one) => {
        const { sk: event, type } = one;
        const notedAt = notedAtOf(one);
        const isWanted = isEventType(type) && types.includes(type) && notedAt >= since;
        return isWanted ? [{ store, webhook, event, type, notedAt }] : [];
      }),
    );
  const [slow, quick] = [webhooks.filter(isSlow), webhooks.filter((one) => !isSlow(one))];
  await Promise.all([queueEvents(ordersOf(quick), 'quick'), queueEvents(ordersOf(slow), 'slow')]);
};
