import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { eventEntry, putOnBus } from '../lib/events/bus.ts';
import { logSink } from '../lib/log.ts';

/**
 * Puts the events that were noted on an EventBridge bus. Lambda brings the batch back from the first event on that the
 * bus did not take, so an event may come twice, with the same id. One that the bus will never take is logged and passed
 * over: it would hold up all others for a day.
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
