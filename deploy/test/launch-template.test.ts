import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { StoreServiceStack } from '../../infra/store-service-stack.ts';
import { routes } from '../../lib/routes/routes.ts';
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
