import type { DynamoDBRecord } from 'aws-lambda';
import type { CustomerItem } from '../avatars/customers.ts';
import { now } from '../clock.ts';
import { asciiJson } from '../delivery/message.ts';
import { setAside } from '../delivery/queue.ts';
import { logSink } from '../log.ts';
import { Problem } from '../problem.ts';
import { uncountedOf } from '../sale/debts.ts';
import type { SaleItem } from '../sale/sales.ts';
import { LaterShape } from '../shape.ts';
import { BusyError, UnansweredError } from '../table/engine.ts';
import { eventsOf, eventsOfRemoval } from './changes.ts';
import { sequenceText } from './days.ts';
import type { NewEvent } from './events.ts';
import { isToldRemoval } from './journal-changes.ts';
import { isConsumed } from './processed-records.ts';
import type { RecordContributions } from './record.ts';
import { contributionsOf, unsentSaleOf } from './records.ts';
import { changeOf, type ItemChange, type ItemRemoval, removalOf } from './stream.ts';
import { type ToTell, toTellOf } from './vendors.ts';

/** A record of the table's stream with all that follows from it. */
export interface RecordRead extends RecordContributions {
  from: DynamoDBRecord;
  store: string;
  events: NewEvent[];
  /** The record's sale, if its delivery must still be ordered. */
  unsent: SaleItem | undefined;
  /** The record's sale, if its debts must still be counted. */
  owing: SaleItem | undefined;
  /** The UUID of a customer who is new or was renamed, with the new name and the earlier one. */
  named: { uuid: string; names: string[] } | undefined;
  /** The vendors that must hear of the change. */
  toTell: ToTell | undefined;
}

const owingSaleOf = ({ kind, after }: ItemChange): SaleItem | undefined =>
  kind === 'SALE' && uncountedOf(after as SaleItem).length > 0 ? (after as SaleItem) : undefined;

const namedOf = ({ kind, before, after }: ItemChange): RecordRead['named'] => {
  const [earlier, { username, sk: uuid }] = [before as CustomerItem | undefined, after as CustomerItem];
  if (kind !== 'CUSTOMER' || earlier?.username === username) return undefined;
  return { uuid, names: [username, ...(earlier ? [earlier.username] : [])].filter((name) => name !== uuid) };
};

/** Within this time a deployment is over, and the new version of the consumer reads the records of new items. */
const deploymentMillis = 15 * 60_000;

const ageOf = ({ dynamodb }: DynamoDBRecord): number => now() - (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000;

export const logRecords = (
  history: string,
  records: readonly DynamoDBRecord[],
  { stack }: { stack?: string | undefined },
): void => logSink.write({ level: 'ERROR', history, records: records.map(({ eventID }) => eventID), stack });

/** Sends a record to the queue of failures, whose alarm tells the operator. Answers false if the queue refused it. */
export const tellOperator = (from: DynamoDBRecord): Promise<boolean> =>
  setAside(process.env.HISTORY_FAILURES_URL, asciiJson(from)).then(
    () => true,
    (error: Error) => {
      logRecords('failed', [from], error);
      return false;
    },
  );

/** Why a record must come back, as the log says it; undefined if no later reading of it can help. */
const comesBack = (from: DynamoDBRecord, fault: unknown): string | undefined => {
  if (fault instanceof LaterShape) return ageOf(from) < deploymentMillis ? 'of a later version' : undefined;
  // The table had no capacity or gave no answer. The record itself may well be readable.
  const isBusy = fault instanceof BusyError || (fault instanceof Problem && fault.status === 503);
  return isBusy || fault instanceof UnansweredError ? 'failed' : undefined;
};

/** A record of a removal: it has nothing but its row of the journal. */
const readRemoval = (from: DynamoDBRecord, { store, sequenceNumber = '' }: ItemRemoval): RecordRead => ({
  from,
  store,
  sequence: sequenceText(sequenceNumber),
  contributions: [],
  events: [],
  unsent: undefined,
  owing: undefined,
  named: undefined,
  toTell: undefined,
});

/** A record of a change, with all that follows from it but its events. */
const readChange = (from: DynamoDBRecord, change: ItemChange): RecordRead => ({
  from,
  store: change.store,
  sequence: sequenceText(change.sequenceNumber ?? ''),
  contributions: contributionsOf(change),
  events: [],
  unsent: unsentSaleOf(change),
  owing: owingSaleOf(change),
  named: namedOf(change),
  toTell: toTellOf(change),
});

/**
 * Reads the records of a batch that this consumer has not processed yet, each once. An unreadable record goes to the
 * queue of failures: if Lambda brought it back, it would hold up all records behind it for a day. `failed` are the
 * records that must come back: records of a version that is being deployed, records for whose events the table had no
 * answer, and records that the queue refused.
 */
export const readBatch = async (records: readonly DynamoDBRecord[]) => {
  const read = new Map<string, RecordRead>();
  const failed: DynamoDBRecord[] = [];
  for (const from of records)
    try {
      if (isConsumed(from)) continue;
      const [change, removal] = [changeOf(from), removalOf(from)];
      if (change) {
        const one = readChange(from, change);
        // History does not wait for an event that cannot be made.
        read.set(one.sequence, one);
        one.events = await eventsOf(change);
      } else if (removal && isToldRemoval(removal)) {
        const one = readRemoval(from, removal);
        read.set(one.sequence, one);
        one.events = await eventsOfRemoval(removal);
      }
    } catch (fault) {
      const why = comesBack(from, fault);
      logRecords(why ?? 'unreadable', [from], fault as Error);
      if (why !== undefined) {
        read.delete(sequenceText(from.dynamodb?.SequenceNumber ?? ''));
        failed.push(from);
        continue;
      }
      if (!(await tellOperator(from))) failed.push(from);
    }
  return { read: [...read.values()], failed };
};
