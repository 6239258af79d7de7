import { expect, test } from 'vitest';
import { listWebhooks } from '../../../../lib/events/webhooks.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { serve } from '../../../../test/support/deliveries.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });

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

test('changes what an option says, and nothing else', async () => {
  const { webhooks } = await aStore('Changing');
  const before = (
    await webhooks(
      ...['create', '--url', 'http://127.0.0.1:9/', '--events', 'store.closed', '--description', 'Books'],
      ...['--format', 'discord', '--json'],
    )
  ).rows[0];

  const disabled = await webhooks('update', before.id, '--state', 'disabled', '--json');
  const enabled = await webhooks('update', before.id, '--state', 'active', '--description', '', '--json');

  const { secret: _, ...fields } = before;
  expect(disabled.rows).toEqual([{ ...fields, state: 'disabled' }]);
  expect(enabled.rows).toEqual([{ ...fields, description: '' }]);
});

test('sends webhook.ping, of which the list tells', async () => {
  const { webhooks } = await aStore('Tested');
  const { url, got } = await receiver();
  const { id } = (await webhooks('create', '--url', url, '--events', 'store.closed', '--json')).rows[0];

  const { eventId } = (await webhooks('test', id, '--json')).rows[0];

  await until(async () => (await webhooks('deliveries', id, '--json')).rows.length > 0);
  expect(got).toEqual([{ type: 'webhook.ping', id: eventId }]);
});
