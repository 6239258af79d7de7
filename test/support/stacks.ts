import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';

/**
 * The command's tests load this into it (`NODE_OPTIONS=--import`). It stubs CloudFormation with the stacks of
 * `TEST_STACKS`, the outputs of each as JSON, Lambda with the quota of a new account, and STS with the identity
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
  .resolves({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } });

mockClient(STSClient)
  .on(GetCallerIdentityCommand)
  .callsFake(async () => {
    if (process.env.TEST_ARN === undefined) throw new Error('connect ETIMEDOUT');
    return { Arn: process.env.TEST_ARN };
  });
