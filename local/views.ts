import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { listDeadLetters, redriveDeadLetters } from '../cli/dead-letters.ts';
import { now, timestamp } from '../lib/clock.ts';
import { asDecided, type CreditLot, listLots } from '../lib/credit/lots.ts';
import { type CreditType, creditTypes, isDue } from '../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../lib/credit/state.ts';
import { listDeliveries } from '../lib/delivery/deliveries.ts';
import { findDispenser } from '../lib/delivery/dispensers.ts';
import { type EventItem, eventKeys } from '../lib/events/events.ts';
import { parseIdentifier } from '../lib/identifier.ts';
import { invalid } from '../lib/problem.ts';
import { deliveryStates } from '../lib/routes/deliveries.ts';
import { eventNames } from '../lib/routes/events.ts';
import { listCustomers } from '../lib/store/customer-list.ts';
import { customerKey, getCustomerItem, uuidOf } from '../lib/store/customers.ts';
import { productKey } from '../lib/store/memberships.ts';
import { listProducts } from '../lib/store/products.ts';
import type { Key } from '../lib/table/schema.ts';
import { getMany } from '../lib/table/table.ts';
import type { LocalDispenser } from './dispenser.ts';

/** The console's views of one store, read through the store's own verbs. */

const shownCustomers = 50;
const readCustomers = 1000;
const shownOpenLots = 200;
const shownEndedLots = 40;
const shownDeliveries = 60;
const shownDeadLetters = 20;
const shownEvents = 50;

/** Customers whose name contains the text, those with the most credit first. */
export const viewCustomers = async (store: string, text: string) => {
  const all = await listCustomers(store, {}).source({ descending: false, limit: readCustomers });
  const found = all.filter(({ username }) => username.includes(text.trim().toLowerCase()));
  found.sort((a, b) => b.credit + b.restrictedCredit - (a.credit + a.restrictedCredit));
  return { customers: found.slice(0, shownCustomers) };
};

/** A lot with the state `due` where it has expired and the next change or sweep will close it. */
const lotView = (lot: CreditLot, at: string) => ({
  ...lot,
  state: lot.state === 'open' && isDue(lot.expiresAt, at) ? 'due' : lot.state,
});

/** A customer's credit with its lots: the open ones in the order of their spending, then the ended, the latest first. */
export const viewCredit = async (store: string, text: string) => {
  const identifier = parseIdentifier(text);
  if (!identifier) throw invalid('Give a resident’s name, such as "vera.vendor", or an avatar UUID.');
  const uuid = await uuidOf(store, identifier);
  const item: CreditItem = await getCustomerItem(store, uuid);
  const lots = (await listLots(store, uuid)).map((lot) => asDecided(lot, item));
  const at = timestamp(now());
  const typeView = (type: CreditType) => {
    const ours = lots.filter(({ sk }) => sk.startsWith(`${type}#`));
    const open = ours.filter(({ state }) => state === 'open');
    const ended = ours.filter(({ state }) => state !== 'open');
    ended.sort((a, b) => ((a.endedAt ?? '') < (b.endedAt ?? '') ? 1 : -1));
    const { balance, unlotted } = holdingOf(item, type);
    return {
      type,
      balance,
      unlotted,
      lots: [...open.slice(0, shownOpenLots), ...ended.slice(0, shownEndedLots)].map((lot) => lotView(lot, at)),
      notShown: Math.max(0, open.length - shownOpenLots) + Math.max(0, ended.length - shownEndedLots),
    };
  };
  return { now: at, uuid, username: item.username, types: creditTypes.map(typeView) };
};

let queueClient: SQSClient | undefined;

/** Counts a queue's messages: ready ones, and those that a worker holds or that wait for a retry. */
const countMessages = async (QueueUrl: string | undefined) => {
  queueClient ??= new SQSClient({});
  const { Attributes = {} } = await queueClient.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return {
    ready: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    taken: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};

// Listing dead letters hides them for a moment: a redrive at that time would miss them.
let last: Promise<unknown> = Promise.resolve();
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const next = last.then(work);
  last = next.catch(() => undefined);
  return next;
};

export const redrive = async () => ({ redriven: await inTurn(redriveDeadLetters) });

/** The latest deliveries, the queues, the dead letters and the dispenser. */
export const viewDeliveries = async (store: string, dispenser: LocalDispenser) => {
  const [queue, dead, registered, products, ...perState] = await Promise.all([
    countMessages(process.env.DELIVERY_QUEUE_URL),
    countMessages(process.env.DELIVERY_DLQ_URL),
    findDispenser(store),
    listProducts(store, {})({ descending: false, limit: 1 }),
    ...deliveryStates.map((state) => listDeliveries(store, state)({ descending: true, limit: shownDeliveries })),
  ]);
  const gifts = new Map(dispenser.inbox().map((gift) => [gift.deliveryId, gift]));
  const deliveries = perState.flat().sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return {
    dispenser: {
      ...dispenser.behaviour(),
      region: registered?.region,
      registered: registered?.url !== undefined,
      lostReason: registered?.lostReason,
    },
    queue,
    /** A product for the example of a delivery. */
    product: products[0] && { id: products[0].id },
    deadLetters: dead.ready + dead.taken === 0 ? [] : await inTurn(() => listDeadLetters(shownDeadLetters)),
    deadLetterCount: dead.ready + dead.taken,
    /** `givenAt` is the time at which the avatar got the item, even if the dispenser never said so. */
    deliveries: deliveries
      .slice(0, shownDeliveries)
      .map((delivery) => ({ ...delivery, givenAt: gifts.get(delivery.id)?.time })),
  };
};

/** The members of an event's data that name whom and what it is about. */
type Named = Partial<
  Record<'username' | 'recipientUsername' | 'customerUsername' | 'ownerUsername' | 'buyerUuid', string> &
    Record<'name' | 'item' | 'code' | 'region' | 'productId', string>
>;

/** The names of the buyers and products of sales, whose data has their UUIDs alone. */
const namesIn = async (
  store: string,
  events: readonly Named[],
): Promise<(uuid: string | undefined) => string | undefined> => {
  const keys = events.flatMap(({ buyerUuid, productId }) =>
    buyerUuid && productId ? [customerKey(store, buyerUuid), productKey(store, productId)] : [],
  );
  const found = await getMany<Key & { name?: string; username?: string }>(keys);
  const names = new Map(found.map(({ sk, name, username }) => [sk, name ?? username]));
  return (uuid) => names.get(uuid ?? '') ?? uuid;
};

/** The store's newest events with the samples of `store trigger` among them, each with whom and what it is about. */
export const viewEvents = async (store: string) => {
  const keys = await eventKeys(store, [...eventNames, 'sample'], {})({ descending: true, limit: shownEvents });
  // An event may be erased after its key was read, and the engine leaves ended ones for a while.
  const items = (await getMany<EventItem>(keys)).filter(({ data, ttl }) => data !== undefined && ttl * 1000 > now());
  const read = items.map((item) => ({ item, data: JSON.parse(item.data) as Named }));
  const nameOf = await namesIn(
    store,
    read.map(({ data }) => data),
  );
  const events = read.map(({ item: { sk: id, type, at, sample = false }, data }) => ({
    ...{ id, type, at, sample, data },
    who:
      data.username ?? data.recipientUsername ?? data.customerUsername ?? data.ownerUsername ?? nameOf(data.buyerUuid),
    what: data.name ?? data.item ?? data.code ?? data.region ?? nameOf(data.productId),
  }));
  return { events };
};
