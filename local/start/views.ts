import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { now } from '../../lib/clock.ts';
import { type EventItem, eventKeys, isEvent } from '../../lib/events/events.ts';
import { listDeadLetters, redriveDeadLetters } from '../../lib/operator/dead-letters.ts';
import { eventNames } from '../../lib/routes/events.ts';
import { customerKey, productKey } from '../../lib/table/keys.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany } from '../../lib/table/table.ts';
import type { LocalDispenser } from './dispenser.ts';

/** Reads facts for the desk's pages for developers that the API does not tell. */

const shownGifts = 60;
const shownDeadLetters = 20;
const shownEvents = 50;

let queueClient: SQSClient | undefined;

/** Counts a queue's messages: `ready` ones, and `taken` ones that a worker holds or that wait for a retry. */
export const countMessages = async (QueueUrl: string | undefined) => {
  queueClient ??= new SQSClient({});
  const { Attributes = {} } = await queueClient.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return {
    ready: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    taken: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};

// Listing dead letters hides them for a moment, and a redrive at that time would miss them.
let last: Promise<unknown> = Promise.resolve();
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const next = last.then(work);
  last = next.catch(() => undefined);
  return next;
};

export const redrive = async () => ({ redriven: await inTurn(redriveDeadLetters) });

/** A dispenser's behaviour and gifts, the newest first, and the queue and dead letters of all stores. */
export const viewFaults = async (dispenser: LocalDispenser) => {
  const [queue, dead] = await Promise.all([
    countMessages(process.env.DELIVERY_QUEUE_URL),
    countMessages(process.env.DELIVERY_DLQ_URL),
  ]);
  return {
    mode: dispenser.behaviour().mode,
    queue,
    deadLetters: dead.ready + dead.taken === 0 ? [] : await inTurn(() => listDeadLetters(shownDeadLetters)),
    deadLetterCount: dead.ready + dead.taken,
    /** `time` is when the avatar got the item, even if the dispenser's answer was lost. */
    inbox: dispenser.inbox().slice(0, shownGifts),
  };
};

/** The members of an event's data that name its avatar and its thing. */
type EventNames = Partial<
  Record<'username' | 'recipientUsername' | 'customerUsername' | 'ownerUsername' | 'buyerUuid', string> &
    Record<'name' | 'item' | 'code' | 'region' | 'productId', string>
>;

/** Reads the names of buyers and products of sales, whose events have only UUIDs. */
const namesOfUuids = async (
  store: string,
  events: readonly EventNames[],
): Promise<(uuid: string | undefined) => string | undefined> => {
  const keys = events.flatMap(({ buyerUuid, productId }) =>
    buyerUuid && productId ? [customerKey(store, buyerUuid), productKey(store, productId)] : [],
  );
  const found = await getMany<Key & { name?: string; username?: string }>(keys);
  const names = new Map(found.map(({ sk, name, username }) => [sk, name ?? username]));
  return (uuid) => names.get(uuid ?? '') ?? uuid;
};

/** The store's newest events and the samples of `store trigger`, each with its avatar and its thing. */
export const viewEvents = async (store: string) => {
  const keys = await eventKeys(store, [...eventNames, 'sample'], {})({ descending: true, limit: shownEvents });
  // An erasure may remove an event after its key was read, and the engine keeps expired events for a while.
  const items = (await getMany<EventItem>(keys)).filter(isEvent).filter(({ ttl }) => ttl * 1000 > now());
  const read = items.map((item) => ({ item, data: JSON.parse(item.data) as EventNames }));
  const nameOf = await namesOfUuids(
    store,
    read.map(({ data }) => data),
  );
  const events = read.map(({ item: { sk: id, type, at, sample = false }, data }) => ({
    id,
    type,
    at,
    sample,
    data,
    who:
      data.username ?? data.recipientUsername ?? data.customerUsername ?? data.ownerUsername ?? nameOf(data.buyerUuid),
    what: data.name ?? data.item ?? data.code ?? data.region ?? nameOf(data.productId),
  }));
  return { events };
};
