import { expect, test } from 'vitest';
import { idOf, templateOf } from '../support/stack.ts';

const asShipped = templateOf();
const { own, functionOf, all, ofType } = templateOf({ eventBus: 'merchant', stage: 'test' });
const [busId, bus] = functionOf('event-bus');

test('without the setting there is no such function, role, alarm or permission', () => {
  const everything = JSON.stringify(asShipped.all);

  expect(everything).not.toContain('event-bus');
  expect(everything).not.toContain('events:PutEvents');
  expect(everything).not.toContain('EventBus');
});

test('the function reads the stream on its own, noted events alone, and gets a batch again that fails', () => {
  const [mapping, ...others] = Object.values(own).filter(
    ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && Properties.FunctionName.Ref === busId,
  );

  expect(others).toEqual([]);
  expect(mapping.Properties).toMatchObject({
    EventSourceArn: { 'Fn::GetAtt': [ofType('AWS::DynamoDB::Table')[0]?.[0], 'StreamArn'] },
    StartingPosition: 'LATEST',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    MaximumRecordAgeInSeconds: 20 * 3600,
  });
  expect(mapping.Properties.MaximumRetryAttempts).toBeUndefined();
  expect(JSON.parse(mapping.Properties.FilterCriteria.Filters[0].Pattern)).toEqual({
    eventName: ['INSERT'],
    dynamodb: { Keys: { pk: { S: [{ suffix: '#EVENT' }] } }, NewImage: { type: { S: [{ exists: true }] } } },
  });
});

test('its role may put events on that bus and read the stream, and nothing else', () => {
  const { Policies } = all[idOf(bus.Properties.Role)].Properties;
  const statements = Policies[0].PolicyDocument.Statement;
  const [{ Resource }] = statements.filter(({ Sid }: { Sid: string }) => Sid === 'Bus');

  expect(statements.map(({ Sid, Action }: { Sid: string; Action: unknown }) => [Sid, Action])).toEqual([
    ['Stream', ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((one) => `dynamodb:${one}`)],
    ['ListStreams', 'dynamodb:ListStreams'],
    ['Bus', 'events:PutEvents'],
    ['Log', ['logs:CreateLogStream', 'logs:PutLogEvents']],
  ]);
  expect(Resource['Fn::Join'][1].at(-1)).toMatch(/:event-bus\/merchant$/);
  expect(bus.Properties.Environment.Variables).toMatchObject({
    EVENT_BUS: 'merchant',
    EVENT_SOURCE: 'store-integration-service.test',
  });
});

test('alarms tell when the bus is behind, and when it refused an event', () => {
  const names = ofType('AWS::CloudWatch::Alarm').map(([id]) => id);

  for (const name of ['EventBusBehind', 'EventBusRefused'])
    expect(names.filter((id) => id.includes(name))).toHaveLength(1);
});
