import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { record } from '../lib/events/history.ts';
import { type Contribution, contributionsOf } from '../lib/events/records.ts';
import { logSink } from '../lib/log.ts';
import { metered, newMeter } from '../lib/table/meter.ts';

interface Read {
  record: DynamoDBRecord;
  contributions: Contribution[];
}

/**
 * Makes history and the sums of days from the table's stream. Lambda brings a batch back from the first record on that is
 * reported as failed; all that was written is found again then.
 */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const failed: DynamoDBRecord[] = [];
  const failing = (records: readonly DynamoDBRecord[], error: unknown): void => {
    failed.push(...records);
    const { stack } = error as Error;
    logSink.write({ level: 'ERROR', history: 'failed', records: records.map(({ eventID }) => eventID), stack });
  };
  const read = Records.flatMap((one): Read[] => {
    try {
      return [{ record: one, contributions: contributionsOf(one) }];
    } catch (error) {
      failing([one], error);
      return [];
    }
  }).filter(({ contributions }) => contributions.length > 0);

  const meter = newMeter();
  const stores = Object.groupBy(read, ({ contributions: [first] }) => first?.store ?? '');
  const recordAll = async (ofStore: readonly Read[]): Promise<void> => {
    try {
      await record(ofStore.flatMap(({ contributions }) => contributions));
    } catch (error) {
      failing(
        ofStore.map((one) => one.record),
        error,
      );
    }
  };
  await metered(meter, () => Promise.all(Object.values(stores).map((ofStore = []) => recordAll(ofStore))));
  const { calls, units } = meter;
  if (read.length > 0) logSink.write({ level: 'INFO', history: 'made', records: read.length, calls, units });
  return {
    batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
  };
};
