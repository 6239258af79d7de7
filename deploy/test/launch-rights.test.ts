import { expect, test } from 'vitest';
import { readStacks } from '../../infra/quotas.ts';
import {
  type FormationRights,
  formationCalls,
  formationFaults,
  place,
  roleFaults,
} from '../../local/deployed/formation.ts';
import { asList, statementFaults } from '../../local/deployed/iam-table.ts';
import { readLaunch } from '../../local/deployed/launch-rights.ts';
import { doStatementsAllow, type Statement } from '../../local/deployed/roles.ts';
import { asShipped, everySetting, type Resource, templateOf } from '../../test/support/stack.ts';
import { boundOrders as orders, refusedSteps } from './launch-calls.ts';
import { toolkitOf } from './launch-toolkit.ts';

/**
 * The policies of launch.yaml against AWS's table of actions and the permissions of CloudFormation's handlers: what
 * they refuse here, IAM refuses in the middle of a deployment.
 */

const { formation, build, function: ofFunction } = readLaunch();
const { statements: rights, bound } = formation;

/** The form takes no other bucket. */
const everything = { ...everySetting, exportBucket: `${place.stack}-copies` };

const variants: [string, Record<string, unknown>][] = [
  ['as shipped', asShipped],
  ['with every setting', everything],
];

const equal = { StringEquals: { 'iam:PermissionsBoundary': bound } };

const stacksWith = (settings: Record<string, unknown>) => readStacks(templateOf(settings).dir);
const toolkit = [toolkitOf(bound)];

test.each(variants)('the rights allow all that CloudFormation calls for the template %s', async (_, settings) => {
  const stacks = stacksWith(settings);

  const calls = await formationCalls(stacks, bound);

  expect(calls.length).toBeGreaterThan(9000);
  expect(new Set(calls.map(({ action }) => action)).size).toBeGreaterThan(150);
  expect(await formationFaults(stacks, formation)).toEqual([]);
});

test('the build’s rights allow all that CloudFormation calls for the toolkit, each of whose roles is bounded', async () => {
  const roles = Object.values<Resource>(toolkit[0]?.template.Resources).filter(({ Type }) => Type === 'AWS::IAM::Role');

  expect(roles.map(({ Properties }) => Properties.PermissionsBoundary)).toEqual(Array(5).fill(bound));
  expect(await formationFaults(toolkit, { statements: build, bound })).toEqual([]);
});

test.each(variants)('the bound allows all that the roles of the template %s allow', async (_, settings) => {
  expect(await roleFaults(templateOf(settings).dir, rights)).toEqual([]);
});

test('each policy of launch.yaml names actions, resources and conditions that AWS knows together', async () => {
  expect(await statementFaults('Rights', rights)).toEqual([]);
  expect(await statementFaults('BuildRights', build)).toEqual([]);
  expect(await statementFaults('FunctionRights', ofFunction)).toEqual([]);
});

const arn = (service: string, rest: string): string => `arn:aws:${service}:${place.region}:${place.account}:${rest}`;
const roleArn = (name: string): string =>
  `arn:aws:iam::${place.account}:role/cdk-sislaunch-${name}-role-${place.account}-${place.region}`;
const assets = `arn:aws:s3:::cdk-sislaunch-assets-${place.account}-${place.region}`;

/** The calls of a deployment that CDK's command makes about a stack: those of aws-cdk 2.1148. */
const ofStack = (name: string): [action: string, resource: string][] =>
  [
    ...['CreateChangeSet', 'DeleteChangeSet', 'DescribeChangeSet', 'DescribeEvents', 'DescribeStackEvents'],
    ...['DescribeStacks', 'ExecuteChangeSet', 'GetTemplate', 'UpdateTerminationProtection'],
  ].map((action) => [`cloudformation:${action}`, arn('cloudformation', `stack/${name}/0c0ffee0`)]);

const ofVersion = (action: string): [string, string] => [
  action,
  arn('ssm', 'parameter/cdk-bootstrap/sislaunch/version'),
];

/** The calls of `cdk bootstrap` and `cdk deploy`, by caller. The toolkit's roles have more rights than the bound. */
const cdkCalls: [caller: string, statements: readonly Statement[], calls: [action: string, resource: string][]][] = [
  [
    'the build',
    build,
    [
      ...ofStack('store-integration-toolkit'),
      ...['deploy', 'file-publishing', 'lookup'].map((role): [string, string] => ['sts:AssumeRole', roleArn(role)]),
      ofVersion('ssm:GetParameter'),
    ],
  ],
  [
    'the role that deploys',
    rights,
    [
      ...ofStack(place.stack),
      ...ofStack(`${place.stack}-OperationNestedStackOperation-1A2B`),
      ['iam:PassRole', roleArn('cfn-exec')],
      ['s3:GetObject', `${assets}/0c0ffee0.json`],
      ['sts:GetCallerIdentity', '*'],
      ofVersion('ssm:GetParameter'),
      ofVersion('ssm:GetParameters'),
    ],
  ],
  [
    'the role that uploads',
    rights,
    [
      ['s3:GetBucketLocation', assets],
      ['s3:GetEncryptionConfiguration', assets],
      ['s3:ListBucket', assets],
      ...['AbortMultipartUpload', 'GetObject', 'PutObject'].map((action): [string, string] => [
        `s3:${action}`,
        `${assets}/0c0ffee0.zip`,
      ]),
      ['kms:GenerateDataKey', arn('kms', 'key/0c0ffee0')],
    ],
  ],
];

test.each(cdkCalls)('%s may make the calls of the CDK’s command', (_, statements, calls) => {
  const context = { 'iam:PassedToService': ['cloudformation.amazonaws.com'] };

  expect(calls.filter(([action, resource]) => !doStatementsAllow(statements, { action, resource, context }))).toEqual(
    [],
  );
});

test('the bound allows a mapping for a function of the deployment only', () => {
  const mayMap = (name: string): boolean =>
    doStatementsAllow(rights, {
      action: 'lambda:CreateEventSourceMapping',
      resource: '*',
      context: { 'lambda:FunctionArn': [arn('lambda', `function:${name}`)] },
    });

  expect([mayMap(`${place.stack}-Worker`), mayMap('other')]).toEqual([true, false]);
});

/** Why a right has no resource, though its service has resources with names. */
const reasons: Readonly<Record<string, string>> = {
  'apigateway:*': 'API Gateway chooses the ids of APIs, plans and keys',
  'cloudwatch:*': 'graphs and thresholds of the account, which hold no data of anybody',
  'events:*': 'the bus of the setting eventBus has a name of the merchant’s',
  'kms:*': 'KMS chooses the ids of keys, and the policy of a key says who may use it',
  'scheduler:*': 'CloudFormation names a schedule by its resource alone',
  'wafv2:*': 'the firewall of an API, whose id AWS chooses',
  'xray:*': 'traces know no resource',
  'dynamodb:ListStreams': 'knows no resource',
  'lambda:GetEventSourceMapping': 'AWS chooses the ids of mappings',
  'lambda:GetAccountSettings': 'knows no resource',
  'lambda:ListEventSourceMappings': 'knows no resource',
  'logs:CreateLog*': 'API Gateway writes the logs of all APIs of the account by one role',
  'logs:Describe*': 'tells names, and nothing of what is logged',
  'logs:PutLogEvents': 'API Gateway writes the logs of all APIs of the account by one role',
  'logs:DeleteIndexPolicy': 'CloudFormation names no group in it',
  'logs:DeleteResourcePolicy': 'knows no resource',
  'logs:PutIndexPolicy': 'CloudFormation names no group in it',
  'logs:PutResourcePolicy': 'knows no resource',
  'secretsmanager:GetRandomPassword': 'knows no resource',
  'servicequotas:RequestServiceQuotaIncrease': 'knows no resource',
  'cloudformation:GetTemplateSummary': 'knows no resource before there is a stack',
  'cloudformation:ValidateTemplate': 'knows no resource',
  'sts:GetCallerIdentity': 'knows no resource',
};

test('each right to any resource has a condition or a reason', () => {
  const wide = [...rights, ...build, ...ofFunction].filter(
    ({ Effect, Resource, Condition }) => Effect === 'Allow' && Resource === '*' && !Condition,
  );

  const given = new Set(wide.flatMap(({ Action }) => asList(Action)));

  expect([...given].sort()).toEqual(Object.keys(reasons).sort());
});

test('a release that was tampered with reads neither the secrets nor the logs of others', () => {
  const may = (action: string, resource: string): boolean =>
    doStatementsAllow(rights, { action, resource, context: {} });
  const secret = (name: string): boolean =>
    may('secretsmanager:GetSecretValue', arn('secretsmanager', `secret:${name}`));
  const group = (name: string): string => arn('logs', `log-group:${name}`);

  expect(['shop-password-a1b2c3', 'rds!db-a1b2c3'].map(secret)).toEqual([false, false]);
  // Its own, if CloudFormation names it by the resource and if it names it by the stack.
  expect(['DataCursorSecret8266F2EC-a1b2c3', `${place.stack}-DataCursorSecret8266F2EC-a1b2c3`].map(secret)).toEqual([
    true,
    true,
  ]);
  for (const action of ['FilterLogEvents', 'GetLogEvents', 'StartQuery', 'PutSubscriptionFilter', 'DeleteLogGroup'])
    expect([group('/aws/lambda/other'), group(`${place.stack}-f`)].map((one) => may(`logs:${action}`, one))).toEqual([
      false,
      true,
    ]);
  expect(may('logs:PutLogEvents', group('/aws/apigateway/another-api'))).toBe(true);
});

test('a second launch may give the roles of the toolkit its own policy, in whatever order', () => {
  const earlier = bound.replace(/0c0ffee0-.*$/, '1badcafe-5555-4666-8777-888888888888');
  const elsewhere = earlier.replace(place.region, 'eu-west-1');
  const strict = build.map((one) => (one.Condition?.StringLike ? { ...one, Condition: equal } : one));

  expect(orders).toHaveLength(24);
  expect(orders.flatMap((order) => refusedSteps(build, [earlier, bound], order))).toEqual([]);
  // With one policy alone, only the orders that begin with the bound would do.
  expect(orders.filter((order) => refusedSteps(strict, [earlier, bound], order).length > 0)).toHaveLength(16);
  for (const foreign of ['', elsewhere, 'arn:aws:iam::aws:policy/AdministratorAccess'])
    expect(refusedSteps(build, [foreign, bound], ['iam:AttachRolePolicy', 'iam:PutRolePolicy']), foreign).toHaveLength(
      2,
    );
});

test.each(variants)(
  'nothing that a deletion of the template %s keeps has a name that the next one needs',
  (_, settings) => {
    const kept = Object.values<Resource>(templateOf(settings).all).filter(({ DeletionPolicy = '' }) =>
      DeletionPolicy.startsWith('Retain'),
    );

    expect(kept.length).toBeGreaterThan(4);
    expect(kept.filter(({ Properties }) => Object.keys(Properties).some((name) => /^\w*Name$/.test(name)))).toEqual([]);
  },
);

/** Some statements without an action. */
const without = (statements: readonly Statement[], taken: string): Statement[] =>
  statements
    .map((one) => ({ ...one, Action: asList(one.Action).filter((action) => action !== taken) }))
    .filter(({ Action }) => Action.length > 0);

test.each([
  ['lambda:CreateEventSourceMapping', 'To create AWS::Lambda::EventSourceMapping', '*'],
  ['iam:UpdateRole', 'To update AWS::IAM::Role', `role/${place.stack}-`],
  ['iam:UpdateRoleDescription', 'To update AWS::IAM::Role', `role/${place.stack}-`],
  ['iam:CreateServiceLinkedRole', 'To create AWS::ApiGateway::DomainName', 'ops.apigateway.amazonaws.com'],
])('finds by name that the rights lack %s', async (action, doing, resource) => {
  const planted: FormationRights = { statements: without(rights, action), bound };

  const faults = await formationFaults(stacksWith(everything), planted);

  expect(faults[0]).toMatch(
    new RegExp(
      `^${RegExp.escape(`${doing}, CloudFormation calls ${action} on `)}.*${RegExp.escape(resource)}.*, which the rights of the launch do not allow\\.$`,
    ),
  );
});

test('finds that a role of another name, and a policy of a role without the bound, are out of reach', async () => {
  const [stack] = stacksWith(asShipped);
  const role = { Type: 'AWS::IAM::Role', Properties: { RoleName: 'another' } };
  const named = [{ file: 'x', bytes: 0, template: { Resources: { Planted: role } } }];

  expect((await formationFaults(named, formation)).join()).toContain(
    'iam:CreateRole on arn:aws:iam::000000000000:role/another,',
  );
  expect((await formationFaults(stack ? [stack] : [], { statements: rights, bound: 'another' })).join()).toMatch(
    /iam:CreateRole on .*iam:PutRolePolicy on /,
  );
});

test('finds a right of a role that AWS never gives as it is, and one beyond the bound', async () => {
  const statement = (Action: string, Resource: string, Condition: Statement['Condition'] = {}): Statement => ({
    Effect: 'Allow',
    Action,
    Resource,
    Condition,
  });
  const table = arn('dynamodb', `table/${place.stack}-T`);

  const faults = await statementFaults('role', [
    statement('lambda:CreateEventSourceMapping', arn('lambda', `function:${place.stack}-f`)),
    statement('dynamodb:ListStreams', `${table}/stream/*`),
    statement('dynamodb:GetItems', table),
    statement('dynamodb:GetItem', table, { StringLike: { 'lambda:FunctionArn': '*' } }),
    statement('dynamodb:GetItem', table, { StringLike: { 'dynamodb:LeadingKeys': '*' } }),
    statement('sqs:SendMessage', table),
  ]);

  expect(faults).toEqual([
    expect.stringContaining('role: lambda:CreateEventSourceMapping knows no resource'),
    expect.stringContaining('role: dynamodb:ListStreams knows no resource'),
    'role: AWS has no action dynamodb:GetItems.',
    expect.stringContaining('role: dynamodb:GetItem does not know the condition lambda:FunctionArn'),
    expect.stringContaining('role: sqs:SendMessage is on arn:*:sqs:*:*:*'),
  ]);
  const outside = await roleFaults(templateOf(everySetting).dir, rights);
  expect(outside.join('\n')).toContain(
    'may call s3:PutObject on arn:aws:s3:::copies-of-my-shop/prod/*, which the bound',
  );
});
