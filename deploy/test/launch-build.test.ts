import { expect, test } from 'vitest';
import { launchArn } from '../../local/deployed/launch-rights.ts';
import { build } from '../launch/build.ts';
import { explain } from '../launch/faults.ts';
import { type Account, handsOn, keyText, launch, newAccount, order, rights } from './launch-account.ts';

/** The steps of the build of launch.yaml, on an account that is made up. */

const objects = ['box', 'vendor', 'terminal', 'cashier'];

const secretsOf = ({ parameters }: Account): string[] =>
  Object.keys(parameters).filter((name) => parameters[name]?.Type === 'SecureString');

const created = async (part: Partial<Account> = {}) => {
  const account = Object.assign(newAccount(), part);
  const place = handsOn(account);
  await build(place.hands, order);
  return { account, ...place };
};

test('a launch makes the store, a key for each object inworld, and secrets that AWS deletes after 7 days', async () => {
  const { account, written } = await created();

  expect(account.stores).toEqual([{ id: 'store-1', name: 'Wanda’s Wings' }]);
  expect(account.keys.map(({ name, preset }) => [name, preset])).toEqual([
    ['box', 'dispenser'],
    ['vendor', 'vendor'],
    ['terminal', 'terminal'],
    ['cashier', 'cashier'],
  ]);
  expect(secretsOf(account)).toEqual([...objects, 'desk'].map((thing) => `store-integration-prod-${thing}`));
  for (const name of secretsOf(account)) {
    const { Tier, Policies = '' } = account.parameters[name] ?? {};
    const expiration = { Type: 'Expiration', Version: '1.0', Attributes: { Timestamp: '2030-02-07T12:00:00Z' } };
    expect([Tier, JSON.parse(Policies)]).toEqual(['Advanced', [expiration]]);
  }
  expect(account.parameters['store-integration-prod-cashier']?.Value).toBe(
    `# cashier of Wanda’s Wings\nservice = https://abc.execute-api.us-east-1.amazonaws.com/prod\nkey = ${keyText('cashier')}\nlimit = 5000\n`,
  );
  expect(account.parameters['store-integration-prod-desk']?.Value).toMatch(/\/desk#invitation=sis_live/);
  expect(written['base-url.txt']).toBe('https://abc.execute-api.us-east-1.amazonaws.com/prod');
});

test('neither the log of the build, nor the mail, nor a list of processes shows a key', async () => {
  const { account, lines } = await created();

  expect(lines.length).toBeGreaterThan(8);
  expect(account.mails).toHaveLength(1);
  expect(account.mails[0]).toContain('/parameters/store-integration-prod-box/description');
  expect([...lines, ...account.mails, ...account.calls].filter((text) => text.includes('sis_live'))).toEqual([]);
});

test('the service is tried at the end, and before any mail', async () => {
  const { lines, account } = await created();

  expect(lines.filter((line) => line.startsWith('==')).slice(-2)).toEqual([
    '== Trying the service',
    '== Sending the links',
  ]);
  expect(account.calls).toContain('store verify --stage prod');
});

test('a domain whose record cannot be there yet fails no launch; the service is tried once it is', async () => {
  const name = 'api.example.org';
  const before = await created({ domain: { name, isKnown: false } });
  const after = await created({ domain: { name, isKnown: true } });

  const tried = 'store verify --stage prod';
  expect(before.account.calls).not.toContain(tried);
  expect(before.lines).toContainEqual(expect.stringContaining('CNAME record that leads to d-1.execute-api'));
  expect(after.account.calls).toContain(tried);
});

test('the settings of the form go to the CDK with those of the field, and bound every role', async () => {
  const { hands, written } = handsOn(newAccount());

  await build(hands, { ...order, firewall: false, settings: '{"storeShare": 100}' });

  expect(JSON.parse(written['cdk.context.json'] as string)).toEqual({
    storeShare: 100,
    stage: 'prod',
    firewall: false,
    alarmEmail: 'wanda@example.org',
    '@aws-cdk/core:bootstrapQualifier': 'sislaunch',
    '@aws-cdk/core:permissionsBoundary': { arn: rights },
  });
});

test('the account is prepared with a toolkit of its own, whose roles have no more than the policy of the launch', async () => {
  const { account } = await created();

  expect(account.calls.find((line) => line.startsWith('cdk bootstrap'))).toBe(
    'cdk bootstrap aws://000000000000/us-east-1 --toolkit-stack-name store-integration-toolkit --qualifier sislaunch ' +
      `--cloudformation-execution-policies ${rights} ` +
      '--custom-permissions-boundary store-integration-us-east-1-0c0ffee0-1111-4222-8333-444444444444 ' +
      '--apply-permissions-boundary-to-all-roles',
  );
});

test('a small quota of functions is raised, and a refusal of that stops nothing', async () => {
  const { account } = await created();
  const large = await created({ functions: 1000 });
  const refused = await created({ planted: ['service-quotas', 'AccessDenied'] });

  expect([account.asked, large.account.asked]).toEqual([[1000], []]);
  expect(refused.lines).toContainEqual(expect.stringContaining('Ask for 1000: Service Quotas'));
  expect(refused.account.stores).toHaveLength(1);
});

test('an address that nobody confirms gets no mail, and the launch ends after five minutes of waiting', async () => {
  const { account, lines, waits } = await created({ isConfirmed: false });

  expect(account.mails).toEqual([]);
  expect(waits.reduce((sum, millis) => sum + millis, 0)).toBeLessThanOrEqual(300_000);
  expect(lines.at(-1)).toContain('not confirmed yet');
});

test('an update deploys, makes a new link, and makes neither a store nor a key again', async () => {
  const { account } = await created();
  for (const name of secretsOf(account)) delete account.parameters[name];

  await build(handsOn(account, '1.3.0').hands, { ...order, act: 'Update', release: '1.3.0' });

  expect([account.stores.length, account.keys.length, account.tables.length]).toEqual([1, 4, 1]);
  expect(secretsOf(account)).toEqual(['store-integration-prod-desk']);
});

test('an update after a failure makes the keys that are missing', async () => {
  const account: Account = { ...newAccount(), planted: ['key issue terminal', 'Error: a network error'] };

  await expect(build(handsOn(account).hands, order)).rejects.toThrow('Making the store and its keys failed');
  delete account.planted;
  await build(handsOn(account).hands, { ...order, act: 'Update' });

  expect(account.stores).toHaveLength(1);
  expect(account.keys.map(({ name }) => name)).toEqual(objects);
});

test('a deletion exports each store, takes the stack and the secrets away, and keeps table and exports', async () => {
  const { account, hands } = await created();
  account.stores.push({ id: 'store-2', name: 'Other' });

  await build(hands, { ...order, act: 'Delete' });

  expect(account.files).toEqual([
    's3://my-exports/2030-01-31T12-00/store-1.tar.gz',
    's3://my-exports/2030-01-31T12-00/store-2.tar.gz',
  ]);
  expect(Object.keys(account.stacks)).toEqual(['store-integration-toolkit']);
  expect(account.tables).toEqual(['table-1']);
  expect(Object.keys(account.parameters)).toEqual(['/cdk-bootstrap/sislaunch/version']);
});

test('a second launch after a deletion takes over the toolkit of the first, and makes store and keys anew', async () => {
  const { account, hands } = await created();
  await build(hands, { ...order, act: 'Delete' });
  Object.assign(account, { stores: [], keys: [] });
  const again = { ...order, launch: launchArn('1badcafe'), rights: rights.replace('0c0ffee0', '1badcafe') };

  await build(handsOn(account).hands, again);

  expect(account.toolkitBound).toBe(again.rights);
  expect([account.stores.length, account.keys.length, account.tables]).toEqual([1, 4, ['table-1', 'table-2']]);
  const foreign = { ...again, act: 'Update' as const, rights: 'arn:aws:iam::aws:policy/AdministratorAccess' };
  await expect(build(handsOn(account).hands, foreign)).rejects.toThrow('The role of the build lacks a right, iam:');
});

test('nothing is removed where an export fails', async () => {
  const { account, hands } = await created();
  account.planted = ['aws s3 cp', 'upload failed'];

  await expect(build(hands, { ...order, act: 'Delete' })).rejects.toThrow('Exporting failed');

  expect(account.stacks).toHaveProperty('store-integration-prod');
});

test('a deployment that somebody else made is neither updated nor, when that launch is rolled back, removed', async () => {
  const { account, hands } = await created();
  const other = { ...order, launch: `${launch}-other` };
  const before = structuredClone({ ...account, calls: [] });

  await expect(build(hands, other)).rejects.toThrow('has a deployment store-integration-prod in this region already');
  await build(hands, { ...other, act: 'Delete' });

  expect({ ...account, calls: [] }).toEqual(before);
});

test('the removal of a launch that never deployed ends', async () => {
  const account = newAccount();
  const { hands, lines } = handsOn(account);

  await build(hands, { ...order, act: 'Delete' });

  expect(lines.at(-1)).toContain('nothing to remove');
});

test.each(['stage', 'alarmEmail'])('the field of settings refuses %s', async (name) => {
  const settings = JSON.stringify({ [name]: 'x' });

  await expect(build(handsOn(newAccount()).hands, { ...order, settings })).rejects.toThrow(`cannot hold ${name}`);
});

test.each([false, 'false'])('the field of settings refuses desk %j', async (desk) => {
  const settings = JSON.stringify({ desk });

  await expect(build(handsOn(newAccount()).hands, { ...order, settings })).rejects.toThrow('switch the desk off');
});

test.each(['exportBucket', 'restoredTable'])(
  '%s is taken by the names that the launch has rights for',
  async (name) => {
    const settingsWith = (value: string) => ({ ...order, settings: JSON.stringify({ [name]: value }) });
    const [own, foreign] = [handsOn(newAccount()), handsOn(newAccount())];

    await build(own.hands, settingsWith('store-integration-prod-copy'));
    await expect(build(foreign.hands, settingsWith('copy'))).rejects.toThrow(
      `${name} copy, whose name must begin with store-integration-prod-`,
    );

    expect(JSON.parse(own.written['cdk.context.json'] as string)).toHaveProperty(name);
    expect(foreign.written).not.toHaveProperty(['base-url.txt']);
  },
);

test('a failure that nobody foresaw names its step, and keeps the words of the program', () => {
  const error = explain('Deploying', new Error('Something new'));

  expect([error.message, (error.cause as Error).message]).toEqual([
    'Deploying failed. The lines before this one say why.',
    'Something new',
  ]);
});

test('a right that is missing is named, in the words of AWS’s command and in those of CloudFormation', () => {
  const refused = 'User: arn:x is not authorized to perform: ssm:PutParameter on resource: y';
  const messages = [
    `An error occurred (AccessDeniedException) when calling the PutParameter operation: ${refused}`,
    refused,
    'An error occurred (AccessDenied)',
  ].map((message) => explain('Looking at the account', new Error(message)).message);

  expect(messages.map((message) => /lacks a right(, \S+)?\./.exec(message)?.[1])).toEqual([
    ', ssm:PutParameter',
    ', ssm:PutParameter',
    undefined,
  ]);
});
