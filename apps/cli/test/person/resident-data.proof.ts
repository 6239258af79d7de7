import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { handler as consumer } from '../../../../functions/stream-consumer.ts';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { now, timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { claimDelivery, completeDelivery, failDelivery, reopenDelivery } from '../../../../lib/delivery/deliveries.ts';
import { tellResident } from '../../../../lib/store/tell-resident.ts';
import * as dynamodb from '../../../../lib/table/dynamodb.ts';
import { customerNameKey } from '../../../../lib/table/keys.ts';
import { exists, type Item, targetOf, update } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { inOrder, newStamp } from '../../../../lib/table/stamp.ts';
import { engine, get } from '../../../../lib/table/table.ts';
import { readStream } from '../../../../local/engines/stream.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

interface Avatar {
  uuid: string;
  username: string;
}

let service: Awaited<ReturnType<typeof startForCli>>;
let store: string;
let product: string;
let avatar: Avatar;
let avatars = 0;

const newAvatar = (): Avatar => ({ uuid: randomUUID(), username: `number${++avatars}.erased` });

beforeAll(async () => {
  service = await startForCli({ demo: false });
  store = service.service.store.id;
  product = (await call('POST', '/v1/products', { name: 'Lamp', price: 5 })).id;
});
beforeEach(() => {
  avatar = newAvatar();
});
afterEach(() => {
  delete engine.transact;
  delete engine.write;
  delete engine.get;
  delete engine.query;
});

const call = async (method: string, path: string, body?: object) => {
  const answer = await service.call(method, path, service.service.keys.all, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

const demo = ['--store', 'Demo Store'];
const erase = (...args: string[]) => service.run('resident', 'erase', avatar.uuid, '--yes', '--json', ...args);

/** A text about the avatar. */
const about = (): string => `It is about ${avatar.username}.`;

const give = (amount: number, expiresAt?: string) =>
  changeCredit(
    store,
    { uuid: avatar.uuid },
    'regular',
    { kind: 'increment', delta: amount, expiresAt },
    { by: 'test', reason: about(), reference: about() },
  );

const buy = async () => {
  const purchase = { id: randomUUID(), buyer: avatar, productId: product, price: 5, at: timestamp(now()) };
  await recordPurchase(store, purchase);
};

/** The stream's consumer is normally a second behind, on a busy machine more. */
const patience = { timeout: 20_000 };

/** Gives an avatar something of every kind, and no credit in the end. Answers the id of their gift card. */
const live = async (): Promise<string> => {
  const { uuid, username } = avatar;
  const customer = `/v1/customers/${uuid}`;
  await tellResident(store, { uuid, username }, 'request');
  await give(50, '2099-01-01T00:00:00.000Z');
  await give(-50);
  await call('POST', `${customer}/actions/set-restricted-credit`, { credit: 7 });
  await call('POST', `${customer}/actions/set-restricted-credit`, { credit: 0 });
  await call('POST', `${customer}/actions/ban`, { reason: about() });
  await call('PUT', customer, { discount: 5, newsSubscriber: true });
  await call('POST', '/v1/coupons', { code: `C${uuid}`, ownerIdentifier: uuid });
  const coupon = await call('POST', '/v1/coupons', { code: randomUUID(), ownerIdentifier: 'vera.vendor' });
  await call('POST', `${customer}/actions/apply-coupon`, { couponId: coupon.id, scope: 0 });
  const card = await call('POST', `${customer}/actions/grant-gift-card`, { credit: 9 });
  await call('PUT', `/v1/giftcards/${card.id}`, { credit: 0 });
  await buy();
  const order = { recipientUuid: uuid, recipientUsername: username, message: about() };
  await completeDelivery((await claimDelivery(anOrder(store, order), 1000)).delivery);
  await failDelivery((await claimDelivery(anOrder(store, order), 1000)).delivery, about());
  // An erasure takes only the events that the consumer has noted.
  const events = async () => (await wholeTable(`${store}#EVENT`)).map(asText).filter((item) => item.includes(uuid));
  await expect.poll(events, patience).toContainEqual(expect.stringContaining('delivery.failed'));
  return card.id;
};

const asText = (item: object): string =>
  JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value));

/** The table without marks of changes that have moved: their lots may leave a part there once more. */
const books = async (): Promise<Item[]> => (await wholeTable()).filter((item) => item.erased === undefined);

const expectNothingLeft = async (): Promise<void> => {
  // A coupon's code is the store's, not its owner's: it holds the UUID here.
  const left = (await books()).map(asText).map((text) => text.replaceAll(new RegExp(`c${avatar.uuid}`, 'gi'), ''));
  for (const text of [avatar.uuid, avatar.username]) expect(left.filter((item) => item.includes(text))).toEqual([]);
};

const expectGreenAudit = async (): Promise<void> => {
  const { code, stdout } = await service.run('audit', ...demo, '--json');
  expect(stdout).not.toMatch(/"fault":/);
  expect(code).toBe(0);
};

/** Has the stream brought once more from its start. */
const everythingAgain = async (): Promise<void> => {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  await readStream({ endpoint, table: String(process.env.TABLE_NAME), consumer }).toEnd();
};

const historyOf = async (uuid: string) => (await call('GET', `/v1/customers/${uuid}/credit/history`)).data;

/** A customer's history, when it has this many rows. */
const historyWith = async (count: number, uuid = avatar.uuid) => {
  await expect.poll(() => historyOf(uuid), patience).toHaveLength(count);
  return historyOf(uuid);
};

/** Calls `work` before each transaction of an erasure is sent, with its number. */
const atEach = (work: (number: number) => Promise<unknown> | undefined): void => {
  let number = 0;
  engine.transact = async (writes, token) => {
    if (writes.some(({ kind }) => kind === 'remove') && asText(writes).includes(avatar.uuid)) await work(++number);
    return dynamodb.transact(writes, token);
  };
};

const die = () => Promise.reject(Object.assign(new Error('The command died.'), { $fault: 'client' }));

test('exports everything about one avatar in the forms of the API, and nothing about another', async () => {
  const other = avatar;
  await live();
  avatar = newAvatar();
  const card = await live();
  await give(20, '2099-02-01T00:00:00.000Z');
  const own = `/v1/customers/${avatar.uuid}`;
  await historyWith(5);

  const { code, stdout } = await service.run('resident', 'export', avatar.username, '--all-stores', '--json');

  expect(code).toBe(0);
  for (const text of [other.uuid, other.username, 'vera.vendor']) expect(stdout).not.toContain(text);
  const { stores, ...document } = JSON.parse(stdout);
  expect(document).toEqual({ uuid: avatar.uuid, exportedAt: expect.any(String), toldByOperator: null });
  expect(stores.map((one: { store: { name: string } }) => one.store.name)).toEqual(['Demo Store', 'Other Store']);
  expect(stores[0]).toMatchObject({
    toldToStore: { username: avatar.username, names: [avatar.username] },
    customer: await call('GET', own),
    banReason: about(),
    creditLots: (await call('GET', `${own}/credit/lots`)).data,
    creditHistory: await historyOf(avatar.uuid),
    spend: await call('GET', `${own}/spend`),
    purchases: [{ id: expect.any(String), productId: product, price: 5, at: expect.any(String) }],
    ownedProducts: (await call('GET', `${own}/products`)).data,
    giftCards: [await call('GET', `/v1/giftcards/${card}`)],
    couponsOwned: (await call('GET', `/v1/coupons/owner/${avatar.uuid}`)).data,
    couponsApplied: (await call('GET', `${own}/coupons`)).data,
    profitShares: [],
  });
  const deliveries = (await call('GET', `/v1/deliveries?recipient=${avatar.uuid}`)).data.toReversed();
  expect(stores[0].deliveries).toEqual([
    { ...deliveries[0], message: null },
    { ...deliveries[1], message: about() },
  ]);
  expect([stores[0].creditHistory, stores[0].creditLots, deliveries].map(({ length }) => length)).toEqual([5, 2, 2]);
});

test('writes an export into a new file that only its owner can read, and over no other', async () => {
  const file = join(service.dir, 'avatar.json');
  const run = (...args: string[]) =>
    service.run('resident', 'export', 'vera.vendor', ...demo, '--output', file, ...args);

  const first = await run();
  const mode = statSync(file).mode & 0o777;
  writeFileSync(file, 'mine');
  const second = await run();
  const kept = readFileSync(file, 'utf8');
  const third = await run('--force');

  expect([first.code, second.code, third.code]).toEqual([0, 1, 0]);
  expect([mode, kept]).toEqual([0o600, 'mine']);
  expect(second.stderr).toMatch(/is there already.*--force/);
  expect(JSON.parse(readFileSync(file, 'utf8')).toldByOperator.username).toBe('vera.vendor');
});

test('erases an avatar: the books keep a pseudonym, the audit stays green, and no name or text is left', async () => {
  const card = await live();
  const own = `/v1/customers/${avatar.uuid}`;
  const [lots, spend] = [await call('GET', `${own}/credit/lots`), await call('GET', `${own}/spend`)];
  const history = await historyWith(4);

  const erased = await erase('--all-stores');

  expect([erased.code, erased.stderr]).toEqual([0, expect.not.stringMatching(/fail/i)]);
  const { pseudonym } = erased.rows[0];
  expect(pseudonym).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(erased.rows[1]).toMatchObject({ store: 'Other Store', pseudonym: null });
  await expectNothingLeft();
  await expectGreenAudit();
  const under = `/v1/customers/${pseudonym}`;
  const person = { uuid: pseudonym, username: pseudonym };
  expect(await call('GET', under)).toMatchObject({ ...person, isBanned: false, discount: 0, newsSubscriber: false });
  expect(await call('GET', `${under}/spend`)).toEqual({ ...spend, ...person });
  expect(await call('GET', `${under}/credit/lots`)).toEqual(lots);
  const withoutTexts = (row: object) => ({ ...row, reason: null, reference: null });
  expect(await historyOf(pseudonym)).toEqual(history.map(withoutTexts));
  const owner = { ownerUuid: pseudonym, ownerUsername: pseudonym };
  expect((await call('GET', `${under}/giftcards`)).data).toEqual([expect.objectContaining({ id: card, ...owner })]);
  expect((await call('GET', `/v1/coupons/owner/${pseudonym}`)).data).toHaveLength(1);
  expect((await call('GET', `/v1/deliveries?recipient=${pseudonym}`)).data).toMatchObject([
    { state: 'delivered', recipientUsername: pseudonym, lastError: null },
  ]);
  expect((await call('GET', '/v1/customers?limit=1000')).data.map(({ uuid }: Avatar) => uuid)).toContain(pseudonym);
  const again = await erase('--all-stores');
  expect([again.code, again.stdout, again.stderr]).toEqual([0, '', expect.stringMatching(/Nothing is left/)]);
});

test('updates that were sent before an erasure, and arrive after it, bring nothing back', async () => {
  const updated = new Map<string, Key>();
  engine.write = (one) => {
    const key = targetOf(one);
    if (one.kind === 'update' && /#(GIFTCARD|COUPON|DELIVERY)$/.test(key.pk)) updated.set(asText(key), key);
    return dynamodb.write(one);
  };
  await live();
  const [{ id, code }] = (await call('GET', `/v1/coupons/owner/${avatar.uuid}`)).data;
  await call('PUT', `/v1/coupons/${id}`, { code, ownerProfit: 0 });
  const late = [...updated.values()].map((key) =>
    inOrder(update(key, { set: { about: about() }, when: exists }), newStamp()),
  );
  expect((await erase()).code).toBe(0);
  const before = await wholeTable();

  const arrived = await Promise.allSettled(late.map(dynamodb.write));

  expect(new Set(late.map(({ key }) => key.pk)).size).toBe(3);
  expect(arrived.map(({ status }) => status)).toEqual(late.map(() => 'rejected'));
  expect(await wholeTable()).toEqual(before);
});

test('refuses while something of the avatar is open, names all of it and the remedy, and changes nothing', async () => {
  const { uuid } = avatar;
  await tellResident(store, { uuid, username: avatar.username }, 'request');
  await give(5);
  const card = await call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 9 });
  await call('POST', '/v1/coupons', { code: 'Commission', ownerIdentifier: uuid, ownerProfit: 10 });
  const shared = await call('POST', '/v1/products', {
    ...{ name: 'Shared', price: 5, profitShares: [{ userUuid: uuid, percent: 5 }] },
  });
  const order = anOrder(store, { recipientUuid: uuid, item: 'Sofa' });
  await claimDelivery(order, 60_000);
  await historyOf(uuid);
  await expect.poll(() => get(customerNameKey(store, avatar.username))).toBeDefined();
  const before = await books();

  const refused = await erase(...demo);

  expect(refused.code).toBe(1);
  for (const text of [
    /They hold L\$ 5 of credit and L\$ 0 .*--forfeit/,
    new RegExp(`gift card ${card.id} holds L\\$ 9\\. Redeem it`),
    /coupon Commission owes them a commission of 10 %\. Switch it off/,
    new RegExp(`product Shared has a profit share of theirs.*PUT /v1/products/${shared.id}`),
    new RegExp(`delivery ${order.id} of Sofa is under way\\. Wait`),
  ])
    expect(refused.stderr).toMatch(text);
  // The consumer writes about the changes before, and the first use of a key is noted, in their own time.
  const written = ({ pk }: { pk?: unknown }) => !/#(HISTORY|DAY|MARK|EVENT|KEY)|^KEY/.test(String(pk));
  expect((await books()).filter(written)).toEqual(before.filter(written));
});

test('lets credit go with --forfeit, as a change like any other whose reason says so', async () => {
  await live();
  await give(30, '2099-01-01T00:00:00.000Z');
  await give(12);

  const { rows } = await erase(...demo, '--forfeit');

  const [newest] = await historyOf(rows[0].pseudonym);
  expect(newest).toMatchObject({ kind: 'set', amount: -42, credit: 0, reason: 'Forfeited: the avatar was erased.' });
  await expectNothingLeft();
});

test('an erasure that dies at any of its transactions ends when it is repeated, though they bought meanwhile', async () => {
  await live();
  const dead: number[] = [];
  for (const last of [1, 2, 3]) {
    await buy();
    atEach((number) => (number === last ? die() : undefined));
    dead.push((await erase(...demo)).code);
    delete engine.transact;
  }

  const repeated = await erase(...demo);

  expect([dead, repeated.code]).toEqual([[1, 1, 1], 0]);
  await expectNothingLeft();
  const customers = (await call('GET', '/v1/customers?limit=1000')).data as Avatar[];
  const spends = customers.filter(({ uuid }) => uuid[14] === '8').map(({ uuid }) => `/v1/customers/${uuid}/spend`);
  const sums = await Promise.all(spends.map((path) => call('GET', path)));
  const [spend] = sums.filter(({ sum }) => sum === 20);
  expect(spend).toMatchObject({ totalOwned: 1 });
  expect((await call('GET', `/v1/customers/${spend.uuid}/products`)).data).toMatchObject([{ quantity: 4 }]);
});

test('credit that comes before any transaction of an erasure is neither lost nor forfeited', async () => {
  await live();
  for (const at of [1, 2]) {
    atEach((number) => (number === at ? give(5) : undefined));

    const refused = await erase(...demo);

    delete engine.transact;
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/They hold L\$ 5 of credit/)]);
    expect(await call('GET', `/v1/customers/${avatar.uuid}/credit`)).toMatchObject({ credit: 5 });
    if (at === 1) await give(-5);
  }
  expect((await erase(...demo, '--forfeit')).code).toBe(0);
  await expectNothingLeft();
});

test('the first credit that a customer ever gets, before the transaction of their erasure, is not lost', async () => {
  await tellResident(store, avatar, 'request');
  await call('POST', `/v1/customers/${avatar.uuid}/actions/ban`);
  atEach((number) => (number === 1 ? give(5) : undefined));

  const refused = await erase(...demo);

  delete engine.transact;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/They hold L\$ 5 of credit/)]);
  expect(await call('GET', `/v1/customers/${avatar.uuid}/credit`)).toMatchObject({ credit: 5 });
  expect((await erase(...demo, '--forfeit')).code).toBe(0);
});

test('waits for the history of changes that come while it reads', async () => {
  await live();
  await historyWith(4);
  const { promise: isWaitedFor, resolve: wait } = Promise.withResolvers<void>();
  let looks = 0;
  engine.get = async (key) => {
    // The erasure decides by its fifth look at the customer.
    if (key.pk.endsWith('#CUSTOMER') && key.sk === avatar.uuid && ++looks === 5) {
      await give(5);
      await give(-5);
    }
    return dynamodb.get(key);
  };
  engine.transact = async (writes, token) => {
    const isHistory = writes.some((one) => one.kind === 'update' && one.key.pk.includes(`#HISTORY#${avatar.uuid}`));
    if (isHistory && looks > 0) await isWaitedFor;
    return dynamodb.transact(writes, token);
  };
  engine.query = async (query) => {
    if (looks > 5 && query.partition.includes('#HISTORY#')) wait();
    return dynamodb.query(query);
  };

  const { code, rows, stderr } = await erase(...demo);

  wait();
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  await everythingAgain();
  await expectNothingLeft();
  expect(await historyOf(rows[0].pseudonym)).toHaveLength(6);
});

test('leaves a delivery that is opened again while it is erased, and refuses as long as that is under way', async () => {
  await live();
  const [{ id }] = (await call('GET', `/v1/deliveries?recipient=${avatar.uuid}&state=failed`)).data;
  atEach((number) =>
    number === 1 ? reopenDelivery(store, id, { id: randomUUID(), use: () => () => {} }, () => undefined) : undefined,
  );

  const refused = await erase(...demo);

  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(`delivery ${id} of Lamp is under way`)]);
  expect(await call('GET', `/v1/deliveries/${id}`)).toMatchObject({ state: 'queued', recipientUuid: avatar.uuid });
});

test('says that orders are still on the queue, of which one may put the avatar on record again', async () => {
  const come = () => tellResident(store, avatar, 'request');
  await come();
  const file = join(service.dir, 'service.json');
  const text = readFileSync(file, 'utf8');
  const { queue, ...others } = JSON.parse(text);
  const sqs = new SQSClient({ endpoint: queue.endpoint });
  // No worker takes anything from the queue of dead letters.
  const url = queue.deadLetterUrl;
  await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'an order' }));
  sqs.destroy();

  const without = await erase(...demo);
  writeFileSync(file, JSON.stringify({ ...others, queue: { ...queue, url } }));
  await come();
  const withOrder = await erase(...demo).finally(() => writeFileSync(file, text));

  expect([without.code, without.stderr]).toEqual([0, expect.not.stringContaining('on the queue')]);
  const sentence = `1 order of all avatars is still on the queue. One for this avatar is given, and then on record: erase ${avatar.uuid} again`;
  expect([withOrder.code, withOrder.stderr]).toEqual([0, expect.stringContaining(sentence)]);
});

test('who comes back is a new customer, whose history begins at 1, and gets another pseudonym when erased again', async () => {
  await live();
  const first = (await erase(...demo)).rows[0].pseudonym;
  await tellResident(store, avatar, 'request');
  await give(5);

  await expect.poll(() => historyOf(avatar.uuid), patience).toMatchObject([{ sequence: 1, amount: 5, credit: 5 }]);
  expect(await call('GET', `/v1/customers/${avatar.uuid}`)).toMatchObject({ credit: 5, isBanned: false });
  const second = (await erase(...demo, '--forfeit')).rows[0].pseudonym;

  expect(second).not.toBe(first);
  expect((await historyOf(first)).length).toBe(4);
  expect((await historyOf(second)).map(({ amount }: { amount: number }) => amount)).toEqual([-5, 5]);
  await expectNothingLeft();
});

test('keeps the operator’s word for other stores, and takes it too with --all-stores', async () => {
  await service.run('resident', 'add', avatar.uuid, avatar.username);
  await buy();
  const card = await call('POST', '/v1/customers/vera.vendor/actions/grant-gift-card', { credit: 3, transfer: true });
  expect((await service.run('giftcards', 'redeem', card.id, '--for', avatar.uuid, ...demo)).code).toBe(0);
  const other = (path: string) => service.call('GET', path, service.service.otherStore.key);

  const inOne = await erase(...demo, '--forfeit');
  const known = await other(`/v1/customers/${avatar.uuid}`);
  const everywhere = await erase('--all-stores');

  expect([inOne.code, inOne.stderr]).toEqual([0, expect.stringMatching(/--all-stores/)]);
  expect(known.body.username).toBe(avatar.username);
  expect(everywhere.code).toBe(0);
  await expectNothingLeft();
});

test.each([
  [['erase', 'vera.vendor', '--store', 'Demo Store', '--all-stores'], /either --store or --all-stores/],
  [['export', '?'], /must be a username/],
])('refuses %s', async (args, message) => {
  const ran = await service.run('resident', ...args);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(message);
});

test('on the local service both take the demo store where no store is named', async () => {
  await buy();

  const exported = await service.run('resident', 'export', avatar.uuid, '--json');
  const planned = await service.run('resident', 'erase', avatar.uuid, '--dry-run');

  expect(exported).toMatchObject({ code: 0, rows: [{ stores: [{ store: { name: 'Demo Store' } }] }] });
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Demo Store +1 +purchase/m) });
});

test('a dry run shows the plan and changes nothing', async () => {
  await buy();
  const ran = await service.run('resident', 'erase', avatar.uuid, ...demo, '--dry-run');
  const unasked = await service.run('resident', 'erase', avatar.uuid, ...demo);

  expect([ran.code, unasked.code]).toEqual([0, 2]);
  expect(ran.stdout).toMatch(/1\s+purchase\s+pseudonym/);
  expect(unasked.stderr).toMatch(/give --yes/);
  expect(await call('GET', `/v1/customers/${avatar.uuid}/spend`)).toMatchObject({ sum: 5 });
});

test('after all of this the audit is green, and the stream may bring everything again: no row more, no day counted twice', async () => {
  await live();
  await erase(...demo);
  const before = await books();

  await everythingAgain();

  const days = before.filter(({ pk }) => String(pk).endsWith('#DAY'));
  expect(days.length).toBeGreaterThan(0);
  expect(await books()).toEqual(before);
  await expectGreenAudit();
});
