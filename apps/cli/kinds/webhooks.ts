import { listWebhooks } from '../../../lib/events/webhooks.ts';
import { webhookImporter } from '../../../lib/operator/imports/webhooks.ts';
import { createWebhook } from '../../../lib/routes/webhooks.ts';
import { columns, idHelp, optionalId, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';

const { url, events, description, format } = createWebhook.body.shape;

export const webhooks: Kind = {
  file: {
    name: 'webhooks',
    summary: 'webhooks, without their secrets; an import makes them switched off, with a new secret each',
    columns: columns({
      id: ['text', optionalId, `${idHelp}; empty: made of the address`],
      url: ['text', url, 'where events are sent; it may itself be a secret, as that of a Discord channel'],
      events: ['list', events, 'the types of events that are sent'],
      description: ['text', description, 'a text for people'],
      format: ['text', format, 'standard or discord'],
    }),
    id: { from: ({ url: address }) => String(address) },
    importer: () => webhookImporter,
    rows: (store) => rowsFrom(listWebhooks(store), 'sk', (item) => ({ ...item })),
  },
};
