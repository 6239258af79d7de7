import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { deliveryQueue } from '../lib/delivery/queue.ts';
import { addFunction, type Base, dispenserHosts, queueUrls } from './base.ts';
import { permissions, workerAccess } from './permissions.ts';
import type { ServiceFunction } from './service-function.ts';
import { receiveStatement, sendStatement, tableStatements } from './statements.ts';

/** Adds the worker, which delivers a few messages in parallel. Only the messages that fail come back. */
export const addWorker = (base: Base): ServiceFunction => {
  const { settings } = base;
  const { table, queue, slowQueue, deadLetters } = base.data;
  const worker = addFunction(base, 'delivery-worker', {
    description: 'Sends queued deliveries to the dispensers in the virtual world, and events to webhooks.',
    harm: 'Residents wait for their products, and programs for their events.',
    memoryMegabytes: 256,
    timeoutSeconds: deliveryQueue.workerTimeoutSeconds,
    environment: {
      ...queueUrls(base),
      SLOW_QUEUE_URL: slowQueue.queueUrl,
      // Calls of vendors share the slow queue, where no delivery waits behind them. A queue of their own would cost
      // 0.26 dollars an idle month.
      VENDOR_QUEUE_URL: slowQueue.queueUrl,
      ...dispenserHosts(base),
      DELIVERY_RECORD_DAYS: String(settings.deliveryRecordDays),
      ...(settings.keepDeliveryNotes && { DELIVERY_NOTES: 'kept' }),
    },
    statements: [
      ...tableStatements(table, permissions(workerAccess)),
      receiveStatement(queue, slowQueue),
      // A dispenser that registers frees waiting deliveries for the queue. Unreadable messages go to the dead
      // letters.
      sendStatement(queue, slowQueue, deadLetters),
    ],
    // It sends itself messages: for the next hundred of waiting deliveries, and for events that were held back.
    isRecursive: true,
  });
  const addSource = (source: Queue, maxConcurrency: number): void =>
    worker.lambda.addEventSource(
      new SqsEventSource(source, {
        batchSize: deliveryQueue.batchSize,
        reportBatchItemFailures: true,
        maxConcurrency,
      }),
    );
  addSource(queue, settings.deliveryConcurrency);
  addSource(slowQueue, deliveryQueue.slowConcurrency);
  return worker;
};
