import { basename } from 'node:path';
import type { Order } from '../launch/build.ts';
import type { Hands } from '../launch/hands.ts';
import { checkBound, checkCommand, exportsBucket } from './launch-calls.ts';

/** An AWS account that is made up, with the programs that a build runs on it: `aws`, `cdk`, `store`, `npm`. */

export const launch =
  'arn:aws:cloudformation:us-east-1:000000000000:stack/my-store/0c0ffee0-1111-4222-8333-444444444444';
export const rights =
  'arn:aws:iam::000000000000:policy/store-integration-us-east-1-0c0ffee0-1111-4222-8333-444444444444';

export const order: Order = {
  act: 'Create',
  release: '1.2.0',
  storeName: 'Wanda’s Wings',
  email: 'wanda@example.org',
  firewall: true,
  settings: '{}',
  region: 'us-east-1',
  launch,
  rights,
  exports: exportsBucket,
};

// biome-ignore lint/suspicious/noExplicitAny: the input of a call of AWS, looked at member by member.
type Input = any;

interface Parameter {
  Value: string;
  Type: string;
  Tier?: string;
  Policies?: string;
}

export interface Account {
  parameters: Record<string, Parameter>;
  /** The outputs of each stack. */
  stacks: Record<string, Record<string, string>>;
  /** They outlive the stack that made them. */
  tables: string[];
  stores: { id: string; name: string }[];
  keys: { store: string; name: string; preset: string }[];
  files: string[];
  mails: string[];
  isConfirmed: boolean;
  functions: number;
  asked: number[];
  bootstrapVersion: string;
  /** The policy that bounds the roles of the toolkit, which outlives the launch that made it. */
  toolkitBound?: string;
  /** The name of its own that the service has, and whether a record leads to it. */
  domain?: { name: string; isKnown: boolean };
  /** The commands that were run, a line each. */
  calls: string[];
  /** A program whose line has the first text fails with the second. */
  planted?: [string, string];
}

export const newAccount = (): Account => ({
  parameters: {},
  stacks: {},
  tables: [],
  stores: [],
  keys: [],
  files: [],
  mails: [],
  isConfirmed: true,
  functions: 10,
  asked: [],
  bootstrapVersion: '32',
  calls: [],
});

const baseUrl = 'https://abc.execute-api.us-east-1.amazonaws.com/prod';
const topic = 'arn:aws:sns:us-east-1:000000000000:store-integration-prod-Topic';

/** The text of a key that the account has issued. No log may show it. */
export const keyText = (name: string): string => `sis_live_secret_of_${name}`;

const calls: Record<string, (account: Account, input: Input) => unknown> = {
  'sts get-caller-identity': () => ({ Account: '000000000000' }),
  'cloudformation describe-stacks': ({ stacks }, { StackName }) => {
    const outputs = stacks[StackName];
    if (!outputs) throw new Error(`ValidationError: Stack with id ${StackName} does not exist`);
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    return { Stacks: [{ StackStatus: 'CREATE_COMPLETE', Outputs }] };
  },
  'cloudformation update-termination-protection': () => ({}),
  'cloudformation delete-stack': ({ stacks }, { StackName }) => {
    delete stacks[StackName];
  },
  'ssm get-parameter': ({ parameters }, { Name }) => {
    if (!parameters[Name]) throw new Error('An error occurred (ParameterNotFound) when calling GetParameter');
    return { Parameter: parameters[Name] };
  },
  'ssm put-parameter': ({ parameters }, { Name, Overwrite: _, ...parameter }) => {
    parameters[Name] = parameter;
  },
  'ssm delete-parameter': ({ parameters }, { Name }) => {
    if (!parameters[Name]) throw new Error('An error occurred (ParameterNotFound) when calling DeleteParameter');
    delete parameters[Name];
  },
  'lambda get-account-settings': ({ functions }) => ({ AccountLimit: { ConcurrentExecutions: functions } }),
  'service-quotas request-service-quota-increase': ({ asked }, { DesiredValue }) => asked.push(DesiredValue),
  'sns list-subscriptions-by-topic': ({ isConfirmed }) => ({
    Subscriptions: [{ SubscriptionArn: isConfirmed ? `${topic}:1` : 'PendingConfirmation' }],
  }),
  'sns publish': ({ mails }, { Message }) => mails.push(Message),
};

const aws = (account: Account, args: string[], input: string): unknown => {
  checkCommand(args, input);
  const [service, operation = ''] = args;
  if (service === 's3') return void account.files.push(args.at(-1) as string);
  if (operation === 'wait') return undefined;
  const call = calls[`${service} ${operation}`];
  if (!call) throw new Error(`The account has no ${service} ${operation}.`);
  return call(account, JSON.parse(input));
};

const cdk = (account: Account, [verb, ...options]: string[]): undefined => {
  const { parameters, stacks, tables, bootstrapVersion, domain } = account;
  if (verb === 'bootstrap') {
    const bound = options[options.indexOf('--cloudformation-execution-policies') + 1] ?? '';
    if (account.toolkitBound) checkBound(account.toolkitBound, bound);
    account.toolkitBound = bound;
    stacks['store-integration-toolkit'] = {};
    parameters['/cdk-bootstrap/sislaunch/version'] = { Value: bootstrapVersion, Type: 'String' };
    return;
  }
  if (!stacks['store-integration-prod']) tables.push(`table-${tables.length + 1}`);
  stacks['store-integration-prod'] = {
    BaseUrl: domain ? `https://${domain.name}` : baseUrl,
    TableName: tables.at(-1) as string,
    AlarmTopic: topic,
    ...(domain && { DomainTarget: 'd-1.execute-api.us-east-1.amazonaws.com' }),
  };
};

const store = (account: Account, args: string[]): unknown => {
  const { stores, keys } = account;
  const option = (name: string): string => args[args.indexOf(name) + 1] ?? '';
  const [verb, second, third = ''] = args;
  if (verb === 'list') return stores;
  if (verb === 'create') {
    stores.push({ id: `store-${stores.length + 1}`, name: second as string });
    return stores.at(-1);
  }
  if (verb === 'key' && second === 'list') return keys.filter((key) => key.store === option('--store'));
  if (verb === 'key') {
    keys.push({ store: option('--store'), name: third, preset: option('--preset') });
    return { key: keyText(third) };
  }
  if (verb === 'desk') return { link: `${baseUrl}/desk#invitation=${keyText('desk')}` };
  return undefined;
};

/** The output of a program on this account. Throws with its standard error. */
export const runOn = (account: Account, command: string, args: readonly string[], input: string): string => {
  const program = basename(command);
  const line = [program, ...args].join(' ');
  account.calls.push(line);
  if (account.planted && line.includes(account.planted[0])) throw new Error(account.planted[1]);
  if (program === 'getent' && !account.domain?.isKnown) throw new Error('getent ended with exit code 2.');
  const programs: Record<string, () => unknown> = {
    aws: () => aws(account, [...args], input),
    cdk: () => cdk(account, [...args]),
  };
  // The command prints a line for each row.
  if (program === 'store')
    return [store(account, [...args]) ?? []]
      .flat()
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
  const answer = programs[program]?.();
  return answer === undefined ? '' : JSON.stringify(answer);
};

/** Hands that work on the account, and the lines that they said. */
export const handsOn = (account: Account, version = '1.2.0') => {
  const lines: string[] = [];
  const written: Record<string, string> = { 'package.json': JSON.stringify({ version }) };
  const waits: number[] = [];
  const hands: Hands = {
    run: async (command, args) => runOn(account, command, args, written['call.json'] ?? ''),
    read: (path) => written[path] ?? '',
    write: (path, text) => {
      written[path] = text;
    },
    say: (line) => lines.push(line),
    wait: async (millis) => waits.push(millis),
    now: () => Date.parse('2030-01-31T12:00:00Z'),
  };
  return { hands, lines, written, waits };
};
