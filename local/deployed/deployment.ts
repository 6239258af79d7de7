import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { useLocalEngines } from '../../cli/local-engines.ts';
import { startEngine } from '../engine.ts';
import { startQueue } from '../queue.ts';
import { startApi } from './api.ts';
import { operatorKey, startEngines, type Use } from './engines.ts';
import { type FunctionFacts, startFunctions } from './functions.ts';
import type { Statement } from './roles.ts';
import { makeQueues, makeTables, startSources } from './sources.ts';
import { type Part, pseudo, type ResolvedTemplate, readTemplate } from './template.ts';

export interface DeployedOptions {
  /** The directory of the cloud assembly that `npm run synth` made. */
  template: string;
  port: number;
  /** Calls of functions at the same time. A new account has 10. */
  concurrency: number;
  onLine?: (label: string, line: string) => void;
  onUse?: (use: Use) => void;
  /** Changes a function before it starts, for tests that show what a wrong template does. */
  change?: (facts: FunctionFacts) => FunctionFacts;
}

/** The functions of a template, with the statements of their roles. */
const functionsOf = (template: ResolvedTemplate, dir: string): FunctionFacts[] => {
  const roles = new Map<string, Statement[]>(
    template
      .ofType('AWS::IAM::Role')
      .map(({ arn, properties }) => [
        arn(),
        (properties.Policies ?? []).flatMap(({ PolicyDocument }: Part) => PolicyDocument.Statement),
      ]),
  );
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

/** Runs a synthesised template on this machine. Its errors say what to change. */
export const startDeployment = async ({
  template: dir,
  port,
  concurrency,
  onLine = () => {},
  onUse = () => {},
  change = (facts) => facts,
}: DeployedOptions) => {
  const template = readTemplate(dir);
  const facts = functionsOf(template, dir).map(change);
  const [engine, queue] = await Promise.all([startEngine(), startQueue()]);
  useLocalEngines(engine.endpoint, queue.endpoint);
  const { TableName = '' } = template.outputs();
  // The operator's verbs, with which keys are made, work on the table directly.
  Object.assign(process.env, { TABLE_NAME: TableName, KEY_STAGE: 'live' });
  const table = new DynamoDBClient({});
  await makeTables(template, table);
  table.destroy();
  const client = new SQSClient({ endpoint: queue.endpoint });
  const queueUrls = await makeQueues(template, client, queue.endpoint);
  client.destroy();

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
    onUse,
  });
  const { server, prefix } = startApi(template, functions);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  const sources = startSources({ template, functions, facts, tableEndpoint: engine.endpoint, queueUrls, onLine });
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
    facts,
    table: { endpoint: engine.endpoint, name: TableName },
    queue: { endpoint: queue.endpoint, urls: queueUrls },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await sources.stop();
      functions.stop();
      engines.stop();
      await Promise.all([engine.stop(), queue.stop()]);
    },
  };
};
