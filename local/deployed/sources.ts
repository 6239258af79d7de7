import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, SQSBatchResponse } from 'aws-lambda';
import { startPoller } from '../poller.ts';
import { type Consumer, followStream, type StreamPlace } from '../stream.ts';
import type { FunctionFacts, Functions } from './functions.ts';
import { isAllowed } from './roles.ts';
import type { Part, ResolvedTemplate } from './template.ts';

/** Makes the template's tables in an engine that lacks them. */
export const makeTables = async (template: ResolvedTemplate, client: DynamoDBClient): Promise<void> => {
  for (const { ref, properties } of template.ofType('AWS::DynamoDB::Table')) {
    const TableName = ref();
    const {
      AttributeDefinitions,
      BillingMode,
      KeySchema,
      GlobalSecondaryIndexes = [],
      TimeToLiveSpecification,
    } = properties;
    const isThere = await client.send(new DescribeTableCommand({ TableName })).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ResourceNotFoundException) return false;
        throw error;
      },
    );
    if (isThere) continue;
    const { StreamViewType } = properties.StreamSpecification ?? {};
    const input: CreateTableCommandInput = {
      ...{ TableName, AttributeDefinitions, BillingMode, KeySchema },
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ OnDemandThroughput: _, ...index }: Part) => index),
      ...(StreamViewType && { StreamSpecification: { StreamEnabled: true, StreamViewType } }),
    };
    await client.send(new CreateTableCommand(input));
    if (TimeToLiveSpecification) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
};

/** Makes the template's queues, those without dead letters first. Answers their URLs at the server, by name. */
export const makeQueues = async (
  template: ResolvedTemplate,
  client: SQSClient,
  endpoint: string,
): Promise<Record<string, string>> => {
  const urls: Record<string, string> = {};
  const arns: Record<string, string> = {};
  const queues = template
    .ofType('AWS::SQS::Queue')
    .sort((a, b) => Number('RedrivePolicy' in a.properties) - Number('RedrivePolicy' in b.properties));
  for (const { id, arn, properties } of queues) {
    const { MessageRetentionPeriod, VisibilityTimeout, RedrivePolicy } = properties;
    const redrive = RedrivePolicy && {
      ...RedrivePolicy,
      deadLetterTargetArn: arns[RedrivePolicy.deadLetterTargetArn],
    };
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({
        QueueName: id,
        Attributes: {
          ...(MessageRetentionPeriod && { MessageRetentionPeriod: String(MessageRetentionPeriod) }),
          ...(VisibilityTimeout && { VisibilityTimeout: String(VisibilityTimeout) }),
          ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
        },
      }),
    );
    urls[id] = QueueUrl.replace(/^https?:\/\/[^/]+/, endpoint);
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: urls[id], AttributeNames: ['QueueArn'] }),
    );
    arns[arn()] = Attributes?.QueueArn ?? '';
  }
  return urls;
};

interface SourceOptions {
  template: ResolvedTemplate;
  functions: Functions;
  facts: readonly FunctionFacts[];
  tableEndpoint: string;
  queueUrls: Readonly<Record<string, string>>;
  /** The places up to which the mappings have read their streams. */
  places: Map<string, StreamPlace>;
  onLine: (label: string, line: string) => void;
}

const queueActions = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/** Lambda makes no event source mapping for a role that may not read the source. */
const checkRole = (
  { label, statements }: FunctionFacts,
  service: string,
  actions: string[],
  resource: string,
): void => {
  for (const action of actions.map((one) => `${service}:${one}`))
    if (!isAllowed(statements, { action, resource, context: {} }))
      throw new Error(`The role of ${label} does not allow ${action} on ${resource}, which its event source needs.`);
};

/** Lambda stops a chain of calls after about so many rounds through a function. */
const maxRounds = 16;

/** How often the chain of calls that led to a message has gone through a function, by the trace headers. */
const roundsOf = (name: string, traces: readonly string[]): number =>
  Math.max(0, ...traces.map((trace) => Number(new RegExp(`Lineage=${name}:(\\d+)`).exec(trace)?.[1] ?? 0)));

/** Invokes a function with a batch. Throws where it fails, so that the whole batch comes back. */
const batchInvoker =
  ({ functions, onLine }: SourceOptions, { name, label, isRecursive }: FunctionFacts) =>
  async (event: { Records: object[] }): Promise<SQSBatchResponse & DynamoDBBatchResponse> => {
    const traces = event.Records.map((record: Part) => String(record.attributes?.AWSTraceHeader ?? ''));
    const rounds = roundsOf(name, traces);
    if (rounds >= maxRounds && !isRecursive) {
      onLine(label, `Lambda stopped a recursive chain of ${rounds} calls through ${label}.`);
      throw new Error('A recursive chain of calls was stopped.');
    }
    const trace = `Root=1-0-${'0'.repeat(24)};Sampled=0;Lineage=${name}:${rounds + 1}`;
    const { payload, isError } = await functions.invoke(name, JSON.stringify(event), trace);
    if (isError) throw new Error(payload);
    const answer = JSON.parse(payload) as Partial<SQSBatchResponse> | null;
    return { batchItemFailures: answer?.batchItemFailures ?? [] };
  };

/** Starts the template's event source mappings and schedules. */
export const startSources = (options: SourceOptions) => {
  const { template, functions, facts, tableEndpoint, queueUrls, places, onLine } = options;
  const factsOf = (name: string): FunctionFacts => {
    const plain = name.replace(/^arn:.*:function:/, '').split(':')[0];
    const found = facts.find((one) => one.name === plain);
    if (!found) throw new Error(`An event source names ${name}, which is no function of the template.`);
    return found;
  };
  const stops: (() => Promise<void> | void)[] = [];
  for (const { id, properties } of template.ofType('AWS::Lambda::EventSourceMapping')) {
    const target = factsOf(properties.FunctionName);
    const source = String(properties.EventSourceArn);
    const invoke = batchInvoker(options, target);
    if (properties.FunctionResponseTypes?.[0] !== 'ReportBatchItemFailures')
      throw new Error(`${id} does not report which items of a batch failed.`);
    if (source.includes(':sqs:')) {
      checkRole(target, 'sqs', queueActions, source);
      const poller = startPoller({
        queueUrl: queueUrls[source.split(':').at(-1) ?? ''] ?? '',
        worker: (event) => invoke({ Records: event.Records.map((one) => ({ ...one, eventSourceARN: source })) }),
        concurrency: properties.ScalingConfig?.MaximumConcurrency ?? 2,
        batchSize: properties.BatchSize,
      });
      stops.push(poller.stop);
    } else {
      checkRole(target, 'dynamodb', streamActions, source);
      const reader = followStream({
        endpoint: tableEndpoint,
        table: /:table\/([^/]+)\//.exec(source)?.[1] ?? '',
        consumer: invoke as Consumer,
        filters: properties.FilterCriteria.Filters.map(({ Pattern }: Part) => JSON.parse(Pattern)),
        batchSize: properties.BatchSize,
        place: places.get(id),
        onPlace: (place) => places.set(id, structuredClone(place)),
      });
      stops.push(reader.stop);
    }
  }
  for (const { properties } of template.ofType('AWS::Scheduler::Schedule')) {
    const [, count = '', unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(properties.ScheduleExpression) ?? [];
    const minutes = Number(count) * ({ minute: 1, hour: 60, day: 1440 }[unit] ?? 0);
    if (!minutes) throw new Error(`npm run deployed does not know the schedule ${properties.ScheduleExpression}.`);
    const { label, name } = factsOf(properties.Target.Arn);
    const timer = setInterval(() => {
      functions
        .invoke(name, '{}')
        .catch((error: Error) => onLine(label, `The schedule's call failed: ${error.message}`));
    }, minutes * 60_000);
    stops.push(() => clearInterval(timer));
  }
  return {
    stop: async (): Promise<void> => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
};
