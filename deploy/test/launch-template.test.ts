import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { StoreServiceStack } from '../../infra/store-service-stack.ts';
import { routes } from '../../lib/routes/routes.ts';
import { readLaunch } from '../../local/deployed/launch-rights.ts';
import { everythingOn, type Resource } from '../../test/support/stack.ts';
import { rights } from './launch-account.ts';
import { launchFile } from './launch-file.ts';
import { includedLaunch } from './launch-included.ts';

/**
 * launch.yaml against CloudFormation's types, and its rights against the stack that it deploys. CloudFormation's rules
 * are in test/infra/rules.proof.ts.
 */

const { template, unknown } = includedLaunch();

test('launch.yaml has only types and properties that CloudFormation knows', () => {
  // CloudFormation has no type for the service itself.
  expect(unknown.filter((name) => /^[A-Z]/.test(name) && !(name in template.Resources.Service.Properties))).toEqual([]);
});

const statements = (id: string): Resource[] => template.Resources[id].Properties.PolicyDocument.Statement;

const listOf = (value: string | string[]): string[] => [value].flat();

test('the bound of the settings reaches every role of the stack and of those nested in it', () => {
  const { context } = JSON.parse(readFileSync(join(launchFile, '../../cdk.json'), 'utf8'));
  const bound = { '@aws-cdk/core:permissionsBoundary': { arn: rights } };
  process.env.CDK_VALIDATION = 'false';
  const app = new App({ context: { ...context, ...bound }, treeMetadata: false });
  new StoreServiceStack(app, 'service', {
    settings: readSettings({ ...everythingOn, ...bound }),
    routes,
    codeOf: (entry) => Code.fromInline(`// ${entry}`),
  });
  const { directory } = app.synth();
  delete process.env.CDK_VALIDATION;

  const files = readdirSync(directory).filter((name) => name.endsWith('.template.json'));
  const roles = files
    .flatMap((name) => Object.values<Resource>(JSON.parse(readFileSync(join(directory, name), 'utf8')).Resources))
    .filter(({ Type }) => Type === 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(30);
  expect(roles.filter(({ Properties }) => Properties.PermissionsBoundary !== rights)).toEqual([]);
});

test('nothing makes a role or gives it rights without the bound, and nothing deletes a table', () => {
  const giving = ['iam:AttachRolePolicy', 'iam:CreateRole', 'iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy'];
  for (const id of ['BuildRights', 'Rights']) {
    const found = statements(id).filter(({ Action }) => listOf(Action).some((action) => giving.includes(action)));
    expect(found).toHaveLength(1);
    expect(found[0].Action).toEqual(giving);
    const { StringEquals, StringLike } = found[0].Condition;
    expect(StringEquals ?? StringLike).toHaveProperty('iam:PermissionsBoundary');
    const wide = statements(id).flatMap(({ Action }) => listOf(Action));
    expect(wide.filter((action) => /^(?:\*|iam:\*|sts:\*|organizations:)/.test(action))).toEqual([]);
    expect(wide).not.toContain('iam:DeleteRolePermissionsBoundary');
  }
  expect(statements('Rights')).toContainEqual(
    expect.objectContaining({ Effect: 'Deny', Action: expect.arrayContaining(['dynamodb:DeleteTable']) }),
  );
  expect(statements('BuildRights').flatMap(({ Action }) => listOf(Action))).not.toContain('dynamodb:DeleteTable');
});

test('a deletion keeps the exports, and the build’s rights last until it is over', () => {
  const { Exports, Rights, Service } = template.Resources;

  expect([Exports.DeletionPolicy, Rights.DeletionPolicy]).toEqual(['Retain', 'Retain']);
  expect(Service.DependsOn.toSorted()).toEqual(['BuildRights', 'Ended', 'EndedMayCall', 'FunctionRights']);
});

test('the form asks for three things and a place, and gives the rest', () => {
  const asked = Object.keys(template.Parameters).filter((name) => template.Parameters[name].Default === undefined);

  expect(asked).toEqual(['StoreName', 'Email', 'Firewall', 'Place']);
});

test('the template and each of its policies stay within AWS’s quotas, in the region with the longest name', () => {
  const { formation, build, function: ofFunction } = readLaunch();
  const sizeOf = (document: readonly object[]): number =>
    JSON.stringify({ Version: '2012-10-17', Statement: document }).replaceAll('us-east-1', 'ap-southeast-2').length;

  expect(statSync(launchFile).size).toBeLessThan(51_200 * 0.9);
  expect(sizeOf(formation.statements)).toBeLessThan(6144 * 0.9);
  for (const inline of [build, ofFunction]) expect(sizeOf(inline)).toBeLessThan(10_240 * 0.9);
});

test('a build that AWS never starts, and one that takes as long as it may, end before CloudFormation stops waiting', () => {
  const { QueuedTimeoutInMinutes, TimeoutInMinutes } = template.Resources.Project.Properties;

  expect(QueuedTimeoutInMinutes).toBe(5);
  expect((QueuedTimeoutInMinutes + TimeoutInMinutes) * 60).toBeLessThanOrEqual(
    template.Resources.Service.Properties.ServiceTimeout,
  );
});

test('the exports are encrypted, refuse plain HTTP, and stay', () => {
  const { Exports, ExportsPolicy } = template.Resources;

  expect(JSON.stringify(Exports.Properties.BucketEncryption)).toContain('"SSEAlgorithm":"AES256"');
  expect(Exports.Properties.LifecycleConfiguration).toBeUndefined();
  expect(ExportsPolicy).toMatchObject({
    DeletionPolicy: 'Retain',
    Properties: {
      Bucket: { Ref: 'Exports' },
      PolicyDocument: {
        Statement: [{ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      },
    },
  });
});

test('a budget of the form writes to the address of the form; 0 makes none', () => {
  const { Condition, Properties } = template.Resources.MonthlyBudget;
  const addresses = Properties.NotificationsWithSubscribers.map(({ Subscribers }: Resource) => Subscribers[0].Address);

  expect(Properties.Budget.BudgetLimit).toEqual({ Amount: { Ref: 'Budget' }, Unit: 'USD' });
  expect(addresses).toEqual([{ Ref: 'Email' }, { Ref: 'Email' }]);
  expect(template.Conditions[Condition]['Fn::And'][0]).toEqual({
    'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'Budget' }, '0'] }],
  });
});

test.each([
  ['https://example.org/releases/VERSION', true],
  ['https://releases.example.org/', true],
  ['http://example.org/VERSION', false],
  ['https://example.org@evil.example.com/VERSION', false],
  ['https://example.org', false],
  ['https://localhost/VERSION', false],
  ['https://example.org/$(id)', false],
])('the form answers %s for Place with %s', (address, isTaken) => {
  const { AllowedPattern } = template.Parameters.Place;

  expect(new RegExp(`^(?:${AllowedPattern})$`).test(address)).toBe(isTaken);
});

test('the form refuses the regions that have no AWS CodeBuild', () => {
  const [{ Assert, AssertDescription }] = template.Rules.Region.Assertions;

  expect(Assert['Fn::Not'][0]['Fn::Contains']).toEqual([
    ['ap-east-2', 'ca-west-1', 'mx-central-1'],
    { Ref: 'AWS::Region' },
  ]);
  expect(AssertDescription).toContain('Choose another');
});
