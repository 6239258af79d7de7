import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { eventEntry, putOnBus } from '../lib/events/bus.ts';
import { logSink } from '../lib/log.ts';

/**
 * Puts noted events on an EventBridge bus. If the bus does not take an event, Lambda brings the batch back from that
 * event on, so an event may come twice, with the same id. An event that the bus can never take is logged and skipped:
 * it would hold up all others for a day.
 */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const refused = await putOnBus(Records.map(eventEntry));
  for (const { index, code, isLasting } of refused)
    logSink.write({ level: 'ERROR', bus: isLasting ? 'refused' : 'failed', code, records: Records[index]?.eventID });
  const failed = refused.filter(({ isLasting }) => !isLasting);
  return {
    batchItemFailures: failed.map(({ index }) => ({
      itemIdentifier: Records[index]?.dynamodb?.SequenceNumber ?? '',
    })),
  };
};
