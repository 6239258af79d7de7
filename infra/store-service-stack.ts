import { createHash } from 'node:crypto';
import { CfnOutput, type CfnResource, Duration, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type Code, EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke, Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { deliveryQueue } from '../lib/delivery/queue.ts';
import { functionFile, type Kind, type Route } from '../lib/routes/route.ts';
import { requestSeconds } from '../lib/table/meter.ts';
import packageFile from '../package.json' with { type: 'json' };
import { Api, loadOf } from './api.ts';
import { Data } from './data.ts';
import { addDomain, addFirewall, type Domain } from './extras.ts';
import { Operation } from './operation.ts';
import {
  accessOf,
  authorizerPermissions,
  consumerAccess,
  exportAccess,
  lookUpAccess,
  permissions,
  sweepAccess,
  togetherOf,
  workerAccess,
} from './permissions.ts';
import { ServiceFunction, type ServiceFunctionProps, type SharedProps } from './service-function.ts';
import type { Settings } from './settings.ts';
import { lookUpStatement, receiveStatement, sendStatement, streamStatements, tableStatements } from './statements.ts';
import { busSource, streamSource } from './stream.ts';

export interface StoreServiceProps extends StackProps {
  settings: Settings;
  routes: readonly Route[];
  codeOf: (entry: string) => Code;
}

/** The function of an endpoint, or of some, with the needs of all of them in one row. */
interface Endpoint {
  entry: string;
  row: Route;
  fn: ServiceFunction;
}

/** The caller of an endpoint waits meanwhile, so a dispenser gets 3 seconds of these. */
const lookUpTimeoutSeconds = 5;
/** The next sweep begins after a minute. */
const sweepTimeoutSeconds = 55;

/** More memory brings more processor time, which a list with its up to 1000 rows needs. */
const memoryMegabytes = { list: 1024, read: 512, write: 512 };

/** The whole service. */
export class StoreServiceStack extends Stack {
  private readonly settings: Settings;
  private readonly key: Key | undefined;
  private readonly data: Data;
  private readonly shared: SharedProps;

  constructor(scope: Construct, id: string, props: StoreServiceProps) {
    const { settings, routes, codeOf } = props;
    // A deletion would take the API's address and leave table and queues without a service.
    super(scope, id, { terminationProtection: true, tags: stackTags(settings), ...props });
    for (const [name, value] of Object.entries(stackTags(settings))) Tags.of(this).add(name, value);
    this.settings = settings;
    this.key = settings.ownEncryptionKey
      ? new Key(this, 'Key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN })
      : undefined;
    this.data = new Data(this, 'Data', settings, this.key);
    this.shared = { settings, tableName: this.data.table.tableName, key: this.key, codeOf };

    const lookUp = this.addLookUp();
    const endpoints = this.addEndpoints(routes, lookUp);
    const worker = this.addWorker();
    const sweep = this.addSweep();
    const { consumer, stream } = this.addConsumer();
    const readers = [worker, sweep, consumer].map(({ lambda }) => lambda);
    deployAfter([...readers, stream], endpoints);
    const bus = this.addEventBus();
    const exports = this.addExports();
    const increments = this.addIncrements();

    const api = this.addApi(routes, endpoints);
    if (settings.firewall) addFirewall(this, api.rest, settings);
    const domain = addDomain(this, api.rest, settings);

    const { topic } = new Operation(this, 'Operation', {
      settings,
      api,
      data: this.data,
      worker,
      sweep,
      consumer,
      bus,
      exports,
      increments,
      lookUp,
      hasDesk: settings.desk,
      creditWriters: endpoints.filter(({ row }) => row.writes.includes('LOT')).map(({ fn }) => fn),
    });
    this.addOutputs(api, domain, topic);
  }

  private addFunction(entry: string, props: Omit<ServiceFunctionProps, 'entry' | keyof SharedProps>): ServiceFunction {
    return new ServiceFunction(this, entry.replace('/', '-'), { ...this.shared, entry, ...props });
  }

  // The endpoints

  private addEndpoints(routes: readonly Route[], lookUp: ServiceFunction): Endpoint[] {
    return Object.entries(Object.groupBy(routes, functionFile)).map(([entry, rows = []]) => {
      const row = togetherOf(rows);
      const fn = this.addFunction(entry, {
        description: `${row.method} ${row.path}: ${row.summary}`,
        memoryMegabytes: memoryMegabytes[loadOf(row)],
        timeoutSeconds: requestSeconds,
        environment: this.environmentOf(row, lookUp),
        statements: this.statementsOf(row, lookUp),
      });
      return { entry, row, fn };
    });
  }

  /** The variables that a row's function reads. */
  private environmentOf(row: Route, lookUp: ServiceFunction): Record<string, string> {
    const { settings, data } = this;
    const isList = loadOf(row) === 'list';
    const shareOf = (units: number): string => String((units * settings.storeShare) / 100);
    const writes = (kind: Kind): boolean => row.writes.includes(kind);
    return {
      ...(settings.corsOrigins && { CORS_ORIGINS: settings.corsOrigins }),
      ...(writes('LOT') && { CREDIT_LIMIT: String(settings.creditLimit) }),
      // CloudFormation resolves the reference, so a function need not call Secrets Manager when it starts.
      ...((isList || row.quotes) && { CURSOR_SECRET: data.cursorSecret.secretValue.unsafeUnwrap() }),
      ...(isList && { STORE_READ_UNITS: shareOf(settings.readUnits) }),
      ...(row.writes.length > 0 && { STORE_WRITE_UNITS: shareOf(settings.writeUnits) }),
      ...(row.queue && this.queueUrls()),
      ...((row.queue || writes('VENDOR')) && this.dispenserHosts()),
      ...(writes('LOG') && settings.operatorLogDays > 0 && { OPERATOR_LOG_DAYS: String(settings.operatorLogDays) }),
      ...(writes('DELIVERY') && { DELIVERY_RECORD_DAYS: String(settings.deliveryRecordDays) }),
      ...(row.resolves && { RESIDENT_LOOKUP_URL: this.invocationOf(lookUp) }),
    };
  }

  /** The rights of a row's function. */
  private statementsOf(row: Route, lookUp: ServiceFunction): PolicyStatement[] {
    return [
      ...tableStatements(this.data.table, permissions(accessOf(row))),
      ...(row.queue ? [sendStatement(this.data.queue)] : []),
      ...(row.resolves ? [lookUpStatement(lookUp.lambda)] : []),
    ];
  }

  /** Asks dispensers for avatars whom nobody imported. The endpoints wait for it. */
  private addLookUp(): ServiceFunction {
    return this.addFunction('resident-lookup', {
      description: "Asks a store's dispenser for an avatar that nobody imported.",
      memoryMegabytes: 512,
      timeoutSeconds: lookUpTimeoutSeconds,
      environment: this.dispenserHosts(),
      statements: tableStatements(this.data.table, permissions(lookUpAccess)),
    });
  }

  // The API before them

  private addApi(rows: readonly Route[], endpoints: readonly Endpoint[]): Api {
    // A usage key is unique in its account and has letters and digits only; a stage's name may hold a hyphen.
    const ofStage = createHash('sha256').update(this.settings.stage).digest('hex').slice(0, 16);
    const usageKeyPrefix = `${ofStage}${this.account}`;
    const functions = new Map(endpoints.map(({ entry, fn }) => [entry, fn.lambda]));
    functions.set('authorizer', this.addAuthorizer(usageKeyPrefix).lambda);
    if (this.settings.desk) functions.set('desk', this.addDesk().lambda);
    return new Api(this, 'Api', { settings: this.settings, rows, functions, usageKeyPrefix });
  }

  private addAuthorizer(usageKeyPrefix: string): ServiceFunction {
    return this.addFunction('authorizer', {
      description: 'Checks the API key of a request and its scope.',
      memoryMegabytes: 512,
      timeoutSeconds: 10,
      environment: { USAGE_KEY_PREFIX: usageKeyPrefix },
      statements: tableStatements(this.data.table, authorizerPermissions),
    });
  }

  /** Serves the desk's files, which lie in its bundle. It reads nothing else. */
  private addDesk(): ServiceFunction {
    const { textureUrl, releases } = this.settings;
    return this.addFunction('desk', {
      description: 'Serves the desk, the web app for the people of a store.',
      memoryMegabytes: 256,
      timeoutSeconds: 5,
      environment: {
        ...(textureUrl !== undefined && { TEXTURE_URL: textureUrl }),
        ...(releases && { RELEASES_ORIGIN: new URL(releases).origin }),
      },
      statements: [],
    });
  }

  // The deliveries

  /** Delivers a few messages in parallel. Only the messages that fail come back. */
  private addWorker(): ServiceFunction {
    const { settings } = this;
    const { table, queue, slowQueue, deadLetters } = this.data;
    const worker = this.addFunction('delivery-worker', {
      description: 'Sends queued deliveries to the dispensers in the virtual world, and events to webhooks.',
      memoryMegabytes: 256,
      timeoutSeconds: deliveryQueue.workerTimeoutSeconds,
      environment: {
        ...this.queueUrls(),
        SLOW_QUEUE_URL: slowQueue.queueUrl,
        // No delivery waits behind a vendor there, and a queue of their own would cost 0.26 dollars an idle month.
        VENDOR_QUEUE_URL: slowQueue.queueUrl,
        ...this.dispenserHosts(),
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
      // It sends itself a message for each next hundred of waiting deliveries, and one for each event that was held
      // back.
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
  }

  /** The queues of deliveries that endpoints and workers know. */
  private queueUrls() {
    const { queue, deadLetters } = this.data;
    return { DELIVERY_QUEUE_URL: queue.queueUrl, DELIVERY_DLQ_URL: deadLetters.queueUrl };
  }

  private dispenserHosts(): Record<string, string> {
    const { dispenserHostSuffixes } = this.settings;
    return dispenserHostSuffixes ? { DISPENSER_HOST_SUFFIXES: dispenserHostSuffixes } : {};
  }

  // The minute

  /** Closes the credit lots that have come due, follows renames, and orders the deliveries of sales, every minute. */
  private addSweep(): ServiceFunction {
    const { table, queue, slowQueue } = this.data;
    const sweep = this.addFunction('expiry-sweep', {
      description: 'Closes the credit lots that have come due, follows renames, and orders the deliveries of sales.',
      memoryMegabytes: 512,
      timeoutSeconds: sweepTimeoutSeconds,
      environment: {
        ...this.queueUrls(),
        SLOW_QUEUE_URL: slowQueue.queueUrl,
        CREDIT_LIMIT: String(this.settings.creditLimit),
      },
      statements: [...tableStatements(table, permissions(sweepAccess)), sendStatement(queue, slowQueue)],
    });
    // The next sweep, a minute later, closes the same lots. By default Lambda would retry a failed one twice, for up to
    // six hours.
    this.callEvery(Duration.minutes(1), sweep, 'EveryMinute', 'ScheduleRole');
    return sweep;
  }

  /** Has a schedule call a function, once each time: the next call does what a failed one did not. */
  private callEvery(rate: Duration, { lambda }: ServiceFunction, id: string, roleId: string): void {
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] });
    const role = this.addScheduleRole(roleId, { Invoke: [invoke] });
    new Schedule(this, id, {
      schedule: ScheduleExpression.rate(rate),
      target: new LambdaInvoke(lambda, {
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
        // The role is complete. The CDK's own would allow every version of the function as well.
        role: role.withoutPolicyUpdates(),
      }),
    });
  }

  /** A role that this account's schedules alone may take. */
  private addScheduleRole(id: string, policies: Record<string, PolicyStatement[]>): Role {
    return new Role(this, id, {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
      inlinePolicies: Object.fromEntries(
        Object.entries(policies).map(([name, statements]) => [name, new PolicyDocument({ statements })]),
      ),
    });
  }

  // The stream of the table

  /**
   * Makes history from the table's stream, and orders the deliveries of new sales. A batch that fails comes back for 20
   * hours.
   */
  private addConsumer(): { consumer: ServiceFunction; stream: EventSourceMapping } {
    const { table, streamArn, historyFailures, queue, slowQueue } = this.data;
    const consumer = this.addFunction('stream-consumer', {
      description: "Makes history, days and events from the table's stream, and orders the deliveries of sales.",
      memoryMegabytes: 512,
      timeoutSeconds: streamSource.timeoutSeconds,
      environment: {
        HISTORY_FAILURES_URL: historyFailures.queueUrl,
        DELIVERY_QUEUE_URL: queue.queueUrl,
        SLOW_QUEUE_URL: slowQueue.queueUrl,
        VENDOR_QUEUE_URL: slowQueue.queueUrl,
      },
      statements: [
        ...tableStatements(table, permissions(consumerAccess)),
        ...streamStatements(table),
        // Lambda sends with this role as well, where it gives a batch up. Sales and webhooks use the delivery queue.
        sendStatement(historyFailures, queue, slowQueue),
      ],
    });
    const { batchSize, windowSeconds, shardWindowMinutes, maxRecordAgeHours, filters } = streamSource;
    const stream = new EventSourceMapping(this, 'Stream', {
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
  }

  /**
   * Puts events on a bus of the account. It reads the stream on its own, so that a bus which is gone or busy delays
   * nothing else. A batch that fails comes back for 20 hours; the list of events has them for 30 days.
   */
  private addEventBus(): ServiceFunction | undefined {
    const { eventBus, stage } = this.settings;
    if (eventBus === undefined) return undefined;
    const { table, streamArn } = this.data;
    const bus = this.addFunction('event-bus', {
      description: 'Puts events on an EventBridge bus.',
      memoryMegabytes: 256,
      timeoutSeconds: streamSource.timeoutSeconds,
      environment: { EVENT_BUS: eventBus, EVENT_SOURCE: `store-integration-service.${stage}` },
      statements: [
        ...streamStatements(table),
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

  // The copies of the table

  /**
   * Exports the whole table to the bucket every day, which needs no function and no capacity of the table. DynamoDB
   * writes the files after the call was answered.
   */
  private addExports(): ScheduleGroup | undefined {
    const { exportBucket, exportBucketAccount, stage } = this.settings;
    if (exportBucket === undefined) return undefined;
    const policyStatements = this.exportStatements(`arn:${this.partition}:s3:::${exportBucket}/${stage}/*`);
    const role = this.addScheduleRole('ExportRole', { Export: policyStatements });
    // CloudWatch counts the failures of a group. One that stayed would have the name that the next deployment needs.
    const scheduleGroup = new ScheduleGroup(this, 'Exports', { removalPolicy: RemovalPolicy.DESTROY });
    new Schedule(this, 'EveryDay', {
      scheduleGroup,
      schedule: ScheduleExpression.rate(Duration.days(1)),
      target: new Universal({
        service: 'dynamodb',
        action: 'exportTableToPointInTime',
        input: ScheduleTargetInput.fromObject({
          TableArn: this.data.table.tableArn,
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

  /** Asks every hour for an increment: the changes since the last one, of at most a day. */
  private addIncrements(): ServiceFunction | undefined {
    const { exportBucket, exportBucketAccount, stage } = this.settings;
    if (exportBucket === undefined) return undefined;
    const { table } = this.data;
    const ofTable = (sid: string, action: string, resource: string) =>
      new PolicyStatement({ sid, actions: [action], resources: [resource] });
    const increments = this.addFunction('table-export', {
      description: 'Asks for an increment of the table, the copy of an hour.',
      memoryMegabytes: 256,
      timeoutSeconds: 30,
      environment: {
        EXPORT_TABLE: table.tableArn,
        EXPORT_BUCKET: exportBucket,
        EXPORT_PREFIX: stage,
        ...(exportBucketAccount && { EXPORT_OWNER: exportBucketAccount }),
      },
      statements: [
        ...tableStatements(table, permissions(exportAccess)),
        ...this.exportStatements(`arn:${this.partition}:s3:::${exportBucket}/${stage}/*`),
        ofTable('Backups', 'dynamodb:DescribeContinuousBackups', table.tableArn),
        ofTable('Exports', 'dynamodb:DescribeExport', `${table.tableArn}/export/*`),
      ],
    });
    this.callEvery(Duration.hours(1), increments, 'EveryHour', 'HourlyRole');
    return increments;
  }

  private exportStatements(files: string): PolicyStatement[] {
    const allow = (sid: string, actions: string[], resource: string) =>
      new PolicyStatement({ sid, actions, resources: [resource] });
    return [
      allow('Table', ['dynamodb:ExportTableToPointInTime'], this.data.table.tableArn),
      allow('Bucket', ['s3:AbortMultipartUpload', 's3:PutObject', 's3:PutObjectAcl'], files),
      ...(this.key ? [allow('Key', ['kms:Decrypt', 'kms:DescribeKey'], this.key.keyArn)] : []),
    ];
  }

  // The outputs

  private addOutputs(api: Api, domain: Domain | undefined, alarms: Topic | undefined): void {
    const { settings, data } = this;
    const baseUrl = domain?.url ?? api.rest.url.replace(/\/$/, '');
    const outputs = {
      BaseUrl: baseUrl,
      ...(settings.desk && { DeskUrl: `${baseUrl}/desk` }),
      ...(domain && { DomainTarget: domain.target }),
      TableName: data.table.tableName,
      // The operator's command needs these too: see apps/cli/deployment/target.ts.
      DeliveryQueueUrl: data.queue.queueUrl,
      SlowQueueUrl: data.slowQueue.queueUrl,
      DeadLetterQueueUrl: data.deadLetters.queueUrl,
      HistoryFailuresUrl: data.historyFailures.queueUrl,
      AuthorizerTtlSeconds: String(settings.authorizerTtlSeconds),
      CreditLimit: String(settings.creditLimit),
      ...(settings.operatorLogDays > 0 && { OperatorLogDays: String(settings.operatorLogDays) }),
      ...(settings.dispenserHostSuffixes && { DispenserHostSuffixes: settings.dispenserHostSuffixes }),
      Version: packageFile.version,
      ...(alarms && { AlarmTopic: alarms.topicArn }),
      ...(settings.releases && { Releases: settings.releases }),
      NextCommand: `npx store create --stage ${settings.stage}`,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }

  /** The address at which Lambda's API invokes a function. */
  private invocationOf({ lambda }: ServiceFunction): string {
    return `https://lambda.${this.region}.${this.urlSuffix}/2015-03-31/functions/${lambda.functionName}/invocations`;
  }
}

/** These tell what a deployment costs apart from all else in the account: docs/operate/costs.md. */
const stackTags = ({ stage }: Settings) => ({ service: 'store-integration', stage });

/**
 * An update deploys those first that read the messages and records of the endpoints: docs/adr/0042-later-shapes.md.
 */
const deployAfter = (readers: readonly IConstruct[], endpoints: readonly Endpoint[]): void => {
  const resourceOf = ({ node }: IConstruct): CfnResource => node.defaultChild as CfnResource;
  for (const { fn } of endpoints)
    for (const reader of readers) resourceOf(fn.lambda).addResourceDependency(resourceOf(reader));
};
