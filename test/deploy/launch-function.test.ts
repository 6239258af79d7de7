import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { build, type Order } from '../../deploy/launch/build.ts';
import { atEnd } from '../support/at-end.ts';
import { handsOn, newAccount, order } from './launch-account.ts';
import { functionCode } from './launch-file.ts';

/** The function of launch.yaml, between a CloudFormation and a CodeBuild that are made up. */

// biome-ignore lint/suspicious/noExplicitAny: the function is JavaScript, and so are the commands that it sends.
type Loose = any;

interface Variable {
  name: string;
  value: string;
}

const answers: Loose[] = [];
let responseUrl = '';

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    answers.push({ method: request.method, type: request.headers['content-type'], ...JSON.parse(await text(request)) });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  responseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  atEnd(() => {
    server.close();
  });
});

/** CodeBuild and its log, as the function's SDK reaches them. */
const codeBuild = () => {
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

const requestOf = (RequestType: string, part: object = {}) => ({
  RequestType,
  StackId: order.launch,
  RequestId: `request-${RequestType}`,
  LogicalResourceId: 'Service',
  ResponseURL: responseUrl,
  ResourceProperties: { ServiceToken: 'arn', ServiceTimeout: '3600', RELEASE: '1.2.0', STORE_NAME: 'Wings', ...part },
});

const endedAs = (status: string) => ({ detail: { 'build-id': 'arn:build', 'build-status': status } });

test('the code fits into the template', () => {
  expect(functionCode.length).toBeGreaterThan(1000);
  expect(functionCode.length).toBeLessThanOrEqual(4096);
});

test('a stack is created, updated and deleted by builds, and hears of each only when it has ended', async () => {
  const account = newAccount();
  const { state, handler } = codeBuild();
  answers.length = 0;
  for (const [act, release] of [
    ['Create', '1.2.0'],
    ['Update', '1.3.0'],
    ['Delete', '1.3.0'],
  ] as const) {
    await handler(requestOf(act, { RELEASE: release }));
    const before = answers.length;
    const given = Object.fromEntries(state.variables.map(({ name, value }) => [name, value]));
    const { hands, written } = handsOn(account, release);
    await build(hands, { ...order, act: given.ACT as Order['act'], release: given.RELEASE ?? '' });
    state.exported = [{ name: 'BASE_URL', value: written['base-url.txt'] ?? '' }];
    await handler(endedAs('SUCCEEDED'));
    expect(answers.length).toBe(before + 1);
  }

  expect(answers).toEqual(
    ['Create', 'Update', 'Delete'].map((act) => ({
      method: 'PUT',
      type: '',
      Status: 'SUCCESS',
      Reason: 'The build succeeded.',
      PhysicalResourceId: 'store-integration-prod',
      StackId: order.launch,
      RequestId: `request-${act}`,
      LogicalResourceId: 'Service',
      Data: { BASE_URL: act === 'Delete' ? '' : 'https://abc.execute-api.us-east-1.amazonaws.com/prod' },
    })),
  );
  expect(account.tables).toEqual(['table-1']);
});

test('the build gets the fields of the form, and nothing that is CloudFormation’s own', async () => {
  const { state, handler } = codeBuild();

  await handler(requestOf('Create'));

  expect(state.variables.map(({ name }) => name)).toEqual(['RELEASE', 'STORE_NAME', 'ACT', 'REQUEST']);
});

test.each(['FAILED', 'TIMED_OUT', 'STOPPED', 'FAULT'])(
  'a build that ends as %s fails the stack with its last lines',
  async (status) => {
    const { log, handler } = codeBuild();
    await handler(requestOf('Create'));
    log.push(
      'x'.repeat(3000),
      'error: Deploying failed. A quota is used up.',
      '[Container] Phase complete: BUILD State: FAILED',
      '',
    );
    answers.length = 0;

    await handler(endedAs(status));

    const [{ Status, Reason }] = answers;
    expect(Status).toBe('FAILED');
    expect(Reason).toMatch(
      new RegExp(`^The build ended with ${status}\\. .*x\nerror: Deploying failed\\. A quota is used up\\.$`),
    );
    // CloudFormation takes answers of at most 4 KB.
    expect(Buffer.byteLength(JSON.stringify(answers[0]))).toBeLessThan(2500);
  },
);

test('a build that cannot begin fails the stack at once, and says why', async () => {
  const { state, handler } = codeBuild();
  state.refusal = Object.assign(new Error('Cannot have more than 0 builds in queue'), {
    name: 'AccountLimitExceededException',
  });
  answers.length = 0;

  await handler(requestOf('Create'));

  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: expect.stringContaining('ask in AWS Support') }]);
});

test('a build that somebody starts by hand answers nobody', async () => {
  const { handler } = codeBuild();
  answers.length = 0;

  await handler(endedAs('SUCCEEDED'));

  expect(answers).toEqual([]);
});
