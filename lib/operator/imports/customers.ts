import { type CustomerItem, customerUpsert, spendMoves, subscribed } from '../../avatars/customers.ts';
import type { Resident } from '../../avatars/residents.ts';
import type { SpendItem } from '../../avatars/spend.ts';
import { digestOf, withSettings } from '../../catalogue/told.ts';
import { customerKey, spendKey } from '../../table/keys.ts';
import { all, is, updated } from '../../table/language.ts';
import { getMany } from '../../table/table.ts';
import type { Group, Importer, Row, Setting } from './rows.ts';

/** The settings of a customer. */
interface Settings {
  discount: number;
  newsSubscriber: boolean;
  isBanned: boolean;
  banReason: string;
}

export interface CustomerFields extends Partial<Settings> {
  resident: Resident;
}

const names = ['discount', 'newsSubscriber', 'isBanned', 'banReason'] as const;
const unset: Settings = { discount: 0, newsSubscriber: false, isBanned: false, banReason: '' };

/** The settings that another service tells. The reason of a ban is not one of them. */
const settingsOf = ({ discount, newsSubscriber, isBanned }: Settings) => ({ discount, newsSubscriber, isBanned });

const noSettings = digestOf(settingsOf(unset));

/** The settings of a row. A row that lifts a ban also deletes the reason, as the API's unban does. */
const setBy = ({ resident: _, ...fields }: CustomerFields): Partial<Settings> =>
  fields.isBanned === false ? { banReason: '', ...fields } : fields;

const settingsIn = (item: CustomerItem | undefined): Settings => {
  const { discount, newsSubscriber, isBanned, banReason } = { ...unset, ...item };
  return { discount, newsSubscriber, isBanned, banReason };
};

const customerGroup = (
  row: Row<CustomerFields>,
  item: CustomerItem | undefined,
  spend: SpendItem | undefined,
  { store, isMove = false }: Setting,
): Group<CustomerFields> => {
  const { resident } = row.fields;
  const before = settingsIn(item);
  const wanted = { ...before, ...setBy(row.fields) };
  if (wanted.banReason !== '' && !wanted.isBanned)
    return {
      rows: [row],
      outcome: { field: 'banReason', value: wanted.banReason, message: 'must be empty where isBanned is false' },
    };
  // If nothing was told of a customer without settings, having none counts as told.
  const { told = digestOf(settingsOf(before)) === noSettings ? noSettings : undefined } = item ?? {};
  const stored = item && { ...before, ...(told !== undefined && { told }) };
  const made = withSettings(stored, wanted, { settingsOf, isMove });
  if (!made) return { rows: [row], outcome: 'unchanged' };
  const isNews = made.newsSubscriber !== before.newsSubscriber;
  const given = names.filter((name) => made[name] !== before[name]);
  const set = {
    ...Object.fromEntries(given.map((name) => [name, made[name]])),
    ...(isNews && subscribed(store, made.newsSubscriber)),
    // The table holds no empty reason.
    ...(given.includes('banReason') && { banReason: made.banReason || undefined }),
    ...(made.told !== item?.told && made.told !== noSettings && { told: made.told }),
    ...(item?.told !== undefined && made.told === noSettings && { told: undefined }),
  };
  const asRead = all(
    ...(['discount', 'newsSubscriber', 'isBanned', 'told'] as const).map((name) => is(name, item?.[name])),
  );
  const upsert = customerUpsert(store, resident, { set, when: asRead });
  return {
    rows: [row],
    outcome: item ? 'changed' : 'created',
    writes: [
      updated(item ?? upsert.key, upsert.change),
      ...(isNews ? [spendMoves(store, resident.uuid, made.newsSubscriber, spend)] : []),
    ],
    undoes: before.isBanned && !made.isBanned ? ['ban'] : [],
  };
};

/** A store's settings for its customers. Credit and purchases have their own files. */
export const customerImporter: Importer<CustomerFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const uuidOf = ({ fields }: Row<CustomerFields>): string => fields.resident.uuid;
    const items = await getMany<CustomerItem>(
      rows.map((row) => customerKey(store, uuidOf(row))),
      { consistent: true },
    );
    const spends = await getMany<SpendItem>(
      rows.map((row) => spendKey(store, uuidOf(row))),
      { consistent: true },
    );
    const stored = new Map(items.map((item) => [item.sk, item]));
    const spent = new Map(spends.map((item) => [item.sk, item]));
    return rows.map((row) => customerGroup(row, stored.get(uuidOf(row)), spent.get(uuidOf(row)), setting));
  },
};
