import { newId, now, randomText, timestamp } from '../clock.ts';
import { publicHosts } from '../delivery/address.ts';
import { checkSent } from '../delivery/register.ts';
import type { Source } from '../lists/source.ts';
import { invalid, notFound } from '../problem.ts';
import type { EventType } from '../routes/events.ts';
import type { Scope } from '../routes/scopes.ts';
import type { Webhook, WebhookChange, WebhookFields } from '../routes/webhooks.ts';
import { decide, writeAll, writeOne } from '../table/decide.ts';
import { partition, webhookKey } from '../table/keys.ts';
import { all, below, copyOf, exists, is, isNew, put, remove, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf, updateExisting, write } from '../table/table.ts';
import { demandReadable } from './events.ts';

export interface WebhookItem extends Key, Webhook {
  /** Signs its messages. It must be known in full, so it cannot be kept as a hash. */
  secret: string;
  /** The earlier secret, which signs too until `oldSecretUntil`. */
  oldSecret?: string;
  oldSecretUntil?: string;
  /** When it was created, or enabled again. It gets the events that were noted since. */
  since: string;
  /** No attempt has succeeded since this time. */
  failingSince?: string;
  /** Until this time it gets no event that was not tried yet: it did not answer, or answered slowly. */
  pausedUntil?: string;
  /** Until this time its events take the slow lane: for at least ten minutes after its last pause. */
  slowUntil?: string;
  /** Its place in the list of what the sweep looks at, while events may be held back for it. */
  dues?: string;
  due?: string;
}

/** The list of what is due: events to try again, and webhooks whose events are held back. */
export const dueList = 'WEBHOOK#DUE';

/** A store's webhooks, in the order of their ids. */
export const listWebhooks = (store: string): Source<WebhookItem> => rowsOf({ partition: partition(store, 'WEBHOOK') });

export const findWebhook = (store: string, id: string): Promise<WebhookItem | undefined> =>
  get<WebhookItem>(webhookKey(store, id));

/** Throws 404. */
export const getWebhook = async (store: string, id: string): Promise<WebhookItem> => {
  const webhook = await findWebhook(store, id);
  if (!webhook) throw notFound();
  return webhook;
};

/** A new secret. Its 32 bytes are letters and digits (190 bits), since a script inworld can sign only with a text. */
const newSecret = (): string => `whsec_${Buffer.from(randomText(32)).toString('base64')}`;

/** The time for which the old secret signs too, in milliseconds. */
const overlapMillis = 24 * 3_600_000;

/** The secrets that sign a message now. */
export const secretsOf = ({ secret, oldSecret, oldSecretUntil = '' }: WebhookItem): string[] =>
  oldSecret !== undefined && timestamp(now()) < oldSecretUntil ? [secret, oldSecret] : [secret];

/** Each batch of the stream reads all webhooks of its store, so their number is limited. */
const maxWebhooks = 20;

const checkUrl = (url: string): Promise<void> => checkSent(url, publicHosts, 'a public https address');

/** Makes the rows of the operator's log that belong in one transaction with a change. */
type WebhookWrites = (webhook: WebhookItem) => readonly Write[];

const nothing: WebhookWrites = () => [];

/**
 * The number of a store's webhooks, or a higher one, since a deletion does not lower it. `last` is the webhook that was
 * created last.
 */
interface WebhookCount extends Key {
  count: number;
  last: string;
}

const countKey = (store: string): Key => ({ pk: partition(store, 'COUNT'), sk: 'webhooks' });

/**
 * The write that counts a new webhook, on condition that the store has room for it. If the number is unknown or may be
 * too high, all webhooks are counted again. The number is read before the list, and the write is refused if a webhook
 * was created since. Throws 400 beyond 20 webhooks.
 */
export const counting = async (store: string, last: string): Promise<Write> => {
  const key = countKey(store);
  const known = await get<WebhookCount>(key);
  if (known && known.count < maxWebhooks)
    return update(key, { add: { count: 1 }, set: { last }, when: below('count', maxWebhooks) });
  const others = await listWebhooks(store)({ descending: false });
  if (others.length >= maxWebhooks)
    throw invalid(`A store has at most ${maxWebhooks} webhooks: delete one that is not needed.`);
  return update(key, { set: { count: others.length + 1, last }, when: known ? is('last', known.last) : isNew });
};

/** A webhook that does not exist yet, with a new secret. */
export const newWebhook = (store: string, id: string, fields: WebhookFields, state: Webhook['state']): WebhookItem => ({
  ...webhookKey(store, id),
  id,
  ...fields,
  state,
  secret: newSecret(),
  since: timestamp(now()),
});

/**
 * Creates a webhook with a new secret, for a key with the scopes `held`. The operator has all scopes. Throws 400 for an
 * address that must not be called, 403 for events that the key may not read, and 400 beyond 20 webhooks.
 */
export const createWebhook = async (
  store: string,
  fields: WebhookFields,
  held: readonly Scope[],
  together = nothing,
): Promise<WebhookItem> => {
  await checkUrl(fields.url);
  demandReadable(fields.events, held);
  const id = newId();
  const item = newWebhook(store, id, fields, 'active');
  return decide(async () =>
    writeAll([put(item, isNew), await counting(store, id), ...together(item)], { answer: item }),
  );
};

/** The attributes of an active webhook without a failed attempt. */
const enabled = () => ({
  state: 'active',
  since: timestamp(now()),
  failingSince: undefined,
  pausedUntil: undefined,
});

/**
 * Replaces a webhook's fields, for a key with the scopes `held`. A state that is left out stays. Throws 404, 400 for an
 * address that must not be called, and 403 for events that the key may not read, unless this address gets them already.
 */
export const updateWebhook = (
  store: string,
  id: string,
  { state, ...fields }: WebhookChange,
  held: readonly Scope[],
  together = nothing,
): Promise<WebhookItem> =>
  decide<WebhookItem>(async () => {
    const before = await getWebhook(store, id);
    await checkUrl(fields.url);
    const isSent = (type: EventType): boolean => fields.url === before.url && before.events.includes(type);
    demandReadable(
      fields.events.filter((type) => !isSent(type)),
      held,
    );
    const isEnabled = state === 'active' && before.state === 'disabled';
    const set = { ...fields, ...(state && { state }), ...(isEnabled && enabled()) };
    const asRead = all(is('url', before.url), is('events', before.events));
    return writeOne<WebhookItem, WebhookItem>(update(webhookKey(store, id), { set, when: asRead }), {
      result: (item) => item,
      together: together({ ...before, ...fields, state: state ?? before.state }),
    });
  });

/** Throws 404. */
export const deleteWebhook = async (store: string, id: string, together: readonly Write[] = []): Promise<void> => {
  const outcome = await write(remove(webhookKey(store, id), exists), { together });
  if (!outcome.done) throw notFound();
};

/** Gives a webhook another secret. The earlier one signs too for 24 hours. Throws 404. */
export const rotateSecret = (store: string, id: string, together: readonly Write[] = []): Promise<WebhookItem> => {
  const set = {
    secret: newSecret(),
    oldSecret: copyOf('secret'),
    oldSecretUntil: timestamp(now() + overlapMillis),
  };
  return updateExisting<WebhookItem, WebhookItem>(webhookKey(store, id), { set }, { answer: (item) => item, together });
};

/** True while the events of a webhook take the slow lane. */
export const isSlow = ({ failingSince, slowUntil = '' }: WebhookItem): boolean =>
  failingSince !== undefined || timestamp(now()) < slowUntil;

const slowMillis = 10 * 60_000;

/**
 * Notes how a webhook answers, and that its next events take the slow lane. Pauses it for `pause` milliseconds, after
 * which the sweep looks for events that were held back. Does nothing if it was deleted.
 */
export const noteHealth = async (
  { pk, sk }: Key,
  health: { state?: 'disabled'; failingSince?: string | undefined },
  pause = 0,
): Promise<void> => {
  const pausedUntil = pause > 0 ? timestamp(now() + pause) : undefined;
  const set = {
    ...health,
    pausedUntil,
    slowUntil: timestamp(now() + pause + slowMillis),
    ...(pausedUntil !== undefined && { dues: dueList, due: pausedUntil }),
  };
  await write(update({ pk, sk }, { set, when: exists }));
};

/** Notes that the next events of a webhook take the slow lane, because a call is taking long. */
export const noteSlow = async ({ pk, sk, slowUntil = '' }: WebhookItem): Promise<void> => {
  // One write is enough for several slow calls.
  if (timestamp(now() + slowMillis / 2) < slowUntil) return;
  await write(update({ pk, sk }, { set: { slowUntil: timestamp(now() + slowMillis) }, when: exists }));
};
