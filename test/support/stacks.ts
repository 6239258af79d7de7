import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';

/**
 * The command's tests load this into it (`NODE_OPTIONS=--import`). It stubs CloudFormation with the stacks of
 * `TEST_STACKS`, the outputs of each as JSON, Lambda with the quota of a new account and, for a table's
 * stream, one mapping in the state `TEST_MAPPING`, and STS with the identity
 * `TEST_ARN`; without it STS does not answer.
 */
const stacks: Record<string, Record<string, string>> = JSON.parse(process.env.TEST_STACKS ?? '{}');

mockClient(CloudFormationClient)
  .on(DescribeStacksCommand)
  .callsFake(async ({ StackName }, getClient) => {
    // The real client needs a region too.
    await getClient().config.region();
    const outputs = stacks[StackName];
    if (!outputs)
      throw Object.assign(new Error(`Stack with id ${StackName} does not exist`), { name: 'ValidationError' });
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    return { Stacks: [{ StackName, Outputs }] };
  });

mockClient(LambdaClient)
  .on(GetAccountSettingsCommand)
  .resolves({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } })
  .on(ListEventSourceMappingsCommand)
  .callsFake(async ({ EventSourceArn }) => ({
    EventSourceMappings: /:table\/.*\/stream\//.test(EventSourceArn)
      ? [{ State: process.env.TEST_MAPPING ?? 'Enabled' }]
      : [],
  }));

mockClient(STSClient)
  .on(GetCallerIdentityCommand)
  .callsFake(async () => {
    if (process.env.TEST_ARN === undefined) throw new Error('connect ETIMEDOUT');
    return { Arn: process.env.TEST_ARN };
  });
