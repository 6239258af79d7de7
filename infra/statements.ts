import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Data } from './data.ts';
import type { Permission } from './permissions.ts';

/** Statements of the functions' policies. */

/** The statements for the table, its named indexes, and the partitions of the permitted kinds. */
export const tableStatements = ({ tableArn }: Data['table'], permitted: readonly Permission[]): PolicyStatement[] =>
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

/**
 * The statements for the stream. AWS's table of actions names no resource for ListStreams, so IAM may demand that it is
 * allowed for all.
 */
export const streamStatements = ({ tableArn }: Data['table']): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'Stream',
    actions: ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((one) => `dynamodb:${one}`),
    resources: [`${tableArn}/stream/*`],
  }),
  new PolicyStatement({ sid: 'ListStreams', actions: ['dynamodb:ListStreams'], resources: ['*'] }),
];

export const lookUpStatement = ({ functionArn }: IFunction): PolicyStatement =>
  new PolicyStatement({ sid: 'LookUp', actions: ['lambda:InvokeFunction'], resources: [functionArn] });

export const sendStatement = (...queues: Queue[]): PolicyStatement =>
  new PolicyStatement({
    sid: 'Send',
    actions: ['sqs:SendMessage'],
    resources: queues.map(({ queueArn }) => queueArn),
  });

export const receiveStatement = (...queues: Queue[]): PolicyStatement =>
  new PolicyStatement({
    sid: 'Receive',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
    resources: queues.map(({ queueArn }) => queueArn),
  });
