import type { Hands } from './hands.ts';

/** The calls of AWS that a build makes itself. It uses AWS's own command, which the machines of CodeBuild have. */

// biome-ignore lint/suspicious/noExplicitAny: a caller looks at the members that it needs.
type Answer = any;

const inputFile = 'call.json';

/** Calls AWS. Passes the input in a file, so that no list of processes shows it. */
const call = async ({ run, write }: Hands, service: string, operation: string, input: object): Promise<Answer> => {
  write(inputFile, JSON.stringify(input));
  const answer = await run('aws', [service, operation, '--output', 'json', '--cli-input-json', `file://${inputFile}`]);
  write(inputFile, '');
  return answer.trim() === '' ? {} : JSON.parse(answer);
};

/** The answer of a call; undefined if AWS says that there is no such thing. */
const orUndefined = async (work: Promise<Answer>): Promise<Answer> => {
  try {
    return await work;
  } catch (error) {
    if (/does not exist|ParameterNotFound/.test((error as Error).message)) return undefined;
    throw error;
  }
};

export const accountOf = async (hands: Hands): Promise<string> =>
  (await call(hands, 'sts', 'get-caller-identity', {})).Account;

interface StackState {
  status: string;
  outputs: Record<string, string>;
}

/** A stack of this account and region; undefined if there is none. */
export const findStack = async (hands: Hands, StackName: string): Promise<StackState | undefined> => {
  const [stack] = (await orUndefined(call(hands, 'cloudformation', 'describe-stacks', { StackName })))?.Stacks ?? [];
  if (!stack) return undefined;
  const outputs = (stack.Outputs ?? []).map((one: Record<string, string>) => [one.OutputKey, one.OutputValue]);
  return { status: stack.StackStatus, outputs: Object.fromEntries(outputs) };
};

/** Deletes a stack, and waits until it is gone. */
export const deleteStack = async (hands: Hands, StackName: string): Promise<void> => {
  const unprotected = { StackName, EnableTerminationProtection: false };
  await call(hands, 'cloudformation', 'update-termination-protection', unprotected);
  await call(hands, 'cloudformation', 'delete-stack', { StackName });
  await hands.run('aws', ['cloudformation', 'wait', 'stack-delete-complete', '--stack-name', StackName]);
};

export const findParameter = async (hands: Hands, Name: string): Promise<string | undefined> =>
  (await orUndefined(call(hands, 'ssm', 'get-parameter', { Name })))?.Parameter.Value;

export const putParameter = (hands: Hands, Name: string, Value: string): Promise<unknown> =>
  call(hands, 'ssm', 'put-parameter', { Name, Value, Type: 'String', Overwrite: true });

export const deleteParameter = async (hands: Hands, Name: string): Promise<void> => {
  await orUndefined(call(hands, 'ssm', 'delete-parameter', { Name }));
};

/** Puts a secret that AWS deletes at the time `end`. Only parameters of the advanced tier can end. */
export const putSecret = (hands: Hands, Name: string, Value: string, end: number): Promise<unknown> => {
  const Timestamp = new Date(end).toISOString().replace(/\.\d+Z$/, 'Z');
  const Policies = JSON.stringify([{ Type: 'Expiration', Version: '1.0', Attributes: { Timestamp } }]);
  const fields = { Name, Value, Type: 'SecureString', Tier: 'Advanced', Overwrite: true, Policies };
  return call(hands, 'ssm', 'put-parameter', fields);
};

/** The number of functions that may run at once. */
export const functionQuota = async (hands: Hands): Promise<number> =>
  (await call(hands, 'lambda', 'get-account-settings', {})).AccountLimit.ConcurrentExecutions;

/** Asks AWS to let more functions run at once, which is free. */
export const askForFunctions = (hands: Hands, DesiredValue: number): Promise<unknown> =>
  call(hands, 'service-quotas', 'request-service-quota-increase', {
    ServiceCode: 'lambda',
    QuotaCode: 'L-B99A9384',
    DesiredValue,
  });

/** Says whether the owner of the address has confirmed the topic's e-mails. */
export const isConfirmed = async (hands: Hands, TopicArn: string): Promise<boolean> => {
  const { Subscriptions = [] } = await call(hands, 'sns', 'list-subscriptions-by-topic', { TopicArn });
  return Subscriptions.some(({ SubscriptionArn = '' }: Record<string, string>) => SubscriptionArn.startsWith('arn:'));
};

export const publish = (hands: Hands, TopicArn: string, Subject: string, Message: string): Promise<unknown> =>
  call(hands, 'sns', 'publish', { TopicArn, Subject, Message });

export const upload = (hands: Hands, path: string, bucket: string, key: string): Promise<unknown> =>
  hands.run('aws', ['s3', 'cp', '--only-show-errors', path, `s3://${bucket}/${key}`]);
