import { afterEach, beforeAll, expect, test } from 'vitest';
import { listWebhooks } from '../../../../lib/events/webhooks.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { partition } from '../../../../lib/table/schema.ts';
import { serve } from '../../../../test/support/deliveries.ts';
import { answerLost, intercept, stopIntercepting } from '../../../../test/support/faults.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { isOfCommand, startForCli } from '../support/cli.ts';

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});
afterEach(stopIntercepting);

/** The commands about webhooks in a store of their own. */
const aStore = async (name: string) => {
  const { id: store } = await createStore(name);
  return {
    store,
    webhooks: (...args: string[]) => service.run('webhooks', ...args, '--store', store),
    log: async () => (await service.run('log', '--store', store, '--json')).rows,
  };
};

/** A receiver that takes everything, and what it got. */
const receiver = async () => {
  const got: { type: string; id: string }[] = [];
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ type: JSON.parse(body).type, id: String(request.headers['webhook-id']) });
    response.end();
  });
  return { url, got };
};

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
};

test('creates a webhook, whose secret stands alone on standard output, once', async () => {
  const { webhooks, log, store } = await aStore('Hooked');
  const url = 'http://127.0.0.1:9/path-q7x?token=q8y';

  const created = await webhooks('create', '--url', url, '--events', 'sale.completed, store.closed');
  const listed = await webhooks('list', '--json');
  const { id } = listed.rows[0];
  const shown = await webhooks('show', id);
  const rotated = await webhooks('rotate-secret', id, '--json');
  const [after] = await listWebhooks(store)({ descending: false });

  expect(created.code).toBe(0);
  expect(created.stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
  expect(rotated.rows).toMatchObject([{ id, secret: after?.secret, oldSecretUntil: after?.oldSecretUntil }]);
  expect(created.stdout.trim()).toBe(after?.oldSecret);
  expect(after?.secret).not.toBe(after?.oldSecret);
  expect(listed.rows).toEqual([
    {
      ...{ id, url, events: ['sale.completed', 'store.closed'], description: '', format: 'standard', state: 'active' },
    },
  ]);
  expect(shown.stdout).toContain('store.closed');
  const rows = JSON.stringify(await log());
  const logged = JSON.stringify((await wholeTable()).filter(({ pk }) => String(pk).startsWith('LOG#')));
  const again = await webhooks('list');
  for (const text of [listed, shown, again].map(({ stdout, stderr }) => stdout + stderr).concat(rows, logged))
    for (const secret of [created.stdout.trim(), after?.secret ?? '']) expect(text).not.toContain(secret.slice(6));
  // Discord and others give an address to those alone who may write there.
  for (const part of ['q7x', 'q8y']) expect(rows + logged).not.toContain(part);
});

test('each change of a webhook leaves a row in the log, in one transaction with it', async () => {
  const { webhooks, log, store } = await aStore('Logged hooks');
  const fields = ['--url', 'http://127.0.0.1:9/', '--events', 'store.closed'];
  const { id } = (await webhooks('create', ...fields, '--json')).rows[0];
  await webhooks('update', id, '--events', 'store.opened', '--disable');
  await webhooks('rotate-secret', id);
  await webhooks('delete', id);
  // The table refuses each transaction that has a row of the log.
  intercept(({ operation, input }, send) =>
    isOfCommand() && operation === 'TransactWriteItems' && JSON.stringify(input).includes('LOG#')
      ? Promise.reject(answerLost())
      : send(),
  );
  const refused = await webhooks('create', ...fields);
  stopIntercepting();

  const facts = { webhook: id, host: '127.0.0.1:9' };
  expect((await log()).map(({ action, details }) => [action, details])).toEqual([
    ['webhook.deleted', { ...facts, events: ['store.opened'] }],
    ['webhook.rotated', { webhook: id }],
    ['webhook.changed', { ...facts, events: ['store.opened'], state: 'disabled' }],
    ['webhook.created', { ...facts, events: ['store.closed'] }],
  ]);
  expect(refused.code).toBe(1);
  expect(await wholeTable(partition(store, 'WEBHOOK'))).toEqual([]);
});

test('changes what an option says, and nothing else', async () => {
  const { webhooks } = await aStore('Changing');
  const before = (
    await webhooks(
      ...['create', '--url', 'http://127.0.0.1:9/', '--events', 'store.closed', '--description', 'Books'],
      ...['--format', 'discord', '--json'],
    )
  ).rows[0];

  const disabled = await webhooks('update', before.id, '--disable', '--json');
  const enabled = await webhooks('update', before.id, '--enable', '--description', '', '--json');

  const { secret: _, ...fields } = before;
  expect(disabled.rows).toEqual([{ ...fields, state: 'disabled' }]);
  expect(enabled.rows).toEqual([{ ...fields, description: '' }]);
});

test('sends webhook.ping, and lists how it fared, of all states or of one', async () => {
  const { webhooks } = await aStore('Tested');
  const { url, got } = await receiver();
  const { id } = (await webhooks('create', '--url', url, '--events', 'store.closed', '--json')).rows[0];

  const { eventId } = (await webhooks('test', id, '--json')).rows[0];

  await until(async () => (await webhooks('deliveries', id, '--json')).rows.length > 0);
  expect(got).toEqual([{ type: 'webhook.ping', id: eventId }]);
  expect((await webhooks('deliveries', id, '--state', 'delivered', '--json')).rows).toMatchObject([
    { eventId, type: 'webhook.ping', state: 'delivered', attempts: 1, status: 200 },
  ]);
  expect((await webhooks('deliveries', id, '--state', 'failed', '--json')).rows).toEqual([]);
});

test('another store neither sees nor changes a webhook', async () => {
  const mine = await aStore('Mine');
  const other = await aStore('Theirs');
  const { id } = (await mine.webhooks('create', '--url', 'http://127.0.0.1:9/', '--events', 'store.closed', '--json'))
    .rows[0];

  const answers = [
    await other.webhooks('show', id),
    await other.webhooks('update', id, '--disable'),
    await other.webhooks('rotate-secret', id),
    await other.webhooks('delete', id),
    await other.webhooks('test', id),
    await other.webhooks('deliveries', id),
  ];

  for (const { code, stdout, stderr } of answers) {
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`Theirs has no webhook ${id}.`);
  }
  expect((await other.webhooks('list', '--json')).rows).toEqual([]);
  expect((await mine.webhooks('list', '--json')).rows).toMatchObject([{ id, state: 'active' }]);
  expect(await other.log()).toEqual([]);
});

test('refuses with the reason, and creates nothing', async () => {
  const { webhooks } = await aStore('Refusing');
  const events = ['--events', 'store.closed'];
  const id = '0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90';
  const cases: [string[], number, RegExp][] = [
    [['create', '--url', 'https://10.0.0.1/', ...events], 1, /its host does not lead to public addresses/],
    [['create', '--url', 'https://shop.example.com:8443/', ...events], 1, /its port is not 443/],
    [['create', '--url', `https://${'x'.repeat(500)}/`, ...events], 2, /at most 500 characters/],
    [
      ['create', '--url', 'http://127.0.0.1:9/', '--events', 'sale.made'],
      2,
      /no type of event sale\.made\. There are: /,
    ],
    [['create', ...events], 2, /required option '--url/],
    [['update', id], 2, /Say what changes: --url/],
    [['update', id, '--enable', '--disable'], 2, /cannot be used with/],
    [['show', 'x'], 2, /UUID/],
  ];

  for (const [args, code, message] of cases) {
    const ran = await webhooks(...args);
    expect(ran.stderr, args.join(' ')).toMatch(message);
    expect({ code: ran.code, stdout: ran.stdout }, args.join(' ')).toEqual({ code, stdout: '' });
  }
  expect((await webhooks('list', '--json')).rows).toEqual([]);
});
