import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, test, vi } from 'vitest';
import { handler as worker } from '../../../functions/delivery-worker.ts';
import { handler as sweep } from '../../../functions/expiry-sweep.ts';
import { sweepAccess, workerAccess } from '../../../infra/permissions.ts';
import { newId, source, timestamp } from '../../../lib/clock.ts';
import { isEvent, noteEvents } from '../../../lib/events/events.ts';
import { announce } from '../../../lib/events/send.ts';
import { listSendings } from '../../../lib/events/sendings.ts';
import { createWebhook } from '../../../lib/events/webhooks.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { asFunction } from '../../support/access.ts';
import { batchFrom, contextWith, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { intercept, randomFrom } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';

/** Simulated days of stores with two webhooks: one always answers, and the other is away for up to three days. */

const firstSeed = Number(process.env.WEBHOOK_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.WEBHOOK_RUNS ?? trials(1, 5));
const [second, minute, hour] = [1000, 60_000, 3_600_000];
const eventCount = 4;
let now = Date.parse('2027-03-01T00:00:00.000Z');

setClock(now);
const { url, slowUrl } = await startTestQueue();
const queueUrls = [url, slowUrl];
await freshTable();
process.env.DISPENSER_LOOPBACK = 'allowed';
afterAll(() => {
  delete process.env.DISPENSER_LOOPBACK;
});

/** After this many calls of table and queue, no further call leaves: the process is dead, or cut off. */
const withCalls = async <T>(calls: number, work: () => Promise<T>): Promise<T> => {
  let left = calls;
  const send = <R>(go: () => Promise<R>): Promise<R> => {
    left -= 1;
    return left >= 0 ? go() : Promise.reject(Object.assign(new Error('dead'), { $fault: 'client' }));
  };
  const original = SQSClient.prototype.send as (...args: unknown[]) => Promise<never>;
  const spy = vi.spyOn(SQSClient.prototype, 'send').mockImplementation(function (this: SQSClient, ...args: unknown[]) {
    return send(() => original.apply(this, args));
  });
  const stop = intercept((_, go) => send(go));
  return work().finally(() => {
    stop();
    spy.mockRestore();
  });
};

/**
 * After how many calls workers die. The third claims an attempt, which the fourth ends: a death in between is the
 * worst.
 */
const deaths = [0, 1, 2, 3, 3, 3, 4, 5];

/** The worker takes no message by itself: the test passes it each one. */
const oneMessageContext = () => {
  let looks = 0;
  return { ...contextWith(0), getRemainingTimeInMillis: () => (looks++ === 0 ? 120_000 : 0) };
};

interface Message {
  url: string;
  body: string;
}

const simulate = async (random: () => number) => {
  const chance = (of: number): boolean => random() < of;
  const start = now;
  const backAt = start + (60 + random() * 12) * hour;
  const got = { prompt: new Set<string>(), away: new Set<string>() };
  /** The behaviour of the receiver that is away, call by call: it breaks off, fails, or asks for a pause. */
  const refusal = (): [number, Record<string, string>] | undefined => {
    const kind = Math.floor(random() * 3);
    if (kind === 0) return undefined;
    return kind === 1 ? [500, {}] : [503, { 'Retry-After': String(Math.floor(random() * 2 * 3600)) }];
  };
  const receiving = (ids: Set<string>, isAway: () => boolean) =>
    serve((request, response) => {
      const answer = isAway() ? refusal() : ([204, {}] as const);
      if (!answer) return void request.destroy();
      const [status, headers] = answer;
      if (!isAway()) ids.add(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(status, headers).end());
    });
  const store = (await createStore('Shop')).id;
  const create = async (url: string) =>
    createWebhook(store, { url, events: ['store.closed'], description: '', format: 'standard' }, []);
  const prompt = await create(await receiving(got.prompt, () => false));
  const away = await create(await receiving(got.away, () => now < backAt));

  // Some events are noted at the start, others while the receiver is away.
  const toNote = Array.from({ length: eventCount }, (_, index) => ({
    at: index < 2 ? start : start + random() * 48 * hour,
    event: { store, thing: store, id: newId(), type: 'store.closed' as const, data: {} },
  }));
  const ids = toNote.map(({ event }) => event.id).sort();
  let [messages, unnoted]: [Message[], typeof toNote] = [[], toNote];

  /** The stream brings a change again until its event is noted, and its sending ordered. */
  const note = async (): Promise<void> => {
    const left: typeof toNote = [];
    for (const one of unnoted) {
      if (one.at > now) left.push(one);
      else
        await withCalls(chance(0.3) ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY, async () =>
          announce(store, (await noteEvents([{ ...one.event, at: timestamp(one.at) } as never])).filter(isEvent)),
        ).catch(() => left.push(one));
    }
    unnoted = left;
  };
  const receive = async (): Promise<void> => {
    for (const url of queueUrls)
      for (let some = await received(url); some.length > 0; some = await received(url))
        messages.push(...some.flatMap((body) => [body, body, body]).map((body) => ({ url, body })));
    messages = messages
      .map((message) => ({ message, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ message }) => message);
  };
  /** Handles each message once. Messages that are not done come back, and so do the messages of a worker that died. */
  const handleAll = async (): Promise<void> => {
    const back: Message[] = [];
    for (const message of messages) {
      const calls = chance(0.25) ? (deaths[Math.floor(random() * deaths.length)] as number) : Number.POSITIVE_INFINITY;
      const answer = await withCalls(calls, () =>
        asFunction('delivery-worker', workerAccess, () =>
          worker(batchFrom(message.url, [message.body]), oneMessageContext()),
        ),
      );
      const hasDied = Number.isFinite(calls) && chance(0.5);
      if (hasDied || answer.batchItemFailures.length > 0) back.push(message);
    }
    messages = back;
  };

  // The last failure may be after 72 hours, and the attempt after it 26 hours later: many sweeps have to die until the
  // end.
  while (now < start + 120 * hour) {
    await note();
    await receive();
    await handleAll();
    now += messages.length > 0 ? 30 * second : 5 * minute + random() * 4 * hour;
    setClock(now);
    await withCalls(chance(0.2) ? Math.floor(random() * 12) : Number.POSITIVE_INFINITY, () =>
      asFunction('expiry-sweep', sweepAccess, () => sweep({}, { ...contextWith(60_000), awsRequestId: newId() })),
    ).catch(() => undefined);
  }

  const stateOf = async (id: string) =>
    (await listSendings(store, id)({ descending: false })).map(({ event, state }) => `${event} ${state}`).sort();
  return { ids, got, states: { prompt: await stateOf(prompt.id), away: await stateOf(away.id) } };
};

test.each(Array.from({ length: runs }, (_, index) => firstSeed + index))(
  'in 120 hours of killed processes, tripled and shuffled messages every event reaches a webhook that is back within three days, and one that always answers (WEBHOOK_SEED=%d)',
  async (seed) => {
    const random = randomFrom(seed);
    source.random = random;

    const { ids, got, states } = await simulate(random);

    expect([...got.prompt].sort()).toEqual(ids);
    expect([...got.away].sort()).toEqual(ids);
    const delivered = ids.map((id) => `${id} delivered`);
    expect(states).toEqual({ prompt: delivered, away: delivered });
  },
);
