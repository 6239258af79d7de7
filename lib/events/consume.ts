import type { DynamoDBRecord } from 'aws-lambda';
import { followNames } from '../avatars/customer-names.ts';
import { logSink } from '../log.ts';
import { countDebts } from '../payout/count.ts';
import { orderDeliveries } from '../sale/unsent.ts';
import { type Meter, metered, newMeter } from '../table/meter.ts';
import { isEvent, noteEvents } from './events.ts';
import { noteConsumed } from './processed-records.ts';
import { logRecords, type RecordRead, readBatch, tellOperator } from './read-batch.ts';
import { record } from './record.ts';
import { announce } from './send.ts';
import type { ShardAnswer, ShardEvent } from './stream.ts';
import { orderTelling } from './vendors.ts';

export interface ConsumerEvent extends ShardEvent {
  /** A person sends records from the queue of failures again. */
  isSentAgain?: boolean;
}

/** The records of one store in a batch. */
export interface StoreBatch {
  store: string;
  shard: string;
  records: readonly RecordRead[];
  /** True for a record that the sums of days may count. */
  mayCount: (one: RecordRead) => boolean;
  meter: Meter;
  eventMeter: Meter;
}

/**
 * Lambda's name of the batch's shard, with the name of its stream. A person who sends records again leaves it out:
 * nobody knows whether the days' sums include them, so no day counts them. Throws if Lambda left it out.
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

/** Tells the operator of records that made history although the sums of their days can no longer count them. */
const tellOfUncounted = async (records: readonly RecordRead[]): Promise<void> => {
  if (records.length === 0) return;
  const sources = records.map(({ from }) => from);
  logRecords('uncounted', sources, { stack: 'A record came after one that follows it in its shard: run store audit.' });
  await Promise.all(sources.map(tellOperator));
};

/** Notes the events of a store, and orders that its webhooks get them. */
const noteAndAnnounce = async (store: string, records: readonly RecordRead[]): Promise<void> =>
  announce(store, (await noteEvents(records.flatMap(({ events }) => events))).filter(isEvent));

/** Does everything that follows from the records of a store. Throws if the table or the queue refuses a part of it. */
const processStore = async ({ store, shard, records, mayCount, meter, eventMeter }: StoreBatch): Promise<void> => {
  const unsent = records.flatMap((one) => one.unsent ?? []);
  const owing = records.flatMap((one) => one.owing ?? []);
  const named = records.flatMap((one) => one.named ?? []);
  const uuids = named.map(({ uuid }) => uuid);
  const names = named.flatMap((one) => one.names);
  // Events come first: a client that has waited for the history of a change finds its event too.
  const noting = metered(eventMeter, () => noteAndAnnounce(store, records));
  await noting.catch(() => undefined);
  await metered(meter, () => orderDeliveries(store, unsent));
  await tellOfUncounted(await metered(meter, () => record(store, shard, records, mayCount)));
  await metered(meter, () => countDebts(store, owing));
  await metered(meter, () => followNames(store, uuids, names));
  const toTell = records.flatMap((one) => one.toTell ?? []);
  await orderTelling(store, toTell);
  await noting;
};

/** Logs how many records made history and how many events were noted, with the units of both. */
const report = (read: readonly RecordRead[], meter: Meter, eventMeter: Meter): void => {
  const log = (line: object, { calls, units }: Meter): void => logSink.write({ level: 'INFO', ...line, calls, units });
  const made = read.filter(({ contributions }) => contributions.length > 0).length;
  const noted = read.reduce((sum, { events }) => sum + events.length, 0);
  if (made > 0) log({ history: 'made', records: made }, meter);
  if (noted > 0) log({ events: 'noted', count: noted }, eventMeter);
};

/**
 * Processes a batch of the table's stream, the stores side by side. If the records of a store fail, Lambda brings the
 * batch back from the first of them on. Each act then finds what it wrote before, and writes nothing twice.
 */
export const consume = async (event: ConsumerEvent, processOne = processStore): Promise<ShardAnswer> => {
  const { Records, isSentAgain = false } = event;
  const shard = shardOf(event);
  const [meter, eventMeter] = [newMeter(), newMeter()];
  const { read, failed } = await readBatch(Records);
  // The days count no record that follows one that must come back: their checkpoint would skip the latter.
  const readable = Records.slice(0, failed[0] && Records.indexOf(failed[0]));
  const countable = new Set<DynamoDBRecord>(isSentAgain ? [] : readable);
  const mayCount = ({ from }: RecordRead): boolean => countable.has(from);
  const stores = Object.entries(Object.groupBy(read, ({ store }) => store));
  await Promise.all(
    stores.map(async ([store, records = []]) => {
      try {
        await processOne({ store, shard, records, mayCount, meter, eventMeter });
      } catch (error) {
        const sources = records.map(({ from }) => from);
        logRecords('failed', sources, error as Error);
        failed.push(...sources);
      }
    }),
  );
  const toRepeat = new Set(failed);
  noteConsumed(readable.filter((one) => !toRepeat.has(one)));
  report(read, meter, eventMeter);
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
    state: {},
  };
};
