import { createHash } from 'node:crypto';
import { CfnOutput, type CfnResource, Duration, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type Code, EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { deliveryQueue } from '../lib/delivery/queue.ts';
import { entryOf, type Route } from '../lib/routes/route.ts';
import { requestSeconds } from '../lib/table/meter.ts';
import { Api, loadOf } from './api.ts';
import { Data } from './data.ts';
import { addDomain, addFirewall } from './extras.ts';
import { Operation } from './operation.ts';
import {
  accessOf,
  authorizerPermissions,
  consumerAccess,
  lookUpAccess,
  type Permission,
  permissions,
  sweepAccess,
  togetherOf,
  workerAccess,
} from './permissions.ts';
import { ServiceFunction, type Surroundings } from './service-function.ts';
import type { Settings } from './settings.ts';
import { busSource, streamSource } from './stream.ts';

export interface StoreServiceProps extends StackProps {
  settings: Settings;
  routes: readonly Route[];
  codeOf: (entry: string) => Code;
}

/** A caller waits 3 seconds. */
const lookUpTimeoutSeconds = 5;
/** The next sweep begins after a minute. */
const sweepTimeoutSeconds = 55;

/** More memory brings more processor time, which a list with its up to 1000 rows needs. */
const memoryMegabytes = { list: 1024, read: 512, write: 512 };

const resourceOf = (construct: IConstruct): CfnResource => construct.node.defaultChild as CfnResource;

/** The whole service. */
export class StoreServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StoreServiceProps) {
    // A deletion would take the API's address and leave table and queues without a service.
    super(scope, id, { terminationProtection: true, tags: tagsOf(props.settings), ...props });
    for (const [name, value] of Object.entries(tagsOf(props.settings))) Tags.of(this).add(name, value);
    const { settings, routes, codeOf } = props;
    const key = settings.ownEncryptionKey
      ? new Key(this, 'Key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN })
      : undefined;
    const data = new Data(this, 'Data', settings, key);
    const { tableName } = data.table;
    const surroundings: Surroundings = { settings, tableName, key, codeOf };
    const queueUrls = { DELIVERY_QUEUE_URL: data.queue.queueUrl, DELIVERY_DLQ_URL: data.deadLetters.queueUrl };
    const hosts = settings.dispenserHostSuffixes && { DISPENSER_HOST_SUFFIXES: settings.dispenserHostSuffixes };

    // A usage key is unique in its account and has letters and digits only; a stage's name may hold a hyphen.
    const usageKeyPrefix = `${createHash('sha256').update(settings.stage).digest('hex').slice(0, 16)}${this.account}`;
    const authorizer = new ServiceFunction(this, 'authorizer', {
      ...surroundings,
      entry: 'authorizer',
      description: 'Checks the API key of a request and its scope.',
      memoryMegabytes: 512,
      timeoutSeconds: 10,
      environment: { USAGE_KEY_PREFIX: usageKeyPrefix },
      statements: tableStatements(data.table, authorizerPermissions),
    });
    const lookUp = this.addLookUp(surroundings, data.table, { ...hosts });
    const endpoints = new Map<string, ServiceFunction>();
    const creditWriters: ServiceFunction[] = [];
    for (const [entry, rows = []] of Object.entries(Object.groupBy(routes, entryOf))) {
      const row = togetherOf(rows);
      const endpoint = new ServiceFunction(this, entry.replace('/', '-'), {
        ...surroundings,
        entry,
        description: `${row.method} ${row.path}: ${row.summary}`,
        memoryMegabytes: memoryMegabytes[loadOf(row)],
        timeoutSeconds: requestSeconds,
        environment: {
          ...(settings.corsOrigins && { CORS_ORIGINS: settings.corsOrigins }),
          ...(row.writes.includes('LOT') && { CREDIT_LIMIT: String(settings.creditLimit) }),
          // CloudFormation resolves the reference, so a function need not call Secrets Manager when it starts.
          ...((loadOf(row) === 'list' || row.quotes) && {
            CURSOR_SECRET: data.cursorSecret.secretValue.unsafeUnwrap(),
          }),
          ...(loadOf(row) === 'list' && { STORE_READ_UNITS: String((settings.readUnits * settings.storeShare) / 100) }),
          ...(row.queue && { ...queueUrls, ...hosts }),
          ...(row.writes.includes('LOG') &&
            settings.operatorLogDays > 0 && { OPERATOR_LOG_DAYS: String(settings.operatorLogDays) }),
          ...(row.writes.includes('DELIVERY') && { DELIVERY_RECORD_DAYS: String(settings.deliveryRecordDays) }),
          ...(row.resolves && { RESIDENT_LOOKUP_URL: this.invocationOf(lookUp) }),
        },
        statements: [
          ...tableStatements(data.table, permissions(accessOf(row))),
          ...(row.queue ? [sendStatement(data.queue)] : []),
          ...(row.resolves ? [invokeStatement(lookUp)] : []),
        ],
      });
      endpoints.set(entry, endpoint);
      if (row.writes.includes('LOT')) creditWriters.push(endpoint);
    }

    const answering = new Map([...endpoints, ['authorizer', authorizer]]);
    if (settings.desk) answering.set('desk', this.addDesk(surroundings));
    const functions = new Map([...answering].map(([entry, { lambda }]) => [entry, lambda]));
    const api = new Api(this, 'Api', { settings, rows: routes, functions, usageKeyPrefix });

    const forWorkers = { ...queueUrls, SLOW_QUEUE_URL: data.slowQueue.queueUrl };
    const worker = this.addWorker(surroundings, data, { ...forWorkers, ...hosts });
    const sweep = this.addSweep(surroundings, data, forWorkers);
    const consumer = this.addConsumer(surroundings, data, forWorkers);
    // An update deploys those first that read the messages and records of others: docs/adr/0042-later-shapes.md.
    const readers = [worker, sweep, consumer];
    const first = [...readers.map(({ lambda }) => lambda), this.node.findChild('Stream')].map(resourceOf);
    for (const endpoint of endpoints.values())
      for (const one of first) resourceOf(endpoint.lambda).addResourceDependency(one);
    const bus = settings.eventBus === undefined ? undefined : this.addEventBus(surroundings, data, settings.eventBus);
    const exports = this.addExports(settings, data.table, key);
    if (settings.firewall) addFirewall(this, api.rest, settings);
    const domain = addDomain(this, api.rest, settings);
    new Operation(this, 'Operation', {
      settings,
      api,
      data,
      worker,
      sweep,
      consumer,
      bus,
      exports,
      lookUp,
      hasDesk: settings.desk,
      creditWriters,
    });

    const baseUrl = domain?.url ?? api.rest.url.replace(/\/$/, '');
    new CfnOutput(this, 'BaseUrl', { value: baseUrl });
    if (settings.desk) new CfnOutput(this, 'DeskUrl', { value: `${baseUrl}/desk` });
    if (domain) new CfnOutput(this, 'DomainTarget', { value: domain.target });
    new CfnOutput(this, 'TableName', { value: tableName });
    // The operator's command needs these too: see cli/deployment/target.ts.
    const forOperator = {
      DeliveryQueueUrl: data.queue.queueUrl,
      SlowQueueUrl: data.slowQueue.queueUrl,
      DeadLetterQueueUrl: data.deadLetters.queueUrl,
      HistoryFailuresUrl: data.historyFailures.queueUrl,
      AuthorizerTtlSeconds: String(settings.authorizerTtlSeconds),
      CreditLimit: String(settings.creditLimit),
      ...(settings.operatorLogDays > 0 && { OperatorLogDays: String(settings.operatorLogDays) }),
      ...(settings.dispenserHostSuffixes && { DispenserHostSuffixes: settings.dispenserHostSuffixes }),
    };
    for (const [name, value] of Object.entries(forOperator)) new CfnOutput(this, name, { value });
    new CfnOutput(this, 'NextCommand', { value: `npx store create --stage ${settings.stage}` });
  }

  /**
   * Exports the whole table to the bucket every day, which needs no function and no capacity of the table. DynamoDB
   * writes the files after the call was answered.
   */
  private addExports(
    { exportBucket, exportBucketAccount, stage }: Settings,
    table: Data['table'],
    key: Key | undefined,
  ): ScheduleGroup | undefined {
    if (exportBucket === undefined) return undefined;
    const policyStatements = [
      new PolicyStatement({
        sid: 'Table',
        actions: ['dynamodb:ExportTableToPointInTime'],
        resources: [table.tableArn],
      }),
      new PolicyStatement({
        sid: 'Bucket',
        actions: ['s3:AbortMultipartUpload', 's3:PutObject', 's3:PutObjectAcl'],
        resources: [`arn:${this.partition}:s3:::${exportBucket}/${stage}/*`],
      }),
      ...(key
        ? [new PolicyStatement({ sid: 'Key', actions: ['kms:Decrypt', 'kms:DescribeKey'], resources: [key.keyArn] })]
        : []),
    ];
    const role = new Role(this, 'ExportRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: { Export: new PolicyDocument({ statements: policyStatements }) },
    });
    // CloudWatch counts the failures of a group.
    const scheduleGroup = new ScheduleGroup(this, 'Exports', {});
    new Schedule(this, 'EveryDay', {
      scheduleGroup,
      schedule: ScheduleExpression.rate(Duration.days(1)),
      target: new Universal({
        service: 'dynamodb',
        action: 'exportTableToPointInTime',
        input: ScheduleTargetInput.fromObject({
          TableArn: table.tableArn,
          S3Bucket: exportBucket,
          ...(exportBucketAccount && { S3BucketOwner: exportBucketAccount }),
          S3Prefix: stage,
          S3SseAlgorithm: 'AES256',
          ExportFormat: 'DYNAMODB_JSON',
        }),
        retryAttempts: 3,
        maxEventAge: Duration.hours(6),
        policyStatements,
        role: role.withoutPolicyUpdates(),
      }),
    });
    return scheduleGroup;
  }

  /** Serves the desk's files, which lie in its bundle. It reads nothing else. */
  private addDesk(surroundings: Surroundings): ServiceFunction {
    return new ServiceFunction(this, 'desk', {
      ...surroundings,
      entry: 'desk',
      description: 'Serves the desk, the web app for the people of a store.',
      memoryMegabytes: 256,
      timeoutSeconds: 5,
      statements: [],
    });
  }

  /** Delivers a few messages in parallel. Only the messages that fail come back. */
  private addWorker(surroundings: Surroundings, data: Data, environment: Record<string, string>): ServiceFunction {
    const worker = new ServiceFunction(this, 'delivery-worker', {
      ...surroundings,
      entry: 'delivery-worker',
      description: 'Sends queued deliveries to the dispensers in the virtual world, and events to webhooks.',
      memoryMegabytes: 256,
      timeoutSeconds: deliveryQueue.workerTimeoutSeconds,
      environment: {
        ...environment,
        DELIVERY_RECORD_DAYS: String(surroundings.settings.deliveryRecordDays),
        ...(surroundings.settings.keepDeliveryNotes && { DELIVERY_NOTES: 'kept' }),
      },
      statements: [
        ...tableStatements(data.table, permissions(workerAccess)),
        new PolicyStatement({
          sid: 'Receive',
          actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
          resources: [data.queue.queueArn, data.slowQueue.queueArn],
        }),
        // A dispenser that registers frees waiting deliveries for the queue. Unreadable messages go to the dead
        // letters.
        sendStatement(data.queue, data.slowQueue, data.deadLetters),
      ],
      // It sends itself a message for each next hundred of waiting deliveries, and one for each event that was held
      // back.
      isRecursive: true,
    });
    const addSource = (queue: Queue, maxConcurrency: number): void =>
      worker.lambda.addEventSource(
        new SqsEventSource(queue, {
          batchSize: deliveryQueue.batchSize,
          reportBatchItemFailures: true,
          maxConcurrency,
        }),
      );
    addSource(data.queue, surroundings.settings.deliveryConcurrency);
    addSource(data.slowQueue, deliveryQueue.slowConcurrency);
    return worker;
  }

  /**
   * Makes history from the table's stream, and orders the deliveries of new sales. A batch that fails comes back for 20
   * hours.
   */
  private addConsumer(
    surroundings: Surroundings,
    { table, streamArn, historyFailures, queue, slowQueue }: Data,
    { DELIVERY_QUEUE_URL, SLOW_QUEUE_URL }: Record<'DELIVERY_QUEUE_URL' | 'SLOW_QUEUE_URL', string>,
  ): ServiceFunction {
    const consumer = new ServiceFunction(this, 'stream-consumer', {
      ...surroundings,
      entry: 'stream-consumer',
      description: "Makes history, days and events from the table's stream, and orders the deliveries of sales.",
      memoryMegabytes: 512,
      timeoutSeconds: streamSource.timeoutSeconds,
      environment: { HISTORY_FAILURES_URL: historyFailures.queueUrl, DELIVERY_QUEUE_URL, SLOW_QUEUE_URL },
      statements: [
        ...tableStatements(table, permissions(consumerAccess)),
        streamStatement(table),
        // Lambda sends with this role as well, where it gives a batch up. Sales and webhooks use the delivery queue.
        sendStatement(historyFailures, queue, slowQueue),
      ],
    });
    const { batchSize, parallelization, windowSeconds, maxRecordAgeHours, filters } = streamSource;
    new EventSourceMapping(this, 'Stream', {
      target: consumer.lambda,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      parallelizationFactor: parallelization,
      maxBatchingWindow: Duration.seconds(windowSeconds),
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.hours(maxRecordAgeHours),
      onFailure: new SqsDlq(historyFailures),
      filters: filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    });
    return consumer;
  }

  /**
   * Puts events on a bus of the account. It reads the stream on its own, so that a bus which is gone or busy delays
   * nothing else. A batch that fails comes back for 20 hours; the list of events has them for 30 days.
   */
  private addEventBus(surroundings: Surroundings, { table, streamArn }: Data, eventBus: string): ServiceFunction {
    const bus = new ServiceFunction(this, 'event-bus', {
      ...surroundings,
      entry: 'event-bus',
      description: 'Puts events on an EventBridge bus.',
      memoryMegabytes: 256,
      timeoutSeconds: streamSource.timeoutSeconds,
      environment: { EVENT_BUS: eventBus, EVENT_SOURCE: `store-integration-service.${surroundings.settings.stage}` },
      statements: [
        streamStatement(table),
        new PolicyStatement({
          sid: 'Bus',
          actions: ['events:PutEvents'],
          resources: [this.formatArn({ service: 'events', resource: 'event-bus', resourceName: eventBus })],
        }),
      ],
    });
    new EventSourceMapping(this, 'EventStream', {
      target: bus.lambda,
      eventSourceArn: streamArn,
      // The events of the day before the setting are no news to anybody.
      startingPosition: StartingPosition.LATEST,
      batchSize: busSource.batchSize,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: Duration.hours(streamSource.maxRecordAgeHours),
      filters: [{ pattern: JSON.stringify(busSource.filter) }],
    });
    return bus;
  }

  /** The address at which Lambda's API invokes a function. */
  private invocationOf({ lambda }: ServiceFunction): string {
    return `https://lambda.${this.region}.${this.urlSuffix}/2015-03-31/functions/${lambda.functionName}/invocations`;
  }

  /** Asks dispensers for avatars whom nobody imported. The endpoints wait for it. */
  private addLookUp(
    surroundings: Surroundings,
    table: Data['table'],
    environment: Record<string, string>,
  ): ServiceFunction {
    return new ServiceFunction(this, 'resident-lookup', {
      ...surroundings,
      entry: 'resident-lookup',
      description: "Asks a store's dispenser for an avatar whom nobody imported.",
      memoryMegabytes: 512,
      timeoutSeconds: lookUpTimeoutSeconds,
      environment,
      statements: tableStatements(table, permissions(lookUpAccess)),
    });
  }

  /** Closes the credit lots that have come due, follows renames, and orders the deliveries of sales, every minute. */
  private addSweep(surroundings: Surroundings, data: Data, environment: Record<string, string>): ServiceFunction {
    const sweep = new ServiceFunction(this, 'expiry-sweep', {
      ...surroundings,
      entry: 'expiry-sweep',
      description: 'Closes the credit lots that have come due, follows renames, and orders the deliveries of sales.',
      memoryMegabytes: 512,
      timeoutSeconds: sweepTimeoutSeconds,
      environment: { ...environment, CREDIT_LIMIT: String(surroundings.settings.creditLimit) },
      statements: [...tableStatements(data.table, permissions(sweepAccess)), sendStatement(data.queue, data.slowQueue)],
    });
    // The next sweep, a minute later, closes the same lots. By default Lambda would retry a failed one twice, for up to
    // six hours.
    sweep.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [sweep.lambda.functionArn] });
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: { Invoke: new PolicyDocument({ statements: [invoke] }) },
    });
    new Schedule(this, 'EveryMinute', {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(sweep.lambda, {
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
        // The role is complete. The CDK's own would allow every version of the function as well.
        role: role.withoutPolicyUpdates(),
      }),
    });
    return sweep;
  }
}

/** Tell what a deployment costs apart from all else in the account: docs/operate/costs.md. */
const tagsOf = ({ stage }: Settings) => ({ service: 'store-integration', stage });

/** Policy statements for the table, the named indexes and the partitions of the permitted kinds. */
const tableStatements = ({ tableArn }: Data['table'], permitted: Permission[]): PolicyStatement[] =>
  permitted.map(
    ({ sid, actions, indexes, partitions }) =>
      new PolicyStatement({
        sid,
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [tableArn, ...indexes.map((name) => `${tableArn}/index/${name}`)],
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
          // ForAllValues is also true of a request without keys, so this refuses such a request.
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
  );

const streamStatement = ({ tableArn }: Data['table']): PolicyStatement =>
  new PolicyStatement({
    sid: 'Stream',
    actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((one) => `dynamodb:${one}`),
    resources: [`${tableArn}/stream/*`],
  });

const invokeStatement = ({ lambda }: ServiceFunction): PolicyStatement =>
  new PolicyStatement({ sid: 'LookUp', actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] });

const sendStatement = (...queues: Queue[]): PolicyStatement =>
  new PolicyStatement({
    sid: 'Send',
    actions: ['sqs:SendMessage'],
    resources: queues.map(({ queueArn }) => queueArn),
  });
