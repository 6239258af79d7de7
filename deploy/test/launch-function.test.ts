import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { build, type Order } from '../launch/build.ts';
import { handsOn, newAccount, order } from './launch-account.ts';
import { codeBuild, endedAs, requestOf as eventOf, startFormation } from './launch-codebuild.ts';
import { functionCode, launchFile } from './launch-file.ts';

/** The function of launch.yaml: it starts builds, and tells CloudFormation how they ended. */

let formation: Awaited<ReturnType<typeof startFormation>>;
let answers: (typeof formation)['answers'] = [];
beforeAll(async () => {
  formation = await startFormation();
  ({ answers } = formation);
});

const requestOf = (type: string, part: object = {}) => eventOf(formation.responseUrl, type, part);

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
    const baseUrl = written['base-url.txt'] ?? '';
    state.exported = Object.entries({ BASE_URL: baseUrl, DESK_URL: `${baseUrl}/desk` }).map(([name, value]) => ({
      name,
      value,
    }));
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
      Data: {
        BASE_URL: act === 'Delete' ? '' : 'https://abc.execute-api.us-east-1.amazonaws.com/prod',
        DESK_URL: act === 'Delete' ? '/desk' : 'https://abc.execute-api.us-east-1.amazonaws.com/prod/desk',
      },
    })),
  );
  expect(account.tables).toEqual(['table-1']);
});

test('a build that succeeded without its addresses does not fail the stack, whose outputs name all of them', async () => {
  const { handler } = codeBuild();
  await handler(requestOf('Create'));
  answers.length = 0;

  await handler(endedAs('SUCCEEDED'));

  const named = [...readFileSync(launchFile, 'utf8').matchAll(/!GetAtt Service\.(\w+)/g)].map(([, name]) => name);
  const elsewhere = 'See the outputs of the stack store-integration-prod';
  expect(named.length).toBe(2);
  expect(answers).toMatchObject([
    { Status: 'SUCCESS', Data: Object.fromEntries(named.map((name) => [name, elsewhere])) },
  ]);
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
