import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { now } from '../lib/clock.ts';
import { asciiJson } from '../lib/delivery/message.ts';
import { setAside } from '../lib/delivery/queue.ts';
import { eventsOf } from '../lib/events/changes.ts';
import { isConsumed, noteConsumed } from '../lib/events/consumed.ts';
import { type NewEvent, noteEvents } from '../lib/events/events.ts';
import { record } from '../lib/events/history.ts';
import { type Contribution, contributionsOf, unsentSaleOf } from '../lib/events/records.ts';
import { announce } from '../lib/events/send.ts';
import { changeOf } from '../lib/events/stream.ts';
import { logSink } from '../lib/log.ts';
import type { SaleItem } from '../lib/sale/sales.ts';
import { orderDeliveries } from '../lib/sale/unsent.ts';
import { LaterShape } from '../lib/shape.ts';
import { type Meter, metered, newMeter } from '../lib/table/meter.ts';

interface RecordRead {
  from: DynamoDBRecord;
  store: string;
  contributions: Contribution[];
  events: NewEvent[];
  unsent: SaleItem | undefined;
}

/** Notes the events of a store, and orders that its webhooks get them. */
const tell = async (events: readonly NewEvent[]): Promise<void> =>
  announce(events[0]?.store ?? '', await noteEvents(events));

/** A new version of this function is deployed within this time, and reads what the one before it cannot. */
const laterMillis = 15 * 60_000;

const ageOf = ({ dynamodb }: DynamoDBRecord): number => now() - (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000;

/**
 * Makes history, the sums of days and events from the table's stream, and orders the deliveries of new sales. A record
 * that cannot be read goes to the queue of failures: Lambda would bring it back, and hold up all that follow it, for a
 * day. One of a later version comes back for a quarter of an hour first. Where the table does not take the rows of a
 * store, Lambda brings the batch back from the first of these records on; all that was written is found again then.
 */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const failed: DynamoDBRecord[] = [];
  const log = (history: string, records: readonly DynamoDBRecord[], { stack }: Error): void =>
    logSink.write({ level: 'ERROR', history, records: records.map(({ eventID }) => eventID), stack });
  const [meter, eventMeter] = [newMeter(), newMeter()];
  const read: RecordRead[] = [];
  for (const from of Records)
    try {
      const change = isConsumed(from) ? undefined : changeOf(from);
      if (!change) continue;
      const { store } = change;
      const one: RecordRead = {
        from,
        store,
        contributions: contributionsOf(change),
        events: [],
        unsent: unsentSaleOf(change),
      };
      // History does not wait for an event that cannot be made.
      read.push(one);
      one.events = eventsOf(change);
    } catch (fault) {
      if (fault instanceof LaterShape && ageOf(from) < laterMillis) {
        log('of a later version', [from], fault);
        failed.push(from);
        continue;
      }
      log('unreadable', [from], fault as Error);
      await setAside(process.env.HISTORY_FAILURES_URL, asciiJson(from)).catch((error) => {
        log('failed', [from], error);
        failed.push(from);
      });
    }

  const stores = Object.groupBy(read, ({ store }) => store);
  const recordAll = async (store: string, ofStore: readonly RecordRead[]): Promise<void> => {
    const unsent = ofStore.flatMap((one) => one.unsent ?? []);
    try {
      // Events come first: who waits for the history of a change finds its event too.
      const noting = metered(eventMeter, () => tell(ofStore.flatMap(({ events }) => events)));
      await noting.catch(() => undefined);
      await metered(meter, () => orderDeliveries(store, unsent));
      await metered(meter, () => record(ofStore.flatMap(({ contributions }) => contributions)));
      await noting;
    } catch (error) {
      const records = ofStore.map(({ from }) => from);
      log('failed', records, error as Error);
      failed.push(...records);
    }
  };
  await Promise.all(Object.entries(stores).map(([store, ofStore = []]) => recordAll(store, ofStore)));
  const toRepeat = new Set(failed);
  noteConsumed(Records.filter((one) => !toRepeat.has(one)));
  const made = read.filter(({ contributions }) => contributions.length > 0).length;
  const noted = read.reduce((sum, { events }) => sum + events.length, 0);
  const report = (line: object, { calls, units }: Meter): void =>
    logSink.write({ level: 'INFO', ...line, calls, units });
  if (made > 0) report({ history: 'made', records: made }, meter);
  if (noted > 0) report({ events: 'noted', count: noted }, eventMeter);
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
  };
};
