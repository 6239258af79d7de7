import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startDeployment } from '../../local/deployed/deployment.ts';
import { faultsOf, subscribed } from './checks.ts';
import { startReceivers } from './receivers.ts';
import { run, type Version } from './releases.ts';
import { startTraffic } from './traffic.ts';

interface Options {
  /** The version that data and traffic begin with, and the one that takes its place. */
  before: Version;
  after: Version;
  /** That are answered by each version in its turn. */
  requests: number;
  clients: number;
  concurrency: number;
  random: () => number;
  onProgress: (text: string) => void;
}

/** So many requests are answered between one function and the next, if that takes no longer. */
const [betweenFunctions, pauseMillis] = [2, 1000];
/** Traffic on one version takes no longer, even on a busy machine. */
const phaseMillis = 10 * 60_000;
const sweepMillis = 5000;
/** The time that all that was acknowledged has at the most to arrive. */
const quietMillis = 90_000;
/** Events are listed from 10 seconds after their noting. */
const listedMillis = 12_000;

/**
 * Deploys a version with traffic on it, updates it to another, takes that back, and updates it again. Answers figures,
 * and a fault for each thing that was acknowledged and is lost, doubled or not delivered, and for each fault of the
 * books.
 */
export const runUpgrade = async ({ before, after, requests, clients, concurrency, random, onProgress }: Options) => {
  const refused: Record<string, number> = {};
  const crashes: Record<string, number> = {};
  const count = (counts: Record<string, number>, name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const receivers = await startReceivers();
  const deployment = await startDeployment({
    template: before.template,
    port: 0,
    concurrency,
    onLine: (label, line) => {
      if (line.includes('"level":"ERROR"')) count(crashes, label);
    },
    onUse: ({ caller, action, isAllowed }) => {
      if (!isAllowed) count(refused, `${caller} ${action}`);
    },
    // The receivers are on loopback. What fails is tried again soon.
    change: (facts) => ({
      ...facts,
      environment: { ...facts.environment, DISPENSER_LOOPBACK: 'allowed', DELIVERY_RETRY_SECONDS: '2' },
    }),
  });
  const sqs = new SQSClient({ endpoint: deployment.queue.endpoint });
  const messagesOn = async (name: RegExp): Promise<number> => {
    const urls = Object.entries(deployment.queue.urls).filter(([id]) => name.test(id));
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const counts = urls.map(async ([, QueueUrl]) => {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
      );
      return names.reduce((sum, each) => sum + Number(Attributes[each] ?? 0), 0);
    });
    return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
  };
  const store = (version: Version, ...args: string[]): Promise<string> =>
    run(version.dir, process.execPath, [join(version.dir, 'cli/store.ts'), ...args, '--stage', 'prod', '--json'], {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...deployment.awsEnvironment,
    });
  const sweep = setInterval(() => {
    const { name = '' } = deployment.facts().find(({ label }) => label === 'expiry-sweep') ?? {};
    deployment.functions.invoke(name, '{}').catch(() => undefined);
  }, sweepMillis);
  const phases: { version: string; answered: number; statuses: Record<string, number> }[] = [];
  try {
    const created = JSON.parse(await store(before, 'create', 'Upgrade', '--preset', 'all'));
    const traffic = startTraffic({ baseUrl: deployment.baseUrl, key: created.key.text ?? created.key, random });
    await traffic.prepare();
    await traffic.send('PUT', '/v1/dispenser', { url: receivers.dispenserUrl, region: 'Upgrade', items: ['Lamp'] });
    await traffic.send('POST', '/v1/webhooks', { url: receivers.webhookUrl, events: subscribed });
    const stop = traffic.start(clients);
    let last = traffic.figures();
    const note = (version: string): void => {
      const now = traffic.figures();
      const statuses = Object.fromEntries(
        Object.entries(now.statuses).map(([status, all]) => [status, all - (last.statuses[status] ?? 0)]),
      );
      phases.push({ version, answered: now.answered - last.answered, statuses });
      onProgress(`${version}: ${JSON.stringify(phases.at(-1)?.statuses)}`);
      last = now;
    };
    const answers = async (count: number, millis: number): Promise<void> => {
      const [wanted, end] = [traffic.figures().answered + count, Date.now() + millis];
      while (traffic.figures().answered < wanted && Date.now() < end) await sleep(20);
    };
    await answers(requests, phaseMillis);
    note(before.name);
    for (const [from, to] of [
      [before, after],
      [after, before],
      [before, after],
    ] as const) {
      await deployment.update(to.template, { pause: () => answers(betweenFunctions, pauseMillis), random });
      note(`${from.name} to ${to.name}`);
      await answers(requests, phaseMillis);
      note(to.name);
    }
    await stop();
    const end = Date.now() + quietMillis;
    const isWaiting = async () => (await messagesOn(/Deliveries/)) > 0;
    while (Date.now() < end && (await isWaiting())) await sleep(1000);
    await sleep(listedMillis);
    const aside = await messagesOn(/DeadLetters|HistoryFailures/);
    const books = await store(after, 'audit').then(
      () => [],
      (error: Error) => [`store audit: ${error.message}`],
    );
    const { acknowledged } = traffic;
    return {
      phases,
      acknowledged: {
        credit: acknowledged.credit.size,
        sales: acknowledged.sales.size,
        redeemed: acknowledged.redeemed.size,
        deliveries: receivers.gifts.size,
        events: receivers.events.size,
      },
      coldStarts: deployment.functions.coldStarts(),
      refusedByRole: refused,
      errorLines: crashes,
      faults: [
        ...traffic.faults,
        ...(await faultsOf(traffic, receivers)),
        ...(aside > 0 ? [`${aside} messages are in the dead letters or the queue of failures`] : []),
        ...((await isWaiting()) ? ['Messages are left on the queues of deliveries'] : []),
        ...books,
      ],
    };
  } finally {
    clearInterval(sweep);
    sqs.destroy();
    receivers.stop();
    await deployment.stop();
  }
};
