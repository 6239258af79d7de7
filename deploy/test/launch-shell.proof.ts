import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../test/support/files.ts';
import { writeFiles } from './clone.ts';
import { type Account, newAccount, order, runOn } from './launch-account.ts';
import { runBuild, standIn, startWorld, writeProgram } from './launch-machine.ts';

/** The commands of the build in launch.yaml, in a clean shell. Only `aws`, `cdk`, `store` and `npm` are stand-ins. */

const root = join(import.meta.dirname, '../..');
const releases = tempDir();
let world = '';
let current = newAccount();

const archiveOf = (release: string, version = release): string => {
  const name = `store-integration-service-${release}`;
  const folder = join(tempDir(), name);
  writeFiles(folder, { 'package.json': JSON.stringify({ version, type: 'module' }) });
  cpSync(join(root, 'deploy/launch'), join(folder, 'deploy/launch'), { recursive: true });
  writeProgram(join(folder, 'store'), standIn('store'));
  writeProgram(join(folder, 'bin/cdk'), standIn('cdk'));
  const archive = join(releases, release, `${name}.tar.gz`);
  mkdirSync(dirname(archive), { recursive: true });
  execFileSync('tar', ['-czf', archive, '-C', dirname(folder), name]);
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(releases, release, 'SHA256SUMS'), `${sum}  ${name}.tar.gz\n`);
  return sum;
};

let sum = '';
/** Of a release whose SHA256SUMS are those of another. */
let forged = '';

beforeAll(async () => {
  sum = archiveOf('1.2.0');
  archiveOf('1.2.1', '1.2.0');
  forged = archiveOf('1.2.2');
  writeFileSync(join(releases, '1.2.2/SHA256SUMS'), readFileSync(join(releases, '1.2.0/SHA256SUMS')));
  world = await startWorld({ releases, run: ({ command, args, input }) => runOn(current, command, args, input) });
});

interface Dry {
  variables?: Record<string, string>;
  account?: Partial<Account>;
  npm?: string;
}

const dryRun = async ({ account = {}, npm = 'mkdir node_modules && mv bin node_modules/.bin', ...dry }: Dry) => {
  current = Object.assign(newAccount(), account);
  return { ...(await runBuild({ world, npm, ...dry })), account: current };
};

test('the dry run is green: the store is made, and its address is known', async () => {
  const { code, output, last, account } = await dryRun({ variables: { CHECKSUM: sum } });

  expect([code, output]).toEqual([0, expect.stringContaining('== Sending the links')]);
  const url = 'https://abc.execute-api.us-east-1.amazonaws.com/prod';
  expect(last).toBe(`BASE_URL is ${url}, DESK_URL is ${url}/desk`);
  expect(account.stores).toEqual([{ id: 'store-1', name: order.storeName }]);
  expect(account.mails).toHaveLength(1);
  expect(output).not.toContain('sis_live');
});

test('a template that names the archive trusts no SHA256SUMS, and a field that names another wins', async () => {
  const own = { OWN: `1.2.2 ${forged}` };
  const runs = [
    await dryRun({ variables: { RELEASE: '1.2.2', ...own } }),
    await dryRun({ variables: { RELEASE: '1.2.2', OWN: `1.2.2 ${sum}` } }),
    await dryRun({ variables: { RELEASE: '1.2.2', CHECKSUM: sum, ...own } }),
    await dryRun({ variables: own }),
  ];

  expect(runs.map(({ code }) => code)).toEqual([0, 1, 1, 0]);
  expect(runs[1]?.last).toContain('has another checksum than it should. Nothing of it was run.');
});

const planted = (command: string, words: string): Dry => ({ account: { planted: [command, words] } });

const faults: [string, Dry, string][] = [
  [
    'a release that is not there',
    { variables: { RELEASE: '9.9.9' } },
    'has no store-integration-service-9.9.9.tar.gz. Correct Release or Place',
  ],
  [
    'a checksum that differs',
    { variables: { CHECKSUM: '0'.repeat(64) } },
    'has another checksum than it should. Nothing of it was run.',
  ],
  [
    'the checksums of another release',
    { variables: { RELEASE: '1.2.2' } },
    'does not name store-integration-service-1.2.2.tar.gz',
  ],
  [
    'an archive of another version',
    { variables: { RELEASE: '1.2.1' } },
    'The archive of release 1.2.1 holds version 1.2.0.',
  ],
  ['packages that cannot be installed', { npm: 'exit 1' }, 'npm could not install the packages'],
  [
    'a role that is gone',
    planted('aws ssm get-parameter', 'Unable to locate credentials.'),
    'AWS does not know the role of the build',
  ],
  [
    'a right that is missing',
    planted('cdk bootstrap', 'User: arn:x is not authorized to perform: iam:CreateRole on resource: y'),
    'Preparing the account failed. The role of the build lacks a right, iam:CreateRole.',
  ],
  [
    'a toolkit that is too old',
    { account: { bootstrapVersion: '5' } },
    'The toolkit of this account has version 5, and the service needs 6.',
  ],
  [
    'a quota that is used up',
    planted('cdk deploy', 'WAFLimitExceededException'),
    'Deploying failed. A quota of your AWS account is used up.',
  ],
  [
    'a deployment of somebody else',
    { account: { stacks: { 'store-integration-prod': {} } } },
    'This account has a deployment store-integration-prod in this region already.',
  ],
  [
    'settings that are no JSON',
    { variables: { SETTINGS: '{storeShare}' } },
    'The field "More settings" holds no JSON: {storeShare}',
  ],
  [
    'a setting that does not exist',
    planted('cdk deploy', 'These settings are wrong:\n  shop is not a setting.'),
    'The field "More settings" is wrong: shop is not a setting.',
  ],
  [
    'a service that does not work',
    planted('store verify', 'state  check  found\nok    api   answers\nfail  sale  POST /v1/sales answers 503'),
    'does not do all that it should. fail  sale  POST /v1/sales answers 503',
  ],
];

test.each(faults)('the dry run is red with %s, and its last line says so', async (_, dry, sentence) => {
  const { code, last } = await dryRun(dry);

  expect(last).toMatch(/^error: /);
  expect(last).toContain(sentence);
  expect(code).toBe(1);
});
