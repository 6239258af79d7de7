import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handler as worker } from '../../../functions/delivery-worker.ts';
import { handler as sweep } from '../../../functions/expiry-sweep.ts';
import { handler as consumer } from '../../../functions/stream-consumer.ts';
import { consumerAccess, sweepAccess, workerAccess } from '../../../infra/permissions.ts';
import { newId, source, timestamp } from '../../../lib/clock.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { decodeMessage, encodeMessage } from '../../../lib/delivery/message.ts';
import { pingType } from '../../../lib/events/sendings.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import { asFunction } from '../../support/access.ts';
import { batchFrom, contextWith, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { logLines } from '../../support/log.ts';
import { type Call, setClock, startTestService } from '../../support/service.ts';
import { recordOf, shardBatch } from '../../support/stream-records.ts';
import { walkList } from '../../support/walk.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const { lookup } = resolver;
let queueUrl: string;
let slowUrl: string;
let store: string;
let call: Call;
let now = Date.parse('2027-03-01T00:00:00.000Z');

setClock(now);
({ url: queueUrl, slowUrl } = await startTestQueue());
const service = await startTestService();
beforeEach(async () => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
  allAnswers = [];
  setTimeLimit();
  source.random = () => 0;
  store = (await createStore('Webhooks')).id;
  call = service.callAs(await service.keyWith(scopes, store));
});
afterEach(async () => {
  resolver.lookup = lookup;
  delete process.env.DISPENSER_LOOPBACK;
  for (const url of [queueUrl, slowUrl]) while ((await received(url)).length > 0);
});

interface Got {
  body: string;
  headers: Record<string, string>;
}

/** A receiver with these answers. It repeats the last one. */
type Answer = number | [number, Record<string, string>] | 'silence';

let allAnswers: Answer[][] = [];
/** A worker waits briefly where silence may come, and otherwise for as long as a busy machine needs to answer. */
const setTimeLimit = (): void => {
  process.env.WEBHOOK_TIMEOUT_MILLIS = allAnswers.some((answers) => answers.includes('silence')) ? '200' : '10000';
};

const receiver = async (...answers: Answer[]) => {
  const got: Got[] = [];
  allAnswers.push(answers);
  setTimeLimit();
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ body, headers: request.headers as Record<string, string> });
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
    setTimeLimit();
    if (answer === 'silence') return;
    const [status, headers] = Array.isArray(answer) ? answer : [answer, {}];
    response.writeHead(status, headers).end('said the receiver');
  });
  return { url, got };
};

const events = ['store.closed', 'store.opened'];
const create = async (url: string, fields = {}) =>
  (await call('POST', '/v1/webhooks', { url, events, ...fields })).body;

const shop = (open: boolean) => ({ ...sharedKey('STORE', store), id: store, name: 'Shop', open });
/** The consumer meets a change of the store, whose type is store.closed. */
const close = async (): Promise<void> => {
  const { batchItemFailures } = await asFunction('stream-consumer', consumerAccess, () =>
    consumer(shardBatch([recordOf(shop(true), shop(false))])),
  );
  expect(batchItemFailures).toEqual([]);
};

const work = (bodies: readonly string[], url = queueUrl) =>
  asFunction('delivery-worker', workerAccess, () => worker(batchFrom(url, bodies), contextWith(120_000)));

/** The workers take what is on both queues, until nothing is. Answers how many messages that were. */
const drain = async (): Promise<number> => {
  let count = 0;
  for (let before = -1; before !== count; ) {
    before = count;
    for (const url of [queueUrl, slowUrl])
      for (let bodies = await received(url); bodies.length > 0; bodies = await received(url)) {
        await work(bodies, url);
        count += bodies.length;
      }
  }
  return count;
};

const runSweep = () => {
  const context = { ...contextWith(60_000), awsRequestId: newId() };
  return asFunction('expiry-sweep', sweepAccess, () => sweep({}, context));
};

/** Time passes, the sweep runs, and the worker takes what it has put on the queue. */
const pass = async (millis: number): Promise<number> => {
  now += millis;
  setClock(now);
  await runSweep();
  return drain();
};

const deliveries = async (id: string, query = '') =>
  (await call('GET', `/v1/webhooks/${id}/deliveries?${query}`)).body.data;

test('201s with a secret that only this answer and that of rotate-secret have', async () => {
  const fields = { url: 'http://127.0.0.1:1/hook', events, description: 'Books', format: 'standard' };

  // A pasted address brings invisible characters along.
  const created = await call('POST', '/v1/webhooks', { ...fields, url: ` \u200b${fields.url}\u200b` });
  const { id, secret } = created.body;
  const webhook = { id, ...fields, state: 'active' };
  const rotated = await call('POST', `/v1/webhooks/${id}/actions/rotate-secret`);

  expect([created.status, created.headers.get('location')]).toEqual([201, `/v1/webhooks/${id}`]);
  expect(created.body).toEqual({ ...webhook, secret });
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(rotated.body).toEqual({ ...webhook, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) });
  expect(rotated.body.secret).not.toBe(secret);
  expect((await call('GET', `/v1/webhooks/${id}`)).body).toEqual(webhook);
  expect((await call('GET', '/v1/webhooks')).body.data).toEqual([webhook]);
  const changed = { url: 'http://127.0.0.1:2/', events: ['store.closed'], state: 'disabled' };
  expect((await call('PUT', `/v1/webhooks/${id}`, changed)).body).toEqual({ ...webhook, ...changed, description: '' });
  expect((await call('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
  expect((await call('DELETE', `/v1/webhooks/${id}`)).status).toBe(404);
  expect(JSON.stringify(logLines)).not.toContain(secret.slice(6));
});

test('400s for events that are none, none or twice, and beyond 20 webhooks', async () => {
  const url = 'http://127.0.0.1:1/';
  const refused = await Promise.all(
    [[], ['*'], [pingType], ['store.closed', 'store.closed'], 'store.closed'].map((wrong) =>
      call('POST', '/v1/webhooks', { url, events: wrong }),
    ),
  );
  for (let count = 0; count < 20; count++) await create(url);
  const beyond = await call('POST', '/v1/webhooks', { url, events });

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect([beyond.status, beyond.body.detail]).toEqual([
    400,
    'A store has at most 20 webhooks: delete one that is not needed.',
  ]);
});

test('of 40 webhooks that are asked for at once 20 are created, and one more once one is deleted', async () => {
  const body = { url: 'http://127.0.0.1:1/', events };

  const answers = await Promise.all(Array.from({ length: 40 }, () => call('POST', '/v1/webhooks', body)));

  const listed = async () => (await call('GET', '/v1/webhooks')).body.data.map(({ id }: { id: string }) => id);
  const created = answers.flatMap(({ status, body: { id } }) => (status === 201 ? id : []));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), ...Array(20).fill(400)]);
  expect((await listed()).toSorted()).toEqual(created.toSorted());
  for (const id of created.slice(0, 2)) await call('DELETE', `/v1/webhooks/${id}`);
  const more = await Promise.all(Array.from({ length: 4 }, () => call('POST', '/v1/webhooks', body)));
  expect(more.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400]);
  expect(await listed()).toHaveLength(20);
});

const writerWith = async (...more: Scope[]) =>
  service.callAs(await service.keyWith(['webhooks:write', ...more], store));

test('403s for events that the key may not read, naming the scopes, after every fault of form, and creates nothing', async () => {
  const writer = await writerWith('sales:read');
  const url = 'http://127.0.0.1:1/';
  const post = async (body: object, headers = {}) => {
    const { status, body: answer } = await writer('POST', '/v1/webhooks', body, headers);
    return [status, answer.detail];
  };

  const answers = [
    await post({
      url,
      events: ['store.closed', 'sale.completed', 'giftcard.granted', 'credit.changed', 'giftcard.disabled'],
    }),
    await post({ url, events: ['customer.banned'] }, { 'Idempotency-Key': newId() }),
    await post({ url: 'http://192.0.2.1/', events: ['customer.banned'] }),
    await post({ url, events: ['customer.banned'], format: 'xml' }),
  ];
  const allowed = await writer('POST', '/v1/webhooks', { url, events: ['store.closed', 'sale.completed'] });

  expect(answers).toEqual([
    [
      403,
      'The API key lacks the scope giftcards:read and credits:read to read giftcard.granted, credit.changed, giftcard.disabled.',
    ],
    [403, 'The API key lacks the scope customers:read to read customer.banned.'],
    [400, 'url must be a public https address: it does not begin with https.'],
    [400, 'format must be standard or discord.'],
  ]);
  expect(allowed.status).toBe(201);
  expect((await call('GET', '/v1/webhooks')).body.data.map(({ id }: { id: string }) => id)).toEqual([allowed.body.id]);
});

test('a PUT may keep events that the key may not read, but neither add one nor send them elsewhere', async () => {
  const writer = await writerWith();
  const [url, elsewhere] = ['http://127.0.0.1:1/', 'http://127.0.0.1:2/'];
  const { id } = await create(url, { events: ['credit.changed', 'store.closed'] });
  const put = async (body: object) => (await writer('PUT', `/v1/webhooks/${id}`, body)).status;
  const before = (await call('GET', `/v1/webhooks/${id}`)).body;

  const refused = [
    await put({ url, events: ['credit.changed', 'sale.completed'] }),
    await put({ url: elsewhere, events: ['credit.changed'] }),
    await put({ url: 'http://192.0.2.1/', events: ['sale.completed'] }),
    (await writer('PUT', `/v1/webhooks/${newId()}`, { url, events: ['sale.completed'] })).status,
  ];
  const untouched = (await call('GET', `/v1/webhooks/${id}`)).body;
  const kept = await put({ url, events: ['store.opened', 'credit.changed'], description: 'Mine' });
  const given = await put({ url: elsewhere, events: ['store.opened'] });
  const again = await put({ url: elsewhere, events: ['store.opened', 'credit.changed'] });

  expect(refused).toEqual([403, 403, 400, 404]);
  expect(untouched).toEqual(before);
  expect([kept, given, again]).toEqual([200, 200, 403]);
});

test('a PUT that another overtakes is decided anew', async () => {
  const writer = await writerWith();
  const [url, elsewhere] = ['http://127.0.0.1:1/', 'http://127.0.0.1:2/'];
  const { id } = await create(url, { events: ['credit.changed'] });
  let overtaken = false;
  const stop = intercept(async ({ operation, input }, send) => {
    if (!overtaken && operation === 'UpdateItem' && JSON.stringify(input).includes('#WEBHOOK')) {
      overtaken = true;
      await call('PUT', `/v1/webhooks/${id}`, { url: elsewhere, events: ['store.opened'] });
    }
    return send();
  });

  const { status } = await writer('PUT', `/v1/webhooks/${id}`, { url, events: ['credit.changed'] }).finally(stop);

  expect([overtaken, status]).toEqual([true, 403]);
  expect((await call('GET', `/v1/webhooks/${id}`)).body).toMatchObject({ url: elsewhere, events: ['store.opened'] });
});

/** The steps of Standard Webhooks 1.0, written from its text: an independent second verifier. */
const isSigned = ({ body, headers }: Got, secret: string): boolean => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(text, 'utf8').digest('base64');
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${signature}`);
};

/** Like `llHMAC`, whose key is a text: so the key in a secret must be a text. */
const isSignedForScripts = ({ body, headers }: Got, secret: string): boolean => {
  const key = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};

/** The package reads the real clock. */
const verify = ({ body, headers }: Got, secret: string): unknown => {
  const verifier = new Verifier(secret);
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
  expect(verifier.sign(headers['webhook-id'] ?? '', sent, body).split(' ')).toEqual([
    expect.toSatisfy((one: string) => (headers['webhook-signature'] ?? '').split(' ').includes(one)),
  ]);
  return JSON.parse(body);
};

test('sends each event that it subscribes to, signed, with the id that the list of events has', async () => {
  const { url, got } = await receiver(200);
  const { id, secret } = await create(url);
  const other = await receiver(200);
  await create(other.url, { events: ['credit.changed'] });
  await close();

  await drain();

  now += 11 * second;
  setClock(now);
  const [event] = (await call('GET', '/v1/events')).body.data;
  const [message] = got as [Got];
  expect([got.length, other.got.length]).toEqual([1, 0]);
  expect([isSigned(message, secret), isSignedForScripts(message, secret)]).toEqual([true, true]);
  expect(verify(message, secret)).toEqual({ type: 'store.closed', timestamp: event.at, data: event.data });
  expect(message.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
  expect(await deliveries(id)).toEqual([
    {
      ...{ id: event.id, eventId: event.id, type: 'store.closed', state: 'delivered', attempts: 1, status: 200 },
      ...{ lastError: null, nextAt: null },
    },
  ]);
});

test('both secrets sign for 24 hours after a rotation', async () => {
  const { url, got } = await receiver(200);
  const { id, secret } = await create(url);
  const { secret: next } = (await call('POST', `/v1/webhooks/${id}/actions/rotate-secret`)).body;

  for (const millis of [0, 24 * hour - 1, 1]) {
    now += millis;
    setClock(now);
    await close();
    await drain();
  }

  expect(got.map((message) => [isSigned(message, secret), isSigned(message, next)])).toEqual([
    [true, true],
    [true, true],
    [false, true],
  ]);
});

test('retries after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, then gives up', async () => {
  const { url, got } = await receiver(500);
  const { id } = await create(url);
  await close();
  await drain();
  const pauses = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];

  for (const [index, millis] of pauses.entries()) {
    const [{ nextAt }] = await deliveries(id, 'state=pending');
    expect([index, nextAt]).toEqual([index, timestamp(now + millis)]);
    await pass(millis - 1);
    expect(got).toHaveLength(index + 1);
    await pass(1);
    expect(got).toHaveLength(index + 2);
  }

  expect(await deliveries(id, 'state=pending')).toEqual([]);
  expect(await deliveries(id, 'state=failed')).toMatchObject([
    { attempts: 10, status: 500, lastError: 'It answered 500: said the receiver', nextAt: null },
  ]);
});

test('a receiver that comes back within three days gets every event, though nothing answered for it until then', async () => {
  const { url, got } = await receiver('silence', 'silence', 'silence', 'silence', 'silence', 'silence', 'silence', 200);
  const { id } = await create(url);
  for (let count = 0; count < 3; count++) await close();
  await drain();
  for (let hours = 0; hours < 76; hours++) await pass(hour);

  const ids = (await deliveries(id)).map(({ eventId }: { eventId: string }) => eventId);
  expect((await deliveries(id, 'state=delivered')).length).toBe(3);
  expect(new Set(got.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
});

test('waits for as long as Retry-After asks, in seconds or until a date', async () => {
  const date = new Date(now + 2 * hour).toUTCString();
  const { url } = await receiver([429, { 'Retry-After': '600' }], [503, { 'Retry-After': date }], 200);
  const { id } = await create(url);
  const due = now + 2 * hour;
  await close();
  await drain();

  const [first] = await deliveries(id);
  await pass(600 * second);
  const [next] = await deliveries(id);
  await pass(due - now);

  expect(first.nextAt).toBe(timestamp(due - 2 * hour + 600 * second));
  expect(next.nextAt).toBe(timestamp(due));
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 3 }]);
});

test('follows no redirect, which counts as a failure', async () => {
  const target = await receiver(200);
  const { url, got } = await receiver(
    [307, { Location: target.url }],
    [301, { Location: 'http://169.254.169.254/' }],
    200,
  );
  const { id } = await create(url);
  await close();
  await drain();
  await pass(5 * second);
  const states = await deliveries(id);
  await pass(5 * minute);

  expect(states).toMatchObject([{ state: 'pending', attempts: 2, status: 301 }]);
  expect([got.length, target.got.length]).toEqual([3, 0]);
});

test('410 disables a webhook: nothing more is sent to it until a PUT enables it, and then only what is noted since', async () => {
  const { url, got } = await receiver(410, 200);
  const { id } = await create(url);
  await close();
  await drain();
  const { state } = (await call('GET', `/v1/webhooks/${id}`)).body;
  await close();
  await drain();
  now += second;
  setClock(now);
  await call('PUT', `/v1/webhooks/${id}`, { url, events, state: 'active' });
  await close();
  await drain();

  expect([state, got.length]).toEqual(['disabled', 2]);
  expect(logLines.filter(({ webhook }) => webhook === 'disabled')).toMatchObject([{ level: 'ERROR', webhookId: id }]);
  expect((await deliveries(id)).map(({ state: each }: { state: string }) => each)).toEqual(['delivered', 'failed']);
});

test('an event that failed or was held back goes nowhere once the webhook does not subscribe to its type any more', async () => {
  const [before, silent, after] = [await receiver(500), await receiver('silence'), await receiver(200)];
  const ids = [(await create(before.url)).id, (await create(silent.url)).id];
  for (let count = 0; count < 3; count++) await close();
  await drain();

  // A key that may not read store.closed may do so.
  for (const id of ids) await call('PUT', `/v1/webhooks/${id}`, { url: after.url, events: ['store.opened'] });
  for (const millis of [minute, 10 * minute, hour]) await pass(millis);

  expect([before.got.length, silent.got.length, after.got]).toEqual([3, 1, []]);
  for (const id of ids)
    expect(await deliveries(id)).toMatchObject(
      Array(3).fill({ state: 'failed', lastError: 'The webhook does not subscribe to store.closed any more.' }),
    );
});

test('five days without a success disable a webhook, and a success in between begins them anew', async () => {
  const { url } = await receiver(500, 200, 500);
  const { id } = await create(url);
  const stateOf = async () => (await call('GET', `/v1/webhooks/${id}`)).body.state;
  const states: string[] = [];
  for (const days of [0, 3, 3, 3, 2]) {
    now += days * 24 * hour;
    setClock(now);
    await close();
    await drain();
    states.push(await stateOf());
  }

  expect(states).toEqual(['active', 'active', 'active', 'active', 'disabled']);
});

test('of tripled and shuffled messages at once, one that answers gets each event once', async () => {
  const { url, got } = await receiver(200);
  const { id } = await create(url);
  for (let count = 0; count < 6; count++) await close();
  const bodies: string[] = [];
  for (let some = await received(queueUrl); some.length > 0; some = await received(queueUrl)) bodies.push(...some);

  await Promise.all([work(bodies), work([...bodies].reverse()), work(bodies)]);

  const ids = got.map(({ headers }) => headers['webhook-id']);
  expect(bodies).toHaveLength(6);
  expect(ids.toSorted()).toEqual(bodies.map((body) => (JSON.parse(body) as { event: string }).event).toSorted());
  expect(await deliveries(id, 'state=delivered')).toHaveLength(6);
});

/** The worker dies after this many calls of the table: none of its further calls leaves. */
const workUntilDead = async (bodies: readonly string[], calls: number, url = queueUrl) => {
  let left = calls;
  const stop = intercept((_, send) => {
    left -= 1;
    return left >= 0 ? send() : Promise.reject(Object.assign(new Error('dead'), { $fault: 'client' }));
  });
  return work(bodies, url).finally(stop);
};

test.each([0, 1, 2, 3])('a worker that dies after %d calls of the table loses no event', async (calls) => {
  const { url, got } = await receiver(200);
  const { id } = await create(url);
  await close();
  const bodies = await received(queueUrl);

  const { batchItemFailures } = await workUntilDead(bodies, calls);
  now += minute;
  setClock(now);
  await work(bodies);

  expect(batchItemFailures).toHaveLength(1);
  // The one that died after the call had not recorded the outcome.
  expect(got.map(({ headers }) => headers['webhook-id'])).toHaveLength(calls === 3 ? 2 : 1);
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }]);
});

test('an attempt that died with its worker does not shorten the three days', async () => {
  const { url } = await receiver(500);
  const { id } = await create(url);
  await close();
  await drain();
  for (const pause of [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14].map((hours) => hours * hour)])
    await pass(pause);
  now += 20 * hour;
  setClock(now);
  await runSweep();
  const bodies = await received(slowUrl);

  await workUntilDead(bodies, 3, slowUrl);
  now += minute;
  setClock(now);
  await work(bodies, slowUrl);

  expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: 10, nextAt: timestamp(now + 24 * hour) }]);
});

test('a webhook that does not answer holds its other events back without a call, and delays no other webhook', async () => {
  const [dead, live] = [await receiver('silence'), await receiver(200)];
  const { id } = await create(dead.url);
  await create(live.url);
  for (let count = 0; count < 5; count++) await close();

  await drain();

  expect([dead.got.length, live.got.length]).toEqual([1, 5]);
  const pending = await deliveries(id, 'state=pending');
  expect(pending.map(({ attempts }: { attempts: number }) => attempts).toSorted()).toEqual([0, 0, 0, 0, 1]);
});

test('the events of a webhook that fails take the slow lane, until ten minutes after it answers again', async () => {
  const { url, got } = await receiver(500, 200);
  await create(url);
  const lanesOf = async () => [(await received(queueUrl)).length, (await received(slowUrl)).length];
  await close();
  await close();
  const [first = '', left = ''] = await received(queueUrl);

  await work([first]);
  await work([left]);
  const moved = await received(slowUrl);
  await close();
  const whileFailing = await lanesOf();
  await work(moved, slowUrl);
  now += 10 * minute - 1;
  setClock(now);
  await close();
  const soonAfter = await lanesOf();
  now += 1;
  setClock(now);
  await close();

  expect([moved, got.length]).toEqual([[left], 2]);
  expect([whileFailing, soonAfter, await lanesOf()]).toEqual([
    [0, 1],
    [0, 1],
    [1, 0],
  ]);
});

test('after a pause one of the events that were held back is tried, and the others follow only its answer', async () => {
  const { url, got } = await receiver('silence', 'silence', 200);
  const { id } = await create(url);
  for (let count = 0; count < 5; count++) await close();
  await drain();

  now += 31 * second;
  setClock(now);
  await runSweep();
  const bodies = (await received(slowUrl)).filter((body) => body.includes(id));
  await work(bodies, slowUrl);
  const soFar = got.length;
  await pass(5 * minute);

  // A retry of the first event, and one that was held back and is again.
  expect([bodies.length, soFar, got.length]).toEqual([2, 2, 7]);
  const states = (await deliveries(id)).map(({ state, attempts }: Record<string, string>) => `${state} ${attempts}`);
  expect(states.toSorted()).toEqual([...Array(4).fill('delivered 1'), 'delivered 3']);
});

test('202s with a test event, which a disabled webhook gets too and no list of events has', async () => {
  const { url, got } = await receiver(200);
  const { id, secret } = await create(url);
  await call('PUT', `/v1/webhooks/${id}`, { url, events, state: 'disabled' });

  const { status, body } = await call('POST', `/v1/webhooks/${id}/actions/test`);
  await drain();

  now += 11 * second;
  setClock(now);
  expect(status).toBe(202);
  expect(isSigned(got[0] as Got, secret)).toBe(true);
  expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ type: pingType, data: { webhookId: id } });
  expect(await deliveries(id)).toMatchObject([{ eventId: body.eventId, type: pingType, state: 'delivered' }]);
  expect((await call('GET', '/v1/events')).body.data).toEqual([]);
});

test('lists deliveries newest first, of all states or of one, in pages both ways', async () => {
  const { url } = await receiver(200, 500, 200, 500);
  const { id } = await create(url);
  for (let count = 0; count < 4; count++) {
    now += minute;
    setClock(now);
    await close();
    await drain();
  }

  const all = await walkList<{ id: string; state: string }>(call, `/v1/webhooks/${id}/deliveries`, 3);
  const pending = await walkList<{ id: string }>(call, `/v1/webhooks/${id}/deliveries?state=pending`, 1);

  expect(all.map(({ state }) => state)).toEqual(['pending', 'delivered', 'pending', 'delivered']);
  expect(pending.map((one) => one.id)).toEqual([all[0]?.id, all[2]?.id]);
});

test('a message for Discord mentions nobody and has no ids, notes, reasons or references', async () => {
  const { url, got } = await receiver(204);
  await create(url, { events: ['giftcard.granted', 'customer.banned'], format: 'discord' });
  const cardId = newId();
  const card = {
    ...{ pk: `${store}#GIFTCARD`, sk: cardId, id: cardId, ownerUuid: cardId, ownerUsername: '@everyone', credit: 5 },
    ...{ active: true, redeemed: false, transfer: true, texture: null, purchased: false },
    ...{ grantedAt: timestamp(now), reason: 'a secret reason', reference: 'a reference' },
  };
  await consumer(shardBatch([recordOf(undefined, card)]));

  await drain();

  const { embeds, allowed_mentions } = JSON.parse(got[0]?.body ?? '');
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(embeds).toEqual([
    {
      title: 'A gift card was granted.',
      description: 'Card of \\@everyone, L$ 5',
      timestamp: timestamp(now),
      footer: { text: 'giftcard.granted' },
    },
  ]);
});

test('a message of another kind of queue is none of ours', () => {
  const message = {
    kind: 'event' as const,
    store,
    webhook: newId(),
    event: newId(),
    type: pingType as 'webhook.ping',
    notedAt: timestamp(now),
  };

  expect(decodeMessage(encodeMessage(message))).toEqual(message);
  expect(decodeMessage(JSON.stringify({ ...message, webhook: 'x' }))).toBeUndefined();
});
