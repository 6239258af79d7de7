import { counting, newWebhook, type WebhookItem } from '../../events/webhooks.ts';
import { Problem } from '../../problem.ts';
import type { WebhookFields } from '../../routes/webhooks.ts';
import { webhookKey } from '../../table/keys.ts';
import { isNew, put, unchanged, updated } from '../../table/language.ts';
import { getMany } from '../../table/table.ts';
import type { Group, Importer, Row } from './rows.ts';

type FileFields = WebhookFields & { id: string };

const names = ['url', 'events', 'description', 'format'] as const;

const isSame = (stored: WebhookItem, fields: Partial<WebhookFields>): boolean =>
  names.every((name) => fields[name] === undefined || String(stored[name]) === String(fields[name]));

/** The write of an existing webhook. It is switched off: a person has to see its new address. */
const changed = (row: Row<FileFields>, stored: WebhookItem): Group<FileFields> => {
  const { id: _, ...fields } = row.fields;
  if (isSame(stored, fields)) return { rows: [row], outcome: 'unchanged' };
  const change = updated(stored, { set: { ...fields, state: 'disabled' }, when: unchanged(stored) });
  return { rows: [row], outcome: 'changed', writes: [change] };
};

const created = async (row: Row<FileFields>, store: string): Promise<Group<FileFields>> => {
  const { id, url, events, description = '', format = 'standard' } = row.fields;
  const item = newWebhook(store, id, { url, events, description, format }, 'disabled');
  try {
    return { rows: [row], outcome: 'created', writes: [put(item, isNew), await counting(store, id)] };
  } catch (error) {
    if (!(error instanceof Problem && error.status === 400)) throw error;
    return { rows: [row], outcome: { field: 'id', value: id, message: `cannot be added: ${error.message}` } };
  }
};

/** A new webhook has a new secret, and sends nothing until a person enables it. */
export const webhookImporter: Importer<FileFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.map(({ fields }) => webhookKey(store, fields.id));
    const items = await getMany<WebhookItem>(keys, { consistent: true });
    const known = new Map(items.map((item) => [item.sk, item]));
    return Promise.all(
      rows.map((row) => {
        const stored = known.get(row.fields.id);
        return stored ? changed(row, stored) : created(row, store);
      }),
    );
  },
};
