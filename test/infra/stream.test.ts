import { expect, test } from 'vitest';
import { streamSource } from '../../infra/stream.ts';
import { streamView } from '../../lib/table/schema.ts';
import { idOf, type Resource, templateOf } from '../support/stack.ts';

const { all, ofType, only, functionOf } = templateOf();
const [consumerId, consumer] = functionOf('stream-consumer');

const mappingOf = (of: typeof ofType): Resource =>
  of('AWS::Lambda::EventSourceMapping').find(([, { Properties }]) => Properties.StartingPosition)?.[1].Properties;

test('the table has a stream of both images, which the consumer reads from its beginning', () => {
  const mapping = mappingOf(ofType);

  expect(only('AWS::DynamoDB::Table').StreamSpecification).toEqual({ StreamViewType: streamView });
  expect(mapping).toMatchObject({
    EventSourceArn: { 'Fn::GetAtt': [ofType('AWS::DynamoDB::Table')[0]?.[0], 'StreamArn'] },
    FunctionName: { Ref: consumerId },
    StartingPosition: 'TRIM_HORIZON',
  });
});

test('a batch that fails comes back until its records leave the stream, in halves, and then goes to the queue', () => {
  const mapping = mappingOf(ofType);

  expect(mapping).toMatchObject({
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    // DynamoDB deletes a record after 24 hours. With that bound, a record could be gone before Lambda tells the queue
    // about it.
    MaximumRecordAgeInSeconds: 20 * 3600,
    MaximumBatchingWindowInSeconds: 1,
    BatchSize: streamSource.batchSize,
  });
  // Any number of attempts: an outage of less than 20 hours must leave no hole.
  expect(mapping.MaximumRetryAttempts).toBeUndefined();
  const queue = idOf(mapping.DestinationConfig.OnFailure.Destination);
  expect(all[queue].Properties.MessageRetentionPeriod).toBe(14 * 86_400);
  expect(consumer.Properties.Environment.Variables.HISTORY_FAILURES_URL).toEqual({ Ref: queue });
  expect(consumer.Properties.Timeout).toBe(streamSource.timeoutSeconds);
});

test('Lambda names the shard of a batch, and reads each shard in its order', () => {
  const { TumblingWindowInSeconds, ParallelizationFactor } = mappingOf(ofType);

  // Without a window the event of a stream does not name its shard. 15 minutes is the longest window.
  expect(TumblingWindowInSeconds).toBe(900);
  // A new account runs 10 functions at once, and a new table has about four shards.
  expect(ParallelizationFactor).toBeUndefined();
});

test('Lambda calls the consumer only with records that something follows from', () => {
  const patterns = mappingOf(ofType).FilterCriteria.Filters.map(({ Pattern }: Resource) => JSON.parse(Pattern));

  expect(patterns).toEqual(streamSource.filters);
  // Lambda takes five patterns without a request to AWS, and matches values at the leaves only.
  expect(patterns.length).toBeLessThanOrEqual(5);
  const [lots, coupons, kinds, removals, imports] = patterns.map(({ eventName }: Resource) => eventName);
  for (const names of [lots, coupons, kinds]) expect(names).toEqual(['INSERT', 'MODIFY']);
  expect([removals, imports]).toEqual([['REMOVE'], ['INSERT']]);
});

test('reads the stream of a restored table instead, which the settings name', () => {
  const restoredStream = 'arn:aws:dynamodb:eu-west-1:111111111111:table/restored-table/stream/2026-01-31T12:00:00.000';
  const restored = templateOf({ restoredTable: 'restored-table', restoredStream });

  expect(mappingOf(restored.ofType).EventSourceArn).toBe(restoredStream);
});
