import { expect, test } from 'vitest';
import { createAccount } from '../../../local/deployed/account.ts';
import type { Part } from '../../../local/deployed/template.ts';

/** An account as the doctor, `store verify` and a launch ask about it. */

const topic = 'arn:aws:sns:us-east-1:000000000000:Topic';

const partsOf: Record<string, Part> = {
  'AWS::SNS::Subscription': { TopicArn: topic, Protocol: 'email', Endpoint: 'a&b@example.org' },
  'AWS::Lambda::EventSourceMapping': { EventSourceArn: 'arn:aws:dynamodb:us-east-1:0:table/Data/stream/1' },
  'AWS::DynamoDB::Table': { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
};

const start = () => {
  const removed: string[] = [];
  const mails: string[] = [];
  const account = createAccount({
    stack: 'service',
    outputs: () => ({ BaseUrl: 'http://a?b&c' }),
    template: () => ({
      isProtected: true,
      ofType: (type) => {
        const facts = { metadata: {}, dependsOn: [], isRetained: false, ref: () => 'Data', arn: () => 'arn' };
        return partsOf[type] ? [{ ...facts, id: 'One', properties: partsOf[type] }] : [];
      },
    }),
    concurrency: 10,
    remove: async () => void removed.push('service'),
    onMail: (message) => mails.push(message),
  });
  const ask = async (fields: Record<string, string>) =>
    (await account.answer({ path: '/', target: '', body: `${new URLSearchParams(fields)}` }))?.body;
  return { ...account, ask, removed, mails };
};

test('a stack is deleted once its protection is off, and does not exist afterwards', async () => {
  const { ask, removed } = start();

  const before = await ask({ Action: 'DescribeStacks' });
  const refused = await ask({ Action: 'DeleteStack' });
  await ask({ Action: 'UpdateTerminationProtection', EnableTerminationProtection: 'false' });
  await ask({ Action: 'DeleteStack' });

  expect(before).toContain('<OutputValue>http://a?b&#38;c</OutputValue>');
  expect(refused).toContain('TerminationProtection is enabled');
  expect(removed).toEqual(['service']);
  expect(await ask({ Action: 'DescribeStacks' })).toContain('Stack with id service does not exist');
});

test('an address for alarms is pending until somebody confirms it', async () => {
  const { ask, confirm } = start();
  const list = { Action: 'ListSubscriptionsByTopic', TopicArn: topic };

  expect(await ask(list)).toContain('<SubscriptionArn>PendingConfirmation</SubscriptionArn>');
  confirm();
  expect(await ask(list)).toContain(`<SubscriptionArn>${topic}:One</SubscriptionArn>`);
  expect(await ask({ ...list, TopicArn: `${topic}2` })).not.toContain('<member>');
});

test('it tells mails, quota, event sources and backups, and leaves every other call to engines and functions', async () => {
  const { ask, answer, mails } = start();
  const get = async (path: string) => JSON.parse((await answer({ path, target: '', body: '' }))?.body ?? '{}');
  const mapping = '/2015-03-31/event-source-mappings/?EventSourceArn=';
  const target = 'DynamoDB_20120810.DescribeContinuousBackups';

  await ask({ Action: 'Publish', Message: 'Hello' });
  const backups = await answer({ path: '/', target, body: '{"TableName": "Data"}' });
  const byArn = await answer({ path: '/', target, body: '{"TableName": "arn"}' });
  const other = await answer({ path: '/', target: 'DynamoDB_20120810.GetItem', body: '{}' });

  expect(mails).toEqual(['Hello']);
  expect(await get('/2016-08-19/account-settings')).toMatchObject({ AccountLimit: { ConcurrentExecutions: 10 } });
  expect(await get(`${mapping}${encodeURIComponent('arn:x:table/Data/stream/2')}`)).toMatchObject({
    EventSourceMappings: [{ State: 'Enabled' }],
  });
  expect(await get(`${mapping}${encodeURIComponent('arn:x:table/Other/stream/2')}`)).toEqual({
    EventSourceMappings: [],
  });
  expect(backups?.body).toContain('"PointInTimeRecoveryStatus":"ENABLED"');
  expect(byArn?.body).toContain('"LatestRestorableDateTime":');
  expect(other).toBeUndefined();
});
