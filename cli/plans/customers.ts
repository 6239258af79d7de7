import type { Identifier } from '../../lib/identifier.ts';
import { birth, type CustomerItem, customerKey, subscribed } from '../../lib/store/customers.ts';
import { getMany } from '../../lib/table/query.ts';
import { tableName } from '../../lib/table/table.ts';
import { type Group, type Importer, type Row, residentOf, type Setting } from './rows.ts';

export interface CustomerFields {
  resident: Identifier;
  discount?: number;
  newsSubscriber?: boolean;
  isBanned?: boolean;
  banReason?: string;
}

const settings = ['discount', 'newsSubscriber', 'isBanned', 'banReason'] as const;
const unset = { discount: 0, newsSubscriber: false, isBanned: false, banReason: '' };

/** What a row sets. A ban that it lifts takes its reason along, as the API's unban does. */
const setBy = ({ fields }: Row<CustomerFields>): Partial<CustomerFields> =>
  fields.isBanned === false ? { banReason: '', ...fields } : fields;

const groupOf = (row: Row<CustomerFields>, item: CustomerItem | undefined, setting: Setting): Group<CustomerFields> => {
  const { uuid, username } = residentOf(setting, row.fields.resident);
  const stored = { ...unset, ...item };
  const fields = setBy(row);
  const wanted = { ...stored, ...fields };
  if (wanted.banReason !== '' && !wanted.isBanned)
    return {
      rows: [row],
      outcome: { field: 'banReason', value: wanted.banReason, message: 'must be empty where isBanned is false' },
    };
  const given = settings.filter((name) => fields[name] !== undefined);
  if (item && given.every((name) => stored[name] === fields[name])) return { rows: [row], outcome: 'unchanged' };
  const { newsSubscriber, banReason, ...others } = Object.fromEntries(given.map((name) => [name, fields[name]]));
  const set = {
    ...others,
    ...(newsSubscriber !== undefined && subscribed(setting.store, newsSubscriber === true)),
    ...(banReason && { banReason }),
  };
  const born = birth(setting.store, username);
  const names = Object.keys(set);
  // What the row sets itself must not be set by the customer's birth as well.
  const birthSets = born.parts.filter(({ name }) => !names.includes(name)).map((part) => part.set);
  return {
    rows: [row],
    outcome: item ? 'changed' : 'created',
    items: [
      {
        Update: {
          TableName: tableName(),
          Key: customerKey(setting.store, uuid),
          UpdateExpression: `SET ${[...birthSets, ...names.map((name) => `${name} = :${name}`)].join(', ')}${banReason === '' ? ' REMOVE banReason' : ''}`,
          ExpressionAttributeValues: {
            ...born.values,
            ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
          },
        },
      },
    ],
  };
};

/** What a store has set of its customers. Credit and purchases have files of their own. */
export const customers: Importer<CustomerFields> = {
  plan: async (rows, setting) => {
    const uuidOf = ({ fields }: Row<CustomerFields>): string => residentOf(setting, fields.resident).uuid;
    const items = await getMany<CustomerItem>(
      rows.map((row) => customerKey(setting.store, uuidOf(row))),
      { consistent: true },
    );
    const stored = new Map(items.map((item) => [item.sk, item]));
    return rows.map((row) => groupOf(row, stored.get(uuidOf(row)), setting));
  },
};
