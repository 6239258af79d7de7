import { setTimeout as sleep } from 'node:timers/promises';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBRecord, SQSBatchResponse } from 'aws-lambda';
import { startPoller, traceAttribute } from '../engines/poller.ts';
import { type Consumer, followStream, type StreamPlace } from '../engines/stream.ts';
import type { FunctionFacts } from './environment.ts';
import type { Functions } from './functions.ts';
import { doStatementsAllow, type Statement, statementsOf } from './roles.ts';
import type { Part, ResolvedTemplate } from './template.ts';

/**
 * Makes the template's queues, first the ones that need no dead-letter queue. Answers their URLs at the server, by
 * name.
 */
export const makeQueues = async (
  template: Pick<ResolvedTemplate, 'ofType'>,
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
  template: Pick<ResolvedTemplate, 'ofType'>;
  functions: Functions;
  facts: readonly FunctionFacts[];
  tableEndpoint: string;
  queueUrls: Readonly<Record<string, string>>;
  /** How far each mapping has read its stream. */
  places: Map<string, StreamPlace>;
  onLine: (label: string, line: string) => void;
}

const queueActions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((one) => `dynamodb:${one}`);

/** AWS makes no event source, destination or schedule for a role that may not use it. */
const checkRole = (
  of: string,
  statements: readonly Statement[],
  actions: readonly string[],
  resource: string,
): void => {
  for (const action of actions)
    if (!doStatementsAllow(statements, { action, resource, context: {} }))
      throw new Error(`The role of ${of} does not allow ${action} on ${resource}, which its event source needs.`);
};

/** An event source mapping. */
interface Mapping {
  id: string;
  properties: Part;
}

type Batch = { Records: object[] };
type Answer = SQSBatchResponse & DynamoDBBatchResponse & { state?: object };

/**
 * Makes a function that invokes a Lambda function with a batch. It throws if that fails, so that the whole batch comes
 * back.
 */
const batchInvoker =
  ({ functions, onLine }: SourceOptions, { name, label }: FunctionFacts) =>
  async (event: Batch): Promise<Answer> => {
    const traces = event.Records.map((record: Part) => String(record.attributes?.[traceAttribute] ?? ''));
    const invocation = await functions.invoke(name, JSON.stringify(event), traces).catch((error: Error) => {
      onLine(label, error.message);
      throw error;
    });
    if (invocation.isError) throw new Error(invocation.payload);
    const answer = JSON.parse(invocation.payload) as Partial<Answer> | null;
    if ('window' in event && !answer?.state) throw new Error('The function answers no state, which its window needs.');
    return { batchItemFailures: answer?.batchItemFailures ?? [] };
  };

/**
 * Adds the window of a mapping to the event, if it has one. Then the event also names its shard, and the answer must
 * have a state.
 */
const inWindow =
  ({ TumblingWindowInSeconds: seconds }: Part, invoke: (event: Batch) => Promise<Answer>): Consumer =>
  ({ Records, ...shard }) => {
    if (!seconds) return invoke({ Records });
    const start = Math.floor(Date.now() / (seconds * 1000)) * seconds * 1000;
    const window = { start: new Date(start).toISOString(), end: new Date(start + seconds * 1000).toISOString() };
    const isEnd = { isFinalInvokeForWindow: false, isWindowTerminatedEarly: false };
    return invoke({ Records, ...shard, window, state: {}, ...isEnd } as Batch);
  };

const sequenceOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';
const secondsOf = ({ dynamodb }: DynamoDBRecord): number => dynamodb?.ApproximateCreationDateTime ?? 0;

/**
 * Halves a failing batch until the failing record is alone, and answers that it failed. All records before it are done.
 */
const inHalves =
  (invoke: Consumer): Consumer =>
  async ({ Records, ...shard }) => {
    try {
      return await invoke({ Records, ...shard });
    } catch {
      const [first] = Records;
      if (first && Records.length === 1) return { batchItemFailures: [{ itemIdentifier: sequenceOf(first) }] };
      const middle = Math.ceil(Records.length / 2);
      const before = await inHalves(invoke)({ Records: Records.slice(0, middle), ...shard });
      if (before.batchItemFailures.length > 0) return before;
      return inHalves(invoke)({ Records: Records.slice(middle), ...shard });
    }
  };

/** Passes records that are too old to `giveUp`, and the others to the function. */
const notOlderThan =
  (maxSeconds: number, invoke: Consumer, giveUp: (records: readonly DynamoDBRecord[]) => Promise<void>): Consumer =>
  async ({ Records, ...shard }) => {
    const since = Date.now() / 1000 - maxSeconds;
    const old = Records.filter((record) => secondsOf(record) < since);
    if (old.length > 0) await giveUp(old);
    const young = Records.filter((record) => !old.includes(record));
    return young.length > 0 ? invoke({ Records: young, ...shard }) : { batchItemFailures: [] };
  };

/** Lambda repeats a failed asynchronous call after this time, and again after twice this time. */
const asyncRetryMillis = 60_000;

/** The template's sources while they start, with the functions that end them. */
interface StartedSources {
  options: SourceOptions;
  client: SQSClient;
  stopped: AbortController;
  /** Each is called with true if another version continues at the same place. */
  stops: ((goesOn: boolean) => Promise<void> | void)[];
}

const functionFacts = ({ facts }: SourceOptions, name: string): FunctionFacts => {
  const plain = name.replace(/^arn:.*:function:/, '').split(':')[0];
  const found = facts.find((one) => one.name === plain);
  if (!found) throw new Error(`An event source names ${name}, which is no function of the template.`);
  return found;
};

/**
 * Makes a function that sends a given-up call to a queue, with the Lambda function's role. Without a queue the call is
 * lost.
 */
const failureSender = ({ options, client }: StartedSources, of: FunctionFacts, queueArn: string | undefined) => {
  if (queueArn !== undefined) checkRole(of.label, of.statements, ['sqs:SendMessage'], queueArn);
  return async (message: object): Promise<void> => {
    options.onLine(of.label, `Lambda gives up: ${JSON.stringify(message)}`);
    if (queueArn === undefined) return;
    const QueueUrl = options.queueUrls[queueArn.split(':').at(-1) ?? ''];
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
  };
};

const readQueue = (
  { options, stops }: StartedSources,
  { properties }: Mapping,
  target: FunctionFacts,
  source: string,
): void => {
  checkRole(target.label, target.statements, queueActions, source);
  const invoke = batchInvoker(options, target);
  const poller = startPoller({
    queueUrl: options.queueUrls[source.split(':').at(-1) ?? ''] ?? '',
    worker: (event) => invoke({ Records: event.Records.map((one) => ({ ...one, eventSourceARN: source })) }),
    concurrency: properties.ScalingConfig?.MaximumConcurrency ?? 2,
    batchSize: properties.BatchSize,
  });
  stops.push(() => poller.stop());
};

const readTable = (
  started: StartedSources,
  { id, properties }: Mapping,
  target: FunctionFacts,
  source: string,
): void => {
  const { options, stops } = started;
  checkRole(target.label, target.statements, streamActions, source);
  checkRole(target.label, target.statements, ['dynamodb:ListStreams'], '*');
  const send = failureSender(started, target, properties.DestinationConfig?.OnFailure?.Destination);
  const giveUp = (records: readonly DynamoDBRecord[]) =>
    send({
      requestContext: { functionArn: target.arn, condition: 'MaximumRecordAgeExceeded' },
      DDBStreamBatchInfo: {
        batchSize: records.length,
        streamArn: source,
        startSequenceNumber: records[0] && sequenceOf(records[0]),
        endSequenceNumber: records.at(-1) && sequenceOf(records.at(-1) as DynamoDBRecord),
      },
    });
  const invoke = inWindow(properties, batchInvoker(options, target));
  const consumer = properties.BisectBatchOnFunctionError ? inHalves(invoke) : invoke;
  const maxSeconds = properties.MaximumRecordAgeInSeconds ?? -1;
  const reader = followStream({
    endpoint: options.tableEndpoint,
    table: /:table\/([^/]+)\//.exec(source)?.[1] ?? '',
    consumer: maxSeconds < 0 ? consumer : notOlderThan(maxSeconds, consumer, giveUp),
    filters: properties.FilterCriteria.Filters.map(({ Pattern }: Part) => JSON.parse(Pattern)),
    batchSize: properties.BatchSize,
    place: options.places.get(id),
    onPlace: (place) => options.places.set(id, structuredClone(place)),
  });
  stops.push((goesOn) => (goesOn ? reader.leave() : reader.stop()));
};

const startMapping = (started: StartedSources, mapping: Mapping): void => {
  const { id, properties } = mapping;
  if (properties.FunctionResponseTypes?.[0] !== 'ReportBatchItemFailures')
    throw new Error(`${id} does not report which items of a batch failed.`);
  if (properties.MaximumRetryAttempts >= 0)
    throw new Error(`${id} has MaximumRetryAttempts, which npm run deployed does not know.`);
  const [target, source] = [functionFacts(started.options, properties.FunctionName), String(properties.EventSourceArn)];
  (source.includes(':sqs:') ? readQueue : readTable)(started, mapping, target, source);
};

/** Makes an asynchronous call like Lambda's. If the function fails again and again, its destination gets the call. */
const asyncCaller = (started: StartedSources, target: FunctionFacts): (() => Promise<void>) => {
  const { template, functions, onLine } = started.options;
  const { name, label, arn } = target;
  const config = template
    .ofType('AWS::Lambda::EventInvokeConfig')
    .find(({ properties }) => functionFacts(started.options, properties.FunctionName) === target);
  const { MaximumRetryAttempts = 2, DestinationConfig } = config?.properties ?? {};
  const send = failureSender(started, target, DestinationConfig?.OnFailure?.Destination);
  return async () => {
    const attempts = MaximumRetryAttempts + 1;
    let failure = '';
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const { payload, isError } = await functions
        .invoke(name, '{}')
        .catch((error: Error) => ({ payload: JSON.stringify({ errorMessage: error.message }), isError: true }));
      if (!isError) return;
      onLine(label, `An asynchronous call failed: ${payload}`);
      failure = payload;
      if (attempt < attempts) await sleep(attempt * asyncRetryMillis, undefined, { signal: started.stopped.signal });
    }
    await send({
      requestContext: { functionArn: arn, condition: 'RetriesExhausted', approximateInvokeCount: attempts },
      requestPayload: {},
      responsePayload: JSON.parse(failure),
    });
  };
};

const minutesOf = (schedule: string): number => {
  const [, count = '', unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  const minutes = Number(count) * ({ minute: 1, hour: 60, day: 1440 }[unit] ?? 0);
  if (!minutes) throw new Error(`npm run deployed does not know the schedule ${schedule}.`);
  return minutes;
};

const startSchedule = (
  started: StartedSources,
  roles: ReturnType<typeof statementsOf>,
  { id, properties }: Mapping,
): void => {
  const { onLine } = started.options;
  const minutes = minutesOf(properties.ScheduleExpression);
  const { Arn, RoleArn, Input } = properties.Target;
  const allowed = (actions: readonly string[], resource: string): void =>
    checkRole(`the schedule ${id}`, roles.get(RoleArn) ?? [], actions, resource);
  // A schedule without a start date also calls its target at once.
  const repeat = (work: () => void): void => {
    work();
    const timer = setInterval(work, minutes * 60_000);
    started.stops.push(() => clearInterval(timer));
  };
  if (Arn.endsWith(':aws-sdk:dynamodb:exportTableToPointInTime')) {
    const { TableArn, S3Bucket, S3Prefix } = JSON.parse(Input);
    allowed(['dynamodb:ExportTableToPointInTime'], TableArn);
    allowed(['s3:PutObject', 's3:AbortMultipartUpload'], `arn:aws:s3:::${S3Bucket}/${S3Prefix}/AWSDynamoDB/export`);
    repeat(() => onLine(id, `Would export the table to s3://${S3Bucket}/${S3Prefix}. There is no S3 here.`));
    return;
  }
  const target = functionFacts(started.options, Arn);
  allowed(['lambda:InvokeFunction'], Arn);
  const call = asyncCaller(started, target);
  repeat(() => {
    call().catch((error: Error) => onLine(target.label, `The schedule's call ended: ${error.message}`));
  });
};

/** Starts the template's event source mappings and schedules. */
export const startSources = (options: SourceOptions) => {
  const { template } = options;
  const roles = statementsOf(template);
  const stopped = new AbortController();
  const started: StartedSources = { options, client: new SQSClient({}), stopped, stops: [() => stopped.abort()] };
  for (const mapping of template.ofType('AWS::Lambda::EventSourceMapping')) startMapping(started, mapping);
  for (const schedule of template.ofType('AWS::Scheduler::Schedule')) startSchedule(started, roles, schedule);
  const end = async (goesOn: boolean): Promise<void> => {
    await Promise.all(started.stops.map((stop) => stop(goesOn)));
    started.client.destroy();
  };
  return {
    /** Ends the sources after the stream's last record. */
    stop: (): Promise<void> => end(false),
    /** Ends the sources after the records that they have read. Another version's sources continue there. */
    leave: (): Promise<void> => end(true),
  };
};
