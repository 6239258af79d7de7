import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { indexes, ttlAttribute } from '../../lib/table/table.ts';
import type { Target } from '../target.ts';
import { redeploy } from './deployment.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const indexFault = ({ GlobalSecondaryIndexes = [] }: TableDescription): string | undefined => {
  const faults = Object.entries(indexes).flatMap(([name, { partition, sort }]) => {
    const found = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name);
    if (!found) return [`${name} is missing`];
    const keys = found.KeySchema?.map(({ AttributeName }) => AttributeName).join();
    if (keys !== [partition, sort].join()) return [`${name} has other keys`];
    return (found.IndexStatus ?? 'ACTIVE') === 'ACTIVE' ? [] : [`${name} is ${found.IndexStatus}`];
  });
  return faults.length > 0 ? faults.join(', ') : undefined;
};

export const checkTable = async ({ tableName }: Target): Promise<Finding[]> => {
  const client = new DynamoDBClient({});
  try {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const status = Table.TableStatus ?? 'unknown';
    const fault = indexFault(Table);
    const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
    const hasTtl = ttl?.TimeToLiveStatus === 'ENABLED' && ttl.AttributeName === ttlAttribute;
    return [
      status === 'ACTIVE'
        ? ok('table', `${tableName} is active`)
        : fail(
            'table',
            `${tableName} is ${status}`,
            'Wait some minutes; if it stays so, look at it in the AWS console.',
          ),
      fault
        ? fail(
            'indexes',
            fault,
            `Lists will fail or miss rows. ${redeploy} A restored table needs its indexes restored too.`,
          )
        : ok('indexes', `all ${Object.keys(indexes).length} are active`),
      hasTtl
        ? ok('clean-up', 'old rows are deleted by themselves')
        : warn(
            'clean-up',
            'rows that are over are not deleted',
            'Switch time to live on (docs/operate/deploy.md, "Restore", step 2).',
          ),
    ];
  } finally {
    client.destroy();
  }
};

/** On the local service nothing is backed up, nor need be. */
export const checkBackup = async ({ kind, tableName }: Target): Promise<Finding[]> => {
  if (kind === 'local') return [];
  const client = new DynamoDBClient({});
  try {
    const { ContinuousBackupsDescription: backups } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName: tableName }),
    );
    const backedUp = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
    return [
      backedUp
        ? ok('backup', 'continuous')
        : warn('backup', 'there is none', 'Switch continuous backups on (docs/operate/deploy.md, "Restore", step 2).'),
    ];
  } finally {
    client.destroy();
  }
};
