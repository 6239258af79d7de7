import type { DynamoDBRecord } from 'aws-lambda';
import { followNames } from '../lib/avatars/customer-names.ts';
import type { CustomerItem } from '../lib/avatars/customers.ts';
import { now } from '../lib/clock.ts';
import { asciiJson } from '../lib/delivery/message.ts';
import { setAside } from '../lib/delivery/queue.ts';
import { eventsOf, withProduct } from '../lib/events/changes.ts';
import { isConsumed, noteConsumed } from '../lib/events/consumed.ts';
import { sequenceText } from '../lib/events/days.ts';
import { type NewEvent, noteEvents } from '../lib/events/events.ts';
import { type RecordContributions, record } from '../lib/events/record.ts';
import { contributionsOf, unsentSaleOf } from '../lib/events/records.ts';
import { announce } from '../lib/events/send.ts';
import { changeOf, type ItemChange, type ShardAnswer, type ShardEvent } from '../lib/events/stream.ts';
import { orderTelling, type ToTell, toTellOf } from '../lib/events/vendors.ts';
import { logSink } from '../lib/log.ts';
import { countDebts } from '../lib/payout/count.ts';
import { uncountedOf } from '../lib/sale/debts.ts';
import type { SaleItem } from '../lib/sale/sales.ts';
import { orderDeliveries } from '../lib/sale/unsent.ts';
import { LaterShape } from '../lib/shape.ts';
import { type Meter, metered, newMeter } from '../lib/table/meter.ts';

interface RecordRead extends RecordContributions {
  from: DynamoDBRecord;
  store: string;
  events: NewEvent[];
  unsent: SaleItem | undefined;
  /** The sale of the record, where the note on it says that debts are to be counted. */
  owing: SaleItem | undefined;
  /** The UUID and the names of a customer who is new, or is called otherwise now. */
  named: { uuid: string; names: string[] } | undefined;
  toTell: ToTell | undefined;
}

/** A person who sends records again, which went to the queue of failures, says so. */
export interface ConsumerEvent extends ShardEvent {
  isSentAgain?: boolean;
}

/** Notes the events of a store, and orders that its webhooks get them. */
const tell = async (events: readonly NewEvent[]): Promise<void> =>
  announce(events[0]?.store ?? '', await noteEvents(events));

const owingSaleOf = ({ kind, after }: ItemChange): SaleItem | undefined =>
  kind === 'SALE' && uncountedOf(after as SaleItem).length > 0 ? (after as SaleItem) : undefined;

const namedOf = ({ kind, before, after }: ItemChange): RecordRead['named'] => {
  const [earlier, { username, sk: uuid }] = [before as CustomerItem | undefined, after as CustomerItem];
  if (kind !== 'CUSTOMER' || earlier?.username === username) return undefined;
  return { uuid, names: [username, ...(earlier ? [earlier.username] : [])].filter((name) => name !== uuid) };
};

/** A new version of this function is deployed within this time, and reads what the one before it cannot. */
const laterMillis = 15 * 60_000;

const ageOf = ({ dynamodb }: DynamoDBRecord): number => now() - (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000;

const log = (history: string, records: readonly DynamoDBRecord[], { stack }: { stack?: string | undefined }): void =>
  logSink.write({ level: 'ERROR', history, records: records.map(({ eventID }) => eventID), stack });

/** Sends a record to the queue of failures, whose alarm tells the operator. Answers whether the queue took it. */
const tellOperator = (from: DynamoDBRecord): Promise<boolean> =>
  setAside(process.env.HISTORY_FAILURES_URL, asciiJson(from)).then(
    () => true,
    (error: Error) => {
      log('failed', [from], error);
      return false;
    },
  );

/**
 * Reads the records of a batch, each once. Those that cannot be read go to the queue of failures; `failed` are those
 * that must come back.
 */
const readRecords = async (records: readonly DynamoDBRecord[]) => {
  const read = new Map<string, RecordRead>();
  const failed: DynamoDBRecord[] = [];
  for (const from of records)
    try {
      const change = isConsumed(from) ? undefined : changeOf(from);
      if (!change) continue;
      const { store, sequenceNumber = '' } = change;
      const sequence = sequenceText(sequenceNumber);
      const contributions = contributionsOf(change);
      const of = {
        unsent: unsentSaleOf(change),
        owing: owingSaleOf(change),
        named: namedOf(change),
        toTell: toTellOf(change),
      };
      const one: RecordRead = { from, store, sequence, contributions, events: [], ...of };
      // History does not wait for an event that cannot be made.
      read.set(sequence, one);
      one.events = eventsOf(await withProduct(change));
    } catch (fault) {
      if (fault instanceof LaterShape && ageOf(from) < laterMillis) {
        log('of a later version', [from], fault);
        failed.push(from);
        continue;
      }
      log('unreadable', [from], fault as Error);
      if (!(await tellOperator(from))) failed.push(from);
    }
  return { read: [...read.values()], failed };
};

/**
 * Lambda's name of the batch's shard, with that of its stream. A person who sends records again leaves it out: nobody
 * knows whether their days have them, so no day counts them. Throws where Lambda left it out.
 */
const shardOf = ({
  Records,
  shardId,
  eventSourceARN = Records[0]?.eventSourceARN,
  isSentAgain,
}: ConsumerEvent): string => {
  if (shardId === undefined && !isSentAgain)
    throw new Error('The event names no shard. Its event source needs a tumbling window: deploy the stack again.');
  return `${eventSourceARN} ${shardId}`;
};

/** Tells of records that made history though their days' checkpoints are beyond them. */
const tellOfUncounted = async (records: readonly RecordRead[]): Promise<void> => {
  if (records.length === 0) return;
  const sources = records.map(({ from }) => from);
  log('uncounted', sources, { stack: 'A record came after one that follows it in its shard: run store audit.' });
  await Promise.all(sources.map(tellOperator));
};

/**
 * Makes history, the sums of days and events from the table's stream, orders the deliveries of new sales, counts what
 * they owe to others, and notes the names of new customers. A record
 * that cannot be read goes to the queue of failures: Lambda would bring it back, and hold up all that follow it, for a
 * day. One of a later version comes back for a quarter of an hour first. Where the table does not take the rows of a
 * store, Lambda brings the batch back from the first of these records on; all that was written is found again then.
 */
export const handler = async (event: ConsumerEvent): Promise<ShardAnswer> => {
  const { Records, isSentAgain = false } = event;
  const shard = shardOf(event);
  const [meter, eventMeter] = [newMeter(), newMeter()];
  const { read, failed } = await readRecords(Records);
  // Days count no record behind one that is still to come, or that one would be behind their checkpoint.
  const readable = Records.slice(0, failed[0] && Records.indexOf(failed[0]));
  const mayCount = new Set(isSentAgain ? [] : readable);
  const recordAll = async (store: string, ofStore: readonly RecordRead[]): Promise<void> => {
    const unsent = ofStore.flatMap((one) => one.unsent ?? []);
    const owing = ofStore.flatMap((one) => one.owing ?? []);
    const named = ofStore.flatMap((one) => one.named ?? []);
    try {
      // Events come first: who waits for the history of a change finds its event too.
      const noting = metered(eventMeter, () => tell(ofStore.flatMap(({ events }) => events)));
      await noting.catch(() => undefined);
      await metered(meter, () => orderDeliveries(store, unsent));
      await tellOfUncounted(
        await metered(meter, () => record(store, shard, ofStore, ({ from }) => mayCount.has(from))),
      );
      await metered(meter, () => countDebts(store, owing));
      const uuids = named.map(({ uuid }) => uuid);
      await metered(meter, () =>
        followNames(
          store,
          uuids,
          named.flatMap(({ names }) => names),
        ),
      );
      await orderTelling(
        store,
        ofStore.flatMap((one) => one.toTell ?? []),
      );
      await noting;
    } catch (error) {
      const records = ofStore.map(({ from }) => from);
      log('failed', records, error as Error);
      failed.push(...records);
    }
  };
  const stores = Object.groupBy(read, ({ store }) => store);
  await Promise.all(Object.entries(stores).map(([store, ofStore = []]) => recordAll(store, ofStore)));
  const toRepeat = new Set(failed);
  noteConsumed(readable.filter((one) => !toRepeat.has(one)));
  const made = read.filter(({ contributions }) => contributions.length > 0).length;
  const noted = read.reduce((sum, { events }) => sum + events.length, 0);
  const report = (line: object, { calls, units }: Meter): void =>
    logSink.write({ level: 'INFO', ...line, calls, units });
  if (made > 0) report({ history: 'made', records: made }, meter);
  if (noted > 0) report({ events: 'noted', count: noted }, eventMeter);
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
    state: {},
  };
};
