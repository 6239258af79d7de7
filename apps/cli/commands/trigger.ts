import { readFileSync } from 'node:fs';
import { Argument } from 'commander';
import { noteSample } from '../../../lib/events/events.ts';
import { queueEvents } from '../../../lib/events/send.ts';
import { listWebhooks } from '../../../lib/events/webhooks.ts';
import { type EventType, eventNames, eventTypes } from '../../../lib/routes/events.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { counted, note, print } from '../terminal/output.ts';

const documentFile = new URL('../../../docs/openapi.json', import.meta.url);

/** The example data of a type of event, from the OpenAPI document. */
const exampleData = (type: EventType): object => {
  const { webhooks } = JSON.parse(readFileSync(documentFile, 'utf8'));
  return eventTypes[type].data.parse(webhooks[type].post.requestBody.content['application/json'].example.data);
};

const trigger = async (options: GlobalOptions & { list?: boolean }, type: EventType | undefined): Promise<void> => {
  if (options.list) {
    const types = eventNames.map((name) => ({ type: name, summary: eventTypes[name].summary }));
    print(types, [
      { heading: 'type', cell: (row) => row.type },
      { heading: 'tells that', cell: (row) => row.summary },
    ]);
    return;
  }
  if (!type) throw new UsageError('Say which type of event. See store trigger --list.');
  const { store } = await openStore(options);
  const { sk: event, at: notedAt } = await noteSample(store.id, type, exampleData(type));
  const webhooks = (await listWebhooks(store.id)({ descending: false }))
    .filter(({ state, events }) => state === 'active' && events.includes(type))
    .map(({ id }) => id);
  await queueEvents(webhooks.map((webhook) => ({ store: store.id, webhook, event, type, notedAt })));
  print({ id: event, type, sample: true, webhooks }, [
    { heading: 'sample', cell: () => type },
    { heading: 'id', cell: () => event },
    { heading: 'webhooks', cell: () => webhooks.join(' ') || undefined, wraps: true },
  ]);
  const others = 'A running store listen gets it too.';
  if (webhooks.length > 0) note(`It is on the queue for ${counted(webhooks.length, 'webhook')}. ${others}`);
  else note(`No active webhook of ${store.name} subscribes to ${type}. ${others}`);
};

export const addTrigger = (program: StoreCommand): void => {
  program
    .command('trigger')
    .description(
      'Sends a sample of an event, marked as one, to the webhooks that subscribe to it and to each running store listen. Nothing happens in the store.',
    )
    .addArgument(new Argument('[type]', 'type of the event').choices(eventNames))
    .option('--list', 'list the types')
    .examples('store trigger sale.completed', 'store trigger --list')
    .runs(trigger);
};
