import { expect, test } from 'vitest';
import { readSettings, settingNames } from '../../infra/settings.ts';
import tableUses from '../../infra/table-uses.json' with { type: 'json' };
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { atEnd } from '../support/at-end.ts';
import { apiOf, everySetting, type Resource, refersTo, templateOf, templateOfRows } from '../support/stack.ts';

/** The OpenAPI document that API Gateway imports the API from, and what follows where it changes. */

test('opens no method but those of the desk, the customer’s page and the preflight, and misspells no scheme', () => {
  const { operations } = apiOf(everySetting);

  const open = operations.filter(({ hasAuthorizer, needsUsageKey }) => !hasAuthorizer || !needsUsageKey);

  const ofPages = ['desk', 'desk-file', 'desk-customer'].flatMap((id) => [`${id}-get`, `${id}-head`]);
  expect(open.map(({ id }) => id).sort()).toEqual([...ofPages, 'preflight'].sort());
  expect(open.filter(({ hasAuthorizer, needsUsageKey }) => hasAuthorizer || needsUsageKey)).toEqual([]);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

test('says all that an import would reset: the name, the source of usage keys, the compression and the closed address', () => {
  const { document } = apiOf(everySetting);
  const rest = templateOf(everySetting).only('AWS::ApiGateway::RestApi');

  expect(document.info).toEqual({ title: rest.Name, version: packageFile.version });
  expect(document['x-amazon-apigateway-api-key-source']).toBe(rest.ApiKeySourceType);
  expect(document['x-amazon-apigateway-minimum-compression-size']).toBe(rest.MinimumCompressionSize);
  // No script inworld can read an answer of this length.
  expect(rest.MinimumCompressionSize).toBe(16_384);
  expect(document.servers).toEqual([
    { url: '/', 'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true } },
  ]);
  // The service answers text alone: bodies that are not would need their types here and in the document.
  expect([rest.BinaryMediaTypes, document['x-amazon-apigateway-binary-media-types']]).toEqual([undefined, undefined]);
  expect(rest).toMatchObject({
    Mode: 'overwrite',
    FailOnWarnings: true,
    EndpointConfiguration: { Types: ['REGIONAL'] },
    Parameters: { endpointConfigurationTypes: 'REGIONAL' },
    DisableExecuteApiEndpoint: true,
  });
});

test('is the whole API: no method, path, answer or authorizer stands beside it, which the next import would undo', () => {
  const types = new Set(Object.values(templateOf(everySetting).all).map(({ Type }) => Type));

  for (const type of ['Method', 'Resource', 'GatewayResponse', 'Authorizer', 'Model', 'RequestValidator'])
    expect([...types]).not.toContain(`AWS::ApiGateway::${type}`);
});

test('the stage waits for all permissions, so that no new method answers before its function may be called', () => {
  const { own, ofType } = templateOf();
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];

  const stacks = Object.entries(own).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
  const [permissions] = stacks.find(([id]) => id.includes('Permissions')) ?? [];

  expect(permissions).toBeDefined();
  expect(stage.DependsOn).toContain(permissions);
});

// Changes

/** A few rows. Their stack is made in a fifth of the time that the stack of all rows takes. */
const some = routes.filter(({ id }) => /^coupons/.test(id));

const templateOfSome = (settings: Record<string, unknown>) => templateOfRows(some, settings);

/** The same rows, one of them changed. */
const templateWith = (change: Partial<Route>) =>
  templateOfRows(some.map((row) => (row.id === 'coupons/get-coupon' ? { ...row, ...change } : row)));

const deploymentOf = ({ ofType }: ReturnType<typeof templateOf>): string | undefined => {
  const [[id]] = ofType('AWS::ApiGateway::Deployment') as [[string, Resource]];
  const [[, stage]] = ofType('AWS::ApiGateway::Stage') as [[string, Resource]];
  expect(refersTo(stage.Properties.DeploymentId)).toEqual([id]);
  return id;
};

const deployed = deploymentOf(templateOfSome({}));

test.each<[string, () => ReturnType<typeof templateOf>]>([
  ['another path', () => templateWith({ path: '/v1/coupons/{id}/facts' })],
  ['another method', () => templateWith({ method: 'POST' })],
  ['a row less', () => templateOfRows(some.filter(({ id }) => id !== 'coupons/get-coupon'))],
  ['a remembered key', () => templateOfSome({ authorizerTtlSeconds: '30' })],
  ['origins', () => templateOfSome({ corsOrigins: '*' })],
  ['no desk', () => templateOfSome({ desk: 'false' })],
])('%s makes another deployment, to which the stage moves', (_, changed) => {
  expect(deploymentOf(changed())).not.toBe(deployed);
});

test.each<[string, () => ReturnType<typeof templateOf>]>([
  ['another order of the rows', () => templateOfRows(some.toReversed())],
  ['what a function may touch', () => templateWith({ reads: ['COUPON', 'CUSTOMER'] })],
  ['another rate', () => templateOfSome({ endpointRate: '90' })],
])('%s makes no other deployment', (_, changed) => {
  expect(deploymentOf(changed())).toBe(deployed);
});

// Room

/** More rows, each with a function of its own. */
const inventedRows = (count: number): Route[] => {
  const model = routes.find(({ id }) => id === 'coupons/get-coupon') as Route;
  const uses: Record<string, string[]> = tableUses;
  return Array.from({ length: count }, (_, index) => {
    const id = `invented/get-thing-${index}`;
    uses[id] = uses[model.id] ?? [];
    return { ...model, id, path: `/v1/invented-${index}/{id}` };
  });
};
atEnd(() => {
  for (const id of Object.keys(tableUses).filter((one) => one.startsWith('invented/')))
    delete (tableUses as Record<string, string[]>)[id];
});

const size = ({ own }: ReturnType<typeof templateOf>): number => Object.keys(own).length;

test('every setting means each that is off by default, but the restored table, which adds nothing', () => {
  const initial: Record<string, unknown> = readSettings({ firewall: 'false' });

  const off = settingNames.filter((name) => !initial[name]);

  expect(off.filter((name) => !(name in everySetting))).toEqual(['restoredTable', 'restoredStream']);
});

test('the main template holds at most 280 resources, and 440 with every setting and 40 more rows, of CloudFormation’s 500', () => {
  const grown = templateOfRows([...routes, ...inventedRows(40)], everySetting);

  expect(size(templateOf())).toBeLessThanOrEqual(280);
  expect(size(grown)).toBeLessThanOrEqual(440);
  // A template may have a million bytes.
  expect(JSON.stringify({ Resources: grown.own }, undefined, 1).length).toBeLessThan(950_000);
});

test('an endpoint adds its function, log and role to the main template, and nothing else', () => {
  const { own: before } = templateOf();
  const { own: after } = templateOfRows([...routes, ...inventedRows(1)]);

  const added = Object.entries(after).filter(([id, { Type }]) => !(id in before) && !Type.endsWith('::Deployment'));

  expect(added.map(([, { Type }]) => Type).sort()).toEqual([
    'AWS::IAM::Role',
    'AWS::Lambda::Function',
    'AWS::Logs::LogGroup',
  ]);
});
