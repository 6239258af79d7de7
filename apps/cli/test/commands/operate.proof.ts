import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { now, timestamp } from '../../../../lib/clock.ts';
import {
  claimDelivery,
  completeDelivery,
  failDelivery,
  getDelivery,
  letWait,
} from '../../../../lib/delivery/deliveries.ts';
import { findDispenser, loseAddress, registerDispenser } from '../../../../lib/delivery/dispensers.ts';
import { encodeMessage } from '../../../../lib/delivery/message.ts';
import { sendToDeadLetters } from '../../../../lib/delivery/queue.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { setOpen } from '../../../../lib/store/stores.ts';
import { db, tableName } from '../../../../lib/table/client.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';
const vera = '00000002-dede-4ede-8ede-000000000001';
const day = 86_400;

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli();
});

/** The doctor's word on a key of the local service that makes keys. It has no end there, which is allowed. */
const unending = (name: string, store: string, id: string) => ({
  check: `keys of ${store}`,
  state: 'warn',
  detail: `"${name}" can make keys, and never ends`,
  fix: `Give it an end: store key rotate "${name}" --expires 365d --store ${id}`,
});

test('the doctor finds keys without an end and one unknown payout of the demo, and with --store checks that store alone', async () => {
  const whole = await service.run('doctor', '--json');
  const one = await service.run('doctor', '--store', 'other store', '--json');
  const unknown = await service.run('doctor', '--store', 'Nowhere', '--json');
  const ofOther = unending('all scopes', 'Other Store', 'OtherStore01');

  expect(whole.rows.filter(({ state }) => state !== 'ok')).toMatchObject([
    unending('all scopes', 'Demo Store', demo),
    unending('keys:write', 'Demo Store', demo),
    { check: 'payouts of Demo Store', state: 'warn', detail: 'of 1 nobody knows whether they were paid' },
    ofOther,
  ]);
  expect([whole.code, one.code]).toEqual([0, 0]);
  expect(one.rows.filter(({ state }) => state !== 'ok')).toMatchObject([ofOther]);
  const checksOf = ({ rows }: typeof whole) => rows.map(({ check }) => check as string);
  expect(checksOf(whole)).toEqual(expect.arrayContaining(['deliveries of Demo Store', 'deliveries of Other Store']));
  expect(checksOf(one)).toEqual(checksOf(whole).filter((check) => !check.endsWith('of Demo Store')));
  expect(unknown.code).toBe(1);
  expect(unknown.rows.find(({ check }) => check === 'stores')).toMatchObject({
    state: 'fail',
    fix: expect.stringMatching(/^There is no store Nowhere\. There are:/),
  });
});

test('the doctor warns of deliveries that failed within a day, and of those that wait for hours', async () => {
  const { id } = await createStore('Failing');
  const found = async () => {
    const { rows } = await service.run('doctor', '--store', id, '--json');
    return rows.find(({ check }) => check === 'deliveries of Failing');
  };
  const hours = (count: number) => ({ createdAt: timestamp(now() - count * 3_600_000) });
  const waiting = async (ago: number) => letWait((await claimDelivery(anOrder(id, hours(ago)), 0)).delivery, '');

  await waiting(2);
  const soon = await found();
  await waiting(4);
  await failDelivery((await claimDelivery(anOrder(id), 0)).delivery, 'no such item');
  const late = await found();

  expect(soon).toMatchObject({ state: 'ok', detail: '0 failed, 1 waiting for the dispenser' });
  expect(late).toMatchObject({
    state: 'warn',
    detail: '1 failed, 2 waiting for the dispenser: 1 failed within a day, 1 waiting for more than 3 hours',
    fix: `See why: store deliveries list --store ${id}`,
  });
});

test('shows balances, and every lot with its ending, before and after a sweep', async () => {
  const { call, run, advance } = service;
  const { keys } = service.service;
  await call('POST', '/v1/customers/vera.vendor/actions/increment-credit', keys.all, { delta: -160 });
  await advance(2 * day);

  const balances = await run('credit', 'show', 'Vera Vendor', '--store', demo, '--json');
  const before = await run('credit', 'lots', 'Vera Vendor', '--store', demo, '--json');
  const swept = await run('sweep', '--json');
  await call('POST', '/v1/customers/vera.vendor/actions/set-credit', keys.all, { credit: 7 });
  const after = await run('credit', 'lots', vera, '--store', demo, '--json');
  const table = await run('credit', 'show', vera, '--store', demo);
  const nobody = await run('credit', 'show', 'no body', '--store', demo);

  expect(balances.rows).toMatchObject([
    { credit: 790, unlotted: 500, restrictedCredit: 1000, restrictedUnlotted: 0, nextExpiresAt: expect.any(String) },
  ]);
  const lotsOf = ({ rows }: typeof before) => rows.filter(({ type }) => type === 'regular');
  expect(lotsOf(before).map(({ state, remaining }) => [state, remaining])).toEqual([
    ['drained', 0],
    ['open', 290],
  ]);
  expect(swept.rows).toEqual([{ lots: 0, amount: 0, renamed: 0, ordered: 0, failed: 0, finished: true }]);
  expect(lotsOf(after).map(({ state, remaining }) => [state, remaining])).toEqual([
    ['drained', 0],
    ['superseded', 290],
  ]);
  expect(lotsOf(after)[1].endedAt).toBeTruthy();
  expect(table.stdout).toMatch(/vera\.vendor +7 +7 +- +1,000 +0 /);
  expect(nobody).toMatchObject({ code: 1, stdout: '' });
});

test('lists deliveries by state with their last error, sends them again, and redrives dead letters', async () => {
  const { run } = service;
  const order = anOrder('OtherStore01', { item: 'Lamp' });
  const made = anOrder('OtherStore01');
  await failDelivery((await claimDelivery(order, 1000)).delivery, 'no such item\u001b[31m');
  await completeDelivery((await claimDelivery(made, 1000)).delivery);
  await sendToDeadLetters('nonsense');
  await sendToDeadLetters(encodeMessage(anOrder('OtherStore01')));
  const on = ['--store', 'other store'];

  const listed = await run('deliveries', 'list', ...on);
  const delivered = await run('deliveries', 'list', '--state', 'delivered', ...on, '--json');
  const letters = await run('deliveries', 'dead-letters', '--json');
  const redriven = await run('deliveries', 'dead-letters', '--redrive', '--json');
  const retried = await run('deliveries', 'retry', order.id, made.id, ...on, '--json');

  expect(listed.stdout).toMatch(/failed +1 +Lamp +ada +no such item/);
  expect(listed.stdout).not.toContain('\u001b');
  expect(delivered.rows).toMatchObject([{ id: made.id, state: 'delivered' }]);
  expect(delivered.rows[0]).not.toHaveProperty('ranked');
  expect(letters.rows.map(({ readable }) => readable).toSorted()).toEqual([false, true]);
  expect(redriven.rows).toEqual([{ redriven: 1 }]);
  expect(retried.code).toBe(1);
  expect(retried.rows).toEqual([
    { id: order.id, sent: true },
    { id: made.id, sent: false, error: 'The delivery was made already: order a new one.' },
  ]);
  expect((await getDelivery('OtherStore01', order.id)).state).not.toBe('failed');
});

test('repairs credit that is off: shows it, changes nothing without a yes, and records what it changes', async () => {
  const nova = '00000002-dede-4ede-8ede-000000000002';
  const setCredit = (value: number) =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk: `${demo}#CUSTOMER`, sk: nova },
        UpdateExpression: 'SET credit = :value',
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  const balance = (await service.call('GET', `/v1/customers/${nova}/credit`, service.service.keys.all)).body.credit;
  const record = join(service.dir, 'repair.ndjson');
  const on = ['--store', demo];
  // The worker is still trying the delivery that the test before sent again. Its end counts in its day, and is an
  // event.
  const items = async () => (await wholeTable()).filter(({ pk }) => !/#(DELIVERY|MARK|DAY|EVENT)$/.test(String(pk)));
  await setCredit(123_456);
  const before = await items();

  const dry = await service.run('credit', 'repair', '--dry-run', ...on, '--json');
  const unasked = await service.run('credit', 'repair', nova, ...on);
  const untouched = await items();
  const repaired = await service.run('credit', 'repair', '--yes', '--record', record, ...on);
  const audited = await service.run('audit', ...on);
  await setCredit(123_456);
  const again = await service.run('credit', 'repair', nova, '--yes', '--record', record, ...on);
  const elsewhere = await service.run('credit', 'repair', nova, '--yes', '--record', `${record}.2`, ...on);
  const whole = await service.run('credit', 'repair', ...on);
  const stranger = await service.run('credit', 'repair', 'no body', ...on);
  const log = (await service.run('log', '--json', ...on)).rows;

  const correction = { customer: nova, what: 'regular balance', is: 123_456, willBe: balance };
  expect(dry).toMatchObject({ code: 1, rows: [correction], stderr: expect.stringContaining('this was a dry run') });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(unasked.stdout).toMatch(new RegExp(`regular balance +123,456 +${balance}`));
  expect(untouched).toEqual(before);
  expect(repaired).toMatchObject({ code: 0, stderr: expect.stringContaining(record) });
  const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { ...correction, store: demo, by: expect.stringMatching(/^operator /) },
  ]);
  expect(statSync(record).mode & 0o777).toBe(0o600);
  expect(audited.code).toBe(0);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('name another file with --record') });
  expect(elsewhere.code).toBe(0);
  expect(whole).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('The books add up') });
  expect(stranger).toMatchObject({ code: 1, stdout: '' });
  expect(log.map(({ action, store, details }) => [action, store, details.customers, details.record])).toEqual([
    ['credit.repaired', demo, 1, 'repair.ndjson.2'],
    ['credit.repaired', demo, 1, 'repair.ndjson'],
  ]);
});

test('the audit reports each check of a healthy store, and each fault on a line with exit code 1', async () => {
  const put = (pk: string, sk: string, fields: object) =>
    db.send(new PutCommand({ TableName: tableName(), Item: { pk: `${demo}#${pk}`, sk, ...fields } }));
  const set = (pk: string, sk: string, name: string, value: unknown) =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk: `${demo}#${pk}`, sk },
        UpdateExpression: 'SET #name = :value',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  const nova = '00000002-dede-4ede-8ede-000000000002';
  const [category] = (await service.call('GET', '/v1/categories', service.service.keys.all)).body.data;

  const healthy = await service.run('audit', '--store', demo);
  await set('CUSTOMER', vera, 'credit', 123_456);
  await set('SPEND', nova, 'totalOwned', 9);
  await put('PURCHASE', 'odd-1', { uuid: nova, productId: vera, price: 1, at: '2026-01-01T00:00:00.000Z' });
  await put('PURCHASE', 'odd-2', { uuid: 'nobody', productId: vera, price: 1, at: '2026-01-01T00:00:00.000Z' });
  await set('CODE', 'welcome10', 'id', '00000004-dede-4ede-8ede-000000000002');
  await set('CATEGORY', category.id, 'productCount', 99);
  await set('GIFTCARD', '00000005-dede-4ede-8ede-000000000001', 'ownerUuid', 'nobody');
  await put('LOT#nobody', 'regular#e#2030-01-01T00:00:00.000Z#1', { amount: 1, remaining: 1, state: 'open' });
  const broken = await service.run('audit', '--store', demo, '--json');

  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  for (const what of [
    'customers',
    'histories',
    'buyers',
    'coupons',
    'codes',
    'categories',
    'memberships',
    'gift cards',
  ])
    expect(healthy.stdout).toMatch(new RegExp(`[1-9]\\d* +${what} +0 `));
  expect(broken.code).toBe(1);
  expect(broken.rows.flatMap(({ fault = [] }) => fault)).toEqual([
    expect.stringContaining(`customer ${vera}: regular: balance 123456 is not `),
    expect.stringMatching(`customer ${vera}: history ends with \\d+ and \\d+, not 123456 and `),
    'purchase odd-2: its buyer nobody has no record of spend.',
    `buyer ${nova}: 9 products are counted as owned, 4 are.`,
    `buyer ${nova}: has spent 1000, but the purchases come to 1001.`,
    'coupon 00000004-dede-4ede-8ede-000000000001: its code WELCOME10 belongs to 00000004-dede-4ede-8ede-000000000002.',
    'code welcome10: it is held by the coupon 00000004-dede-4ede-8ede-000000000002, which does not have it.',
    `category ${category.id} (${category.name}): counts 99 products, ${category.productCount} are in it.`,
    'gift card 00000005-dede-4ede-8ede-000000000001: its owner nobody is no resident.',
    'customer nobody: there are items of the kind LOT, but no customer.',
  ]);
});

test('a repair of categories puts a product under its flags, and says how many it moved', async () => {
  const { run, call, service: local } = service;
  const on = ['--store', demo];
  const [category] = (await call('GET', '/v1/categories', local.keys.all)).body.data;
  const path = `/v1/products?category=${category.id}&listed=true`;
  const listed = (await call('GET', path, local.keys.all)).body.data;
  // The product changes, and not its memberships.
  await db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk: `${demo}#PRODUCT`, sk: listed[0].id },
      UpdateExpression: 'SET listed = :false',
      ExpressionAttributeValues: { ':false': false },
    }),
  );

  const audited = await run('audit', ...on, '--json');
  const repaired = await run('categories', 'repair', ...on, '--json');
  const again = await run('categories', 'repair', ...on);

  expect(audited.rows.flatMap(({ fault = [] }) => fault)).toContainEqual(
    expect.stringMatching(`category ${category.id}: the product ${listed[0].id} stands there as listed, .* but is not`),
  );
  expect(repaired).toMatchObject({ code: 0, rows: [{ store: demo, changed: 1, left: 0 }] });
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('0 products of') });
  expect((await call('GET', path, local.keys.all)).body.data).toHaveLength(listed.length - 1);
  const hidden = (await call('GET', path.replace('true', 'false'), local.keys.all)).body.data;
  expect(hidden.map(({ id }: { id: string }) => id)).toContain(listed[0].id);
});

test('the doctor names the items of active products that the box does not hold, where the box tells what it holds', async () => {
  const { id } = await createStore('Boxed');
  const box = { url: 'http://127.0.0.1:9/cap', region: '', keyId: 'KeyOfTests01' };
  const put = (name: string, active: boolean) => createProduct(id, productWith({ name, item: name, active }));
  for (let i = 0; i < 7; i++) await put(`Lamp ${i}`, true);
  await put('Old lamp', false);
  const itemsCheck = async (items: string[]) => {
    await registerDispenser(id, { ...box, items });
    const { rows } = await service.run('doctor', '--json');
    return rows.find(({ check }) => check === 'items of Boxed');
  };

  const untold = await itemsCheck([]);
  const some = await itemsCheck(['Lamp 6', 'Something else']);
  const all = await itemsCheck([0, 1, 2, 3, 4, 5, 6].map((i) => `Lamp ${i}`));

  expect(untold).toBeUndefined();
  expect(some).toMatchObject({ state: 'warn', fix: expect.stringContaining('Put these items into the box') });
  expect(some.detail).toMatch(/delivered as ("Lamp [0-5]", ){4}"Lamp [0-5]" and 1 more, which/);
  expect(some.detail).not.toContain('Old lamp');
  expect(all).toMatchObject({ state: 'ok' });
});

test('the doctor reports each check as ok, warn or fail, and says how to mend it', async () => {
  const { run } = service;
  const { id } = await createStore('Ailing');
  await setOpen(id, false, { reason: 'Stocktaking', by: 'operator' }, () => undefined);
  const well = await run('doctor', '--json');
  await run('key', 'issue', 'ending', '--all-scopes', '--expires', '3d', '--store', id);
  const dispenser = await findDispenser(demo);
  await loseAddress(demo, dispenser?.url ?? '', 'nobody is there');
  const ill = await run('doctor');

  const found = Object.fromEntries(well.rows.map((row) => [row.check, row]));
  expect(well.code).toBe(0);
  for (const check of [
    'deployment',
    'api',
    'clock',
    'table',
    'indexes',
    'clean-up',
    'stream',
    'queue',
    'sweep',
    'stores',
  ])
    expect(found[check], check).toMatchObject({ state: 'ok' });
  expect(found['keys of Ailing']).toMatchObject({ state: 'warn', fix: expect.stringContaining('store key issue') });
  expect(found['sales of Ailing']).toMatchObject({
    state: 'warn',
    detail: expect.stringMatching(/^closed since .*: Stocktaking$/),
    fix: `Open it: store open ${id}`,
  });
  expect(found['sales of Demo Store']).toMatchObject({ state: 'ok' });
  expect(found['history of Demo Store']).toMatchObject({ state: 'ok', detail: expect.stringContaining('newest row') });
  expect(found['dead letters']).toMatchObject({ state: 'warn' });
  expect(found['dispenser of Demo Store']).toMatchObject({ state: 'ok' });
  expect(ill.code).toBe(1);
  expect(ill.stdout).toMatch(/warn +keys of Ailing +"ending" ends .*store key rotate "ending"/);
  expect(ill.stdout).toMatch(/fail +dispenser of Demo Store +its address was lost: nobody is there/);
});
