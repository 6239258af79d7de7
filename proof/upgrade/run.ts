import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { updateResident } from '../../lib/routes/residents.ts';
import type { Route } from '../../lib/routes/route.ts';
import { startDeployment } from '../../local/deployed/deployment.ts';
import { countMessages } from '../../local/start/views.ts';
import { randomFrom } from '../../test/support/faults.ts';
import { createBook } from '../workload/book.ts';
import { isFinal, type Service, send } from '../workload/client.ts';
import { createTally, type Tally } from '../workload/tally.ts';
import { figuresOf, startTraffic, type Traffic } from '../workload/traffic.ts';
import { faultsOf } from './checks.ts';
import { startReceiver, subscribed } from './receiver.ts';
import { answersOf, run, type Version } from './releases.ts';

interface Options {
  /** The version with which data and traffic begin, and the version that replaces it. */
  before: Version;
  after: Version;
  /** The number of requests that each version must answer. */
  requests: number;
  clients: number;
  concurrency: number;
  seed: number;
  onProgress: (text: string) => void;
}

/** This many requests are answered between one function and the next, if that takes no longer than the pause. */
const [betweenFunctions, pauseMillis] = [2, 1000];
/** Traffic on one version takes at most this long, even on a busy machine. */
const phaseMillis = 10 * 60_000;
const sweepMillis = 5000;
/** If a worker dies with a message, the message comes back within this time. */
const quietMillis = 400_000;
/** Events are listed from 10 seconds after they were noted. */
const listedMillis = 12_000;

/** A client gives a request up after this long. */
const patienceMillis = 120_000;
const [customersEach, hotCount] = [4, 3];

type Deployment = Awaited<ReturnType<typeof startDeployment>>;

/** Deploys a version. The receivers are on loopback, and failures are tried again soon. */
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

/** How many messages the queues with such names hold. */
const messagesOn = async ({ queue }: Deployment, name: RegExp): Promise<number> => {
  const named = Object.entries(queue.urls).filter(([id]) => name.test(id));
  const counts = await Promise.all(named.map(([, url]) => countMessages(url)));
  return counts.reduce((sum, { ready, taken }) => sum + ready + taken, 0);
};

/** Runs the command `store` of a version. */
const storeOf =
  ({ awsEnvironment }: Deployment) =>
  ({ dir }: Version, ...args: string[]): Promise<string> =>
    run(dir, process.execPath, [join(dir, 'apps/cli/store.ts'), ...args, '--stage', 'prod', '--json'], {
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

/** Counts answers by status. Repeated requests are part of an update. */
const createCounter = () => {
  let statuses = createTally();
  let answered = 0;
  return {
    onAnswer: (_: Route, status: number): void => {
      statuses.add(String(status));
      if (isFinal(status)) answered += 1;
    },
    onLost: (): void => statuses.add('none'),
    /** Waits until this many more requests are answered, or for at most this long. */
    answers: async (more: number, millis: number): Promise<void> => {
      const [wanted, end] = [answered + more, Date.now() + millis];
      while (answered < wanted && Date.now() < end) await sleep(20);
    },
    /** The counts since the last call. */
    take: () => {
      const taken = { answered, statuses: statuses.toJSON() };
      [answered, statuses] = [0, createTally()];
      return taken;
    },
  };
};
type Counter = ReturnType<typeof createCounter>;

/** Updates to the later version, back, and again, under traffic. Answers how requests were answered in each phase. */
const playUpdates = async (options: Options, { update }: Deployment, { answers, take }: Counter) => {
  const { before, after, requests, seed, onProgress } = options;
  const random = randomFrom(seed);
  const phases: ({ version: string } & ReturnType<typeof take>)[] = [];
  const note = (version: string): void => {
    const phase = { version, ...take() };
    phases.push(phase);
    onProgress(`${version}: ${JSON.stringify(phase.statuses)}`);
  };
  // Drops the answers to the preparations, before the first phase.
  take();
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

/** Waits until nothing is under way. Answers the faults of the queues. */
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
 * Deploys a version with traffic on it, updates it to another, goes back, and updates it again. Answers figures, and a
 * fault for everything acknowledged that is lost, doubled or not delivered, and for each fault in the books.
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
    const counter = createCounter();
    const book = createBook();
    const service: Service = { baseUrl: () => deployment.baseUrl, key, book, patienceMillis, ...counter };
    const webhook = { url: receiver.url, events: subscribed };
    // Only the later version answers the lists that the checks read at the end.
    const earlier = await answersOf(before.dir);
    traffic = await startTraffic(
      { ...service, earlier },
      {
        ...{ seed, clients, customersEach, hotCount, webhook },
        tellResident: ({ uuid, username }) => send(service, updateResident, { params: { uuid }, body: { username } }),
      },
    );
    const phases = await playUpdates(options, deployment, counter);
    await traffic.end();
    const unrest = await bringToRest(deployment);
    const { endpoint } = deployment.table;
    const faults = await faultsOf(service, traffic, receiver.events, {
      endpoint,
      store: created.id ?? created.store.id,
    });
    const books = await store(after, 'audit').then(
      () => [],
      (error: Error) => [`store audit: ${error.message}`],
    );
    return {
      phases,
      acknowledged: { ...figuresOf(book, traffic.dispenser.inbox()), events: receiver.events.size },
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
