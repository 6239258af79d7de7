import { expect, test } from 'vitest';
import packageFile from '../../../../package.json' with { type: 'json' };
import { serve } from '../../../../test/support/deliveries.ts';
import { checkAlarms, checkReleases, checkVersion } from '../../books/doctor-account.ts';
import type { Target } from '../../deployment/target.ts';
import { stubAws } from '../support/stacks.ts';

/** The doctor's look at the version that runs, at releases, and at who gets the e-mails of alarms. */

const { version } = packageFile;
const topic = 'arn:aws:sns:us-east-1:111111111111:store-integration-prod-Topic';

const targetWith = (part: Partial<Target>): Target => ({ kind: 'stage', version, ...part }) as Target;

test.each([
  [version, 'ok', `${version} runs`, undefined],
  ['0.0.1', 'warn', `0.0.1 runs, and this command is ${version}`, 'Deploy this one'],
  ['99.0.0', 'warn', '99.0.0 runs', 'Use the command of version 99.0.0'],
  [undefined, 'warn', 'does not say which version runs', 'Deploy again'],
])('the doctor says that version %s runs', (runs, state, detail, fix) => {
  const [finding] = checkVersion(targetWith({ version: runs }));

  expect(finding?.state).toBe(state);
  expect(finding?.detail).toContain(detail);
  expect(finding?.fix ?? '').toContain(fix ?? '');
});

test.each([
  ['0.10.0\n', '0.9.0', 'warn', '0.10.0 is there'],
  ['{"tag_name": "v1.2.0", "name": "9.9.9"}', '1.1.9', 'warn', '1.2.0 is there'],
  ['{"name": "x", "version": "1.2.0"}', '1.2.0', 'ok', 'none: the newest is 1.2.0'],
  ['1.2.0', '1.3.0', 'ok', 'none: the newest is 1.2.0'],
  ['<html>1.2.0</html>', '1.0.0', 'warn', 'does not tell: it names no version'],
])('an address that tells %j makes of version %s: %s', async (told, runs, state, detail) => {
  const releases = await serve((_, response) => response.end(told));

  const [finding] = await checkReleases(targetWith({ releases, version: runs }));

  expect(finding?.state).toBe(state);
  expect(finding?.detail).toContain(detail);
});

test('an address that is away is a warning, and without one nothing is asked or said', async () => {
  const away = await serve((_, response) => response.writeHead(404).end());

  const [finding] = await checkReleases(targetWith({ releases: away }));

  expect(finding).toMatchObject({ state: 'warn', detail: expect.stringContaining('it answers 404') });
  expect(await checkReleases(targetWith({}))).toEqual([]);
});

const aws = stubAws({});

test.each([
  [['arn:aws:sns:us-east-1:111111111111:topic:1'], 'ok', 'go to 1 address', undefined],
  [['PendingConfirmation'], 'warn', 'was never confirmed', 'Subscription Confirmation'],
  [['arn:aws:sns:us-east-1:111111111111:topic:1', 'PendingConfirmation'], 'warn', 'was never confirmed', 'press'],
  [['Deleted'], 'warn', 'has unsubscribed', 'make a subscription'],
  [[], 'warn', 'nobody gets them', 'make a subscription'],
])('with the subscriptions %j the check of alarms is %s', async (subscriptions, state, detail, fix) => {
  aws.subscriptions = subscriptions;

  const [finding] = await checkAlarms(targetWith({ alarmTopic: topic }));

  expect(finding?.state).toBe(state);
  expect(finding?.detail).toContain(detail);
  expect((finding?.fix ?? '').toLowerCase()).toContain((fix ?? '').toLowerCase());
  expect(JSON.stringify(finding)).not.toContain('@');
});

test('without an address for alarms the doctor says so; where the version is not told, and of a local service, it says nothing', async () => {
  const [none] = await checkAlarms(targetWith({}));

  expect(none).toMatchObject({ state: 'warn', fix: expect.stringContaining('alarmEmail') });
  expect(await checkAlarms(targetWith({ version: undefined }))).toEqual([]);
  expect(await checkAlarms(targetWith({ kind: 'local' }))).toEqual([]);
});
