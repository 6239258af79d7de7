import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { source } from '../../../lib/clock.ts';
import type { Stage } from '../../../lib/keys.ts';
import { isSameText } from '../../../lib/normalise.ts';
import { useLocalEngines } from '../../../lib/operator/local-engines.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { listStores } from '../../../lib/store/stores.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { note } from '../terminal/output.ts';
import { awsIdentity, localUser } from './operator.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  local?: boolean;
  stage?: string;
  dataDir: string;
  store?: string;
  json?: boolean;
}

/** The deployment that a command works on. Its settings are also in the environment variables that `lib/` reads. */
export interface Target {
  kind: 'local' | 'stage';
  /** The deployment's name in messages. */
  name: string;
  baseUrl: string;
  tableName: string;
  keyStage: Stage;
  /** The address of the desk; undefined if the deployment has none. */
  deskUrl: string | undefined;
  /** The running version; undefined if the deployment does not tell it. */
  version: string | undefined;
  /** The topic that alarms are sent to; undefined if there is none. */
  alarmTopic: string | undefined;
  /** The address that tells the newest release; undefined if the setting is empty. */
  releases: string | undefined;
  /** The time for which the gateway keeps the authorizer's answer about a key. */
  authorizerTtlSeconds: number;
  /** API keys by store id. Only the keys of a local service's demo stores are known; on AWS the map is empty. */
  keys: ReadonlyMap<string, string>;
  /** The id of the store to use if no option names one; undefined if the operator must name it. */
  demoStore: string | undefined;
  /** The person who runs the command, for the log: the ARN of an AWS identity, or the user of this machine. */
  operator: () => Promise<string>;
}

/** The outputs of the stack that the command needs. */
const Outputs = z.object({
  BaseUrl: z.string(),
  DeskUrl: z.string().optional(),
  TableName: z.string(),
  DeliveryQueueUrl: z.string(),
  SlowQueueUrl: z.string(),
  DeadLetterQueueUrl: z.string(),
  AuthorizerTtlSeconds: z.coerce.number(),
  CreditLimit: z.string(),
  DispenserHostSuffixes: z.string().optional(),
  OperatorLogDays: z.string().optional(),
  Version: z.string().optional(),
  AlarmTopic: z.string().optional(),
  Releases: z.string().optional(),
});

const readOutputs = async (stage: string): Promise<Record<string, string>> => {
  // Loaded only here: a command on the local service starts faster without it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const StackName = `store-integration-${stage}`;
  const client = new CloudFormationClient({});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'ValidationError' || !message.includes('does not exist')) throw error;
    throw new Failure(
      `There is no deployment ${stage}: this account has no stack ${StackName} in the region ${await client.config.region()}. ` +
        'Check --stage and AWS_REGION, or deploy it first (docs/guides/deploy.md).',
    );
  }
};

/** Finds the deployment with that name, in the account and region of the usual AWS settings. */
const getStage = async (stage: string): Promise<Target> => {
  const outputs = Outputs.safeParse(await readOutputs(stage));
  if (!outputs.success)
    throw new Failure(
      `The deployment ${stage} is of an earlier version and does not say where its ${outputs.error.issues.map(({ path }) => path.join('.')).join(', ')} is. ` +
        'Deploy it again (docs/operate/deploy.md, "Update").',
    );
  const { BaseUrl, DeskUrl, TableName, AuthorizerTtlSeconds, DispenserHostSuffixes, OperatorLogDays, ...others } =
    outputs.data;
  Object.assign(process.env, {
    TABLE_NAME: TableName,
    DELIVERY_QUEUE_URL: others.DeliveryQueueUrl,
    SLOW_QUEUE_URL: others.SlowQueueUrl,
    DELIVERY_DLQ_URL: others.DeadLetterQueueUrl,
    CREDIT_LIMIT: others.CreditLimit,
    KEY_STAGE: 'live',
    ...(DispenserHostSuffixes && { DISPENSER_HOST_SUFFIXES: DispenserHostSuffixes }),
    ...(OperatorLogDays && { OPERATOR_LOG_DAYS: OperatorLogDays }),
  });
  return {
    kind: 'stage',
    name: `the deployment ${stage}`,
    baseUrl: BaseUrl,
    deskUrl: DeskUrl,
    version: others.Version,
    alarmTopic: others.AlarmTopic,
    releases: others.Releases,
    tableName: TableName,
    keyStage: 'live',
    authorizerTtlSeconds: AuthorizerTtlSeconds,
    keys: new Map(),
    demoStore: undefined,
    operator: awsIdentity,
  };
};

/** The members of `service.json` that the command needs. */
const ServiceFile = z.object({
  baseUrl: z.url(),
  store: z.object({ id: z.string() }),
  keys: z.object({ all: z.string() }),
  otherStore: z.object({ id: z.string(), key: z.string() }),
  authorizerTtlSeconds: z.number(),
  table: z.object({ endpoint: z.url(), name: z.string() }),
  queue: z.object({ endpoint: z.url(), url: z.url(), deadLetterUrl: z.url() }),
  version: z.string().optional(),
});

const readServiceFile = (path: string): z.output<typeof ServiceFile> => {
  try {
    return ServiceFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new Failure(
      `${path} is broken, or was written by another version of the local service. Start the service again: npm start`,
      { cause },
    );
  }
};

const Clock = z.object({ aheadMillis: z.number() });

/**
 * How far the local service's clock is ahead of this machine's, in milliseconds; undefined if it does not answer. The
 * service tells the difference, because a time would be too old when the answer arrives.
 */
const findClockAhead = async (baseUrl: string): Promise<number | undefined> => {
  try {
    const response = await fetch(`${baseUrl}/_dev/clock`, { signal: AbortSignal.timeout(3000) });
    return Clock.parse(await response.json()).aheadMillis;
  } catch {
    return undefined;
  }
};

/** Finds the service that `npm start` runs on this machine, and makes `lib/` work on it. */
const findLocal = async (path: string): Promise<Target | undefined> => {
  if (!existsSync(path)) return undefined;
  const { baseUrl, authorizerTtlSeconds, table, queue, store, keys, otherStore, version } = readServiceFile(path);
  const ahead = await findClockAhead(baseUrl);
  if (ahead === undefined) return undefined;
  source.now = () => Date.now() + ahead;
  useLocalEngines(table.endpoint, queue.endpoint);
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    DELIVERY_QUEUE_URL: queue.url,
    DELIVERY_DLQ_URL: queue.deadLetterUrl,
  });
  return {
    kind: 'local',
    name: 'the local service',
    baseUrl,
    deskUrl: `${baseUrl}/desk`,
    version,
    alarmTopic: undefined,
    releases: undefined,
    tableName: table.name,
    keyStage: 'test',
    authorizerTtlSeconds,
    keys: new Map([
      [store.id, keys.all],
      [otherStore.id, otherStore.key],
    ]),
    demoStore: store.id,
    operator: async () => localUser(),
  };
};

/**
 * Finds the deployment that the options name, or the running local service, and makes `lib/` work on it. Throws if
 * there is none.
 */
export const connect = async ({ local, stage, dataDir }: GlobalOptions): Promise<Target> => {
  if (stage !== undefined && !local) return getStage(stage);
  const path = join(dataDir, 'service.json');
  const found = await findLocal(path);
  if (found) return found;
  const other = local
    ? 'name its directory with --data-dir'
    : 'name your deployment on AWS with --stage, such as --stage prod';
  throw new Failure(
    `No local service runs here (looked for ${path}). Start it in another terminal with npm start, or ${other}.`,
  );
};

/**
 * The store that `wanted` names, by id or by name in any case; without `wanted`, the only store. Otherwise throws and
 * lists the stores. Finds a store whose deletion has begun only if `alsoDeleted` is set.
 */
export const chooseStore = async (wanted: string | undefined, alsoDeleted = false): Promise<Store> => {
  const stores = (await listStores()).filter(({ deletedAt }) => alsoDeleted || !deletedAt);
  const [first, ...others] = stores;
  if (!first) throw new Failure('There is no store yet. Create one: store create "My Store"');
  const choice = `There are:\n${stores.map(({ id, name }) => `  ${name} (${id})`).join('\n')}`;
  if (wanted === undefined) {
    if (others.length > 0) throw new UsageError(`There are several stores: name one with --store. ${choice}`);
    return first;
  }
  const byId = stores.find(({ id }) => id === wanted);
  if (byId) return byId;
  const [byName, ...namesakes] = stores.filter(({ name }) => isSameText(name, wanted));
  if (!byName) throw new Failure(`There is no store ${wanted}. ${choice}`);
  if (namesakes.length > 0) throw new UsageError(`Several stores have the name ${wanted}: give the id. ${choice}`);
  return byName;
};

/**
 * The demo store, while it exists. If there are stores besides the demo stores, prints a note that the command is about
 * the demo store.
 */
const findDemoStore = async ({ demoStore, keys }: Target): Promise<Store | undefined> => {
  const stores = demoStore === undefined ? [] : await listStores();
  const demo = stores.find(({ id, deletedAt }) => id === demoStore && !deletedAt);
  // A store without a known key is no demo store.
  if (demo && stores.some(({ id }) => !keys.has(id)))
    note(`This is about ${demo.name}. Choose another store with --store.`);
  return demo;
};

/** The store that `--store` names. Without the option: the demo store of a local service, or the only store. */
export const storeFor = async ({ store: wanted }: GlobalOptions, target: Target): Promise<Store> =>
  (wanted === undefined ? await findDemoStore(target) : undefined) ?? chooseStore(wanted);

/** Connects as `connect` does, and chooses the store as `storeFor` does. */
export const openStore = async (options: GlobalOptions): Promise<{ target: Target; store: Store }> => {
  const target = await connect(options);
  return { target, store: await storeFor(options, target) };
};
