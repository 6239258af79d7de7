import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';

/**
 * Loaded into the command by its tests (`NODE_OPTIONS=--import`): CloudFormation knows the stacks of `TEST_STACKS`, which
 * holds the outputs of each as JSON, and no others. Lambda has the quota of a new account.
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
