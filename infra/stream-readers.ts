import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { addFunction, type Base } from './base.ts';
import { consumerAccess, permissions } from './permissions.ts';
import type { ServiceFunction } from './service-function.ts';
import { sendStatement, streamStatements, tableStatements } from './statements.ts';
import { busSource, streamSource } from './stream.ts';

/** Makes history from the table's stream, and orders deliveries of sales. A failed batch comes back for 20 hours. */
export const addConsumer = (base: Base): { consumer: ServiceFunction; stream: EventSourceMapping } => {
  const { table, streamArn, historyFailures, queue, slowQueue } = base.data;
  const consumer = addFunction(base, 'stream-consumer', {
    description: "Makes history, days and events from the table's stream, and orders the deliveries of sales.",
    harm: 'Changes are late or missing in the history of credit, in the sums of days and at webhooks, while balances are right.',
    memoryMegabytes: 512,
    timeoutSeconds: streamSource.timeoutSeconds,
    environment: {
      JOURNAL_DAYS: String(base.settings.journalDays),
      HISTORY_FAILURES_URL: historyFailures.queueUrl,
      DELIVERY_QUEUE_URL: queue.queueUrl,
      SLOW_QUEUE_URL: slowQueue.queueUrl,
      VENDOR_QUEUE_URL: slowQueue.queueUrl,
    },
    statements: [
      ...tableStatements(table, permissions(consumerAccess)),
      ...streamStatements(table),
      // Lambda also uses this role when it gives a batch up. The delivery queue is for sales and webhooks.
      sendStatement(historyFailures, queue, slowQueue),
    ],
  });
  const { batchSize, windowSeconds, shardWindowMinutes, maxRecordAgeHours, filters } = streamSource;
  const stream = new EventSourceMapping(base.stack, 'Stream', {
    target: consumer.lambda,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    maxBatchingWindow: Duration.seconds(windowSeconds),
    tumblingWindow: Duration.minutes(shardWindowMinutes),
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: Duration.hours(maxRecordAgeHours),
    onFailure: new SqsDlq(historyFailures),
    filters: filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
  });
  return { consumer, stream };
};

/**
 * Puts events on an EventBridge bus of the account. It reads the stream on its own, so a bus that is gone or busy
 * delays nothing else. A batch that fails comes back for 20 hours; the list of events has its events for 30 days.
 */
export const addEventBus = (base: Base): ServiceFunction | undefined => {
  const { eventBus, stage } = base.settings;
  if (eventBus === undefined) return undefined;
  const { table, streamArn } = base.data;
  const bus = addFunction(base, 'event-bus', {
    description: 'Puts events on an EventBridge bus.',
    harm: 'Rules on your event bus do not see the latest events, and nothing else is affected.',
    memoryMegabytes: 256,
    timeoutSeconds: streamSource.timeoutSeconds,
    environment: { EVENT_BUS: eventBus, EVENT_SOURCE: `store-integration-service.${stage}` },
    statements: [
      ...streamStatements(table),
      new PolicyStatement({
        sid: 'Bus',
        actions: ['events:PutEvents'],
        resources: [base.stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: eventBus })],
      }),
    ],
  });
  new EventSourceMapping(base.stack, 'EventStream', {
    target: bus.lambda,
    eventSourceArn: streamArn,
    // Events from before the setting are not news to anybody.
    startingPosition: StartingPosition.LATEST,
    batchSize: busSource.batchSize,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: Duration.hours(streamSource.maxRecordAgeHours),
    filters: [{ pattern: JSON.stringify(busSource.filter) }],
  });
  return bus;
};
