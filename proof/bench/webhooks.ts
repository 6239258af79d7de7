import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { createStore } from '../../cli/deployment/stores.ts';
import { handler } from '../../functions/delivery-worker.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { sendDue } from '../../lib/events/due.ts';
import { notedAtOf, noteEvents } from '../../lib/events/events.ts';
import { announce, queueEvents } from '../../lib/events/send.ts';
import { createWebhook } from '../../lib/events/webhooks.ts';
import { logSink } from '../../lib/log.ts';
import { type Meter, metered, newMeter } from '../../lib/table/meter.ts';
import { startPoller } from '../../local/engines/poller.ts';
import { ensureQueues, startQueue } from '../../local/engines/queue.ts';
import { newTable, quantile, report, rounded, withTable } from './support.ts';

/** How soon events reach the receivers that answer. */
interface WebhookRow {
  receivers: string;
  /** Events of the receivers that answer. Each has reached its receiver at least once, else the benchmark fails. */
  events: number;
  /** All events that were noted, in each second. */
  notedPerSecond: number;
  /** In milliseconds, from the noting of an event to its arrival. */
  median: number;
  p99: number;
  longest: number;
  /** Messages that came again. */
  repeats: number;
}

/** The cost of an event that reaches one webhook, without failures. */
interface WebhookCost {
  part: string;
  tableCalls: number;
  units: number;
  queueCalls: number;
}

interface Options {
  events: number;
  rate: number;
}

interface Receiver {
  name: string;
  url: string;
  stop: () => void;
}

const receiverCount = 20;

const serve = async (name: string, listener: RequestListener): Promise<Receiver> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
};

/** When each event came first, by its id, and how many came again. */
interface Arrivals {
  first: Map<string, number>;
  repeats: number;
}

const goodReceiver = (arrivals: Arrivals): Promise<Receiver> =>
  serve('good', (request, response) => {
    const id = String(request.headers['webhook-id']);
    if (arrivals.first.has(id)) arrivals.repeats += 1;
    else arrivals.first.set(id, Date.now());
    request.resume().on('end', () => response.writeHead(204).end());
  });

/** Receivers that are dead, slow or lying. */
const badReceivers = (): Promise<Receiver[]> =>
  Promise.all([
    serve('closed port', () => {}).then((receiver) => {
      receiver.stop();
      return receiver;
    }),
    serve('answers after 30 seconds', async (_, response) => {
      await sleep(30_000, undefined, { ref: false });
      response.writeHead(204).end();
    }),
    serve('200 with a body that never ends', (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(drip));
    }),
    serve('500', (_, response) => response.writeHead(500).end()),
    serve('redirect to itself', (request, response) =>
      response.writeHead(307, { Location: `http://${request.headers.host}/again` }).end(),
    ),
  ]);

/**
 * Counts the calls of the queue that `work` makes. Those that find no message do not count, since they have none to pay
 * for.
 */
const countQueueCalls = () => {
  const { send } = SQSClient.prototype;
  let calls = 0;
  // biome-ignore lint/suspicious/noExplicitAny: `send` has an overload for each command.
  SQSClient.prototype.send = async function (this: SQSClient, ...args: any[]) {
    const answer = await (send as (...all: unknown[]) => Promise<{ Messages?: unknown[] }>).apply(this, args);
    const isEmpty = args[0].constructor.name === 'ReceiveMessageCommand' && (answer.Messages ?? []).length === 0;
    if (!isEmpty) calls += 1;
    return answer as never;
  };
  return {
    calls: () => calls,
    stop: () => {
      SQSClient.prototype.send = send;
    },
  };
};

/** Makes an event that nobody else has. */
const eventOf = (store: string, number: number, uuid = newId()) => ({
  ...{ store, thing: uuid, id: newId(), type: 'credit.changed' as const, at: timestamp(now()) },
  data: { uuid, username: 'ada.lovelace', credit: number, restrictedCredit: 0, sequence: number },
});

const tickMillis = 100;
const sweepMillis = 1000;
/** No event may take longer, or the benchmark fails. */
const patienceMillis = 60_000;

/** Stores with one webhook each. `withBad` has some that do not answer as they should. */
const openPlaces = async (arrivals: Arrivals, withBad: boolean) => {
  const bad = withBad ? await badReceivers() : [];
  const good = await Promise.all(Array.from({ length: receiverCount - bad.length }, () => goodReceiver(arrivals)));
  const places = await Promise.all(
    [...good, ...bad].map(async ({ name, url, stop }) => {
      const store = (await createStore(name)).id;
      const fields = { url, description: '', format: 'standard' as const };
      await createWebhook(store, { ...fields, events: ['credit.changed'] }, ['credits:read']);
      return { store, isGood: name === 'good', stop };
    }),
  );
  const names = withBad
    ? `${good.length} that answer, ${bad.length} dead, slow or lying`
    : `${good.length} that answer`;
  return { places, names };
};

/** Announces events until the queue, which may be too busy, has taken them: Lambda would bring the batch again. */
const announceAll = async (store: string, items: Parameters<typeof announce>[1]): Promise<void> => {
  const isTaken = () =>
    announce(store, items).then(
      () => true,
      () => false,
    );
  while (!(await isTaken())) await sleep(1000);
};

/** Notes events of the stores in turn, at a steady rate. Answers the calls of the queue that this needed. */
const noteAtRate = async (
  { places }: Awaited<ReturnType<typeof openPlaces>>,
  { count, perSecond, meter }: { count: number; perSecond: number; meter: Meter },
  notedAt: Map<string, number>,
): Promise<number> => {
  const notings: Promise<void>[] = [];
  let [made, queueCalls] = [0, 0];
  const noteOf = async ({ store, isGood }: (typeof places)[number], numbers: readonly number[]): Promise<void> => {
    const items = await noteEvents(numbers.map((number) => eventOf(store, number)));
    if (isGood) for (const item of items) notedAt.set(item.sk, Date.parse(notedAtOf(item)));
    await announceAll(store, items);
    queueCalls += Math.ceil(items.length / 10);
  };
  const started = performance.now();
  while (made < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - started) / 1000) * perSecond));
    const batch = Array.from({ length: due - made }, (_, index) => made + index);
    made = due;
    const ofStores = Map.groupBy(batch, (number) => places[number % places.length] as (typeof places)[number]);
    for (const [place, numbers] of ofStores) notings.push(metered(meter, () => noteOf(place, numbers)));
    await sleep(tickMillis);
  }
  await Promise.all(notings);
  return queueCalls;
};

/** Two workers and the sweep, as a deployment has them. */
const startSending = (queueUrls: readonly string[], meter: Meter) => {
  const worker = (event: SQSEvent, context: Context) => metered(meter, () => handler(event, context));
  const pollers = queueUrls.map((queueUrl) => startPoller({ queueUrl, worker }));
  const resend = () =>
    sendDue(
      (orders) => queueEvents(orders, 'slow'),
      () => true,
    );
  const sweep = setInterval(() => resend().catch(() => undefined), sweepMillis);
  return async (): Promise<void> => {
    clearInterval(sweep);
    await Promise.all(pollers.map((poller) => poller.stop()));
  };
};

/** Notes events of stores with one webhook each, and has them sent. */
const measure = async (endpoint: string, { events, rate }: Options, withBad: boolean) => {
  await newTable();
  const { url, slowUrl, deadLetterUrl } = await ensureQueues(endpoint, withBad ? 'beside' : 'alone');
  Object.assign(process.env, { DELIVERY_QUEUE_URL: url, SLOW_QUEUE_URL: slowUrl, DELIVERY_DLQ_URL: deadLetterUrl });
  const arrivals: Arrivals = { first: new Map(), repeats: 0 };
  const notedAt = new Map<string, number>();
  const opened = await openPlaces(arrivals, withBad);
  const [noting, sending] = [newMeter(), newMeter()];
  const queueCalls = countQueueCalls();
  const stopSending = startSending([url, slowUrl], sending);
  const share = opened.places.length / receiverCount;
  const [count, perSecond] = [Math.round(events * share), rate * share];
  const callsToNote = await noteAtRate(opened, { count, perSecond, meter: noting }, notedAt);
  const end = performance.now() + patienceMillis;
  while (arrivals.first.size < notedAt.size && performance.now() < end) await sleep(20);
  await stopSending();
  queueCalls.stop();
  for (const { stop } of opened.places) stop();

  const missing = [...notedAt.keys()].filter((id) => !arrivals.first.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} of ${notedAt.size} events did not arrive: ${missing[0]}.`);
  const millis = [...notedAt].map(([id, at]) => (arrivals.first.get(id) as number) - at);
  const row: WebhookRow = {
    ...{ receivers: opened.names, events: notedAt.size, notedPerSecond: perSecond },
    ...{ median: quantile(millis, 0.5), p99: quantile(millis, 0.99), longest: Math.max(...millis) },
    repeats: arrivals.repeats,
  };
  const costOf = (part: string, { calls, units }: Meter, queue: number): WebhookCost => ({
    ...{ part, tableCalls: rounded(calls / count), units: rounded(units / count), queueCalls: rounded(queue / count) },
  });
  const costs = [
    costOf('note the event, order its sending', noting, callsToNote),
    costOf('send it', sending, queueCalls.calls() - callsToNote),
  ];
  return { row, costs };
};

/** The delay of events for receivers that answer, with and without others that do not, and the cost of an event. */
export const measureWebhooks = (options: Options): Promise<void> =>
  withTable(async () => {
    logSink.write = () => {};
    const { endpoint, stop } = await startQueue();
    Object.assign(process.env, { AWS_ENDPOINT_URL_SQS: endpoint, DISPENSER_LOOPBACK: 'allowed' });
    const alone = await measure(endpoint, options, false);
    const beside = await measure(endpoint, options, true);
    await stop();
    report('webhooks', [alone.row, beside.row]);
    report('webhooks-cost', alone.costs, 'webhooks');
  });
