import { describe, expect, test } from 'vitest';
import { type Route, functionFile as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { apiOf, entryOf, functionArn, type Resource, refersTo, templateOf } from '../support/stack.ts';

const { ofType, only, functionOf } = templateOf();
const { operations, mayCall } = apiOf();
const functions = ofType('AWS::Lambda::Function');
const methods = operations.map((one) => ({ ...one, route: `${one.method} ${one.path}` }));
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The permissions of a function in the main template. They are in a nested template, which gets the function's ARN. */
const grantsOf = (id: string): Resource[] =>
  ofType('AWS::Lambda::Permission')
    .map(([, { Properties }]) => Properties)
    .filter(({ FunctionName }) => refersTo(FunctionName).includes(id));

describe.each(routes.map((row): [string, Route] => [row.id, row]))('%s', (_, row) => {
  test('has a method with the authorizer and its own function', () => {
    const found = methods.filter(({ route }) => route === nameOf(row));

    expect(found).toHaveLength(1);
    const [id] = functionOf(servingOf(row));
    expect(found[0]).toMatchObject({ hasAuthorizer: true, needsUsageKey: true });
    expect(found[0]?.integration).toMatchObject({
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${functionArn(id)}/invocations`,
    });
  });

  test('lets API Gateway call the function for this method and path only', () => {
    const [id] = functionOf(servingOf(row));

    const grants = grantsOf(id);
    const together = routes.filter((other) => servingOf(other) === servingOf(row));
    const others = routes.filter((other) => !together.includes(other));

    // One for each verb.
    expect(grants.map(({ Principal, Action }) => [Principal, Action])).toEqual(
      [...new Set(together.map(({ method }) => method))].map(() => [
        'apigateway.amazonaws.com',
        'lambda:InvokeFunction',
      ]),
    );
    expect(mayCall(id, `prod/${nameOf(row).replace(' ', '')}`)).toBe(true);
    expect(mayCall(id, `test/${nameOf(row).replace(' ', '')}`)).toBe(false);
    const path = row.path.replace(/\{[^}]+\}/g, '*');
    if (together.length === 1) expect(JSON.stringify(grants[0].SourceArn)).toContain(`/${row.method}${path}"`);
    else expect(others.filter((other) => mayCall(id, `prod/${nameOf(other).replace(' ', '')}`))).toEqual([]);
  });
});

test('have one rate of their stage, so that it needs no setting for each: 80 changes are all that it takes at once', () => {
  const settings: Resource[] = only('AWS::ApiGateway::Stage').MethodSettings;
  const others = settings.filter(({ ResourcePath }) => !/^\/~1(?:desk|me$)/.test(ResourcePath));

  expect(others).toEqual([
    expect.objectContaining({
      HttpMethod: '*',
      ResourcePath: '/*',
      ThrottlingRateLimit: 100,
      ThrottlingBurstLimit: 200,
      DataTraceEnabled: false,
    }),
  ]);
  // Each setting has four values.
  expect(4 * settings.length).toBeLessThanOrEqual(80);
});

test('has no method, function, role or permission beyond those of the route table', () => {
  const others = ['authorizer', 'delivery-worker', 'desk', 'expiry-sweep', 'resident-lookup', 'stream-consumer'];
  const ofDesk = ['GET', 'HEAD'].flatMap((method) => [`${method} /desk`, `${method} /desk/{file}`, `${method} /me`]);

  expect(methods.map(({ route }) => route).sort()).toEqual([...routes.map(nameOf), ...ofDesk].sort());
  expect(functions.map(([, fn]) => entryOf(fn)).sort()).toEqual([...new Set(routes.map(servingOf)), ...others].sort());
  // One role for each function, one for the schedule, and one for API Gateway's logs.
  expect(ofType('AWS::IAM::Role')).toHaveLength(functions.length + 2);
  expect(ofType('AWS::IAM::Policy')).toEqual([]);
  // One for each function that API Gateway calls, and each verb of it.
  const verbs = new Set(routes.map((row) => `${servingOf(row)} ${row.method}`));
  const entries = [...verbs, 'authorizer', 'desk GET', 'desk HEAD'].map((one) => one.split(' ')[0] ?? '');
  const called = entries.map((entry) => functionOf(entry)[0]);
  const grants = ofType('AWS::Lambda::Permission').map(([, { Properties }]) => refersTo(Properties.FunctionName)[0]);
  expect(grants.sort()).toEqual(called.sort());
});
