import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListSubscriptionsByTopicCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { beforeAll, expect, test } from 'vitest';
import { startDeployment } from '../../local/deployed/deployment.ts';
import type { FunctionFacts } from '../../local/deployed/environment.ts';
import { launchArn, readLaunch } from '../../local/deployed/launch-rights.ts';
import type { Statement } from '../../local/deployed/roles.ts';
import { startQueue } from '../../local/engines/queue.ts';
import { atEnd } from '../../test/support/at-end.ts';
import { tempDir } from '../../test/support/files.ts';
import { newAccount, order, runOn } from './launch-account.ts';
import { checkCommand, checkRequest } from './launch-calls.ts';
import { codeBuild, endedAs, requestOf, startFormation } from './launch-codebuild.ts';
import { releaseFiles } from './launch-file.ts';
import { type ProgramCall, runBuild, standIn, startWorld, writeProgram } from './launch-machine.ts';

/**
 * Launches from their form to their deletion: the function and the commands of launch.yaml, its build, the CDK's
 * synthesis, the command `store`, the template and its bundles. The stand-ins are CodeBuild, Parameter Store, the
 * upload and the roles of `cdk deploy`, and the command `aws`, whose calls go to `npm run deployed` and, for S3 and
 * STS, to fauxqs. The policies of launch.yaml are asked about each call of a build, and of CloudFormation for it.
 * RELEASE_FILES=release launches the files that `npm run release` made.
 */

const root = join(import.meta.dirname, '../..');
const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const later = '99.0.0';
const stack = 'store-integration-prod';
const releases = tempDir();
const account = newAccount();
const mails: string[] = [];
/** Takes the rights to the table from the function that sells. */
let isPlanted = false;

const change = (facts: FunctionFacts): FunctionFacts =>
  isPlanted && facts.label === 'sales-create-sale' ? { ...facts, statements: [] } : facts;

type Deployment = Awaited<ReturnType<typeof startDeployment>>;

let deployment: Deployment | undefined;
/** The folder of the template that runs. */
let running = '';
/** One for each launch, since the tables of all of them stay. */
const deployments: Deployment[] = [];

/** A stack of the form, with the rights that it gives. */
const launchOf = (id: string) => ({ launch: launchArn(id), formation: readLaunch(launchArn(id)).formation });

const first = launchOf('0c0ffee0-1111-4222-8333-444444444444');
const second = launchOf('1badcafe-5555-4666-8777-888888888888');
const third = launchOf('2badcafe-9999-4aaa-8bbb-cccccccccccc');
let current = first;

/** Fails a deployment after this many functions. */
let failsAfter = Number.POSITIVE_INFINITY;
let storage: Awaited<ReturnType<typeof startQueue>>;
let formation: Awaited<ReturnType<typeof startFormation>>;
let world = '';

/** Makes the archive of a release from this checkout, and its checksum. */
const publish = (folder: string, release: string): void => {
  const name = `store-integration-service-${release}`;
  const path = join(dirname(folder), name);
  if (path !== folder) renameSync(folder, path);
  const file = join(path, 'package.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: release }));
  const archive = join(releases, release, `${name}.tar.gz`);
  mkdirSync(dirname(archive), { recursive: true });
  execFileSync('tar', ['-czf', archive, '-C', dirname(path), name]);
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(releases, release, 'SHA256SUMS'), `${sum}  ${name}.tar.gz\n`);
};

const publishBoth = (): void => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  const folder = join(tempDir(), `store-integration-service-${version}`);
  for (const path of listed.toString().split('\0').filter(Boolean))
    if (!/^(?:test|docs\/images)\//.test(path)) cpSync(join(root, path), join(folder, path));
  if (releaseFiles) cpSync(releaseFiles, join(releases, version), { recursive: true });
  else publish(folder, version);
  publish(folder, later);
};

/** Calls S3. Its port is one that `fetch` refuses, as browsers do. */
const callStorage = async (method: string, path: string, body?: Buffer): Promise<Buffer> => {
  const sent = requestHttp(`${storage.endpoint}/${path}`, { method });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const content = await buffer(answer);
  if (answer.statusCode !== 200) throw new Error(`S3 answers ${answer.statusCode} to ${method} ${path}: ${content}`);
  return content;
};

const credentials = { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'secret' };

/** A call of CloudFormation or SNS, by the deployment. */
const callDeployed = async (line: string, input: Record<string, unknown>): Promise<object> => {
  if (!deployment) throw new Error(`ValidationError: Stack with id ${input.StackName} does not exist`);
  const endpoint = deployment.awsEnvironment.AWS_ENDPOINT_URL;
  const formations = new CloudFormationClient({ endpoint, region: order.region, credentials });
  const topics = new SNSClient({ endpoint, region: order.region, credentials });
  const calls: Record<string, () => Promise<object>> = {
    'cloudformation describe-stacks': () => formations.send(new DescribeStacksCommand(input)),
    'cloudformation update-termination-protection': () =>
      formations.send(new UpdateTerminationProtectionCommand(input as never)),
    'cloudformation delete-stack': async () => {
      const answer = await formations.send(new DeleteStackCommand(input as never));
      deployment = undefined;
      return answer;
    },
    'sns list-subscriptions-by-topic': () => {
      // The merchant presses the link while the build waits for that.
      deployment?.confirm();
      return topics.send(new ListSubscriptionsByTopicCommand(input as never));
    },
    'sns publish': () => topics.send(new PublishCommand(input as never)),
  };
  const called = calls[line];
  if (!called) throw new Error(`There is no ${line} here.`);
  return called();
};

const runAws = async ({ args, cwd, input }: ProgramCall): Promise<string> => {
  checkCommand(args, input);
  const line = args.slice(0, 2).join(' ');
  if (args[1] === 'wait') return '';
  if (args[0] === 's3') {
    const [path = '', target = ''] = args.slice(-2);
    await callStorage('PUT', target.replace('s3://', ''), readFileSync(join(cwd, path)));
    return '';
  }
  if (args[0] === 'sts') {
    const client = new STSClient({ endpoint: storage.endpoint, region: order.region, credentials });
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    return JSON.stringify({ Account });
  }
  if (/^(?:cloudformation|sns) /.test(line)) return JSON.stringify(await callDeployed(line, JSON.parse(input)));
  return runOn(account, 'aws', args, input);
};

/** The folder of each version's template: its synthesis takes half a minute. */
const templates = new Map<string, string>();

/** A template with another bound for its roles, which is all that a later launch changes in it. */
const boundedBy = (made: string, bound: string): string => {
  const folder = join(tempDir(), 'made');
  cpSync(made, folder, { recursive: true });
  for (const name of readdirSync(folder).filter((one) => one.endsWith('template.json'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(first.formation.bound, bound));
  }
  return folder;
};

/** Synthesises as the CDK does, with the settings that the build wrote. */
const synthesise = async (cwd: string): Promise<string> => {
  const { bound } = current.formation;
  const release = basename(cwd);
  const made = templates.get(release) ?? join(cwd, 'made');
  if (!templates.has(release)) {
    const env = { PATH: `${join(root, 'node_modules/.bin')}:/usr/bin:/bin`, HOME: tempDir() };
    const args = ['synth', '--quiet', '--no-notices', '-o', made];
    await promisify(execFile)(join(root, 'node_modules/.bin/cdk'), args, { cwd, env, maxBuffer: 1e8 });
    templates.set(release, made);
  }
  const known = readFileSync(join(cwd, 'cdk.context.json'), 'utf8');
  expect(JSON.parse(known)['@aws-cdk/core:permissionsBoundary']).toEqual({ arn: bound });
  return current === first ? made : boundedBy(made, bound);
};

/** Deploys another template. If that fails half-way, CloudFormation goes back to the earlier one. */
const replaceBy = async (there: Deployment, next: string): Promise<void> => {
  let done = 0;
  const pause = async (): Promise<void> => {
    done += 1;
    if (done === failsAfter) throw new Error('UPDATE_FAILED: AWS::Lambda::Function. The update was rolled back.');
  };
  try {
    await there.update(next, { pause });
  } catch (error) {
    await there.update(running);
    throw error;
  }
};

const deploy = async (cwd: string): Promise<string> => {
  const made = await synthesise(cwd);
  if (deployment) await replaceBy(deployment, made);
  else {
    // On AWS a later table has another name than the one that stays. Here it has another engine.
    for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS']) delete process.env[name];
    deployment = await startDeployment({
      template: made,
      port: 0,
      concurrency: 1000,
      rights: current.formation,
      change,
      onMail: (message) => mails.push(message),
    });
    deployments.push(deployment);
  }
  running = made;
  return '';
};

const run = (call: ProgramCall): string | Promise<string> => {
  if (call.command === 'aws') return runAws(call);
  return call.args[0] === 'deploy' ? deploy(call.cwd) : runOn(account, 'cdk', call.args, '');
};

/** Hands a call of the command `store` to the deployment, if the rights of the build allow it. */
const callAws = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, url = '/', headers } = request;
  const body = await buffer(request);
  try {
    checkRequest(request, body.toString());
  } catch (error) {
    const { message } = error as Error;
    response.writeHead(400, { 'x-amzn-ErrorType': 'AccessDeniedException' }).end(JSON.stringify({ message }));
    return;
  }
  const to = new URL(url, deployment?.awsEnvironment.AWS_ENDPOINT_URL);
  const sent = requestHttp(to, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  sent.end(body);
};

const npm = (cdk: string): string => `
mkdir -p node_modules/.bin
ln -s ${root}/node_modules/* node_modules/
ln -s ${root}/node_modules/.bin/* node_modules/.bin/
ln -sf ${cdk} node_modules/.bin/cdk`;

beforeAll(async () => {
  publishBoth();
  storage = await startQueue();
  await callStorage('PUT', order.exports);
  atEnd(async () => {
    for (const one of deployments) await one.stop();
    await storage.stop();
  });
  formation = await startFormation();
  world = await startWorld({ releases, run, callAws });
});

const { state, handler } = codeBuild();

/** An event of CloudFormation, the build that the function starts, and the function's answer. */
const launch = async (act: string, release: string) => {
  const form = { RELEASE: release, PLACE: `${world}VERSION`, CHECKSUM: '', STORE_NAME: order.storeName };
  await handler(
    requestOf(formation.responseUrl, act, {
      ...form,
      EMAIL: order.email,
      FIREWALL: 'no',
      SETTINGS: '{"storeShare": 100}',
    }),
  );
  const given = Object.fromEntries(state.variables.map(({ name, value }) => [name, value]));
  const cdk = join(tempDir(), 'cdk');
  writeProgram(cdk, standIn('cdk'));
  const aws = { AWS_ENDPOINT_URL: world, AWS_ACCESS_KEY_ID: 'AKIAOPERATOR', AWS_SECRET_ACCESS_KEY: 'secret' };
  const ofStack = { LAUNCH: current.launch, RIGHTS: current.formation.bound };
  const built = await runBuild({ world, npm: npm(cdk), variables: { ...given, ...aws, ...ofStack } });
  const [, BASE_URL = '', DESK_URL = ''] = /^BASE_URL is (.*), DESK_URL is (.*)$/.exec(built.last ?? '') ?? [];
  state.exported = Object.entries({ BASE_URL, DESK_URL }).map(([name, value]) => ({ name, value }));
  state.log.splice(0, state.log.length, ...built.output.split('\n'));
  await handler(endedAs(built.code === 0 ? 'SUCCEEDED' : 'FAILED'));
  return { ...built, baseUrl: BASE_URL, answer: formation.answers.at(-1) };
};

const secret = (thing: string): string => account.parameters[`${stack}-${thing}`]?.Value ?? '';
const keyIn = (text: string): string => /sis_live_\w+/.exec(text)?.[0] ?? '';
const call = (url: string, key: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { 'X-API-Key': key, 'Content-Type': 'application/json' } });

/** The release that the page of the desk belongs to. */
const releaseAt = async (baseUrl: string): Promise<string> => {
  const script = /src="(desk\/main-[^"]+)"/.exec(await (await fetch(`${baseUrl}/desk`)).text())?.[1];
  const code = await (await fetch(`${baseUrl}/${script}`)).text();
  return code.includes(later) ? later : version;
};

/** Accepts the owner's invitation that a launch has left, and answers the key. */
const accept = async (baseUrl: string): Promise<string> => {
  const answer = await call(`${baseUrl}/v1/store/key/actions/accept`, keyIn(secret('desk')), { method: 'POST' });
  return (await answer.json()).key;
};

let ownerKey = '';
/** The product that the merchant made after the launch. */
let product = '';
/** The vendor's key, which is in an object inworld by then. */
let vendorKey = '';

test('a launch deploys the template, makes the store, tries all of it, and leaves notecards whose keys work', async () => {
  const { code, output, baseUrl, answer } = await launch('Create', version);

  expect([code, output]).toEqual([0, expect.stringContaining('== Sending the links')]);
  expect(answer).toMatchObject({ Status: 'SUCCESS', Data: { BASE_URL: baseUrl, DESK_URL: `${baseUrl}/desk` } });
  expect(output).toMatch(/^ok +sale /m);
  expect(output).toMatch(/^warn +alarms +an e-mail address was never confirmed/m);
  expect(output).not.toContain('sis_live');
  expect(mails).toEqual([expect.stringContaining(`/parameters/${stack}-box/description`)]);
  for (const thing of ['box', 'vendor', 'terminal', 'cashier'])
    expect((await call(`${baseUrl}/v1/store`, keyIn(secret(thing)))).status, thing).toBe(200);
  expect(secret('vendor')).toContain(`service = ${baseUrl}\n`);
  vendorKey = keyIn(secret('vendor'));
  expect((await call(`${baseUrl}/v1/store`, keyIn(secret('desk')))).status).toBe(401);
  ownerKey = await accept(baseUrl);
  const made = await call(`${baseUrl}/v1/products`, ownerKey, {
    method: 'POST',
    body: JSON.stringify({ name: 'Lamp', price: 300, item: 'Lamp' }),
  });
  ({ id: product } = await made.json());
  expect(made.status).toBe(201);
});

test('an update puts another release in its place: its version runs, with the same data and keys', async () => {
  const { code, output, baseUrl, answer } = await launch('Update', later);

  expect([code, output]).toEqual([0, expect.stringMatching(/^ok +version +99\.0\.0 runs/m)]);
  expect(answer.Status).toBe('SUCCESS');
  expect(await releaseAt(baseUrl)).toBe(later);
  expect((await call(`${baseUrl}/v1/store`, vendorKey)).status).toBe(200);
  expect((await call(`${baseUrl}/v1/products/${product}`, ownerKey)).status).toBe(200);
  // It leaves another invitation, for somebody who has lost their key.
  expect((await call(`${baseUrl}/v1/store/key/invitation`, keyIn(secret('desk')))).status).toBe(200);
});

test('an update whose function lacks its rights fails the stack, and says which call does not work', async () => {
  isPlanted = true;

  const { code, last, answer } = await launch('Update', later);

  isPlanted = false;
  expect(code).toBe(1);
  expect(last).toMatch(
    /^error: The service runs, but does not do all that it should\. .*fail +sale .*POST \/v1\/sales/,
  );
  expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('POST /v1/sales') });
});

test('a deletion exports the store, takes the service away, and keeps the table', async () => {
  const { code, output, answer } = await launch('Delete', later);

  expect([code, output]).toEqual([0, expect.stringContaining('is in the bucket my-exports')]);
  expect(answer).toMatchObject({ Status: 'SUCCESS', Data: { BASE_URL: '' } });
  const [, key = ''] = /is in the bucket my-exports, (\S+\.tar\.gz)/.exec(output) ?? [];
  const archive = join(tempDir(), 'export.tar.gz');
  writeFileSync(archive, await callStorage('GET', `${order.exports}/${key}`));
  expect(execFileSync('tar', ['-xzOf', archive, '--wildcards', '*/products.csv'], { encoding: 'utf8' })).toContain(
    'Lamp',
  );
  await expect(callDeployed('cloudformation describe-stacks', { StackName: stack })).rejects.toThrow('does not exist');
  expect(Object.keys(account.parameters)).toEqual(['/cdk-bootstrap/sislaunch/version']);
  const kept = deployments[0]?.table;
  const table = new DynamoDBClient({ endpoint: kept?.endpoint ?? '', region: order.region, credentials });
  const { Items = [] } = await table.send(new ScanCommand({ TableName: kept?.name ?? '' }));
  expect(JSON.stringify(Items)).toContain(product);
  table.destroy();
});

test('a second launch takes over the toolkit of the first, and makes a store that is empty', async () => {
  current = second;
  const leftBy = account.toolkitBound;

  const { code, output, baseUrl, answer } = await launch('Create', version);

  expect([code, output]).toEqual([0, expect.stringContaining('== Sending the links')]);
  expect(answer.Status).toBe('SUCCESS');
  expect([leftBy, account.toolkitBound]).toEqual([first.formation.bound, second.formation.bound]);
  expect((await call(`${baseUrl}/v1/store`, keyIn(secret('vendor')))).status).toBe(200);
  expect((await call(`${baseUrl}/v1/store`, vendorKey)).status).not.toBe(200);
  expect((await call(`${baseUrl}/v1/products/${product}`, await accept(baseUrl))).status).toBe(404);
  vendorKey = keyIn(secret('vendor'));
});

test('it is updated to another release, like the first', async () => {
  const { code, baseUrl, answer } = await launch('Update', later);

  expect([code, answer.Status]).toEqual([0, 'SUCCESS']);
  expect(await releaseAt(baseUrl)).toBe(later);
  expect((await call(`${baseUrl}/v1/store`, vendorKey)).status).toBe(200);
});

test('an update that fails half-way is rolled back, twice: by the deployment, and by the form', async () => {
  failsAfter = 20;
  const failed = await launch('Update', version);
  failsAfter = Number.POSITIVE_INFINITY;
  const between = await releaseAt(deployment?.baseUrl ?? '');

  // The form asks for what ran before.
  const back = await launch('Update', later);

  expect([failed.code, failed.answer.Status, back.code, back.answer.Status]).toEqual([1, 'FAILED', 0, 'SUCCESS']);
  expect(failed.output).toContain('UPDATE_FAILED: AWS::Lambda::Function');
  expect([between, await releaseAt(back.baseUrl)]).toEqual([later, later]);
  expect((await call(`${back.baseUrl}/v1/store`, vendorKey)).status).toBe(200);
});

test('a launch that lacks a right fails by its name, and its roll-back leaves what the deletion before left', async () => {
  await launch('Delete', later);
  const before = structuredClone({ parameters: account.parameters, exports: account.files });
  const isPlain = ({ Action }: Statement): boolean => Action !== 'lambda:CreateEventSourceMapping';
  current = {
    ...third,
    formation: { ...third.formation, statements: third.formation.statements.filter(isPlain) },
  };

  const failed = await launch('Create', version);
  const rolledBack = await launch('Delete', version);

  expect([failed.code, failed.answer.Status]).toEqual([1, 'FAILED']);
  expect(failed.answer.Reason).toContain('CloudFormation calls lambda:CreateEventSourceMapping on *');
  expect([rolledBack.code, rolledBack.output]).toEqual([0, expect.stringContaining('There is nothing to export.')]);
  expect({ parameters: account.parameters, exports: account.files }).toEqual(before);
  expect(deployment).toBeUndefined();
});
