import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startDeployment } from '../../local/deployed/deployment.ts';
import { randomFrom } from '../../test/support/faults.ts';
import { creditFigures } from '../workload/checks/credit.ts';
import { deliveryFigures } from '../workload/checks/deliveries.ts';
import { saleFigures } from '../workload/checks/sales.ts';
import { createTally, type Tally } from '../workload/tally.ts';
import { faultsOf } from './checks.ts';
import { startReceiver } from './receiver.ts';
import { run, type Version } from './releases.ts';
import { startTraffic, type Traffic } from './traffic.ts';

interface Options {
  /** The version that data and traffic begin with, and the one that takes its place. */
  before: Version;
  after: Version;
  /** That are answered by each version in its turn. */
  requests: number;
  clients: number;
  concurrency: number;
  seed: number;
  onProgress: (text: string) => void;
}

/** So many requests are answered between one function and the next, if that takes no longer. */
const [betweenFunctions, pauseMillis] = [2, 1000];
/** Traffic on one version takes no longer, even on a busy machine. */
const phaseMillis = 10 * 60_000;
const sweepMillis = 5000;
/** Longer than the time after which a message comes back that its worker died with. */
const quietMillis = 400_000;
/** Events are listed from 10 seconds after their noting. */
const listedMillis = 12_000;

type Deployment = Awaited<ReturnType<typeof startDeployment>>;

/** Deploys a version. The receivers are on loopback, and a failure is tried again soon. */
const deploy = ({ before, concurrency }: Options, refused: Tally, errors: Tally): Promise<Deployment> =>
  startDeployment({
    template: before.template,
    port: 0,
    concurrency,
    onLine: (label, line) => {
      if (line.includes('"level":"ERROR"')) errors.add(label);
    },
    onUse: ({ caller, action, isAllowed }) => {
      if (!isAllowed) refused.add(`${caller} ${action}`);
    },
    change: (facts) => ({
      ...facts,
      environment: { ...facts.environment, DISPENSER_LOOPBACK: 'allowed', DELIVERY_RETRY_SECONDS: '2' },
    }),
  });

/** How many messages are on the queues of those names. */
const messagesOn = async ({ queue }: Deployment, name: RegExp): Promise<number> => {
  const sqs = new SQSClient({ endpoint: queue.endpoint });
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  let sum = 0;
  for (const [, QueueUrl] of Object.entries(queue.urls).filter(([id]) => name.test(id))) {
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }));
    sum += names.reduce((all, each) => all + Number(Attributes[each] ?? 0), 0);
  }
  sqs.destroy();
  return sum;
};

/** Runs the command `store` of a version. */
const storeOf =
  ({ awsEnvironment }: Deployment) =>
  ({ dir }: Version, ...args: string[]): Promise<string> =>
    run(dir, process.execPath, [join(dir, 'cli/store.ts'), ...args, '--stage', 'prod', '--json'], {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...awsEnvironment,
    });

const startSweep = ({ facts, functions }: Deployment): (() => void) => {
  const sweep = setInterval(() => {
    const { name = '' } = facts().find(({ label }) => label === 'expiry-sweep') ?? {};
    functions.invoke(name, '{}').catch(() => undefined);
  }, sweepMillis);
  return () => clearInterval(sweep);
};

/** Updates to the later version, back, and again, under traffic. Answers how each phase was answered. */
const playUpdates = async (options: Options, { update }: Deployment, { figures, answers }: Traffic) => {
  const { before, after, requests, seed, onProgress } = options;
  const random = randomFrom(seed);
  const phases: { version: string; answered: number; statuses: Record<string, number> }[] = [];
  let last = figures();
  const note = (version: string): void => {
    const now = figures();
    const more = Object.entries(now.statuses).map(([status, all]) => [status, all - (last.statuses[status] ?? 0)]);
    const statuses = Object.fromEntries(more.filter(([, count]) => Number(count) > 0));
    phases.push({ version, answered: now.answered - last.answered, statuses });
    onProgress(`${version}: ${JSON.stringify(statuses)}`);
    last = now;
  };
  await answers(requests, phaseMillis);
  note(before.name);
  for (const [from, to] of [[before, after] as const, [after, before] as const, [before, after] as const]) {
    await update(to.template, { pause: () => answers(betweenFunctions, pauseMillis), random });
    note(`${from.name} to ${to.name}`);
    await answers(requests, phaseMillis);
    note(to.name);
  }
  return phases;
};

/** Waits until nothing is on its way any more. Answers the faults of the queues. */
const bringToRest = async (deployment: Deployment): Promise<string[]> => {
  const end = Date.now() + quietMillis;
  const isWaiting = async () => (await messagesOn(deployment, /Deliveries/)) > 0;
  while (Date.now() < end && (await isWaiting())) await sleep(1000);
  await sleep(listedMillis);
  const aside = await messagesOn(deployment, /DeadLetters|HistoryFailures/);
  return [
    ...(aside > 0 ? [`${aside} messages are in the dead letters or the queue of failures`] : []),
    ...((await isWaiting()) ? ['Messages are left on the queues of deliveries'] : []),
  ];
};

/**
 * Deploys a version with traffic on it, updates it to another, takes that back, and updates it again. Answers figures,
 * and a fault for each thing that was acknowledged and is lost, doubled or not delivered, and for each fault of the
 * books.
 */
export const runUpgrade = async (options: Options) => {
  const { before, after, clients, seed } = options;
  const [refused, errors] = [createTally(), createTally()];
  const receiver = await startReceiver();
  const deployment = await deploy(options, refused, errors);
  const stopSweep = startSweep(deployment);
  let traffic: Traffic | undefined;
  try {
    const store = storeOf(deployment);
    const created = JSON.parse(await store(before, 'create', 'Upgrade', '--preset', 'all'));
    const key = created.key.text ?? created.key;
    traffic = await startTraffic({ baseUrl: deployment.baseUrl, key, seed, clients, webhookUrl: receiver.url });
    const phases = await playUpdates(options, deployment, traffic);
    await traffic.end();
    const unrest = await bringToRest(deployment);
    const { endpoint } = deployment.table;
    const faults = await faultsOf(traffic, receiver.events, { endpoint, store: created.id ?? created.store.id });
    const books = await store(after, 'audit').then(
      () => [],
      (error: Error) => [`store audit: ${error.message}`],
    );
    const { book, dispenser } = traffic;
    return {
      phases,
      acknowledged: {
        rows: Object.fromEntries(Object.entries(book.rows).map(([kind, rows]) => [kind, rows.size])),
        sales: saleFigures(book),
        credit: creditFigures(book),
        deliveries: deliveryFigures(book, dispenser.inbox()),
        events: receiver.events.size,
      },
      coldStarts: deployment.functions.coldStarts(),
      refusedByRole: refused.toJSON(),
      errorLines: errors.toJSON(),
      faults: [...faults, ...unrest, ...books],
    };
  } finally {
    stopSweep();
    receiver.stop();
    await traffic?.stop();
    await deployment.stop();
  }
};
