import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { useLocalEngines } from '../../cli/deployment/local-engines.ts';
import { startEngine } from '../engines/engine.ts';
import { startQueue } from '../engines/queue.ts';
import type { StreamPlace } from '../engines/stream.ts';
import { startApi } from './api.ts';
import { type BusEvent, type EngineCall, operatorKey, startEngines } from './engines.ts';
import type { FunctionFacts } from './environment.ts';
import { startFunctions } from './functions.ts';
import { statementsOf } from './roles.ts';
import { makeQueues, startSources } from './sources.ts';
import { makeTables } from './tables.ts';
import { pseudo, type ResolvedTemplate, readTemplate } from './template.ts';

export interface DeployedOptions {
  /** The directory of the cloud assembly that `npm run synth` made. */
  template: string;
  port: number;
  /** Calls of functions at the same time. A new account has 10. */
  concurrency: number;
  /** How long a transaction holds its items at least, in milliseconds, so that others conflict with it. */
  holdMillis?: number;
  onLine?: (label: string, line: string) => void;
  onUse?: (use: EngineCall) => void;
  /** Hears of each event that is put on a bus of EventBridge, where the setting `eventBus` names one. */
  onBusEvent?: (event: BusEvent) => void;
  /** Changes a function before it starts, for tests that show what a wrong template does. */
  change?: (facts: FunctionFacts) => FunctionFacts;
}

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
  /** Chooses among those that CloudFormation may deploy in any order. */
  random?: () => number;
  /** Hears of each part that is replaced. */
  onStep?: (name: string) => void;
}

/**
 * The functions of a template in an order in which CloudFormation may deploy them, and where the event sources come.
 */
const orderOf = (template: ResolvedTemplate, random: () => number): { functions: string[]; sourcesAt: number } => {
  const functions = template.ofType('AWS::Lambda::Function');
  const mappings = template.ofType('AWS::Lambda::EventSourceMapping');
  const parts = new Map([...functions, ...mappings].map((one) => [one.id, one]));
  const depthOf = (id: string): number =>
    Math.max(0, ...(parts.get(id)?.dependsOn ?? []).map((other) => (parts.has(other) ? depthOf(other) + 1 : 0)));
  const places = functions.map(({ id, ref }) => ({ name: ref(), place: depthOf(id) + random() }));
  const ordered = places.sort((a, b) => a.place - b.place);
  const needed = new Set(functions.flatMap(({ dependsOn }) => dependsOn));
  // A function that waits for an event source has a depth of one at least.
  const sourcesAt = mappings.some(({ id }) => needed.has(id))
    ? ordered.filter(({ place }) => place < 1).length
    : ordered.length;
  return { functions: ordered.map(({ name }) => name), sourcesAt };
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
  change = (facts) => facts,
}: DeployedOptions) => {
  let template = readTemplate(dir);
  let facts = functionsOf(template, dir).map(change);
  const [engine, queue] = await Promise.all([startEngine(), startQueue()]);
  useLocalEngines(engine.endpoint, queue.endpoint);
  const { TableName = '' } = template.outputs();
  // The operator's verbs, with which keys are made, work on the table directly.
  Object.assign(process.env, { TABLE_NAME: TableName, KEY_STAGE: 'live' });
  const table = new DynamoDBClient({});
  await makeTables(template, table);
  const client = new SQSClient({ endpoint: queue.endpoint });
  const queueUrls = await makeQueues(template, client, queue.endpoint);

  const functions = startFunctions({ functions: facts, engines: () => engines.address, concurrency, onLine });
  const engines = await startEngines({
    table: engine.endpoint,
    queue: queue.endpoint,
    callerOf: (key) => {
      const found = functions.callerOf(key);
      return found && { name: found.label, statements: found.statements };
    },
    invoke: functions.invoke,
    stack: template.stack,
    outputs: () => ({ ...template.outputs(), BaseUrl: baseUrl, DeskUrl: `${baseUrl}/desk` }),
    holdMillis,
    onUse,
    onBusEvent,
  });
  const { server, prefix } = startApi(template, functions);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  const places = new Map<string, StreamPlace>();
  const follow = () =>
    startSources({ template, functions, facts, tableEndpoint: engine.endpoint, queueUrls, places, onLine });
  let sources = follow();

  /** Puts another version in the place of the one that runs, one function after the other, as CloudFormation does. */
  const update = async (
    next: string,
    { pause = async () => {}, random = Math.random, onStep = () => {} }: UpdateOptions = {},
  ): Promise<void> => {
    const before = facts;
    const version = readTemplate(next);
    // Every function depends on the table: CloudFormation changes it before them.
    await makeTables(version, table);
    template = version;
    facts = functionsOf(template, next).map(change);
    Object.assign(queueUrls, await makeQueues(template, client, queue.endpoint));
    // A role may change long before the code of its function does.
    for (const one of facts) functions.allow(one);
    const { functions: names, sourcesAt } = orderOf(template, random);
    for (const [index, name] of [...names, ''].entries()) {
      if (index === sourcesAt) {
        onStep('the event sources');
        await sources.leave();
        sources = follow();
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

  return {
    baseUrl,
    /** Leads AWS's own tools and the operator's command to this deployment. */
    awsEnvironment: {
      AWS_ENDPOINT_URL: `http://${engines.address}`,
      AWS_REGION: pseudo['AWS::Region'] ?? '',
      AWS_ACCESS_KEY_ID: operatorKey,
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    stack: template.stack,
    functions,
    facts: () => facts,
    update,
    table: { endpoint: engine.endpoint, name: TableName },
    queue: { endpoint: queue.endpoint, urls: queueUrls },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await sources.stop();
      client.destroy();
      table.destroy();
      functions.stop();
      engines.stop();
      await Promise.all([engine.stop(), queue.stop()]);
    },
  };
};
