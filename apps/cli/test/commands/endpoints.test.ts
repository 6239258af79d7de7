import { afterEach, expect, test, vi } from 'vitest';
import { putGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { listLots } from '../../../../lib/credit/lots.ts';
import { claimDelivery, completeDelivery, failDelivery } from '../../../../lib/delivery/deliveries.ts';
import type { Order } from '../../../../lib/delivery/message.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { intercept, stopIntercepting } from '../../../../test/support/faults.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { groups } from '../../commands/endpoints.ts';
import { isOfCommand, startForCli } from '../support/cli.ts';

/** The commands of the table. A command that reads prints what the API answers. */

const service = await startForCli();

afterEach(stopIntercepting);

const run = (line: string, ...more: string[]) => service.run(...line.split(' '), '--store', 'DemoStore001', ...more);

const demo = (kind: string, number = '1'): string => `000000${kind}-dede-4ede-8ede-00000000000${number}`;
const [vendor, card, webhook, sale] = [demo('13'), demo('05'), demo('09'), demo('10')];
const [failed, product, free] = [demo('08', '2'), demo('03', '2'), demo('05', '5')];
const credit = '/v1/customers/vera.vendor/credit';

/** Commands that read, the paths at which the API answers the same, and what people see. */
const reads: [line: string, path: string, shown: RegExp][] = [
  [
    'vendors list',
    '/v1/vendors',
    /^UUID +STATE +NAME .*\n\S+13-\S+ +active +Bench vendor +Cloud Edge .* 20\d\d-\S+ \S+Z\n/,
  ],
  ['vendors list --state lost', '/v1/vendors?state=lost', /lost +Old vendor/],
  [`vendors list --product ${demo('03', '3')}`, `/v1/vendors?product=${demo('03', '3')}`, /Old vendor/],
  [`vendors show ${vendor}`, `/v1/vendors/${vendor}`, /Bench vendor/],
  [`giftcards show ${card}`, `/v1/giftcards/${card}`, /vera\.vendor +500 +active +its owner\n/],
  [
    'customer products nova',
    '/v1/customers/nova/products',
    /^PRODUCT ID +NAME +QUANTITY +BOUGHT AT +LAST DELIVERED AT\n/,
  ],
  ['webhooks list', '/v1/webhooks', /disabled +- +- +standard +https:.* sale.completed delivery.failed +An earlier/],
  [`webhooks show ${webhook}`, `/v1/webhooks/${webhook}`, /disabled/],
  [
    `webhooks deliveries ${webhook}`,
    `/v1/webhooks/${webhook}/deliveries`,
    /^EVENT ID +TYPE +STATE .*\n\S+ +webhook\.ping/,
  ],
  ['deliveries list --state delivered --limit 999', '/v1/deliveries?state=delivered&limit=999', /delivered/],
  ['deliveries list --recipient vera.vendor', '/v1/deliveries?recipient=vera.vendor', /no such item: Fireflies/],
  [
    `deliveries show ${failed}`,
    `/v1/deliveries/${failed}`,
    /failed +1 +Fireflies in a jar +vera\.vendor +no such item/,
  ],
  ['dispenser list', '/v1/dispensers', /^NAME +PRIORITY .*\nmain +0 .*registered/],
  ['credit show vera.vendor', credit, /^USERNAME +CREDIT +UNLOTTED .*\nvera\.vendor +950 +500 .*Z +1,000 +0 .*Z\n/],
  ['credit lots vera.vendor', `${credit}/lots`, /^TYPE +STATE .*\nregular +open +200 +150 /],
  ['credit lots vera.vendor --type restricted', `${credit}/lots?type=restricted`, /restricted +open +1,000 +1,000/],
  ['credit history vera.vendor', `${credit}/history`, / regular +increment +-50 +- .* Custom tint of the coat\n/],
  ['sales list', '/v1/sales', /^ID +AT +STATE +TOTAL .* PRODUCT +BUYER +FOR\n/],
  ['sales list --state refunded', '/v1/sales?state=refunded', / refunded /],
  ['sales list --buyer cora.marlowe', '/v1/sales?buyer=cora.marlowe', / cora\.marlowe +-\n/],
  [`sales show ${sale}`, `/v1/sales/${sale}`, / completed +\d+ +0 .* Fjord chair, oak +\S+ +- /],
];

/** The members that the operator sees beside the answer of the API. */
const ownMembers = [
  'failingSince',
  'pausedUntil',
  'oldSecretUntil',
  'message',
  'expiresAt',
  'unlotted',
  'nextExpiresAt',
  'restrictedUnlotted',
  'nextRestrictedExpiresAt',
];

test.each(reads)('store %s prints what GET %s answers, as JSON and in columns', async (line, path, shown) => {
  if (line.startsWith('webhooks deliveries')) await run(`webhooks test ${webhook}`);
  // The stream makes history, and the worker a delivery, a moment later.
  await vi.waitFor(
    async () => {
      const { body } = await service.call('GET', path, service.service.keys.all);
      const answers = body.data ?? [body];
      expect(answers.length).toBeGreaterThan(0);
      const printed = await run(line, '--json');
      expect(printed).toMatchObject({ code: 0, stderr: '' });
      expect(printed.rows).toMatchObject(answers);
      for (const [index, answer] of answers.entries()) {
        const others = Object.keys(printed.rows[index]).filter((name) => !(name in answer));
        expect(others.filter((name) => !ownMembers.includes(name))).toEqual([]);
      }
      expect(printed.rows).toHaveLength(answers.length);
    },
    { timeout: 20_000, interval: 100 },
  );
  expect((await run(line)).stdout).toMatch(shown);
});

const commands = Object.entries(groups).flatMap(([group, [, ofGroup]]) =>
  Object.entries(ofGroup).map(([word, { row }]) => ({ line: `${group} ${word}`, row })),
);

test('each command of the table that reads is among these', () => {
  const read = commands.filter(({ row }) => row.method === 'GET').map(({ line }) => line);

  expect(read.length).toBeGreaterThan(10);
  expect([...new Set(reads.map(([line]) => line.split(' ').slice(0, 2).join(' ')))].toSorted()).toEqual(
    read.toSorted(),
  );
});

test.each(reads.filter(([, path]) => !/\/0{6}\d\d-[-\w]+$/.test(path) && !path.endsWith('credit')))(
  'store %s goes through the list up to a limit, and says that there is more',
  async (line, path) => {
    const { body } = await service.call('GET', path, service.service.keys.all);
    const one = await run(line, '--limit', '1');
    const rows = (await run(line, '--limit', '1', '--json')).rows;

    expect(rows).toMatchObject(body.data.slice(0, 1));
    expect(one.stderr.includes('There are more: see them with --limit 10.')).toBe(body.data.length > 1);
  },
);

test('deliveries list has those that are not made, state by state, and the oldest of each first', async () => {
  const orders = [1, 2, 3].map((day) => anOrder('OtherStore01', { createdAt: `2026-01-0${day}T00:00:00.000Z` }));
  for (const order of orders.toReversed()) await claimDelivery(order, 1000);
  await failDelivery((await claimDelivery(orders[0] as Order, 0)).delivery, 'no such item');
  await completeDelivery((await claimDelivery(anOrder('OtherStore01'), 0)).delivery);

  const listed = await run('deliveries list --json', '--store', 'OtherStore01');

  const [first, second, third] = orders.map(({ id }) => id);
  expect(listed.rows.map(({ id, state }) => [id, state])).toEqual([
    [second, 'queued'],
    [third, 'queued'],
    [first, 'failed'],
  ]);
});

/** The arguments and options that these commands need beside an id. */
const needed: Record<string, string> = {
  'giftcards redeem': ' --for vera.vendor',
  'vendors set-product': ' none',
  'webhooks update': ' --state active',
};
const ofOne = commands.filter(({ row }) => /\{(?:id|uuid)\}/.test(row.path));

/** The things of the demo by the first part of the path. */
const things: Record<string, string> = { vendors: vendor, giftcards: card, webhooks: webhook, deliveries: failed };

test.each(ofOne)('store $line finds nothing of another store, and changes nothing', async ({ line }) => {
  const id = things[line.split(' ')[0] ?? ''] ?? sale;
  const before = await items();

  const other = await run(`${line} ${id}${needed[line] ?? ''}`, '--store', 'OtherStore01');
  const slip = await run(`${line} 123${needed[line] ?? ''}`);

  expect(other).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(`Other Store has no .* ${id}\\. See `),
  });
  expect(slip).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('it must be a UUID') });
  expect(await items()).toEqual(before);
});

test.each([
  ['credit history no.body', 1, 'There is no resident no.body on the local service.'],
  ['customer products !', 2, 'It must be a username'],
  ['vendors list --state gone', 2, 'Allowed choices are active, lost.'],
  ['sales list --product lamp', 2, 'It must be a UUID.'],
  ['sales list --buyer !', 2, 'It must be a username'],
  ['sales list --from 2030-02-01 --to 2030-01-01', 1, 'from must not be after to'],
  ['sales list --from soon', 2, 'It must be a duration such as 90d'],
  ['sales list --limit 0', 2, 'a whole number from 1'],
  [`sales refund ${sale} --reference ${'x'.repeat(101)}`, 2, 'at most 100 characters'],
  [`giftcards redeem ${card}`, 2, "required option '--for <resident>'"],
  [`giftcards redeem ${card} --for no.body`, 1, 'There is no resident no.body'],
  [`giftcards redeem ${card} --for nova --expires soon`, 2, 'such as 90d'],
  [`vendors list --product ${vendor}`, 0, 'Demo Store has no such vendor'],
  [`giftcards redeem ${card} --for nova`, 1, 'identifier must name the owner of the card'],
  [`customer redeliver vera.vendor ${product}`, 1, 'The customer does not own the product.'],
  [`vendors set-product ${vendor} lamp`, 2, 'lamp is not the id of a product'],
  [`vendors set-product ${vendor} ${vendor}`, 1, 'productId must be the id of a product, or null.'],
  [`customer redeliver nova ${vendor}`, 1, `has no product ${vendor}.`],
  [`webhooks update ${webhook}`, 2, 'Say what changes: --url, --events, --description, --format, --state.'],
  ['webhooks create --events store.closed', 2, "required option '--url <url>'"],
  [
    'webhooks create --url http://127.0.0.1:9/ --events sale.made',
    2,
    'There is no type of event sale.made. There are: ',
  ],
  [`webhooks create --events store.closed --url https://${'x'.repeat(500)}/`, 2, 'at most 500 characters'],
  ['webhooks create --url https://10.0.0.1/ --events store.closed', 1, 'does not lead to public addresses'],
])('store %s ends with %i and says: %s', async (line, code, message) => {
  const logged = (await service.run('log', '--json')).rows;

  const ran = await run(line);

  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  expect((await service.run('log', '--json')).rows).toEqual(logged);
});

const any = expect.anything();
const [renamed, vera] = [demo('02', '2'), demo('02', '1')];
const hook = { host: '127.0.0.1:9', events: ['sale.completed', 'delivery.failed'] };

/** Commands that act, what the log says about them, and the path at which the API then answers what they print. */
const acts: [line: string, action: string, details: object, path: string][] = [
  [`vendors set-product ${vendor} none`, 'vendor.product_set', { vendor, productId: null }, `/v1/vendors/${vendor}`],
  [
    `vendors set-product ${vendor} ${product}`,
    'vendor.product_set',
    { vendor, productId: product },
    `/v1/vendors/${vendor}`,
  ],
  [`vendors remove ${vendor}`, 'vendor.removed', { vendor, name: 'Bench vendor', region: 'Cloud Edge' }, ''],
  [`giftcards redeem ${card} --for vera.vendor`, 'giftcard.redeemed', { giftCard: card, for: vera }, ''],
  [
    `giftcards redeem ${free} --for nova --expires 30d`,
    'giftcard.redeemed',
    { giftCard: free, for: renamed, expiresAt: any },
    '',
  ],
  [`customer redeliver nova ${product}`, 'product.redelivered', { product, to: renamed }, ''],
  [
    'webhooks create --url http://127.0.0.1:9/x --events sale.refunded',
    'webhook.created',
    { webhook: any, host: '127.0.0.1:9', events: ['sale.refunded'] },
    '',
  ],
  [
    `webhooks update ${webhook} --url http://127.0.0.1:9/ --state active`,
    'webhook.changed',
    { webhook, ...hook, state: 'active' },
    `/v1/webhooks/${webhook}`,
  ],
  [`webhooks rotate-secret ${webhook}`, 'webhook.rotated', { webhook }, ''],
  [`webhooks delete ${webhook}`, 'webhook.deleted', { webhook, ...hook }, ''],
  [`sales refund ${sale} --reason Twice --reference T-17`, 'sale.refunded', { sale, buyer: any }, `/v1/sales/${sale}`],
];

/** The items that an act changes, or its row in the log. */
const items = async () => {
  const kinds = /^LOG|#(?:CUSTOMER|LOT#.*|VENDOR|GIFTCARD|WEBHOOK|SALE)$/;
  // The worker notes at a webhook how its messages go, beside the command.
  const ofWorker = ['failingSince', 'pausedUntil', 'slowUntil', 'dues', 'due', 'stamp', 'earlierStamp'];
  const without = (item: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !ofWorker.includes(name)));
  return (await wholeTable())
    .filter(({ pk }) => kinds.test(String(pk)))
    .map((item) => (String(item.pk).endsWith('#WEBHOOK') ? without(item) : item));
};

test.each(acts)(
  'store %s leaves a row %s in the log, in one transaction with the change',
  async (line, action, details, path) => {
    const before = await items();
    intercept(async ({ operation, input }, send) => {
      if (!isOfCommand() || operation !== 'TransactWriteItems' || !JSON.stringify(input).includes('LOG#'))
        return send();
      throw Object.assign(new Error('The log is full.'), { $fault: 'client' });
    });
    const unlogged = await run(line);
    stopIntercepting();
    const unchanged = await items();
    const ran = await run(line, '--json');

    expect(unlogged).toMatchObject({ code: 1, stdout: '' });
    expect(unchanged).toEqual(before);
    expect(ran.code).toBe(0);
    expect((await run('log --limit 1 --json')).rows).toMatchObject([{ action, store: 'DemoStore001' }]);
    expect((await run('log --limit 1 --json')).rows[0].details).toEqual(details);
    if (path !== '') expect(ran.rows).toMatchObject([(await service.call('GET', path, service.service.keys.all)).body]);
  },
);

test('each command of the table that changes something is among these', () => {
  const changes = commands.filter(({ row }) => row.writes.length > 0).map(({ line }) => line);

  expect([...new Set(acts.map(([line]) => line.split(' ').slice(0, 2).join(' ')))].toSorted()).toEqual(
    changes.toSorted(),
  );
});

test('redeems a card with the expiry, reason and reference of its options, in the name of the operator', async () => {
  const owner = await newResident();
  const fields = { credit: 250, texture: null, transfer: false, active: true };
  const { id } = await putGiftCard('DemoStore001', owner, fields);
  const why = ['--expires', '30d', '--reason', 'Lost card', '--reference', 'T-17'];

  const redeemed = await run(`giftcards redeem ${id.toUpperCase()} --for ${owner.username} --json`, ...why);

  expect(redeemed.rows).toMatchObject([{ giftCard: { id, redeemed: true, credit: 0 }, credit: { credit: 250 } }]);
  const [lot] = await listLots('DemoStore001', owner.uuid);
  expect(lot).toMatchObject({ amount: 250, createdBy: expect.stringMatching(/^operator /) });
  expect(Date.parse(lot?.expiresAt ?? '') - Date.now()).toBeGreaterThan(29 * 86_400_000);
  const change = { kind: 'redeem', giftCardId: id, keyId: null, reason: 'Lost card', reference: 'T-17' };
  const history = async () => (await run(`credit history ${owner.uuid} --json`)).rows;
  await expect.poll(history, { timeout: 20_000 }).toMatchObject([change]);
});

test('delivers a product again with a note', async () => {
  const ordered = await run(`customer redeliver nova ${demo('03', '3')} --message Again --json`);

  const { message, deliveryId } = ordered.rows[0];
  const inbox = async () => (await service.call('GET', '/_dev/inbox', '')).body.deliveries;
  expect(message).toBe('Again');
  expect(ordered.stderr).toContain(`store deliveries show ${deliveryId}`);
  await expect.poll(inbox, { timeout: 20_000 }).toContainEqual(expect.objectContaining({ message: 'Again' }));
});
