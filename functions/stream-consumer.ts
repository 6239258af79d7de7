import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { asciiJson } from '../lib/delivery/message.ts';
import { setAside } from '../lib/delivery/queue.ts';
import { record } from '../lib/events/history.ts';
import { type Contribution, contributionsOf } from '../lib/events/records.ts';
import { logSink } from '../lib/log.ts';
import { metered, newMeter } from '../lib/table/meter.ts';

interface Read {
  from: DynamoDBRecord;
  contributions: Contribution[];
}

/**
 * Makes history and the sums of days from the table's stream. A record that cannot be read goes to the queue of failures:
 * Lambda would bring it back, and hold up all that follow it, for a day. Where the table does not take the rows of a store,
 * Lambda brings the batch back from the first of these records on; all that was written is found again then.
 */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const failed: DynamoDBRecord[] = [];
  const log = (history: string, records: readonly DynamoDBRecord[], { stack }: Error): void =>
    logSink.write({ level: 'ERROR', history, records: records.map(({ eventID }) => eventID), stack });
  const meter = newMeter();
  const read: Read[] = [];
  for (const from of Records)
    try {
      const contributions = contributionsOf(from);
      if (contributions.length > 0) read.push({ from, contributions });
    } catch (fault) {
      log('unreadable', [from], fault as Error);
      await setAside(process.env.HISTORY_FAILURES_URL, asciiJson(from)).catch((error) => {
        log('failed', [from], error);
        failed.push(from);
      });
    }

  const stores = Object.groupBy(read, ({ contributions: [first] }) => first?.store ?? '');
  const recordAll = async (ofStore: readonly Read[]): Promise<void> => {
    try {
      await record(ofStore.flatMap(({ contributions }) => contributions));
    } catch (error) {
      const records = ofStore.map(({ from }) => from);
      log('failed', records, error as Error);
      failed.push(...records);
    }
  };
  await metered(meter, () => Promise.all(Object.values(stores).map((ofStore = []) => recordAll(ofStore))));
  const { calls, units } = meter;
  if (read.length > 0) logSink.write({ level: 'INFO', history: 'made', records: read.length, calls, units });
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
  };
};
