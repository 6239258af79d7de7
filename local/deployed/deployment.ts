import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { quotaFaults, readStacks } from '../../infra/quotas.ts';
import { useLocalEngines } from '../../lib/operator/local-engines.ts';
import { startEngine } from '../engines/engine.ts';
import { startQueue } from '../engines/queue.ts';
import type { StreamPlace } from '../engines/stream.ts';
import { createAccount } from './account.ts';
import { startApi } from './api.ts';
import { type BusEvent, type EngineCall, operatorKey, startEngines } from './engines.ts';
import type { FunctionFacts } from './environment.ts';
import { type FormationRights, formationFaults, roleFaults } from './formation.ts';
import { startFunctions } from './functions.ts';
import { readLaunch } from './launch-rights.ts';
import { statementsOf } from './roles.ts';
import { makeQueues, startSources } from './sources.ts';
import { makeTables } from './tables.ts';
import { pseudo, type ResolvedTemplate, readTemplate } from './template.ts';

export interface DeployedOptions {
  /** The directory of the cloud assembly that `npm run synth` made. */
  template: string;
  port: number;
  /** The number of functions that may run at once. A new account has 10. */
  concurrency: number;
  /** A transaction holds its items for at least this time, so that others conflict with it. */
  holdMillis?: number;
  onLine?: (label: string, line: string) => void;
  onUse?: (use: EngineCall) => void;
  /** Called with each event that is put on an EventBridge bus, if the setting `eventBus` names one. */
  onBusEvent?: (event: BusEvent) => void;
  /** Called with each e-mail to the address for alarms. */
  onMail?: (message: string) => void;
  /** The rights with which CloudFormation deploys, by default the rights in deploy/launch.yaml. */
  rights?: FormationRights;
  /** Changes a function before it starts, for tests that show what a wrong template does. */
  change?: (facts: FunctionFacts) => FunctionFacts;
}

/**
 * Reads a template. Throws if AWS would roll the deployment back, because a quota or a rule refuses the template or the
 * rights of a launch do not allow a call.
 */
const readDeployable = async (dir: string, rights: FormationRights): Promise<ResolvedTemplate> => {
  const stacks = readStacks(dir);
  const template = readTemplate(dir);
  const isBounded = template.ofType('AWS::IAM::Role').every(({ properties }) => properties.PermissionsBoundary);
  const faults = [
    ...quotaFaults(stacks),
    ...(await formationFaults(stacks, rights)),
    ...(await roleFaults(dir, isBounded ? rights.statements : undefined)),
  ];
  if (faults.length > 0) throw new Error(`AWS would roll this deployment back:\n${faults.join('\n')}`);
  return template;
};

/** The functions of a template, with the statements of their roles. */
const functionsOf = (template: ResolvedTemplate, dir: string): FunctionFacts[] => {
  const roles = statementsOf(template);
  return template.ofType('AWS::Lambda::Function').map(({ ref, arn, properties, metadata }) => ({
    name: ref(),
    label: metadata['aws:cdk:path']?.split('/')[1] ?? ref(),
    arn: arn(),
    dir: resolve(dir, metadata['aws:asset:path'] ?? ''),
    handler: properties.Handler,
    environment: properties.Environment?.Variables ?? {},
    memoryMegabytes: properties.MemorySize,
    timeoutSeconds: properties.Timeout,
    logGroup: properties.LoggingConfig?.LogGroup ?? '',
    statements: roles.get(properties.Role) ?? [],
    isRecursive: properties.RecursiveLoop === 'Allow',
  }));
};

interface UpdateOptions {
  /** Waits between one function and the next. */
  pause?: () => Promise<unknown>;
  /** Chooses the next of several functions that CloudFormation may deploy in any order. */
  random?: () => number;
  /** Called with the name of each part that is replaced. */
  onStep?: (name: string) => void;
}

/**
 * Chooses an order in which CloudFormation may deploy the functions of a template. `sourcesAt` is the place of the
 * event sources in it.
 */
const startOrder = (template: ResolvedTemplate, random: () => number): { functions: string[]; sourcesAt: number } => {
  const functions = template.ofType('AWS::Lambda::Function');
  const mappings = template.ofType('AWS::Lambda::EventSourceMapping');
  const parts = new Map([...functions, ...mappings].map((one) => [one.id, one]));
  const depthOf = (id: string): number =>
    Math.max(0, ...(parts.get(id)?.dependsOn ?? []).map((other) => (parts.has(other) ? depthOf(other) + 1 : 0)));
  const places = functions.map(({ id, ref }) => ({ name: ref(), place: depthOf(id) + random() }));
  const ordered = places.sort((a, b) => a.place - b.place);
  const needed = new Set(functions.flatMap(({ dependsOn }) => dependsOn));
  // A function that waits for an event source has a depth of at least one.
  const sourcesAt = mappings.some(({ id }) => needed.has(id))
    ? ordered.filter(({ place }) => place < 1).length
    : ordered.length;
  return { functions: ordered.map(({ name }) => name), sourcesAt };
};

type Sources = ReturnType<typeof startSources>;

/** The running version, which an update replaces part by part. */
interface Version {
  template: ResolvedTemplate;
  facts: FunctionFacts[];
  sources: Sources;
}

/** The parts of a deployment that an update keeps or changes. */
interface DeploymentParts {
  running: Version;
  functions: ReturnType<typeof startFunctions>;
  server: Server;
  rights: FormationRights;
  change: (facts: FunctionFacts) => FunctionFacts;
  /** Makes the tables and queues of a version. */
  prepare: (template: ResolvedTemplate) => Promise<void>;
  startVersionSources: (version: Pick<Version, 'template' | 'facts'>) => Sources;
}

/** Replaces the running version with another, function by function, as CloudFormation does. */
const update = async (
  { running, functions, server, rights, change, prepare, startVersionSources }: DeploymentParts,
  next: string,
  { pause = async () => {}, random = Math.random, onStep = () => {} }: UpdateOptions,
): Promise<void> => {
  const before = running.facts;
  const template = await readDeployable(next, rights);
  const facts = functionsOf(template, next).map(change);
  await prepare(template);
  Object.assign(running, { template, facts });
  // A role may change long before the code of its function does.
  for (const one of facts) functions.allow(one);
  const { functions: names, sourcesAt } = startOrder(template, random);
  for (const [index, name] of [...names, ''].entries()) {
    if (index === sourcesAt) {
      onStep('the event sources');
      await running.sources.leave();
      running.sources = startVersionSources({ template, facts });
    }
    const found = facts.find((one) => one.name === name);
    if (!found) continue;
    onStep(found.label);
    functions.replace(found);
    await pause();
  }
  onStep('the API');
  const api = startApi(template, functions).server;
  for (const event of ['request', 'checkExpectation']) {
    const [listener] = api.listeners(event);
    server.removeAllListeners(event).on(event, listener as () => void);
  }
  for (const { name } of before) if (!names.includes(name)) functions.remove(name);
};

/** Removes API, functions, event sources and tables that are not retained, as CloudFormation does. */
const remove = async ({ running, functions, server }: DeploymentParts, table: DynamoDBClient): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await running.sources.leave();
  for (const { name } of running.facts) functions.remove(name);
  for (const { ref, isRetained } of running.template.ofType('AWS::DynamoDB::Table'))
    if (!isRetained) await table.send(new DeleteTableCommand({ TableName: ref() }));
};

const callerAs = (found: FunctionFacts | undefined) => found && { name: found.label, statements: found.statements };

/** The outputs of a template, with addresses of this machine for AWS's tools and the operator's command. */
const outputsOf = (template: ResolvedTemplate, baseUrl: string, address: string): Record<string, string> => {
  const there = Object.entries(template.outputs()).map(([name, value]) => [
    name,
    value.replace(/^https:\/\/sqs\.[^/]+/, `http://${address}`),
  ]);
  return { ...Object.fromEntries(there), BaseUrl: baseUrl, DeskUrl: `${baseUrl}/desk` };
};

/** The environment variables that lead AWS's tools and the operator's command to a deployment. */
const awsEnvironmentOf = (address: string) => ({
  AWS_ENDPOINT_URL: `http://${address}`,
  AWS_REGION: pseudo['AWS::Region'] ?? '',
  AWS_ACCESS_KEY_ID: operatorKey,
  AWS_SECRET_ACCESS_KEY: 'secret',
});

/** Starts the engines with a template's tables and queues. `prepare` makes those of another version. */
const startStores = async (template: ResolvedTemplate) => {
  const [engine, queue] = await Promise.all([startEngine(), startQueue()]);
  useLocalEngines(engine.endpoint, queue.endpoint);
  const { TableName = '' } = template.outputs();
  // The operator's functions, such as the one that issues keys, work on the table directly.
  Object.assign(process.env, { TABLE_NAME: TableName, KEY_STAGE: 'live' });
  const table = new DynamoDBClient({});
  const client = new SQSClient({ endpoint: queue.endpoint });
  const queueUrls: Record<string, string> = {};
  const prepare = async (version: ResolvedTemplate): Promise<void> => {
    // Every function depends on the table, so CloudFormation makes and changes it first.
    await makeTables(version, table);
    Object.assign(queueUrls, await makeQueues(version, client, queue.endpoint));
  };
  await prepare(template);
  return { engine, queue, table, client, queueUrls, prepare, TableName };
};

/** Runs a synthesised template on this machine. Its errors say what to change. */
export const startDeployment = async ({
  template: dir,
  port,
  concurrency,
  holdMillis = 10,
  onLine = () => {},
  onUse = () => {},
  onBusEvent = () => {},
  onMail,
  rights = readLaunch().formation,
  change = (facts) => facts,
}: DeployedOptions) => {
  const template = await readDeployable(dir, rights);
  const facts = functionsOf(template, dir).map(change);
  const { engine, queue, table, client, queueUrls, prepare, TableName } = await startStores(template);

  const account = createAccount({
    stack: template.stack,
    outputs: () => outputsOf(running.template, baseUrl, engines.address),
    template: () => running.template,
    concurrency,
    remove: () => remove(parts, table),
    onMail,
  });
  const functions = startFunctions({ functions: facts, engines: () => engines.address, concurrency, onLine });
  const engines = await startEngines({
    table: engine.endpoint,
    queue: queue.endpoint,
    callerOf: (key) => callerAs(functions.callerOf(key)),
    invoke: functions.invoke,
    account,
    holdMillis,
    onUse,
    onBusEvent,
  });
  const { server, prefix } = startApi(template, functions);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  const places = new Map<string, StreamPlace>();
  const startVersionSources = (version: Pick<Version, 'template' | 'facts'>): Sources =>
    startSources({ ...version, functions, tableEndpoint: engine.endpoint, queueUrls, places, onLine });
  const running: Version = { template, facts, sources: startVersionSources({ template, facts }) };
  const parts: DeploymentParts = { running, functions, server, rights, change, prepare, startVersionSources };
  return {
    baseUrl,
    awsEnvironment: awsEnvironmentOf(engines.address),
    stack: template.stack,
    functions,
    facts: () => running.facts,
    /** The owner of the address for alarms confirms the subscription. */
    confirm: account.confirm,
    update: (next: string, options: UpdateOptions = {}) => update(parts, next, options),
    table: { endpoint: engine.endpoint, name: TableName },
    queue: { endpoint: queue.endpoint, urls: queueUrls },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await running.sources.stop();
      client.destroy();
      table.destroy();
      functions.stop();
      engines.stop();
      await Promise.all([engine.stop(), queue.stop()]);
    },
  };
};
