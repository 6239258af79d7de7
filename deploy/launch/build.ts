import {
  accountOf,
  askForFunctions,
  deleteParameter,
  deleteStack,
  findParameter,
  findStack,
  functionQuota,
  isConfirmed,
  publish,
  putParameter,
  putSecret,
  upload,
} from './aws.ts';
import { explain, LaunchError } from './faults.ts';
import type { Hands } from './hands.ts';

/** The steps of a build, which deploy/launch.yaml starts to install, update or remove the service. */

/** The fields of the form, and the names of resources that the form's stack made. */
export interface Order {
  act: 'Create' | 'Update' | 'Delete';
  release: string;
  storeName: string;
  email: string;
  firewall: boolean;
  /** JSON. */
  settings: string;
  region: string;
  /** The ARN of the stack of launch.yaml. */
  launch: string;
  /** The ARN of the policy that bounds all roles. */
  rights: string;
  /** The bucket that keeps exports. */
  exports: string;
}

const stage = 'prod';
const stack = `store-integration-${stage}`;
/** The launch has its own CDK toolkit, so it does not touch the account's. launch.yaml names it, too. */
const qualifier = 'sislaunch';
const toolkit = ['--toolkit-stack-name', 'store-integration-toolkit'];
/** The version of the bootstrap that the CDK template asks for. */
const leastBootstrap = 6;
const days = 7;
/** Settings that have their own field in the form. */
const otherwise = ['stage', 'firewall', 'alarmEmail'];
/**
 * Settings that name a thing which the stack does not make. launch.yaml gives rights only for names that begin with the
 * service's.
 */
const named = ['exportBucket', 'restoredTable'];

const nameOf = (thing: string): string => `${stack}-${thing}`;

/** The parameter that says which launch made the deployment. No other launch updates or removes the deployment. */
const ownerName = nameOf('launched-by');

/** Does a step, and says so. If it fails, throws and tells the merchant what to do. */
const step = async <T>({ say }: Hands, name: string, work: () => Promise<T>): Promise<T> => {
  say(`== ${name}`);
  try {
    return await work();
  } catch (error) {
    throw explain(name, error);
  }
};

/** Runs the command `store`, and returns the rows that it prints. */
// biome-ignore lint/suspicious/noExplicitAny: a caller looks at the members that it needs.
const store = async (hands: Hands, ...args: string[]): Promise<any[]> => {
  const printed = await hands.run('./store', [...args, '--stage', stage, '--json']);
  return printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

const checkRelease = async ({ read }: Hands, { release }: Order): Promise<void> => {
  const { version } = JSON.parse(read('package.json'));
  if (version === release) return;
  throw new LaunchError(`The archive of release ${release} holds version ${version}. Correct Place on the form.`);
};

/** Throws if the account has a deployment that somebody else made. */
const checkOwner = async (hands: Hands, { launch }: Order): Promise<void> => {
  const [owner, existing] = [await findParameter(hands, ownerName), await findStack(hands, stack)];
  if (owner === launch) return;
  if (existing)
    throw new LaunchError(
      `This account has a deployment ${stack} in this region already. Nothing of it was changed. Choose another region, or update it as it was made.`,
    );
  await putParameter(hands, ownerName, launch);
};

const writeSettings = async ({ write }: Hands, order: Order): Promise<void> => {
  const { settings, firewall, email, rights } = order;
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(settings);
  } catch {
    throw new LaunchError(`The field "More settings" holds no JSON: ${settings}`);
  }
  const wrong = otherwise.find((name) => name in given);
  if (wrong) throw new LaunchError(`The field "More settings" cannot hold ${wrong}: the launch sets it itself.`);
  const foreign = named.find((name) => name in given && !String(given[name]).startsWith(nameOf('')));
  if (foreign)
    throw new LaunchError(
      `The field "More settings" has ${foreign} ${given[foreign]}, whose name must begin with ${nameOf('')}: launch.yaml gives rights for no other.`,
    );
  if (String(given.desk) === 'false')
    throw new LaunchError('The field "More settings" cannot switch the desk off: the launch ends with a link to it.');
  const context = {
    ...given,
    stage,
    firewall,
    alarmEmail: email,
    '@aws-cdk/core:bootstrapQualifier': qualifier,
    '@aws-cdk/core:permissionsBoundary': { arn: rights },
  };
  write('cdk.context.json', `${JSON.stringify(context, null, 2)}\n`);
};

/** Asks for a higher quota. A new account may run only ten functions at once, which are soon too few. */
const askForQuota = async (hands: Hands): Promise<void> => {
  const quota = await functionQuota(hands);
  if (quota >= 100) return;
  try {
    await askForFunctions(hands, 1000);
    hands.say(`This account runs ${quota} functions at once. AWS was asked for 1000, and writes to you.`);
  } catch {
    hands.say(`This account runs ${quota} functions at once. Ask for 1000: Service Quotas, AWS Lambda.`);
  }
};

const bootstrap = async (hands: Hands, { region, rights }: Order): Promise<void> => {
  const bound = rights.slice(rights.lastIndexOf('/') + 1);
  const bounds = ['--custom-permissions-boundary', bound, '--apply-permissions-boundary-to-all-roles'];
  const policies = ['--cloudformation-execution-policies', rights];
  const account = await accountOf(hands);
  const args = [
    'bootstrap',
    `aws://${account}/${region}`,
    ...toolkit,
    '--qualifier',
    qualifier,
    ...policies,
    ...bounds,
  ];
  await hands.run('cdk', args, { shown: true });
  const version = await findParameter(hands, `/cdk-bootstrap/${qualifier}/version`);
  if (Number(version) >= leastBootstrap) return;
  throw new LaunchError(
    `The toolkit of this account has version ${version ?? 'none'}, and the service needs ${leastBootstrap}. In the console, CloudFormation, delete the stack store-integration-toolkit; then launch again.`,
  );
};

/** Deploys, and returns the address of the API. */
const deploy = async (hands: Hands): Promise<string> => {
  await hands.run('cdk', ['deploy', '--require-approval', 'never', '--progress', 'events', ...toolkit], {
    shown: true,
  });
  const { BaseUrl } = (await findStack(hands, stack))?.outputs ?? {};
  if (!BaseUrl) throw new LaunchError(`The stack ${stack} does not say where the API is. Launch again.`);
  hands.write('base-url.txt', BaseUrl);
  return BaseUrl;
};

/** The objects inworld, with the presets of their keys. */
const objects = { box: 'dispenser', vendor: 'vendor', terminal: 'terminal', cashier: 'cashier' };

const notecardOf = (object: string, name: string, service: string, key: string): string =>
  [`# ${object} of ${name}`, `service = ${service}`, `key = ${key}`, ...(object === 'cashier' ? ['limit = 5000'] : [])]
    .map((line) => `${line}\n`)
    .join('');

/** Makes the store, and a key for each object that has never had one. */
const makeStore = async (hands: Hands, { storeName }: Order, service: string): Promise<string> => {
  const name = storeName.trim();
  const stores: { id: string; name: string }[] = await store(hands, 'list');
  const same = stores.find((one) => one.name.toLowerCase() === name.toLowerCase());
  const { id } = same ?? (await store(hands, 'create', name, '--no-key'))[0];
  const keys: { name: string }[] = await store(hands, 'key', 'list', '--store', id);
  for (const [object, preset] of Object.entries(objects).filter(
    ([object]) => !keys.some((key) => key.name === object),
  )) {
    const [{ key }] = await store(hands, 'key', 'issue', object, '--preset', preset, '--store', id);
    await putSecret(hands, nameOf(object), notecardOf(object, name, service, key), hands.now() + days * 86_400_000);
  }
  return id;
};

/** Makes an invitation to an owner's key, good once for the first days. The merchant invites others at the desk. */
const makeLink = async (hands: Hands, id: string): Promise<void> => {
  const [{ link }] = await store(hands, 'desk', '--owner', '--invite', `${days}d`, '--store', id);
  await putSecret(hands, nameOf('desk'), link, hands.now() + days * 86_400_000);
};

/** Says whether a host has an address. The merchant can make the record of their own domain only after a deployment. */
const resolves = async ({ run }: Hands, host: string): Promise<boolean> => {
  try {
    await run('getent', ['hosts', host]);
    return true;
  } catch {
    return false;
  }
};

const verify = async (hands: Hands): Promise<void> => {
  const { run, say } = hands;
  const { BaseUrl = '', DomainTarget } = (await findStack(hands, stack))?.outputs ?? {};
  if (DomainTarget && !(await resolves(hands, new URL(BaseUrl).hostname)))
    return say(
      `${BaseUrl} leads nowhere yet, so nothing was tried: make a CNAME record that leads to ${DomainTarget}.`,
    );
  try {
    await run('./store', ['verify', '--stage', stage], { shown: true });
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    const failed = lines.filter((line) => /^\s*fail\b/.test(line)).map((line) => line.trim());
    throw new LaunchError(
      `The service runs, but does not do all that it should. ${failed.join(' ') || 'The lines before this one say why.'}`,
      { cause: error },
    );
  }
};

const patience = { rounds: 20, millis: 15_000 };

/** Sends the links when the address is confirmed. Never sends the keys themselves. */
const sendMail = async (hands: Hands, { region }: Order, deskUrl: string): Promise<void> => {
  const topic = (await findStack(hands, stack))?.outputs.AlarmTopic;
  if (!topic) return;
  for (let round = 1; !(await isConfirmed(hands, topic)); round += 1) {
    if (round === patience.rounds)
      return hands.say('The e-mail address is not confirmed yet: the outputs of this stack have the links.');
    await hands.wait(patience.millis);
  }
  const place = (thing: string): string =>
    `https://${region}.console.aws.amazon.com/systems-manager/parameters/${nameOf(thing)}/description?region=${region}`;
  const lines = [
    `Your desk is at ${deskUrl}. These pages show the link that invites you, which works once, and the notecards, until they are deleted after ${days} days:`,
    ...['desk', ...Object.keys(objects)].map((thing) => `${thing}: ${place(thing)}`),
  ];
  await publish(hands, topic, 'Your store is ready', `${lines.join('\n\n')}\n`);
};

const install = async (hands: Hands, order: Order): Promise<void> => {
  await step(hands, 'Checking the release', () => checkRelease(hands, order));
  await step(hands, 'Looking at the account', () => checkOwner(hands, order));
  await step(hands, 'Reading the settings', () => writeSettings(hands, order));
  await step(hands, 'Asking for the quota of functions', () => askForQuota(hands));
  await step(hands, 'Preparing the account', () => bootstrap(hands, order));
  const service = await step(hands, 'Deploying', () => deploy(hands));
  const id = await step(hands, 'Making the store and its keys', () => makeStore(hands, order, service));
  await step(hands, 'Making the invitation to the desk', () => makeLink(hands, id));
  await step(hands, 'Trying the service', () => verify(hands));
  await step(hands, 'Sending the links', () => sendMail(hands, order, `${service}/desk`));
};

/** Exports each store into the bucket. An unfinished deployment has no stores. */
const exportStores = async (hands: Hands, { exports }: Order): Promise<void> => {
  const found = await findStack(hands, stack);
  if (!found?.outputs.TableName) return hands.say('There is nothing to export.');
  const day = new Date(hands.now()).toISOString().slice(0, 16).replace(':', '-');
  for (const { id, name } of await store(hands, 'list')) {
    await hands.run('./store', ['export', '--all', `exports/${id}`, '--stage', stage, '--store', id]);
    await hands.run('tar', ['-czf', `exports/${id}.tar.gz`, '-C', 'exports', id]);
    await upload(hands, `exports/${id}.tar.gz`, exports, `${day}/${id}.tar.gz`);
    hands.say(`${name} is in the bucket ${exports}, ${day}/${id}.tar.gz.`);
  }
};

/** Exports the stores, then removes this launch's deployment. Its table and queues stay. */
const remove = async (hands: Hands, order: Order): Promise<void> => {
  const owner = await step(hands, 'Looking at the account', () => findParameter(hands, ownerName));
  hands.write('base-url.txt', '');
  if (owner !== order.launch) return hands.say('This launch made no deployment: there is nothing to remove.');
  await step(hands, 'Exporting', () => exportStores(hands, order));
  await step(hands, 'Removing', async () => {
    if (await findStack(hands, stack)) await deleteStack(hands, stack);
    for (const thing of ['desk', ...Object.keys(objects)]) await deleteParameter(hands, nameOf(thing));
    await deleteParameter(hands, ownerName);
  });
};

/** Does what the form asks for. Throws a LaunchError that says what to do. */
export const build = (hands: Hands, order: Order): Promise<void> =>
  order.act === 'Delete' ? remove(hands, order) : install(hands, order);
