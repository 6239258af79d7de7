import { expect, test } from 'vitest';
import { newKey } from '../../lib/keys.ts';
import { apiOf, entryOf, idOf, type Resource, templateOf } from '../support/stack.ts';

const asShipped = templateOf();
const asked = templateOf({
  firewall: 'true',
  ownEncryptionKey: 'true',
  domainName: 'api.example.org',
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
});

test('creates the optional resources only where a setting asks for them', () => {
  const extras = ['AWS::WAFv2::WebACL', 'AWS::ApiGateway::DomainName', 'AWS::KMS::Key'];

  for (const type of extras) {
    expect(asShipped.ofType(type), type).toEqual([]);
    expect(asked.ofType(type).length, type).toBeGreaterThan(0);
  }
  expect(asked.outputs.BaseUrl.Value).toBe('https://api.example.org');
});

test('encrypts the table with the merchant’s own key where a setting asks for one', () => {
  const [[keyId]] = asked.ofType('AWS::KMS::Key') as [[string, Resource]];
  const [[, table]] = asked.ofType('AWS::DynamoDB::Table') as [[string, Resource]];

  expect(table.Properties.SSESpecification).toEqual({
    SSEEnabled: true,
    SSEType: 'KMS',
    KMSMasterKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] },
  });
});

const keyStatementsOf = (entry: string): Resource[] => {
  const [, { Properties }] = asked.functionOf(entry);
  const { Policies } = asked.all[idOf(Properties.Role)].Properties;
  return Policies.flatMap(({ PolicyDocument }: Resource) => PolicyDocument.Statement).filter(({ Action }: Resource) =>
    JSON.stringify(Action).includes('kms:'),
  );
};

test.each([
  ['desk', {}],
  ['products/get-product', { dynamodb: ['Decrypt', 'DescribeKey'] }],
  [
    'products/create-product',
    {
      dynamodb: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'],
    },
  ],
  [
    'products/deliver-product',
    {
      dynamodb: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'],
      sqs: ['Decrypt', 'GenerateDataKey'],
    },
  ],
])('%s may use the merchant’s own key for %j alone', (entry, uses) => {
  const found: Record<string, string[]> = {};
  for (const { Action, Condition } of keyStatementsOf(entry)) {
    const [service = ''] = Condition.StringEquals['kms:ViaService']['Fn::Join'][1];
    found[service.slice(0, -1)] = [...(found[service.slice(0, -1)] ?? []), ...[Action].flat()].sort();
  }

  const expected = Object.entries(uses).map(([service, actions]) => [service, actions.map((one) => `kms:${one}`)]);
  expect(found).toEqual(Object.fromEntries(expected));
});

test('every function uses the merchant’s own key only through the table’s or the queues’ service', () => {
  const [[keyId]] = asked.ofType('AWS::KMS::Key') as [[string, Resource]];

  const entries = asked.ofType('AWS::Lambda::Function').map(([, fn]) => entryOf(fn));
  const statements = entries.flatMap(keyStatementsOf);
  expect(entries.filter((entry) => keyStatementsOf(entry).length === 0)).toEqual(['desk']);
  for (const { Resource: resource, Condition } of statements) {
    expect(resource).toEqual({ 'Fn::GetAtt': [keyId, 'Arn'] });
    expect(Object.keys(Condition)).toEqual(['StringEquals']);
    expect(JSON.stringify(Condition)).toMatch(
      /^\{"StringEquals":\{"kms:ViaService":\{"Fn::Join":\["",\["(dynamodb|sqs)\.",\{"Ref":"AWS::Region"\},"\.amazonaws\.com"\]\]\}\}\}$/,
    );
  }
});

const [[, acl] = []] = asked.ofType('AWS::WAFv2::WebACL') as [string, Resource][];
const ruleOf = (name: string): Resource => acl.Properties.Rules.find(({ Name }: Resource) => Name === name);

test('429s with Retry-After before an address that sends too much, as long as the firewall counts', () => {
  const { Action, Statement } = ruleOf('rate');

  const { EvaluationWindowSec } = Statement.RateBasedStatement;
  expect(Action).toEqual({
    Block: {
      CustomResponse: {
        ResponseCode: 429,
        ResponseHeaders: [
          { Name: 'Retry-After', Value: String(EvaluationWindowSec) },
          { Name: 'Cache-Control', Value: 'no-store' },
          { Name: 'Strict-Transport-Security', Value: 'max-age=31536000' },
          { Name: 'X-Content-Type-Options', Value: 'nosniff' },
        ],
      },
    },
  });
  expect(EvaluationWindowSec).toBe(60);
});

test('stops an address at half the rate of an endpoint, so that it cannot use that rate up', () => {
  const { Limit, EvaluationWindowSec, AggregateKeyType } = ruleOf('rate').Statement.RateBasedStatement;

  const stage = asked.ofType('AWS::ApiGateway::Stage')[0]?.[1].Properties;
  const rates = stage.MethodSettings.filter(({ ResourcePath }: Resource) => ResourcePath === '/*').map(
    ({ ThrottlingRateLimit }: Resource) => ThrottlingRateLimit,
  );
  expect(AggregateKeyType).toBe('IP');
  expect(Limit / EvaluationWindowSec).toBeLessThanOrEqual(Math.min(...rates) / 2);
});

test('401s at the edge without a header of a key’s shape, before anything counts the request', () => {
  const { Priority, Action, Statement } = ruleOf('key');
  const { FieldToMatch, RegexString, TextTransformations } =
    Statement.AndStatement.Statements[0].NotStatement.Statement.RegexMatchStatement;

  const shape = new RegExp(RegexString);
  const key = newKey('live').text;
  const refused = [newKey('test').text, key.slice(0, -1), `${key}0`, ` ${key}`, key.replace('_', '-'), '', 'x'];
  expect(Priority).toBeLessThan(ruleOf('rate').Priority);
  expect(Action.Block.CustomResponse.ResponseCode).toBe(401);
  expect(FieldToMatch).toEqual({ SingleHeader: { Name: 'x-api-key' } });
  expect(TextTransformations).toEqual([{ Priority: 0, Type: 'NONE' }]);
  expect(key).toMatch(shape);
  for (const text of refused) expect(text).not.toMatch(shape);
});

test('closes the address that AWS gave the API only with domainOnly', () => {
  const isClosed = (settings: Record<string, string>) => {
    const closed = templateOf(settings).only('AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint;
    // An import of the document resets what the document does not say.
    const [server] = apiOf(settings).document.servers ?? [];
    expect(server?.['x-amazon-apigateway-endpoint-configuration'].disableExecuteApiEndpoint).toBe(closed);
    return closed;
  };
  const domain = {
    domainName: 'api.example.org',
    certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
  };

  expect([isClosed({}), isClosed(domain), isClosed({ ...domain, domainOnly: 'true' })]).toEqual([
    undefined,
    undefined,
    true,
  ]);
});
