import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import { addFunction, type Base } from './base.ts';
import { exportAccess, permissions } from './permissions.ts';
import { addScheduleRole, callEvery } from './schedules.ts';
import type { ServiceFunction } from './service-function.ts';
import { tableStatements } from './statements.ts';

/** The rights to export the table into these files. */
const exportStatements = ({ data, key }: Base, files: string): PolicyStatement[] => {
  const allow = (sid: string, actions: string[], resource: string) =>
    new PolicyStatement({ sid, actions, resources: [resource] });
  return [
    allow('Table', ['dynamodb:ExportTableToPointInTime'], data.table.tableArn),
    allow('Bucket', ['s3:AbortMultipartUpload', 's3:PutObject', 's3:PutObjectAcl'], files),
    ...(key ? [allow('Key', ['kms:Decrypt', 'kms:DescribeKey'], key.keyArn)] : []),
  ];
};

/**
 * Exports the whole table to the bucket every day. An export needs no function and no capacity of the table. DynamoDB
 * writes the files after it has answered the call.
 */
export const addExports = (base: Base): ScheduleGroup | undefined => {
  const { exportBucket, exportBucketAccount, stage } = base.settings;
  if (exportBucket === undefined) return undefined;
  const policyStatements = exportStatements(base, `arn:${base.stack.partition}:s3:::${exportBucket}/${stage}/*`);
  const role = addScheduleRole(base, 'ExportRole', { Export: policyStatements });
  // CloudWatch counts the failures of a group of schedules. A group that stayed after the stack would keep its name,
  // which the next deployment needs.
  const scheduleGroup = new ScheduleGroup(base.stack, 'Exports', { removalPolicy: RemovalPolicy.DESTROY });
  new Schedule(base.stack, 'EveryDay', {
    scheduleGroup,
    schedule: ScheduleExpression.rate(Duration.days(1)),
    target: new Universal({
      service: 'dynamodb',
      action: 'exportTableToPointInTime',
      input: ScheduleTargetInput.fromObject({
        TableArn: base.data.table.tableArn,
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
};

/** Asks every hour for an increment: the changes since the last one, of at most a day. */
export const addIncrements = (base: Base): ServiceFunction | undefined => {
  const { exportBucket, exportBucketAccount, stage } = base.settings;
  if (exportBucket === undefined) return undefined;
  const { table } = base.data;
  const ofTable = (sid: string, action: string, resource: string) =>
    new PolicyStatement({ sid, actions: [action], resources: [resource] });
  const increments = addFunction(base, 'table-export', {
    description: 'Asks for an increment of the table, the copy of an hour.',
    harm: 'The copies of the last hours are missing, and a lost region would cost all changes since then.',
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
      ...exportStatements(base, `arn:${base.stack.partition}:s3:::${exportBucket}/${stage}/*`),
      ofTable('Backups', 'dynamodb:DescribeContinuousBackups', table.tableArn),
      ofTable('Exports', 'dynamodb:DescribeExport', `${table.tableArn}/export/*`),
    ],
  });
  callEvery(base, Duration.hours(1), increments, 'EveryHour', 'HourlyRole');
  return increments;
};
