import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { atEnd } from '../../../../test/support/at-end.ts';

/**
 * Replaces AWS for the commands in this process until the end of the test file: CloudFormation with these stacks'
 * outputs, by name; Lambda with the quota of a new account and one mapping for a table's stream; SNS with the
 * subscriptions of a topic; STS with an identity, without which it does not answer. Returns the last three, which a
 * test may change.
 */
export const stubAws = (stacks: Record<string, Record<string, string>>) => {
  const account = { mapping: 'Enabled', arn: undefined as string | undefined, subscriptions: [] as string[] };
  const formation = mockClient(CloudFormationClient)
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
  const lambda = mockClient(LambdaClient)
    .on(GetAccountSettingsCommand)
    .resolves({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } })
    .on(ListEventSourceMappingsCommand)
    .callsFake(async ({ EventSourceArn }) => ({
      EventSourceMappings: /:table\/.*\/stream\//.test(EventSourceArn) ? [{ State: account.mapping }] : [],
    }));
  const topics = mockClient(SNSClient)
    .on(ListSubscriptionsByTopicCommand)
    .callsFake(async () => ({ Subscriptions: account.subscriptions.map((SubscriptionArn) => ({ SubscriptionArn })) }));
  const identity = mockClient(STSClient)
    .on(GetCallerIdentityCommand)
    .callsFake(async () => {
      if (account.arn === undefined) throw new Error('connect ETIMEDOUT');
      return { Arn: account.arn };
    });
  atEnd(() => {
    for (const stub of [formation, lambda, topics, identity]) stub.restore();
  });
  return account;
};
