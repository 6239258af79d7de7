import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { handler } from '../../functions/delivery-worker.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { sendDue } from '../../lib/events/due.ts';
import { isEvent, notedAtOf, noteEvents } from '../../lib/events/events.ts';
import { announce, queueEvents } from '../../lib/events/send.ts';
import { createWebhook } from '../../lib/events/webhooks.ts';
import { logSink } from '../../lib/log.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { startPoller } from '../../local/engines/poller.ts';
import { ensureQueues, startQueue } from '../../local/engines/queue.ts';
import { serve } from '../../test/support/deliveries.ts';
import { freshTable } from '../../test/support/service.ts';
import { quantile, report, withTable } from './support.ts';

interface Options {
  events: number;
  rate: number;
}

const receiverCount = 20;

/** When each event first came, by its id, and how many came again. */
interface Arrivals {
  first: Map<string, number>;
  repeats: number;
}

const goodReceiver =
  (arrivals: Arrivals): RequestListener =>
  (request, response) => {
    const id = String(request.headers['webhook-id']);
    if (arrivals.first.has(id)) arrivals.repeats += 1;
    else arrivals.first.set(id, Date.now());
    request.resume().on('end', () => response.writeHead(204).end());
  };

/** Nothing listens there. */
const closedPort = 'http://127.0.0.1:1/';

/** Receivers that are slow or lying. */
const badReceivers: RequestListener[] = [
  async (_, response) => {
    await sleep(30_000, undefined, { ref: false });
    response.writeHead(204).end();
  },
  // The body never ends.
  (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 100);
    response.on('close', () => clearInterval(drip));
  },
  (_, response) => response.writeHead(500).end(),
  ({ headers }, response) => response.writeHead(307, { Location: `http://${headers.host}/again` }).end(),
];

/** Makes a unique event. */
const eventOf = (store: string, number: number, uuid = newId()) => ({
  ...{ store, thing: uuid, id: newId(), type: 'credit.changed' as const, at: timestamp(now()) },
  data: { uuid, username: 'ada.lovelace', credit: number, restrictedCredit: 0, sequence: number },
});

const tickMillis = 100;
const sweepMillis = 1000;
/** If an event takes longer, the benchmark fails. */
const patienceMillis = 60_000;

interface Place {
  store: string;
  isGood: boolean;
}

/** Opens stores with one webhook each. With `withBad`, some webhooks do not answer as they should. */
const openPlaces = async (arrivals: Arrivals, withBad: boolean): Promise<Place[]> => {
  const bad = withBad ? [closedPort, ...(await Promise.all(badReceivers.map(serve)))] : [];
  const good = await Promise.all(
    Array.from({ length: receiverCount - bad.length }, () => serve(goodReceiver(arrivals))),
  );
  const open = async (url: string, place: number): Promise<Place> => {
    const { id: store } = await createStore(`Store ${place}`);
    const fields = { url, description: '', format: 'standard' as const };
    await createWebhook(store, { ...fields, events: ['credit.changed'] }, ['credits:read']);
    return { store, isGood: place < good.length };
  };
  return Promise.all([...good, ...bad].map(open));
};

/** Announces events until the queue, which may be too busy, has taken them: Lambda would bring the batch again. */
const announceAll = async (...events: Parameters<typeof announce>): Promise<void> => {
  const isTaken = () =>
    announce(...events).then(
      () => true,
      () => false,
    );
  while (!(await isTaken())) await sleep(1000);
};

/**
 * Notes events of the stores in turn, at a steady rate. Answers, by id, when the events that must arrive were noted.
 */
const noteAtRate = async (places: readonly Place[], { events, rate }: Options): Promise<Map<string, number>> => {
  const notedAt = new Map<string, number>();
  const noteOf = async ({ store, isGood }: Place, numbers: readonly number[]): Promise<void> => {
    const items = (await noteEvents(numbers.map((number) => eventOf(store, number)))).filter(isEvent);
    if (isGood) for (const item of items) notedAt.set(item.sk, Date.parse(notedAtOf(item)));
    await announceAll(store, items);
  };
  const notings: Promise<void>[] = [];
  const started = performance.now();
  for (let made = 0; made < events; ) {
    const due = Math.min(events, Math.ceil(((performance.now() - started) / 1000) * rate));
    const batch = Array.from({ length: due - made }, (_, index) => made + index);
    made = due;
    const ofStores = Map.groupBy(batch, (number) => places[number % places.length] as Place);
    for (const [place, numbers] of ofStores) notings.push(noteOf(place, numbers));
    await sleep(tickMillis);
  }
  await Promise.all(notings);
  return notedAt;
};

/** Starts two workers and the sweep, as in a deployment. */
const startSending = (queueUrls: readonly string[]) => {
  const pollers = queueUrls.map((queueUrl) => startPoller({ queueUrl, worker: handler }));
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

/** Notes events of stores with one webhook each, and has them sent. Throws unless every event that must arrive does. */
const measure = async (endpoint: string, options: Options, withBad: boolean) => {
  await freshTable();
  // New queues: the server still answers the last request of a poller that was stopped.
  const { url, slowUrl, deadLetterUrl } = await ensureQueues(endpoint, withBad ? 'beside' : 'alone');
  Object.assign(process.env, { DELIVERY_QUEUE_URL: url, SLOW_QUEUE_URL: slowUrl, DELIVERY_DLQ_URL: deadLetterUrl });
  const arrivals: Arrivals = { first: new Map(), repeats: 0 };
  const places = await openPlaces(arrivals, withBad);
  const stopSending = startSending([url, slowUrl]);
  const notedAt = await noteAtRate(places, options);
  const end = performance.now() + patienceMillis;
  while (arrivals.first.size < notedAt.size && performance.now() < end) await sleep(20);
  await stopSending();

  const missing = [...notedAt.keys()].filter((id) => !arrivals.first.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} of ${notedAt.size} events did not arrive: ${missing[0]}.`);
  const millis = [...notedAt].map(([id, at]) => (arrivals.first.get(id) as number) - at);
  const good = places.filter(({ isGood }) => isGood).length;
  return {
    receivers: `${good} that answer${withBad ? `, ${places.length - good} dead, slow or lying` : ''}`,
    events: notedAt.size,
    notedPerSecond: options.rate,
    median: quantile(millis, 0.5),
    p99: quantile(millis, 0.99),
    longest: Math.max(...millis),
    repeats: arrivals.repeats,
  };
};

/**
 * The time from the noting of events to their arrival at receivers that answer, alone and beside others that do not.
 */
export const measureWebhooks = (options: Options): Promise<void> =>
  withTable(async () => {
    logSink.write = () => {};
    const { endpoint, stop } = await startQueue();
    Object.assign(process.env, { AWS_ENDPOINT_URL_SQS: endpoint, DISPENSER_LOOPBACK: 'allowed' });
    const alone = await measure(endpoint, options, false);
    report('webhooks', [alone, await measure(endpoint, options, true)]);
    await stop();
  });
