import { describe, expect, test } from 'vitest';
import { type Route, entryOf as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { entryOf, idOf, type Resource, refersTo, templateOf } from '../support/stack.ts';

const { all, ofType, only, functionOf } = templateOf();
const functions = ofType('AWS::Lambda::Function');

/** The path of each resource of the API, such as `/v1/coupons/{id}`. */
const pathOf = (id: string): string => {
  const { PathPart, ParentId } = all[id].Properties;
  return ParentId['Fn::GetAtt'] ? `/${PathPart}` : `${pathOf(ParentId.Ref)}/${PathPart}`;
};
const methods = ofType('AWS::ApiGateway::Method').map(([, { Properties }]) => ({
  ...Properties,
  route: `${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref)}`,
}));
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe.each(routes.map((row): [string, Route] => [row.id, row]))('%s', (_, row) => {
  test('has a method with the authorizer and its own function', () => {
    const found = methods.filter(({ route }) => route === nameOf(row));

    expect(found).toHaveLength(1);
    const [method] = found;
    const [authorizerId] = ofType('AWS::ApiGateway::Authorizer')[0] ?? [];
    expect(method.AuthorizationType).toBe('CUSTOM');
    expect(method.AuthorizerId.Ref).toBe(authorizerId);
    expect(method.Integration).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
    expect(refersTo(method.Integration.Uri)).toContain(functionOf(servingOf(row))[0]);
  });

  test('lets API Gateway call the function for this method and path only', () => {
    const [id] = functionOf(servingOf(row));

    const grants = ofType('AWS::Lambda::Permission').filter(
      ([, { Properties }]) => idOf(Properties.FunctionName) === id,
    );

    expect(grants).toHaveLength(routes.filter((other) => servingOf(other) === servingOf(row)).length);
    const path = row.path.replace(/\{[^}]+\}/g, '*');
    const own = grants.filter(([, { Properties }]) =>
      JSON.stringify(Properties.SourceArn).includes(`/${row.method}${path}"`),
    );
    expect(own.map(([, { Properties }]) => Properties.Principal)).toEqual(['apigateway.amazonaws.com']);
  });

  test('has a rate, the lowest for lists', () => {
    const settings = only('AWS::ApiGateway::Stage').MethodSettings;
    // CloudFormation writes slashes as ~1 in these names.
    const path = `/${row.path.replaceAll('/', '~1')}`;

    const own = settings.filter((one: Resource) => one.HttpMethod === row.method && one.ResourcePath === path);

    const rate = 'cursor' in row.query.shape ? 20 : row.writes.length > 0 || row.queue ? 50 : 100;
    expect(own).toEqual([
      expect.objectContaining({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate, DataTraceEnabled: false }),
    ]);
  });
});

test('has no method, function, role or permission beyond those of the route table', () => {
  const others = ['authorizer', 'delivery-worker', 'desk', 'expiry-sweep', 'resident-lookup', 'stream-consumer'];
  const ofDesk = ['GET', 'HEAD'].flatMap((method) => [`${method} /desk`, `${method} /desk/{file}`]);

  expect(methods.map(({ route }) => route).sort()).toEqual([...routes.map(nameOf), ...ofDesk].sort());
  expect(functions.map(([, fn]) => entryOf(fn)).sort()).toEqual([...new Set(routes.map(servingOf)), ...others].sort());
  // One for each function, one for the schedule, and one for API Gateway's logs.
  expect(ofType('AWS::IAM::Role')).toHaveLength(functions.length + 2);
  expect(ofType('AWS::IAM::Policy')).toEqual([]);
  expect(ofType('AWS::Lambda::Permission')).toHaveLength(routes.length + ofDesk.length + 1);
});
