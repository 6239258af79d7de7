import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { launchArns, readLaunch } from '../../local/deployed/launch-rights.ts';
import { doStatementsAllow } from '../../local/deployed/roles.ts';
import { atEnd } from '../../test/support/at-end.ts';
import { order } from './launch-account.ts';
import { functionCode } from './launch-file.ts';

/** The function of launch.yaml, between a CloudFormation and a CodeBuild that are made up. */

// biome-ignore lint/suspicious/noExplicitAny: the function is JavaScript, and so are the commands that it sends.
type Loose = any;

interface Variable {
  name: string;
  value: string;
}

/** Takes the answers of the function, as CloudFormation does at an address of its own. */
export const startFormation = async () => {
  const answers: Loose[] = [];
  const server = createServer(async (request, response) => {
    answers.push({ method: request.method, type: request.headers['content-type'], ...JSON.parse(await text(request)) });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
  });
  return { answers, responseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};

const rights = readLaunch().function;

const actions: Readonly<Record<string, string>> = {
  StartBuildCommand: 'codebuild:StartBuild',
  BatchGetBuildsCommand: 'codebuild:BatchGetBuilds',
  GetLogEventsCommand: 'logs:GetLogEvents',
};

const resourceOf = (name: string): string =>
  name === 'GetLogEventsCommand' ? `${launchArns.Log}log-stream:stream` : (launchArns.Project ?? '');

/** CodeBuild and its log, as the function's SDK reaches them, and the function. */
export const codeBuild = () => {
  const log: string[] = [];
  const state = {
    variables: [] as Variable[],
    exported: [] as Variable[],
    log,
    refusal: undefined as Error | undefined,
  };
  const send: Record<string, (input: Loose) => Loose> = {
    StartBuildCommand: ({ environmentVariablesOverride }) => {
      if (state.refusal) throw state.refusal;
      state.variables = environmentVariablesOverride;
    },
    BatchGetBuildsCommand: () => ({
      builds: [
        {
          environment: { environmentVariables: state.variables },
          exportedEnvironmentVariables: state.exported,
          logs: { groupName: 'log', streamName: 'stream' },
        },
      ],
    }),
    GetLogEventsCommand: ({ limit }) => ({ events: log.slice(-limit).map((message) => ({ message: `${message}\n` })) }),
  };
  const Client = class {
    async send({ name, input }: Loose) {
      const asked = { action: actions[name] ?? name, resource: resourceOf(name), context: {} };
      if (!doStatementsAllow(rights, asked)) throw new Error(`AccessDenied: ${asked.action} on ${asked.resource}`);
      return send[name]?.(input);
    }
  };
  const sdk = new Proxy({}, { get: (_, name) => (String(name).endsWith('Client') ? Client : commandOf(String(name))) });
  const exported: Loose = {};
  const silent = { log: () => {} };
  new Function('require', 'exports', 'console', functionCode)(() => sdk, exported, silent);
  return { ...state, state, handler: exported.handler as (event: Loose) => Promise<void> };
};

const commandOf = (name: string) =>
  class {
    name = name;
    input: Loose;
    constructor(input: Loose) {
      this.input = input;
    }
  };

/** An event of CloudFormation for the function. */
export const requestOf = (ResponseURL: string, RequestType: string, part: object = {}) => ({
  RequestType,
  StackId: order.launch,
  RequestId: `request-${RequestType}`,
  LogicalResourceId: 'Service',
  ResponseURL,
  ResourceProperties: { ServiceToken: 'arn', ServiceTimeout: '3600', RELEASE: '1.2.0', STORE_NAME: 'Wings', ...part },
});

/** The event of a build that has ended. */
export const endedAs = (status: string) => ({ detail: { 'build-id': 'arn:build', 'build-status': status } });
