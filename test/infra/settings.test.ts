import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettings, settingNames } from '../../infra/settings.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

test('has a default for every setting that needs no choice', () => {
  const settings = readSettings({ ...context, firewall: 'false' });

  expect(settings).toEqual({
    stage: 'prod',
    creditLimit: 1_000_000_000,
    authorizerTtlSeconds: 60,
    endpointRate: 100,
    storeShare: 50,
    addressRate: 10,
    readUnits: 4_000,
    writeUnits: 2_000,
    logRetentionDays: 90,
    deliveryRecordDays: 90,
    journalDays: 400,
    keepDeliveryNotes: false,
    operatorLogDays: 0,
    deliveryConcurrency: 2,
    desk: true,
    dashboard: false,
    tracing: false,
    firewall: false,
    ownEncryptionKey: false,
    domainOnly: false,
  });
});

test('requires a choice about the firewall, so that neither its price nor its absence surprises anybody', () => {
  const read = () => readSettings(context);

  expect(read).toThrow('firewall must be chosen: true or false.');
});

test('the CDK’s application says which setting is wrong, without a stack trace', () => {
  const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { encoding: 'utf8' });

  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'These settings are wrong:\n  firewall must be chosen: true or false.\n',
  });
});

test('with the firewall, refuses an addressRate above half of an endpoint’s rate', () => {
  const rates = { endpointRate: 8, addressRate: 5 };

  expect(() => readSettings({ ...rates, firewall: true })).toThrow('addressRate must be at most half of endpointRate.');
  expect(readSettings({ ...rates, firewall: false })).toMatchObject(rates);
});

test('takes numbers and flags as text, as the command line gives them', () => {
  const settings = readSettings({
    firewall: 'true',
    stage: 'test-2',
    creditLimit: '5000',
    tracing: 'true',
    authorizerTtlSeconds: 0,
  });

  expect(settings).toMatchObject({
    firewall: true,
    stage: 'test-2',
    creditLimit: 5000,
    tracing: true,
    authorizerTtlSeconds: 0,
  });
});

test.each<[name: string, value: string, message: string]>([
  ['stage', 'Prod', 'stage must be 1 to 20 of a-z, 0-9 and -, the first of them a letter.'],
  ['creditLimit', '1e9', 'creditLimit must be a whole number from 1 to 2147483647.'],
  ['creditLimit', '0', 'creditLimit must be a whole number from 1 to 2147483647.'],
  ['authorizerTtlSeconds', '3601', 'authorizerTtlSeconds must be a whole number from 0 to 3600.'],
  ['endpointRate', '-5', 'endpointRate must be a whole number from 1 to 10000.'],
  ['endpointRate', '', 'endpointRate must be a whole number from 1 to 10000.'],
  ['endpointRate', '2.5', 'endpointRate must be a whole number from 1 to 10000.'],
  ['storeShare', '101', 'storeShare must be a whole number from 1 to 100.'],
  ['addressRate', '0', 'addressRate must be a whole number from 1 to 10000.'],
  ['readUnits', '999', 'readUnits must be a whole number from 1000 to 40000.'],
  ['writeUnits', '40001', 'writeUnits must be a whole number from 1000 to 40000.'],
  ['deliveryRecordDays', '29', 'deliveryRecordDays must be a whole number from 30 to 3653.'],
  ['keepDeliveryNotes', 'yes', 'keepDeliveryNotes must be true or false.'],
  ['logRetentionDays', '91', 'logRetentionDays must be one of 1, 3, 5, 7, 14, 30, 60, 90,'],
  ['operatorLogDays', '-1', 'operatorLogDays must be a whole number from 0 to 36500.'],
  ['alarmEmail', 'me', 'alarmEmail must be an e-mail address, without accents.'],
  ['dispenserHostSuffixes', 'lindenlab', 'dispenserHostSuffixes must be host names separated by commas,'],
  ['deliveryConcurrency', '1', 'deliveryConcurrency must be a whole number from 2 to 1000.'],
  ['restoredTable', 'a b', 'restoredTable must be the name of a table in this account and region.'],
  [
    'restoredTable',
    'restored',
    'restoredStream is required with restoredTable, and must be that table’s: see "Restore"',
  ],
  ['restoredStream', 'mine', 'restoredStream must be the ARN of the restored table’s stream, its LatestStreamArn.'],
  ['exportBucket', 'My Bucket', 'exportBucket must be the name of a bucket in Amazon S3.'],
  ...['a..b', '192.168.1.1', 'xn--abc', 'a-.b', 'ab', `${'a'.repeat(64)}`].map(
    (name) =>
      ['exportBucket', name, 'exportBucket must be the name of a bucket in Amazon S3.'] as [string, string, string],
  ),
  [
    'restoredStream',
    'arn:aws:dynamodb:us-east-1:111111111111:table/restored/stream/2026',
    'restoredStream must be the ARN of the restored table’s stream, its LatestStreamArn.',
  ],
  ['alarmEmail', 'andré@example.org', 'alarmEmail must be an e-mail address, without accents.'],
  ['certificateArn', 'arn:aws:acm:us-east-1', 'certificateArn must be the ARN of a certificate in ACM.'],
  ['exportBucketAccount', '1234', 'exportBucketAccount must be the 12 digits of an AWS account.'],
  ['exportBucketAccount', '123456789012', 'exportBucketAccount needs an exportBucket.'],
  ['eventBus', 'a/b', 'eventBus must be the name of an event bus in this account and region, such as default.'],
  ['releases', 'http://example.org/LATEST', 'releases must be an address that begins with https://.'],
  ['tracing', 'yes', 'tracing must be true or false.'],
  ['firewall', '1', 'firewall must be true or false.'],
  ['ownEncryptionKey', 'on', 'ownEncryptionKey must be true or false.'],
  ['domainName', 'api.example.org', 'certificateArn is required: domainName and certificateArn go together.'],
  ['domainOnly', 'true', 'domainOnly needs a domainName.'],
  ['certificateArn', 'mine', 'certificateArn must be the ARN of a certificate in ACM.'],
])('says which values %s takes when it is %s', (name, value, message) => {
  expect(() => readSettings({ firewall: false, [name]: value })).toThrow(message);
});

test('refuses a certificate of another region than that of the deployment, where the CDK tells it', () => {
  const own = { domainName: 'api.example.org', certificateArn: 'arn:aws:acm:eu-west-1:111111111111:certificate/1' };

  expect(() => readSettings({ firewall: false, ...own }, 'us-east-1')).toThrow(
    'certificateArn must be of a certificate in us-east-1, where the deployment is: this one is in eu-west-1.',
  );
  expect(readSettings({ firewall: false, ...own }, 'eu-west-1')).toMatchObject(own);
  expect(readSettings({ firewall: false, ...own })).toMatchObject(own);
});

test('names a setting that does not exist, and reports all faults at once', () => {
  const read = () => readSettings({ firewall: false, alarmMail: 'me@example.org', stage: '9', tracing: 'yes' });

  expect(read).toThrow(/alarmMail is not a setting\. There are: .*alarmEmail/);
  expect(read).toThrow(/stage must/);
  expect(read).toThrow(/tracing must/);
});

test('every setting is documented', () => {
  const text = readFileSync(new URL('../../docs/operate/deploy.md', import.meta.url), 'utf8');

  for (const name of settingNames) expect(text, name).toContain(`\`${name}\``);
});
