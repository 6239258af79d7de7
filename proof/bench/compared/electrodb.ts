import { Entity } from 'electrodb';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { checkCommand } from '../../../lib/credit/rules.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { invalid, notFound } from '../../../lib/problem.ts';
import { getCategory as getCategoryRow } from '../../../lib/routes/categories.ts';
import { incrementCredit as incrementCreditRow } from '../../../lib/routes/credit.ts';
import { demandUuid } from '../../../lib/store/customers.ts';
import { db, dbOnce, tableName } from '../../../lib/table/client.ts';

/**
 * The same two endpoints with ElectroDB in the place of lib/store: the same schemas, wrapper, keys, clients, consistent
 * read and conditional update. ElectroDB adds two attributes to each item, by which it identifies its entity.
 */

const text = { type: 'string', required: true } as const;

const categories = new Entity(
  {
    model: { service: 'store', entity: 'category', version: '1' },
    attributes: { store: text, id: text, name: text, productCount: { type: 'number', required: true } },
    indexes: {
      primary: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: ElectroDB's own way to write a key.
        pk: { field: 'pk', composite: ['store'], template: '${store}#CATEGORY', casing: 'none' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
        sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
      },
    },
  },
  { client: db },
);

const customers = new Entity(
  {
    model: { service: 'store', entity: 'customer', version: '1' },
    attributes: {
      store: text,
      uuid: text,
      username: text,
      credit: { type: 'number' },
      creditUnlotted: { type: 'number' },
      creditVersion: { type: 'number' },
      creditLots: { type: 'number' },
      creditDue: { type: 'string' },
      restrictedCredit: { type: 'number' },
    },
    indexes: {
      primary: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
        pk: { field: 'pk', composite: ['store'], template: '${store}#CUSTOMER', casing: 'none' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
        sk: { field: 'sk', composite: ['uuid'], template: '${uuid}', casing: 'none' },
      },
    },
  },
  { client: dbOnce },
);

/** Writes the items that the two endpoints read and change. */
export const seed = async (store: string, uuid: string): Promise<string> => {
  const id = newId();
  await categories.put({ store, id, name: 'Light', productCount: 3 }).go({ table: tableName() });
  const none = { credit: 0, creditUnlotted: 0, creditVersion: 0 };
  await customers.put({ store, uuid, username: 'hot', ...none }).go({ table: tableName() });
  return id;
};

export const getCategory = endpoint(getCategoryRow, async ({ store, params: { id } }) => {
  const { data } = await categories.get({ store, id }).go({ table: tableName(), consistent: true });
  if (!data) throw notFound();
  return data;
});

const limit = 1_000_000_000;

export const incrementCredit = endpoint(incrementCreditRow, async ({ store, params, body }) => {
  const at = timestamp(now());
  checkCommand({ kind: 'increment', ...body }, at, limit);
  const uuid = await demandUuid(store, params.identifier);
  try {
    const { data } = await customers
      .patch({ store, uuid })
      .add({ credit: body.delta, creditUnlotted: body.delta, creditVersion: 1 })
      .where(
        ({ credit, creditDue }, { notExists, gt, lte }) =>
          `(${notExists(creditDue)} OR ${gt(creditDue, at)}) AND (${notExists(credit)} OR ${lte(credit, limit - body.delta)})`,
      )
      .go({ table: tableName(), response: 'all_new' });
    const { username = '', credit = 0, restrictedCredit = 0 } = data;
    return { uuid, username, credit, restrictedCredit };
  } catch (error) {
    throw invalid(`delta cannot be added: ${(error as Error).message}`);
  }
});
