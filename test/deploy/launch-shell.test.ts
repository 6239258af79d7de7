import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { tempDir } from '../support/files.ts';
import { writeFiles } from './clone.ts';
import { type Account, newAccount, order, runOn } from './launch-account.ts';
import { buildCommands } from './launch-file.ts';

/** The commands of the build in launch.yaml, in a clean shell. Only `aws`, `cdk`, `store` and `npm` are stand-ins. */

const root = join(import.meta.dirname, '../..');
const releases = tempDir();
let standIn = '';

const program = (path: string, lines: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
};

/** A program that runs on the account, which is in this process: it sends its arguments and its input here. */
const onAccount = (command: string): string => `
answer=$({ printf '%s\\0' "$#" "$@"; cat call.json; } | curl --silent --write-out '%{http_code}' --data-binary @- "\${STAND_IN}${command}")
case $answer in *200) printf '%s' "\${answer%???}"; exit 0 ;; esac
printf '%s\\n' "\${answer%???}" >&2
exit 1`;

let current = newAccount();

/** Answers a program, or serves a file of a release. */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = request.url ?? '';
  if (request.method === 'GET') {
    const path = join(releases, url);
    response.writeHead(existsSync(path) ? 200 : 404).end(existsSync(path) ? readFileSync(path) : '');
    return;
  }
  const [count, ...rest] = (await text(request)).split('\0');
  const args = rest.slice(0, Number(count));
  try {
    response.end(runOn(current, url.slice(1), args, rest.slice(Number(count)).join('\0')));
  } catch (error) {
    response.writeHead(500).end((error as Error).message);
  }
};

const archiveOf = (release: string, version = release): string => {
  const name = `store-integration-service-${release}`;
  const folder = join(tempDir(), name);
  writeFiles(folder, { 'package.json': JSON.stringify({ version, type: 'module' }) });
  cpSync(join(root, 'deploy/launch'), join(folder, 'deploy/launch'), { recursive: true });
  program(join(folder, 'store'), onAccount('store'));
  program(join(folder, 'bin/cdk'), onAccount('cdk'));
  const archive = join(releases, release, `${name}.tar.gz`);
  mkdirSync(dirname(archive), { recursive: true });
  execFileSync('tar', ['-czf', archive, '-C', dirname(folder), name]);
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(releases, release, 'SHA256SUMS'), `${sum}  ${name}.tar.gz\n`);
  return sum;
};

let sum = '';

beforeAll(async () => {
  sum = archiveOf('1.2.0');
  archiveOf('1.2.1', '1.2.0');
  archiveOf('1.2.2');
  writeFileSync(join(releases, '1.2.2/SHA256SUMS'), readFileSync(join(releases, '1.2.0/SHA256SUMS')));
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  standIn = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  atEnd(() => {
    server.close();
  });
});

interface Dry {
  variables?: Record<string, string>;
  account?: Partial<Account>;
  npm?: string;
}

/** Runs the commands as a machine of CodeBuild does, with nothing of this process's environment. */
const runBuild = async ({
  variables = {},
  account = {},
  npm = 'mkdir node_modules && mv bin node_modules/.bin',
}: Dry) => {
  const dir = tempDir();
  current = Object.assign(newAccount(), account);
  program(join(dir, 'bin/aws'), onAccount('aws'));
  program(join(dir, 'bin/npm'), npm);
  mkdirSync(join(dir, 'src'));
  const child = spawn('bash', ['-c', `${buildCommands}\necho "BASE_URL is $BASE_URL, DESK_URL is $DESK_URL"`], {
    cwd: join(dir, 'src'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dir}/bin:${dirname(process.execPath)}:/usr/bin:/bin`,
      STAND_IN: standIn,
      ACT: 'Create',
      RELEASE: '1.2.0',
      PLACE: `${standIn}VERSION`,
      CHECKSUM: '',
      STORE_NAME: order.storeName,
      EMAIL: order.email,
      FIREWALL: 'yes',
      SETTINGS: '{}',
      AWS_REGION: order.region,
      LAUNCH: order.launch,
      RIGHTS: order.rights,
      EXPORTS: order.exports,
      ...variables,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part));
  const [code] = await once(child, 'close');
  const lines = output.trimEnd().split('\n');
  return { code, output, last: lines.at(-1), account: current };
};

test('the dry run is green: the store is made, and its address is known', async () => {
  const { code, output, last, account } = await runBuild({ variables: { CHECKSUM: sum } });

  expect([code, output]).toEqual([0, expect.stringContaining('== Sending the links')]);
  const url = 'https://abc.execute-api.us-east-1.amazonaws.com/prod';
  expect(last).toBe(`BASE_URL is ${url}, DESK_URL is ${url}/desk`);
  expect(account.stores).toEqual([{ id: 'store-1', name: order.storeName }]);
  expect(account.mails).toHaveLength(1);
  expect(output).not.toContain('sis_live');
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
  const { code, last } = await runBuild(dry);

  expect(last).toMatch(/^error: /);
  expect(last).toContain(sentence);
  expect(code).toBe(1);
});
