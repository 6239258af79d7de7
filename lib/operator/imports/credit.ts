import { createHash } from 'node:crypto';
import pMap from 'p-map';
import type { Resident } from '../../avatars/residents.ts';
import { now, timestamp } from '../../clock.ts';
import { type CreditLot, closing, importEpoch, lotId, lotKey, lotType, reducing } from '../../credit/lot.ts';
import { listLots } from '../../credit/lots.ts';
import type { CreditType, Ending, Holding } from '../../credit/rules.ts';
import { attributes, type CreditItem, creditLimit, holdingOf, type LastChange } from '../../credit/state.ts';
import { checksumAfter, storedChecksum } from '../../credit/whole-lots.ts';
import { updateOf } from '../../credit/writes.ts';
import { customerKey } from '../../table/keys.ts';
import { isNew, put, type Write } from '../../table/language.ts';
import type { Key } from '../../table/schema.ts';
import { getMany } from '../../table/table.ts';
import { type Fault, type Group, type Importer, type Row, type Setting, sideBySide } from './rows.ts';

/** One lot or, without `expiresAt`, a customer's unlotted credit of one type. */
export interface CreditFields {
  id: string;
  resident: Resident;
  type: CreditType;
  /** In L$: the lot's first amount, or the unlotted credit. */
  amount: number;
  /** The L$ left in an open lot, or left in a closed one at its end. By default the amount, and 0 for a drained lot. */
  remaining?: number | undefined;
  expiresAt?: string | undefined;
  state: 'open' | Ending;
  createdAt?: string | undefined;
  createdBy?: string | undefined;
  endedAt?: string | undefined;
  endedBy?: string | undefined;
  reason?: string | undefined;
  reference?: string | undefined;
}

/** A transaction takes 100 items: the customer's and 99 lots. */
const together = 99;

const importedNames = { regular: 'importedCredit', restricted: 'importedRestricted' } as const;

const importedLot = (setting: Setting, { fields }: Row<CreditFields>, item: CreditItem | undefined): CreditLot => {
  const { id, resident, type, amount, expiresAt = '', state, createdAt, createdBy, endedAt, endedBy } = fields;
  const at = timestamp(now());
  return {
    ...lotKey(setting.store, resident.uuid, type, importEpoch, expiresAt, id),
    amount,
    remaining: fields.remaining ?? (state === 'drained' ? 0 : amount),
    expiresAt,
    state,
    createdAt: createdAt ?? at,
    createdBy: createdBy ?? 'import',
    version: item?.creditVersion ?? 0,
    ...(state !== 'open' && { endedAt: endedAt ?? at, endedBy: endedBy ?? 'import' }),
  };
};

const spentSince: string =
  'cannot be added: the store has changed this customer’s credit since, and an import must not bring back what was spent. Use the credit actions of the API instead';

/** Tells whether the store itself has changed a customer's credit. Then nothing is imported any more. */
export const isChangedByStore = (item: CreditItem | undefined): boolean =>
  (item?.creditVersion ?? 0) !== (item?.importedVersion ?? 0);

/** A UUID that is always the same for a text. Its version (8) is for UUIDs that an application makes in its own way. */
const idOf = (text: string): string => {
  const hash = createHash('sha256').update(text).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
};

/**
 * The id by which an import knows a customer's unlotted credit of one type. While only imports have changed the credit
 * it is the imported row's id. Afterwards it is an id that no later state of the credit has.
 */
export const unlottedId = (item: CreditItem, type: CreditType): string => {
  const imported = isChangedByStore(item) ? undefined : item[importedNames[type]];
  return imported?.id ?? idOf(JSON.stringify([item.pk, item.sk, type, item.creditVersion]));
};

/** Tells whether a row without `expiresAt` is the imported one, or an export of what the store holds now. */
const isKnown = ({ fields }: Row<CreditFields>, item: CreditItem | undefined): boolean => {
  const { id, type, amount } = fields;
  const imported = item?.[importedNames[type]];
  if (imported?.id === id && imported.amount === amount) return true;
  return item !== undefined && unlottedId(item, type) === id && holdingOf(item, type).unlotted === amount;
};

/**
 * Tells whether a row leaves less in an open lot than the store has, or nothing. An import may take the difference away
 * while only imports have changed the customer's credit.
 */
const isLowered = (wanted: CreditLot, lot: CreditLot): boolean =>
  lot.state === 'open' &&
  (wanted.state === 'open' || wanted.state === 'drained') &&
  wanted.sk === lot.sk &&
  wanted.amount === lot.amount &&
  wanted.remaining < lot.remaining;

/**
 * The fault of a row whose lot exists with another value. The rest of a lot, and how it ended, are compared only until
 * the store itself changes the credit.
 */
const lotFault = (wanted: CreditLot, lot: CreditLot, isChanged: boolean): Fault | undefined => {
  const valuesOf = ({ sk, amount, expiresAt, remaining, state }: CreditLot) => ({
    type: sk.slice(0, sk.indexOf('#')),
    amount,
    expiresAt,
    ...(!isChanged && { remaining, state }),
  });
  const stored: Record<string, unknown> = valuesOf(lot);
  const [field, value] = Object.entries(valuesOf(wanted)).find(([name, each]) => stored[name] !== each) ?? [];
  return field === undefined
    ? undefined
    : { field, value, message: `must be ${stored[field]}: this lot is there already` };
};

/** Compares a row with the table: it exists (`unchanged`), has a fault, or adds or lowers credit (`new`). */
const judge = (
  row: Row<CreditFields>,
  item: CreditItem | undefined,
  lot: CreditLot | undefined,
  setting: Setting,
): Fault | 'unchanged' | 'new' => {
  const { amount, expiresAt } = row.fields;
  if (expiresAt === undefined && isKnown(row, item)) return 'unchanged';
  if (lot) {
    const wanted = importedLot(setting, row, item);
    const isChanged = isChangedByStore(item);
    if (!isChanged && isLowered(wanted, lot)) return 'new';
    return lotFault(wanted, lot, isChanged) ?? 'unchanged';
  }
  return isChangedByStore(item) ? { field: 'amount', value: amount, message: spentSince } : 'new';
};

/** A lot that holds more in the store than in its row, as it was found and as the row says. */
interface LoweredLot {
  found: CreditLot;
  wanted: CreditLot;
}

const totalLeft = (lots: readonly CreditLot[]): number => lots.reduce((sum, { remaining }) => sum + remaining, 0);

/** The write that takes the excess from a lot, in the change with the number `changed`. */
const lowering = ({ found, wanted }: LoweredLot, changed: number): Write => {
  const { endedAt: at = timestamp(now()), endedBy: by = 'import' } = wanted;
  return wanted.state === 'open'
    ? reducing(found, found.remaining, wanted.remaining, changed)
    : closing(found, 'drained', { at, by }, changed, found.remaining);
};

/** The items that the table holds about a customer before rows are added. */
interface StoredHolder {
  item: CreditItem | undefined;
  lotAt: (row: Row<CreditFields>) => CreditLot | undefined;
  /** All lots, if a row ends one. */
  lots: readonly CreditLot[];
}

/** The writes that add rows to a customer's credit of one type. */
const addTo = (
  setting: Setting,
  { uuid, username }: Resident,
  type: CreditType,
  rows: Row<CreditFields>[],
  { item: stored, lotAt, lots: known }: StoredHolder,
  planned: Map<string, number> | undefined,
): Group<CreditFields> => {
  const item: CreditItem = stored ?? { ...customerKey(setting.store, uuid), username };
  const before = holdingOf(item, type);
  const told = rows
    .filter(({ fields }) => fields.expiresAt !== undefined)
    .map((row) => ({ found: lotAt(row), wanted: importedLot(setting, row, stored) }));
  const lowered = told.filter((one): one is LoweredLot => one.found !== undefined);
  const lots = told.filter(({ found }) => !found).map(({ wanted }) => wanted);
  const open = lots.filter(({ state }) => state === 'open');
  const ended = lowered.map(({ found }) => found);
  const left = lowered.flatMap(({ wanted }) => (wanted.state === 'open' ? wanted : []));
  const unlotted = rows.find(({ fields }) => fields.expiresAt === undefined)?.fields;
  const outside = unlotted?.amount ?? before.unlotted;
  const balance = before.balance - before.unlotted + outside + totalLeft(open) + totalLeft(left) - totalLeft(ended);
  const place = `${uuid} ${type}`;
  const added = (planned?.get(place) ?? 0) + balance - before.balance;
  if (before.balance + added > creditLimit()) {
    const message = `must not take the customer's balance (to ${before.balance + added}) above the credit limit of ${creditLimit()}`;
    return { rows, outcome: { field: 'amount', message } };
  }
  planned?.set(place, added);
  const others = known.filter(({ sk, state }) => state === 'open' && !ended.some((lot) => lot.sk === sk));
  const ofType = others.filter((lot) => lotType(lot) === type);
  const stays = left.length === ended.length ? before.due : ofType[0]?.expiresAt;
  const dues = [...[...open, ...left].map(({ expiresAt }) => expiresAt), stays]
    .filter((due) => due !== undefined)
    .sort();
  const holding: Holding = {
    balance,
    unlotted: outside,
    lots: before.lots + open.length + left.length - ended.length,
    ...(dues[0] && { due: dues[0] }),
  };
  const imported = {
    importedVersion: (item.creditVersion ?? 0) + 1,
    ...(unlotted && { [importedNames[type]]: { id: unlotted.id, amount: unlotted.amount } }),
  };
  const { reason, reference } = rows[0]?.fields ?? {};
  const lastChange: LastChange = {
    kind: 'import',
    at: timestamp(now()),
    types: [{ type }],
    ...(reason !== undefined && { reason }),
    ...(reference !== undefined && { reference }),
  };
  const epoch = item[attributes[type].epoch] ?? importEpoch;
  const checksum = checksumAfter(storedChecksum(item, type), before.lots === 0, {
    ended,
    added: [...open, ...left],
  });
  return {
    rows,
    outcome: lowered.length > 0 || (unlotted && stored?.[importedNames[type]] !== undefined) ? 'changed' : 'created',
    writes: [
      updateOf(setting.store, item, [{ type, holding, epoch, checksum }], lastChange, imported),
      ...lots.map((lot) => put(lot, isNew)),
      ...lowered.map((one) => lowering(one, imported.importedVersion)),
    ],
  };
};

/**
 * Finds the stored lots of the rows by their ids. If a key leads to no lot, all lots of that customer are read: the
 * store may have put the lot into another epoch, or the row may have another type or expiry. A check has found such
 * rows before an import writes, so a writing import reads no lots of customers whose credit only imports have changed.
 */
const findLots = async (
  rows: Row<CreditFields>[],
  items: ReadonlyMap<string, CreditItem>,
  setting: Setting,
  checksOnly: boolean,
): Promise<(row: Row<CreditFields>) => CreditLot | undefined> => {
  const keys = rows
    .filter(({ fields }) => fields.expiresAt !== undefined)
    .map((row) => importedLot(setting, row, undefined));
  const lots = await getMany<CreditLot>(keys, { consistent: true });
  const nameOf = (key: Key): string => `${key.pk} ${lotId(key)}`;
  const known = new Map(lots.map((lot) => [nameOf(lot), lot]));
  const missing = keys.filter((key) => !known.has(nameOf(key))).map(({ pk }) => pk.slice(pk.lastIndexOf('#') + 1));
  const unread = new Set(
    missing.filter((uuid) => isChangedByStore(items.get(uuid)) || (checksOnly && items.has(uuid))),
  );
  const listed = await pMap(unread, (uuid) => listLots(setting.store, uuid), sideBySide);
  for (const lot of listed.flat()) known.set(nameOf(lot), lot);
  return (row) =>
    row.fields.expiresAt === undefined ? undefined : known.get(nameOf(importedLot(setting, row, undefined)));
};

/**
 * Credit: open and closed lots, and unlotted credit. Credit is added only for customers whose credit nothing but
 * imports has changed, so spent, expired or superseded credit does not come back. A check writes nothing: it keeps the
 * sums that it would have added in `planned`, by customer and type.
 */
export const creditImporter = (planned?: Map<string, number>): Importer<CreditFields> => ({
  plan: async (rows, setting) => {
    const ownerOf = ({ fields }: Row<CreditFields>): Resident => fields.resident;
    const customers = await getMany<CreditItem>(
      rows.map((row) => customerKey(setting.store, ownerOf(row).uuid)),
      { consistent: true },
    );
    const items = new Map(customers.map((item) => [item.sk, item]));
    const lotAt = await findLots(rows, items, setting, planned !== undefined);
    const groups: Group<CreditFields>[] = [];
    const additions = new Map<string, Row<CreditFields>[]>();
    const lots = new Map<string, readonly CreditLot[]>();
    for (const row of rows) {
      const { uuid } = ownerOf(row);
      const verdict = judge(row, items.get(uuid), lotAt(row), setting);
      // A change has one reason, so rows with other reasons are changes of their own.
      const { type, reason, reference } = row.fields;
      const place = JSON.stringify([uuid, type, reason, reference]);
      if (verdict === 'new') additions.set(place, [...(additions.get(place) ?? []), row]);
      if (verdict === 'new' && lotAt(row) && !lots.has(uuid)) lots.set(uuid, await listLots(setting.store, uuid));
      if (verdict !== 'new') groups.push({ rows: [row], outcome: verdict });
    }
    for (const theirs of additions.values())
      for (let i = 0; i < theirs.length; i += together) {
        const some = theirs.slice(i, i + together);
        const [first] = some as [Row<CreditFields>];
        const owner = ownerOf(first);
        const holder = { item: items.get(owner.uuid), lotAt, lots: lots.get(owner.uuid) ?? [] };
        groups.push(addTo(setting, owner, first.fields.type, some, holder, planned));
      }
    return groups;
  },
});
