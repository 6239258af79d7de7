import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deliveryQueue } from '../lib/delivery/queue.ts';
import { indexes, streamView, tableKey, ttlAttribute } from '../lib/table/schema.ts';
import type { Settings } from './settings.ts';

/** The state of a deployment: the table, the queues, and the secret that seals cursors. */
export class Data extends Construct {
  /** The table that the functions use. */
  readonly table: Pick<ITable, 'tableName' | 'tableArn'>;
  /** The stream of that table. */
  readonly streamArn: string;
  readonly queue: Queue;
  /** The queue for receivers in trouble, and for calls of vendors. */
  readonly slowQueue: Queue;
  readonly deadLetters: Queue;
  /** Holds the stream's records from which no history could be made. */
  readonly historyFailures: Queue;
  readonly cursorSecret: Secret;

  constructor(scope: Construct, id: string, settings: Settings, key: IKey | undefined) {
    super(scope, id);
    const { restoredTable, restoredStream, readUnits, writeUnits } = settings;
    const text = (name: string) => ({ name, type: AttributeType.STRING });
    // Without bounds DynamoDB serves 40,000 units a second, and bills them. A write waits for the indexes that it
    // changes, so their bounds must not be tighter.
    const bounds = { maxReadRequestUnits: readUnits, maxWriteRequestUnits: writeUnits };
    const table = new Table(this, 'Table', {
      partitionKey: text(tableKey.partition),
      sortKey: text(tableKey.sort),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...bounds,
      timeToLiveAttribute: ttlAttribute,
      stream: StreamViewType[streamView],
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // By default AWS owns the key, which costs nothing. AWS would bill every use of a key that it manages.
      encryption: key ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.DEFAULT,
      ...(key && { encryptionKey: key }),
    });
    for (const [indexName, { partition, sort, include }] of Object.entries(indexes)) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: text(partition),
        sortKey: text(sort),
        ...bounds,
        ...(include.length > 0
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...include] }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      });
    }

    // After a restore the stack keeps its own table: somebody may still need the rows in it.
    this.table = restoredTable === undefined ? table : Table.fromTableName(this, 'Restored', restoredTable);
    this.streamArn = restoredStream ?? (table.tableStreamArn as string);

    const common = {
      encryption: key ? QueueEncryption.KMS : QueueEncryption.SQS_MANAGED,
      ...(key && { encryptionMasterKey: key }),
      enforceSSL: true,
      // The longest period that SQS offers.
      retentionPeriod: Duration.seconds(deliveryQueue.retentionSeconds),
      // Residents have paid for the deliveries in the queue.
      removalPolicy: RemovalPolicy.RETAIN,
    };
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    const forWorkers = {
      ...common,
      visibilityTimeout: Duration.seconds(deliveryQueue.visibilitySeconds),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: deliveryQueue.maxReceiveCount },
    };
    this.queue = new Queue(this, 'Deliveries', forWorkers);
    this.slowQueue = new Queue(this, 'SlowDeliveries', forWorkers);

    this.historyFailures = new Queue(this, 'HistoryFailures', common);

    this.cursorSecret = new Secret(this, 'CursorSecret', {
      description:
        'Seals the cursors of lists. A new secret makes the cursors in use invalid, and has no other effect.',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      ...(key && { encryptionKey: key }),
    });
  }
}
