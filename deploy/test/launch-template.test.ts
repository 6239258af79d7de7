import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { StoreServiceStack } from '../../infra/store-service-stack.ts';
import { routes } from '../../lib/routes/routes.ts';
import { everythingOn, type Resource, templateOf } from '../../test/support/stack.ts';
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

test('the rights reach every service of which the stack has resources, with all settings', () => {
  const services: Record<string, string> = { wafv2: 'wafv2', sns: 'sns' };
  const { all } = templateOf(everythingOn);
  const needed = new Set(
    Object.values(all)
      .map(({ Type }) => Type.split('::')[1].toLowerCase())
      .map((service) => services[service] ?? service)
      .filter((service) => service !== 'cdk'),
  );
  const held = new Set(
    statements('Rights')
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action }) => listOf(Action).map((action) => action.split(':')[0])),
  );

  expect(needed.size).toBeGreaterThan(8);
  expect([...needed].filter((service) => !held.has(service))).toEqual([]);
});

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

/** A wildcard pattern of a policy against a text. */
const fits = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(text);

const textOf = (value: Resource): string =>
  typeof value === 'string'
    ? value
    : value['Fn::Sub'].replace(/\$\{AWS::Partition\}/, 'aws').replace(/\$\{[^}]+\}/g, '1');

/** Says whether the bound allows an action on a resource, for a function where the action knows one. */
const isAllowed = (action: string, resource: string, functionArn?: string): boolean => {
  const found = statements('Rights').filter(
    ({ Action, Resource: of, Condition }) =>
      listOf(Action).some((one) => fits(one, action)) &&
      listOf(of).some((one) => fits(textOf(one), resource)) &&
      Object.entries<Resource>(Condition?.StringLike ?? {}).every(
        ([key, value]) => key === 'lambda:FunctionArn' && fits(textOf(value), functionArn ?? ''),
      ),
  );
  return found.length > 0 && found.every(({ Effect }) => Effect === 'Allow');
};

test('the bound lets the mappings of the stack be made, read, changed and deleted, each of a function of its own', () => {
  const mappings = Object.values(templateOf(everythingOn).all).filter(
    ({ Type }) => Type === 'AWS::Lambda::EventSourceMapping',
  );
  // By AWS Lambda's table of actions, the first two know no resource.
  const actions: [string, string][] = [
    ['lambda:CreateEventSourceMapping', '*'],
    ['lambda:GetEventSourceMapping', '*'],
    ['lambda:UpdateEventSourceMapping', 'arn:aws:lambda:1:1:event-source-mapping:0c0ffee0'],
    ['lambda:DeleteEventSourceMapping', 'arn:aws:lambda:1:1:event-source-mapping:0c0ffee0'],
    ['lambda:TagResource', 'arn:aws:lambda:1:1:event-source-mapping:0c0ffee0'],
  ];
  const own = 'arn:aws:lambda:1:1:function:store-integration-prod-Worker1';
  const others = 'arn:aws:lambda:1:1:function:other';

  expect(mappings.length).toBeGreaterThan(2);
  expect(actions.filter(([action, resource]) => !isAllowed(action, resource, own))).toEqual([]);
  expect(isAllowed('lambda:CreateEventSourceMapping', '*', others)).toBe(false);
});

test('nothing makes a role or gives it rights without the bound, and nothing deletes a table', () => {
  const giving = ['iam:AttachRolePolicy', 'iam:CreateRole', 'iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy'];
  for (const id of ['BuildRights', 'Rights']) {
    const found = statements(id).filter(({ Action }) => listOf(Action).some((action) => giving.includes(action)));
    expect(found).toHaveLength(1);
    expect(found[0].Action).toEqual(giving);
    expect(found[0].Condition.StringEquals).toHaveProperty('iam:PermissionsBoundary');
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
