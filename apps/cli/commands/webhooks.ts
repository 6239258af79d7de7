import { Option } from 'commander';
import { listSendings, webhookDelivery } from '../../../lib/events/sendings.ts';
import { testWebhook } from '../../../lib/events/test-webhook.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookItem,
} from '../../../lib/events/webhooks.ts';
import { type EventType, eventNames } from '../../../lib/routes/events.ts';
import { scopes } from '../../../lib/routes/route.ts';
import { type SendingState, sendingStates, type Webhook, type WebhookDelivery } from '../../../lib/routes/webhooks.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { orUnknown, UsageError } from '../terminal/errors.ts';
import {
  parseCount,
  parseDescription,
  parseEventTypes,
  parseIdOf,
  parseWebhookUrl,
  unknownId,
} from '../terminal/input.ts';
import { type Column, isJson, note, print, printUpTo, shownTime } from '../terminal/output.ts';

/** A webhook as it is shown: never with its secrets. */
interface ShownWebhook extends Webhook {
  failingSince: string | undefined;
  pausedUntil: string | undefined;
  oldSecretUntil: string | undefined;
}

const shown = ({ id, url, events, description, format, state, ...others }: WebhookItem): ShownWebhook => {
  const { failingSince, pausedUntil, oldSecretUntil } = others;
  return { id, url, events, description, format, state, failingSince, pausedUntil, oldSecretUntil };
};

const stateStyles = { active: 'green', disabled: 'red' } as const;

const columns: Column<ShownWebhook>[] = [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'failing since', cell: ({ failingSince }) => shownTime(failingSince), style: () => 'yellow' },
  { heading: 'format', cell: ({ format }) => format },
  { heading: 'address', cell: ({ url }) => url, wraps: true },
  { heading: 'events', cell: ({ events }) => events.join(' '), wraps: true },
  { heading: 'description', cell: ({ description }) => description || undefined, wraps: true },
];

/** A webhook as the log has it. The path of an address may be a secret of the receiver's, as Discord's is. */
const webhookRow = ({ id, url, events }: WebhookItem) => ({ webhook: id, host: new URL(url).host, events });

/** Prints a new secret alone on standard output, and a note beside. With `--json` prints one object. */
const printSecret = (webhook: WebhookItem): void => {
  const { secret } = webhook;
  if (isJson()) {
    print({ ...shown(webhook), secret }, []);
    return;
  }
  note(`Webhook ${webhook.id}, ${webhook.state}: ${webhook.events.join(', ')} go to ${webhook.url}`);
  note('Its messages are signed with this secret. It is shown only now: put it where your receiver reads it.');
  process.stdout.write(`${secret}\n`);
};

const list = async (options: GlobalOptions): Promise<void> => {
  const { id, name } = (await openStore(options)).store;
  const webhooks = await listWebhooks(id)({ descending: false });
  print(webhooks.map(shown), columns, `${name} has no webhook. Create one: store webhooks create`);
};

const show = async (options: GlobalOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  const webhook = shown(await orUnknown(getWebhook(store.id, id), unknownId(store.name, 'webhook', id)));
  print(webhook, columns);
  if (isJson()) return;
  if (webhook.pausedUntil) note(`It did not answer in time: nothing new is sent until ${webhook.pausedUntil}.`);
  if (webhook.oldSecretUntil) note(`The secret before its last rotation signs until ${webhook.oldSecretUntil}.`);
};

interface FieldOptions extends GlobalOptions {
  url?: string;
  events?: EventType[];
  description?: string;
  format?: Webhook['format'];
}

const create = async (options: FieldOptions & Required<Pick<FieldOptions, 'url' | 'events'>>): Promise<void> => {
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const { url, events, description = '', format = 'standard' } = options;
  const webhook = await createWebhook(store.id, { url, events, description, format }, scopes, (made) =>
    log('webhook.created', store.id, webhookRow(made)),
  );
  printSecret(webhook);
};

const update = async (options: FieldOptions & { enable?: boolean; disable?: boolean }, id: string): Promise<void> => {
  const { url, events, description, format, enable, disable } = options;
  const state = enable ? ('active' as const) : disable ? ('disabled' as const) : undefined;
  const given = Object.fromEntries(
    Object.entries({ url, events, description, format, state }).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(given).length === 0)
    throw new UsageError('Say what changes: --url, --events, --description, --format, --enable or --disable.');
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const before = shown(await orUnknown(getWebhook(store.id, id), unknownId(store.name, 'webhook', id)));
  const fields = { url: before.url, events: before.events, description: before.description, format: before.format };
  const changed = await updateWebhook(store.id, id, { ...fields, ...given }, scopes, (now) =>
    log('webhook.changed', store.id, { ...webhookRow(now), state: now.state }),
  );
  print(shown(changed), columns);
};

const remove = async (options: GlobalOptions, id: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const webhook = await orUnknown(getWebhook(store.id, id), unknownId(store.name, 'webhook', id));
  const logged = log('webhook.deleted', store.id, webhookRow(webhook));
  await orUnknown(deleteWebhook(store.id, id, logged), unknownId(store.name, 'webhook', id));
  print({ id, deleted: true }, [{ heading: 'deleted', cell: () => id }]);
};

const rotate = async (options: GlobalOptions, id: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const logged = log('webhook.rotated', store.id, { webhook: id });
  const webhook = await orUnknown(rotateSecret(store.id, id, logged), unknownId(store.name, 'webhook', id));
  printSecret(webhook);
  note(`The secret before signs too, until ${shownTime(webhook.oldSecretUntil)}.`);
};

const test = async (options: GlobalOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  const { eventId } = await orUnknown(testWebhook(store.id, id), unknownId(store.name, 'webhook', id));
  print({ webhookId: id, eventId }, [{ heading: 'webhook.ping', cell: () => eventId }]);
  note(`It is on the queue. See how it goes with: store webhooks deliveries ${id}`);
};

const sendingStyles = { pending: 'yellow', delivered: 'green', failed: 'red' } as const;

const deliveryColumns: Column<WebhookDelivery>[] = [
  { heading: 'event', cell: ({ eventId }) => eventId },
  { heading: 'type', cell: ({ type }) => type },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => sendingStyles[state] },
  { heading: 'tries', cell: ({ attempts }) => attempts },
  { heading: 'status', cell: ({ status }) => status ?? undefined },
  { heading: 'next try', cell: ({ nextAt }) => shownTime(nextAt ?? undefined) },
  { heading: 'last error', cell: ({ lastError }) => lastError ?? undefined, wraps: true },
];

interface DeliveriesOptions extends GlobalOptions {
  state?: SendingState;
  limit: number;
}

const deliveries = async ({ state, limit, ...options }: DeliveriesOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  await orUnknown(getWebhook(store.id, id), unknownId(store.name, 'webhook', id));
  const rows = await listSendings(store.id, id, state)({ descending: false, limit: limit + 1 });
  printUpTo(limit, rows.map(webhookDelivery), deliveryColumns, 'Nothing was sent to it yet, or not in that state.');
};

const exampleId = '0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90';

const idArgument = ['<id>', 'UUID of the webhook', parseIdOf('webhook')] as const;
const urlOption = ['--url <url>', 'where events are sent: https, port 443, a public host', parseWebhookUrl] as const;
const eventTypes = `types of events, separated by commas: ${eventNames.join(', ')}`;
const eventsOption = ['--events <types>', eventTypes, parseEventTypes] as const;
const descriptionOption = [
  '--description <text>',
  'a text for people, at most 200 characters',
  parseDescription,
] as const;
const formatOption = () =>
  new Option('--format <format>', 'standard: signed messages; discord: the address of a Discord channel').choices([
    'standard',
    'discord',
  ]);

/** The commands that show and change webhooks. */
const addSettings = (webhooks: StoreCommand): void => {
  webhooks
    .command('list')
    .description('Lists the webhooks of a store with their state. Never shows their secrets.')
    .examples('store webhooks list', 'store webhooks list --json')
    .runs(list);

  webhooks
    .command('show')
    .description('Shows a webhook: where it sends what, and since when it has failed. Never shows its secret.')
    .argument(...idArgument)
    .examples(`store webhooks show ${exampleId}`)
    .runs(show);

  webhooks
    .command('create')
    .description('Creates a webhook. Its secret is printed once.')
    .requiredOption(...urlOption)
    .requiredOption(...eventsOption)
    .option(...descriptionOption)
    .addOption(formatOption())
    .examples(
      'store webhooks create --url https://shop.example.com/hook --events sale.completed,delivery.failed',
      'SECRET=$(store webhooks create --url https://shop.example.com/hook --events sale.completed)',
      'store webhooks create --url https://discord.com/api/webhooks/1/x --events sale.completed --format discord',
    )
    .runs(create);

  webhooks
    .command('update')
    .description('Changes a webhook. What no option says stays as it is.')
    .argument(...idArgument)
    .option(...urlOption)
    .option(...eventsOption)
    .option(...descriptionOption)
    .addOption(formatOption())
    .addOption(new Option('--enable', 'send to it again: what is noted from now on').conflicts('disable'))
    .option('--disable', 'send nothing to it')
    .examples(
      `store webhooks update ${exampleId} --events sale.completed,sale.refunded`,
      `store webhooks update ${exampleId} --enable`,
    )
    .runs(update);

  webhooks
    .command('delete')
    .description('Deletes a webhook. What was not sent yet is not sent.')
    .argument(...idArgument)
    .examples(`store webhooks delete ${exampleId}`)
    .runs(remove);
};

/** The commands about what a webhook sends. */
const addSending = (webhooks: StoreCommand): void => {
  webhooks
    .command('rotate-secret')
    .description('Makes a new secret, printed once. The one before signs too for 24 hours.')
    .argument(...idArgument)
    .examples(`store webhooks rotate-secret ${exampleId}`)
    .runs(rotate);

  webhooks
    .command('test')
    .description('Sends the event webhook.ping to a webhook, a disabled one too.')
    .argument(...idArgument)
    .examples(`store webhooks test ${exampleId}`)
    .runs(test);

  webhooks
    .command('deliveries')
    .description('Lists how the events of the last 30 days fared, the newest first, with the beginning of an answer.')
    .argument(...idArgument)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(sendingStates))
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples(`store webhooks deliveries ${exampleId}`, `store webhooks deliveries ${exampleId} --state failed --json`)
    .runs(deliveries);
};

/** Adds `store webhooks list|show|create|update|delete|rotate-secret|test|deliveries`. */
export const addWebhooks = (program: StoreCommand): void => {
  const webhooks = program
    .command('webhooks')
    .description('Webhooks, which send the events of a store to an address: manage them, see what was sent.');
  addSettings(webhooks);
  addSending(webhooks);
};
