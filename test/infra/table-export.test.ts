import { expect, test } from 'vitest';
import { idOf, type Resource, templateOf } from '../support/stack.ts';

const asShipped = templateOf();
const settings = { exportBucket: 'copies-of-my-shop', exportBucketAccount: '222222222222', stage: 'test' };
const { all, ofType, functionOf } = templateOf({ ...settings, ownEncryptionKey: 'true' });
const [table] = ofType('AWS::DynamoDB::Table').map(([id]) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
const schedules = ofType('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);
const daily = schedules.find(({ ScheduleExpression }) => ScheduleExpression === 'rate(1 day)');

test('without the setting nothing exports the table', () => {
  expect(JSON.stringify(asShipped.all)).not.toMatch(
    /exportTableToPointInTime|ExportTableToPointInTime|ScheduleGroup|table-export/,
  );
});

test('every day DynamoDB exports the whole table to the bucket, under the name of the stage', () => {
  expect(daily.Target.Arn['Fn::Join'][1].join('')).toMatch(/:scheduler:::aws-sdk:dynamodb:exportTableToPointInTime$/);
  const [before, arn, after] = daily.Target.Input['Fn::Join'][1];
  expect(arn).toEqual(table);
  expect(JSON.parse(`${before}ARN${after}`)).toEqual({
    TableArn: 'ARN',
    S3Bucket: 'copies-of-my-shop',
    S3BucketOwner: '222222222222',
    S3Prefix: 'test',
    S3SseAlgorithm: 'AES256',
    ExportFormat: 'DYNAMODB_JSON',
  });
});

test('its role may export this table into that part of the bucket, and nothing else', () => {
  const { Policies, AssumeRolePolicyDocument } = all[idOf(daily.Target.RoleArn)].Properties;
  const statements = Policies[0].PolicyDocument.Statement;

  expect(AssumeRolePolicyDocument.Statement[0].Condition).toHaveProperty('StringEquals');
  expect(statements).toMatchObject([
    { Sid: 'Table', Action: 'dynamodb:ExportTableToPointInTime', Resource: table },
    { Sid: 'Bucket', Action: ['s3:AbortMultipartUpload', 's3:PutObject', 's3:PutObjectAcl'] },
    { Sid: 'Key', Action: ['kms:Decrypt', 'kms:DescribeKey'] },
  ]);
  expect(statements[1].Resource['Fn::Join'][1].at(-1)).toBe(':s3:::copies-of-my-shop/test/*');
  expect(statements).toHaveLength(3);
});

test('an alarm tells when an export was refused', () => {
  const [alarm] = ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.includes('ExportRefused'));
  const [group] = ofType('AWS::Scheduler::ScheduleGroup').map(([, { Properties }]) => Properties.Name);

  expect(daily.GroupName).toEqual(group);
  expect(alarm?.[1].Properties).toMatchObject({
    Namespace: 'AWS/Scheduler',
    MetricName: 'TargetErrorCount',
    Dimensions: [{ Name: 'ScheduleGroup', Value: group }],
    Threshold: 1,
  });
});

test('another tells when nothing has asked for one', () => {
  const [alarm] = ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.includes('ExportNotRun'));
  const [group] = ofType('AWS::Scheduler::ScheduleGroup').map(([, { Properties }]) => Properties.Name);

  expect(alarm?.[1].Properties).toMatchObject({
    Namespace: 'AWS/Scheduler',
    MetricName: 'InvocationAttemptCount',
    Dimensions: [{ Name: 'ScheduleGroup', Value: group }],
    Period: 86_400,
    EvaluationPeriods: 2,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
});

test('every hour a function may ask for an increment of this table, describe exports of it, and note that', () => {
  const { Properties } = functionOf('table-export')[1];
  const hourly = schedules.find(({ ScheduleExpression }) => ScheduleExpression === 'rate(1 hour)');
  const { Policies } = all[idOf(Properties.Role)].Properties;
  const statements: Resource[] = Policies[0].PolicyDocument.Statement;
  const ofSid = (sid: string): Resource => statements.find(({ Sid }) => Sid === sid);

  expect(hourly.Target.RetryPolicy.MaximumRetryAttempts).toBe(0);
  expect(Properties.Environment.Variables).toMatchObject({
    EXPORT_TABLE: table,
    EXPORT_BUCKET: 'copies-of-my-shop',
    EXPORT_OWNER: '222222222222',
    EXPORT_PREFIX: 'test',
  });
  expect(ofSid('Table')).toMatchObject({ Action: 'dynamodb:ExportTableToPointInTime', Resource: table });
  expect(ofSid('Bucket').Resource['Fn::Join'][1].at(-1)).toBe(':s3:::copies-of-my-shop/test/*');
  expect(ofSid('Backups')).toMatchObject({ Action: 'dynamodb:DescribeContinuousBackups', Resource: table });
  expect(ofSid('Exports').Action).toBe('dynamodb:DescribeExport');
  expect(ofSid('Exports').Resource['Fn::Join'][1].at(-1)).toBe('/export/*');
  expect(ofSid('Write').Condition['ForAllValues:StringLike']).toEqual({ 'dynamodb:LeadingKeys': ['SWEEP#*'] });
});

test('an alarm tells when no increment was asked for without a fault for three hours', () => {
  const [alarm] = ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.includes('IncrementsMissing'));

  expect(alarm?.[1].Properties).toMatchObject({
    MetricName: 'Errors',
    Statistic: 'Average',
    Period: 10_800,
    Threshold: 1,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'breaching',
  });
});
