import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newId, timestamp } from '../../../lib/clock.ts';
import {
  claimDelivery,
  completeDelivery,
  type Delivery,
  deliveriesList,
  failDelivery,
  getDelivery,
  letWait,
} from '../../../lib/delivery/deliveries.ts';
import { type DeliveryState, deliveryStates } from '../../../lib/routes/deliveries.ts';
import { type Stamped, withoutStamps } from '../../../lib/table/stamp.ts';
import { anOrder, failQueue, received, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, holdReads, intercept, notSent } from '../../support/faults.ts';
import { newResident, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

let queueUrl: string;
let recipient: Awaited<ReturnType<typeof newResident>>;
let stop = () => {};
let now = Date.parse('2027-03-01T00:00:00.000Z');

setClock(now);
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
beforeEach(async () => {
  recipient = await newResident();
});
afterEach(async () => {
  stop();
  vi.restoreAllMocks();
  while ((await received(queueUrl)).length > 0);
});

/** Begins a delivery to the recipient, a minute after the previous one, and brings it into a state. */
const begun = async (state: DeliveryState): Promise<Delivery> => {
  now += 60_000;
  setClock(now);
  const { uuid, username } = recipient;
  const order = anOrder(service.store, { recipientUuid: uuid, recipientUsername: username });
  const { delivery } = await claimDelivery(order, 0);
  if (state === 'delivered') await completeDelivery(delivery);
  if (state === 'failed') await failDelivery(delivery, 'no such item');
  if (state === 'waiting') await letWait(delivery, 'nobody there');
  return delivery;
};

const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id);
const list = async (query: string) => (await service.call('GET', `/v1/deliveries?${query}`)).body;
const retry = (id: string, headers = {}) =>
  service.call('POST', `/v1/deliveries/${id}/actions/retry`, undefined, headers);
const read = async (id: string) => (await service.call('GET', `/v1/deliveries/${id}`)).body;

test('200s with a delivery, from its first attempt on, and says when it ended', async () => {
  const order = anOrder(service.store, { recipientUuid: recipient.uuid, recipientUsername: recipient.username });
  const before = await service.call('GET', `/v1/deliveries/${order.id}`);

  const { delivery } = await claimDelivery(order, 0);
  const first = await read(order.id);
  await failDelivery(delivery, 'no such item');
  const failed = await read(order.id);
  const failedAt = timestamp(now);
  now += 1000;
  setClock(now);
  await completeDelivery(delivery);

  const { id, productId, item, recipientUuid, recipientUsername, createdAt } = order;
  const fields = { id, productId, item, recipientUuid, recipientUsername, attempts: 1, createdAt, saleId: null };
  expect(before.status).toBe(404);
  expect(first).toEqual({ ...fields, state: 'queued', lastError: null, endedAt: null });
  expect(failed).toEqual({ ...fields, state: 'failed', lastError: 'no such item', endedAt: failedAt });
  expect(await read(id)).toEqual({ ...fields, state: 'delivered', lastError: null, endedAt: timestamp(now) });
});

test.each(deliveryStates)('lists the deliveries that are %s, newest first, in pages both ways', async (state) => {
  const made: string[] = [];
  for (let count = 0; count < 3; count++) {
    for (const other of deliveryStates.filter((one) => one !== state)) await begun(other);
    made.unshift((await begun(state)).id);
  }

  const ofState = idsOf(await list(`state=${state}&limit=3`));
  const ofBoth = await walkList<Delivery>(service.call, `/v1/deliveries?state=${state}&recipient=${recipient.uuid}`, 2);

  expect(ofState).toEqual(made);
  expect(ofBoth.map(({ id }) => id)).toEqual(made);
});

test('lists all deliveries, and those to a recipient by name or UUID, newest first, in pages both ways', async () => {
  const made: string[] = [];
  for (const state of deliveryStates) made.unshift((await begun(state)).id);

  const all = await walkList<Delivery>(service.call, '/v1/deliveries', 3);
  const theirs = await walkList<Delivery>(service.call, `/v1/deliveries?recipient=${recipient.username}`, 3);

  expect(all.slice(0, 4).map(({ id }) => id)).toEqual(made);
  expect(theirs.map(({ id }) => id)).toEqual(made);
  expect(idsOf(await list(`recipient=${recipient.uuid.toUpperCase()}`))).toEqual(made);
});

test('answers an empty list for an unknown recipient, and 400 for a malformed one and an unknown state', async () => {
  const unknown = [await list('recipient=nobody'), await list(`recipient=${unknownUuid}`)];
  const { status, body } = await service.call('GET', '/v1/deliveries?recipient=a..b&state=lost');

  expect(unknown.map(({ data }) => data)).toEqual([[], []]);
  expect([status, body.errors]).toEqual([
    400,
    [
      'state must be queued, waiting, delivered or failed.',
      'recipient must be a username (first, first.last or first last) or an avatar UUID.',
    ],
  ]);
});

test('refuses the cursor of one list in another, and answers nothing of another store', async () => {
  const [first] = [await begun('failed'), await begun('failed')];
  const { nextCursor } = (await list('state=failed&limit=1')).pagination;

  const { pagination } = await list(`recipient=${recipient.uuid}&limit=1`);
  const { uuid } = await newResident();

  const refused = await list(`state=queued&limit=1&cursor=${nextCursor}`);
  const ofAnother = await list(`recipient=${uuid}&limit=1&cursor=${pagination.nextCursor}`);
  const foreign = await service.callOther('GET', `/v1/deliveries/${first.id}`);
  const empty = await service.callOther('GET', `/v1/deliveries?recipient=${recipient.uuid}`);

  for (const { errors } of [refused, ofAnother]) expect(errors).toEqual(['Cursor is invalid.']);
  expect([foreign.status, empty.body.data]).toEqual([404, []]);
  expect((await service.callOther('POST', `/v1/deliveries/${first.id}/actions/retry`)).status).toBe(404);
});

test('a page costs the same however many other deliveries the store has', async () => {
  for (let count = 0; count < 5; count++) await begun('failed');
  const paths = ['', '&state=failed', `&recipient=${recipient.uuid}`];
  const costs = async () =>
    Promise.all(paths.map(async (rest) => (await service.call('GET', `/v1/deliveries?limit=3${rest}`)).cost));
  const few = await costs();
  const { uuid } = recipient;

  for (let count = 0; count < 30; count++) {
    recipient = { uuid: randomUUID(), username: 'other' };
    await begun(count % 2 ? 'delivered' : 'waiting');
  }

  expect(await costs()).toEqual(few);
  const { source } = await deliveriesList(service.store, { recipient: { uuid } });
  expect(await source({ descending: false })).toHaveLength(5);
});

test.each(['waiting', 'failed'] as const)(
  'retries a delivery that is %s: 200 with the row, and it is queued',
  async (state) => {
    const { id, productId } = await begun(state);
    now += 1000;
    setClock(now);

    const { status, body } = await retry(id);

    expect([status, body.state, body.endedAt]).toEqual([200, 'queued', null]);
    expect(body).toEqual(await read(id));
    const expiresAt = timestamp(now + 14 * 86_400_000);
    expect(await getDelivery(service.store, id)).toMatchObject({ expiresAt, inARow: 0 });
    expect((await received(queueUrl)).map((text) => JSON.parse(text))).toMatchObject([{ id, productId }]);
  },
);

test('400s for a delivery that is queued or delivered, 404s for an unknown one, and queues nothing', async () => {
  const [queued, made] = [await begun('queued'), await begun('delivered')];

  const answers = [await retry(queued.id), await retry(made.id), await retry(newId()), await retry('no-uuid')];

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 404, 400]);
  expect(await received(queueUrl)).toEqual([]);
});

test('of many retries at once one is answered 200 and queues one message, and the others free their keys', async () => {
  const { id } = await begun('failed');

  const keys = Array.from({ length: 8 }, () => ({ 'Idempotency-Key': randomUUID() }));
  stop = holdReads(keys.length, id);

  const answers = await Promise.all(keys.map((key) => retry(id, key)));
  const others = await Promise.all(keys.map((key) => retry(newId(), key)));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(keys.length - 1).fill(400)]);
  expect(others.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 200 ? 422 : 404)));
  expect(await received(queueUrl)).toHaveLength(1);
});

test.each([
  ['failed', true],
  ['failed', false],
  ['waiting', true],
  ['waiting', false],
] as const)(
  'after a 503 a delivery is %s as before, and is retried by the next request (message sent: %s)',
  async (state, isSent) => {
    const { id } = await begun(state);
    const record = async () => withoutStamps({ ...(await getDelivery(service.store, id)) } as Stamped);
    const before = [await record(), await read(id)];
    now += 1000;
    setClock(now);
    failQueue(isSent);

    const unconfirmed = await retry(id);
    const after = [await record(), await read(id)];
    const repeated = await retry(id);

    expect([unconfirmed.status, repeated.status]).toEqual([503, 200]);
    expect(after).toEqual(before);
  },
);

test('a delivery that a worker claims before the retry is taken back stays with the worker', async () => {
  const { id } = await begun('failed');
  let claimed: boolean | undefined;
  failQueue(true);
  stop = intercept(async (call, send) => {
    if (claimed === undefined && call.isWrite && JSON.stringify(call.input).includes('#DELIVERY#failed')) {
      claimed = false;
      ({ claimed } = await claimDelivery(anOrder(service.store, { id }), 0));
    }
    return send();
  });

  const { status } = await retry(id);

  expect([status, claimed]).toEqual([503, true]);
  expect(await read(id)).toMatchObject({ state: 'queued', attempts: 2 });
});

test('with an Idempotency-Key a retry is repeated although neither queue nor table confirmed that it was put back', async () => {
  const { id } = await begun('failed');
  const headers = { 'Idempotency-Key': randomUUID() };
  failQueue(false);
  stop = intercept(async (call, send) => {
    if (call.isWrite && JSON.stringify(call.input).includes('#DELIVERY#failed')) throw notSent();
    return send();
  });
  const unconfirmed = await retry(id, headers);
  const hanging = await read(id);
  stop();
  const refused = await retry(id);
  const repeated = await retry(id, headers);
  const kept = await retry(id, headers);

  expect([unconfirmed.status, hanging.state, refused.status]).toEqual([503, 'queued', 400]);
  expect([repeated.status, repeated.body.state]).toEqual([200, 'queued']);
  expect([kept.status, kept.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await received(queueUrl)).toHaveLength(1);
});

test('with an Idempotency-Key a retry that a worker has taken up is answered with the row, and queues nothing', async () => {
  const { id } = await begun('failed');
  const headers = { 'Idempotency-Key': randomUUID() };
  stop = intercept(async (call, send) => {
    if (call.isWrite && JSON.stringify(call.input).includes('"done"')) throw answerLost();
    return send();
  });
  const first = await retry(id, headers);
  stop();
  for (const text of await received(queueUrl)) await claimDelivery(JSON.parse(text), 0);

  now += 41_000;
  setClock(now);
  const again = await retry(id, headers);

  expect([first.status, again.status, again.body.attempts]).toEqual([200, 200, 2]);
  expect(await received(queueUrl)).toEqual([]);
});

test('a retry whose write was answered late opens the delivery once', async () => {
  const { id } = await begun('failed');
  let lost = false;
  stop = intercept(async (call, send) => {
    const answer = await send();
    if (call.isWrite && !lost && JSON.stringify(call.input).includes('retriedBy')) {
      lost = true;
      throw answerLost();
    }
    return answer;
  });

  const { status } = await retry(id);

  expect([lost, status]).toEqual([true, 200]);
  expect(await received(queueUrl)).toHaveLength(1);
});
