import type { IncomingMessage } from 'node:http';
import { place } from '../../local/deployed/formation.ts';
import { readLaunch } from '../../local/deployed/launch-rights.ts';
import { doStatementsAllow, type Statement, tableUses } from '../../local/deployed/roles.ts';

/** The calls of AWS that a build makes, before the rights that launch.yaml gives it. */

// biome-ignore lint/suspicious/noExplicitAny: the input of a call of AWS, looked at member by member.
type Input = any;

interface Asked {
  action: string;
  resource: string;
}

const { build } = readLaunch();

/** The bucket for exports, as the stand-in account names it. */
export const exportsBucket = 'my-exports';

const arn = (service: string, rest: string): string => `arn:aws:${service}:${place.region}:${place.account}:${rest}`;

/** Things of the deployment have their logical ids as names in `npm run deployed`, and longer ones on AWS. */
const named = (text: string): string => {
  const name = text.split(/[/:]/).at(-1) ?? '';
  return name.startsWith(place.stack) ? name : `${place.stack}-${name}`;
};

const stackArn = ({ StackName }: Input): string => arn('cloudformation', `stack/${StackName}/0c0ffee0`);

const parameterArn = ({ Name }: Input): string => arn('ssm', `parameter/${Name.replace(/^\//, '')}`);

/** The resource of each operation, by AWS's table of actions. */
const resources: Readonly<Record<string, (input: Input) => string>> = {
  'cloudformation:DeleteStack': stackArn,
  'cloudformation:DescribeStacks': stackArn,
  'cloudformation:UpdateTerminationProtection': stackArn,
  'lambda:GetAccountSettings': () => '*',
  'lambda:ListEventSourceMappings': () => '*',
  'servicequotas:RequestServiceQuotaIncrease': ({ ServiceCode, QuotaCode }) =>
    arn('servicequotas', `${ServiceCode}/${QuotaCode}`),
  'sns:ListSubscriptionsByTopic': ({ TopicArn }) => arn('sns', named(TopicArn)),
  'sns:Publish': ({ TopicArn }) => arn('sns', named(TopicArn)),
  'ssm:DeleteParameter': parameterArn,
  'ssm:GetParameter': parameterArn,
  'ssm:PutParameter': parameterArn,
};

/** IAM lets everybody ask who they are. */
const isFree = (action: string): boolean => action === 'sts:GetCallerIdentity';

const askedFor = (action: string, input: Input): Asked[] => {
  if (isFree(action)) return [];
  const resourceOf = resources[action];
  if (!resourceOf) throw new Error(`deploy/test/launch-calls.ts does not know the resource of ${action}.`);
  return [{ action, resource: resourceOf(input) }];
};

const pascal = (name: string): string => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Tells which actions a call by AWS's own command asks for. */
const askedByCommand = (args: readonly string[], input: string): Asked[] => {
  const [service = '', operation = ''] = args;
  if (service === 's3') {
    const [bucket = '', ...key] = (args.at(-1) ?? '').replace('s3://', '').split('/');
    const kept = bucket === exportsBucket ? 'my-store-exports' : bucket;
    return [{ action: 's3:PutObject', resource: `arn:aws:s3:::${kept}/${key.join('/')}` }];
  }
  if (operation === 'wait') return askedFor('cloudformation:DescribeStacks', { StackName: args.at(-1) });
  return askedFor(`${service.replace('-', '')}:${pascal(operation)}`, JSON.parse(input));
};

const services: Readonly<Record<string, string>> = {
  GetCallerIdentity: 'sts',
  ListSubscriptionsByTopic: 'sns',
  Publish: 'sns',
};

/** Says which actions an HTTP call of the command `store` needs. */
const askedByRequest = ({ headers, url = '' }: IncomingMessage, body: string): Asked[] => {
  const [target = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  if (target.startsWith('DynamoDB'))
    return tableUses(operation, JSON.parse(body)).map(({ action, table, index }) => ({
      action: `dynamodb:${action}`,
      resource: `${arn('dynamodb', `table/${named(table)}`)}${index ? `/index/${index}` : ''}`,
    }));
  if (target === 'AmazonSQS')
    return [
      { action: `sqs:${operation.replace(/Batch$/, '')}`, resource: arn('sqs', named(JSON.parse(body).QueueUrl)) },
    ];
  if (/account-settings/.test(url)) return askedFor('lambda:GetAccountSettings', {});
  if (/event-source-mappings/.test(url)) return askedFor('lambda:ListEventSourceMappings', {});
  const fields = Object.fromEntries(new URLSearchParams(body));
  const action = fields.Action ?? '';
  return askedFor(`${services[action] ?? 'cloudformation'}:${action}`, fields);
};

/** Throws as AWS does where the rights of the build do not allow a call. */
const check = (asked: readonly Asked[]): void => {
  const refused = asked.find((one) => !doStatementsAllow(build, { ...one, context: {} }));
  if (!refused) return;
  const { action, resource } = refused;
  throw new Error(
    `An error occurred (AccessDenied): the build is not authorized to perform: ${action} on resource: ${resource}`,
  );
};

export const checkCommand = (args: readonly string[], input: string): void => check(askedByCommand(args, input));

export const checkRequest = (request: IncomingMessage, body: string): void => check(askedByRequest(request, body));

/** All orders of some things. */
const ordersOf = <T>(things: readonly T[]): T[][] =>
  things.length === 0
    ? [[]]
    : things.flatMap((one, index) => ordersOf(things.toSpliced(index, 1)).map((rest) => [one, ...rest]));

/** The orders in which CloudFormation may give a role of the toolkit another bound and other policies. */
export const boundOrders = ordersOf(
  ['AttachRolePolicy', 'DetachRolePolicy', 'PutRolePermissionsBoundary', 'PutRolePolicy'].map((name) => `iam:${name}`),
);

/** The steps of an order that IAM refuses for a role that had one bound and gets another. */
export const refusedSteps = (
  statements: readonly Statement[],
  [before, after]: readonly [before: string, after: string],
  order: readonly string[],
): string[] => {
  let boundary = before;
  return order.filter((action) => {
    if (action === 'iam:PutRolePermissionsBoundary') boundary = after;
    // IAM compares the condition with the bound that the role has, and for this one action with the bound that it gets.
    const context = { 'iam:PermissionsBoundary': [boundary] };
    return !doStatementsAllow(statements, { action, resource: toolkitRole, context });
  });
};

const toolkitRole = `arn:aws:iam::${place.account}:role/cdk-sislaunch-cfn-exec-role-${place.account}-${place.region}`;

/** Throws unless the build can give the toolkit of one launch the bound of another, in any order. */
export const checkBound = (before: string, after: string): void => {
  const [refused] = boundOrders.flatMap((order) => refusedSteps(build, [before, after], order));
  if (refused)
    throw new Error(`AccessDenied: the build is not authorized to perform: ${refused} on a role of the toolkit`);
};
