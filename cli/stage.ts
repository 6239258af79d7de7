import * as z from 'zod';
import { Failure } from './output.ts';
import type { Target } from './target.ts';

/** What the stack says about itself in its outputs. */
const Outputs = z.object({
  BaseUrl: z.string(),
  TableName: z.string(),
  DeliveryQueueUrl: z.string(),
  DeadLetterQueueUrl: z.string(),
  AuthorizerTtlSeconds: z.coerce.number(),
  CreditLimit: z.string(),
  DispenserHostSuffixes: z.string().optional(),
});

const readOutputs = async (stage: string): Promise<Record<string, string>> => {
  // Loaded for this alone: a command on the local service starts faster without it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const StackName = `store-integration-${stage}`;
  const client = new CloudFormationClient({});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ValidationError' && message.includes('does not exist'))
      throw new Failure(
        `There is no deployment ${stage}: this account has no stack ${StackName} in the region ${await client.config.region()}. ` +
          'Check --stage and AWS_REGION, or deploy it first (docs/operate/deploy.md).',
      );
    throw error;
  } finally {
    client.destroy();
  }
};

/** The deployment of that name, by the outputs of its stack in the account and region of the usual AWS settings. */
export const getStage = async (stage: string): Promise<Target> => {
  const outputs = Outputs.safeParse(await readOutputs(stage));
  if (!outputs.success)
    throw new Failure(
      `The deployment ${stage} is of an earlier version and does not say where its ${outputs.error.issues.map(({ path }) => path.join('.')).join(', ')} is. ` +
        'Deploy it again (docs/operate/deploy.md, "Update").',
    );
  const { BaseUrl, TableName, DeliveryQueueUrl, DeadLetterQueueUrl, AuthorizerTtlSeconds, ...settings } = outputs.data;
  Object.assign(process.env, {
    TABLE_NAME: TableName,
    DELIVERY_QUEUE_URL: DeliveryQueueUrl,
    DELIVERY_DLQ_URL: DeadLetterQueueUrl,
    CREDIT_LIMIT: settings.CreditLimit,
    KEY_STAGE: 'live',
  });
  if (settings.DispenserHostSuffixes) process.env.DISPENSER_HOST_SUFFIXES = settings.DispenserHostSuffixes;
  return {
    kind: 'stage',
    name: `the deployment ${stage}`,
    baseUrl: BaseUrl,
    tableName: TableName,
    keyStage: 'live',
    authorizerTtlSeconds: AuthorizerTtlSeconds,
  };
};
