import packageFile from '../../../package.json' with { type: 'json' };
import { isLater, newestIn } from '../../shared/newest.ts';
import type { Target } from '../deployment/target.ts';
import { explain } from '../terminal/errors.ts';
import { counted } from '../terminal/output.ts';
import { type Finding, ok, warnIf } from './finding.ts';

/** The doctor's checks of the running version, of newer versions, and of the e-mails of alarms. */

export const checkVersion = ({ version }: Target): Finding[] => {
  const own = packageFile.version;
  if (version === undefined)
    return [
      warnIf('version', [
        `it does not say which version runs; this command is ${own}`,
        'Deploy again: npx cdk deploy (docs/operate/deploy.md, "Update").',
      ]),
    ];
  const fix = isLater(own, version)
    ? 'Deploy this one: npx cdk deploy (docs/operate/deploy.md, "Update").'
    : `Use the command of version ${version}: get its files, and run npm ci.`;
  return [warnIf('version', version !== own && [`${version} runs, and this command is ${own}`, fix], `${own} runs`)];
};

const lookMillis = 10_000;

/** Asks the address in the setting `releases` for the newest version. Without the setting, it asks nothing. */
export const checkReleases = async ({ releases, version = packageFile.version }: Target): Promise<Finding[]> => {
  if (releases === undefined) return [];
  try {
    const response = await fetch(releases, { signal: AbortSignal.timeout(lookMillis) });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    const newest = newestIn(await response.text());
    if (newest === undefined) throw new Error('it names no version');
    const fix = 'Read what it changes, then update (docs/operate/deploy.md, "Update").';
    const later = isLater(newest, version);
    return [warnIf('new version', later && [`${newest} is there`, fix], `none: the newest is ${newest}`)];
  } catch (error) {
    const fix = 'Look again later, or correct the setting releases.';
    return [warnIf('new version', [`${releases} does not tell: ${explain(error)}`, fix])];
  }
};

/** Checks who gets the e-mails of alarms. The findings name no address, since people show them to others. */
export const checkAlarms = async ({ kind, alarmTopic, version }: Target): Promise<Finding[]> => {
  // A deployment that does not tell its version tells no topic either.
  if (kind === 'local' || version === undefined) return [];
  if (alarmTopic === undefined)
    return [warnIf('alarms', ['nobody gets them', 'Set alarmEmail (docs/operate/deploy.md, "Settings") and deploy.'])];
  // Loaded only here: a command on the local service starts faster without it.
  const { ListSubscriptionsByTopicCommand, SNSClient } = await import('@aws-sdk/client-sns');
  const command = new ListSubscriptionsByTopicCommand({ TopicArn: alarmTopic });
  const { Subscriptions = [] } = await new SNSClient({}).send(command);
  const arns = Subscriptions.map(({ SubscriptionArn = '' }) => SubscriptionArn);
  const confirmed = arns.filter((arn) => arn.startsWith('arn:')).length;
  if (arns.includes('PendingConfirmation'))
    return [
      warnIf('alarms', [
        'an e-mail address was never confirmed and gets no alarm',
        'Press the link in AWS’s e-mail "Subscription Confirmation". If you have none, have it sent again in the console: Amazon SNS, Subscriptions, "Request confirmation".',
      ]),
    ];
  if (confirmed === 0)
    return [
      warnIf('alarms', [
        'nobody gets them: the address has unsubscribed, or did not confirm in time',
        'In the console, Amazon SNS, Topics, make a subscription with the protocol Email.',
      ]),
    ];
  return [ok('alarms', `go to ${counted(confirmed, 'address', 'addresses')}`)];
};
