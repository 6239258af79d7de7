import pMap from 'p-map';
import type { Resident, StoredResident } from '../../../lib/avatars/residents.ts';
import { parseIdentifier, uuidPattern } from '../../../lib/identifier.ts';
import { balanceImporter } from '../../../lib/operator/imports/balances.ts';
import { type Importer, writeRows } from '../../../lib/operator/imports/rows.ts';
import { type BroughtSpend, readBroughtSpend, spendImporter } from '../../../lib/operator/imports/spend.ts';
import { residentKey, storeResidentKey } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { explainFault } from '../data/check.ts';
import { type ImportReport, importRows } from '../data/import.ts';
import type { Values } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { importFiles } from '../kinds/kinds.ts';
import type { OtherService } from './other-service.ts';
import {
  type CustomersCounted,
  listCategories,
  readCoupons,
  readCustomers,
  readMembers,
  readProducts,
  sharersOf,
  type ThingsRead,
} from './read-other.ts';
import { ownProductIds } from './read-own.ts';
import { customerSums, type Thing } from './record.ts';

/** Copies the records of another service into a store, page by page, with the same importers that read files. */

/** A row that could not be imported. */
interface RejectedRow {
  kind: string;
  id: string;
  reason: string;
}

/** The rows that imports have written so far. */
export interface Written {
  created: number;
  changed: number;
  rejected: RejectedRow[];
}

export interface BringOptions {
  /** The end of the copied credit; undefined if it does not expire. */
  creditExpires?: string | undefined;
  /** The cursor that an earlier run reached in the list of customers. */
  cursor?: string | undefined;
  onCustomers?: ((done: number, next: string | undefined) => void) | undefined;
}

const fileOf = (name: string): ImportFile => importFiles.find((kind) => kind.name === name) as ImportFile;

/** Makes a kind keep one importer for all pages, so that the store's memberships are read only once. */
const inPages = (kind: ImportFile): ImportFile => {
  const importer = kind.importer(false);
  return { ...kind, importer: () => importer };
};

const idOf = (row: Values): string => String(row.id ?? row.resident ?? row.uuid);

/** Imports records into one store, and counts written rows. */
const startBringing = (store: string) => {
  const written: Written = { created: 0, changed: 0, rejected: [] };
  const products = inPages(fileOf('products'));
  const rowsOf = async (name: string, rows: readonly Values[]): Promise<void> => {
    if (rows.length === 0) return;
    const report: ImportReport = await importRows(name === 'products' ? products : fileOf(name), store, rows);
    written.created += report.created;
    written.changed += report.changed;
    for (const { line, reason } of report.faults)
      written.rejected.push({ kind: name, id: idOf(rows[line - 1] ?? {}), reason });
  };
  let reading: Promise<BroughtSpend> | undefined;
  const brought = (): Promise<BroughtSpend> => {
    reading ??= readBroughtSpend(store);
    return reading;
  };
  const acts = async <F extends { resident: Resident }>(importer: Importer<F>, all: readonly F[]): Promise<void> => {
    const rows = all.map((fields, place) => ({ line: place + 1, fields }));
    for (const { rows: some, outcome } of await writeRows(importer, rows, { store }))
      for (const { fields } of some)
        if (typeof outcome !== 'string') {
          const reason = explainFault(outcome);
          written.rejected.push({ kind: 'customers', id: fields.resident.uuid, reason });
        } else if (outcome !== 'unchanged') written[outcome] += 1;
  };
  const things = (kind: Thing['kind'], all: readonly Thing[]): Promise<void> =>
    rowsOf(
      kind,
      all.filter((one) => one.kind === kind).map(({ values }) => values),
    );
  return { store, written, rowsOf, things, acts, brought };
};

type Bringing = ReturnType<typeof startBringing>;

/** The avatars that the operator has not named and that the store does not know by this name. */
const strangersAmong = async (
  store: string,
  avatars: ReadonlyMap<string, string>,
): Promise<(readonly [uuid: string, username: string])[]> => {
  const uuids = [...avatars.keys()];
  const items = await getMany<StoredResident>(
    uuids.flatMap((uuid) => [residentKey(uuid), storeResidentKey(store, uuid)]),
    { consistent: true },
  );
  const isShared = new Set(items.filter(({ pk, uuid }) => pk === residentKey(uuid).pk).map(({ uuid }) => uuid));
  const namesOfTold = new Map(items.map(({ uuid, username, names }) => [uuid, new Set([username, ...names])]));
  return [...avatars].filter(([uuid, text]) => {
    const name = parseIdentifier(text)?.username ?? uuid;
    return !isShared.has(uuid) && !namesOfTold.get(uuid)?.has(name);
  });
};

/** Tells the store the names of these avatars. The UUID is the name of an avatar without one. */
const bringAvatars = async ({ store, rowsOf }: Bringing, avatars: ReadonlyMap<string, string>): Promise<void> =>
  rowsOf(
    'residents',
    (await strangersAmong(store, avatars)).map(([uuid, username]) => ({
      uuid,
      username: username || uuid,
      source: 'store',
    })),
  );

/** Reads the names of avatars that a list gives only by UUID. */
const namesOf = async (other: OtherService, uuids: ReadonlySet<string>): Promise<Map<string, string>> =>
  new Map(
    await pMap(
      [...uuids].filter((uuid) => uuidPattern.test(uuid)),
      async (uuid) => {
        const row = await other.get(`/v1/customers/${uuid}`);
        return [uuid, typeof row?.username === 'string' ? row.username : ''] as const;
      },
      { concurrency: 4 },
    ),
  );

/** Imports all products without their demos first, since a demo may come on a later page. Then adds the demos. */
const bringProducts = async (other: OtherService, store: string, bringing: Bringing): Promise<void> => {
  const categories = await listCategories(other);
  await bringing.things('categories', categories);
  const categoriesOf = await readMembers(other, categories);
  const demos: Values[] = [];
  const known = new Set<string>();
  for await (const products of readProducts(other, categoriesOf, ownProductIds(store))) {
    const sharers = new Set(products.flatMap(sharersOf).filter((uuid) => !known.has(uuid)));
    await bringAvatars(bringing, await namesOf(other, sharers));
    for (const uuid of sharers) known.add(uuid);
    for (const { values } of products)
      if (values.demoId) demos.push({ id: values.id, name: values.name, price: values.price, demoId: values.demoId });
    await bringing.rowsOf(
      'products',
      products.map(({ values: { demoId, ...others } }) => (demoId ? others : { demoId, ...others })),
    );
  }
  for (let i = 0; i < demos.length; i += 500) await bringing.rowsOf('products', demos.slice(i, i + 500));
};

const amountIn = (values: Values, name: (typeof customerSums)[number]): number => Number(values[name] ?? 0);

const settingsOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !(customerSums as readonly string[]).includes(name)));

/** The customers of a page, each with their resident. */
type Customers = readonly (Thing & { resident: Resident })[];

const bringBalances = (bringing: Bringing, customers: Customers, expiresAt: string | undefined): Promise<void> =>
  bringing.acts(
    balanceImporter,
    customers.map(({ resident, values }) => ({
      resident,
      regular: amountIn(values, 'credit'),
      restricted: amountIn(values, 'restrictedCredit'),
      expiresAt,
    })),
  );

const bringSpend = async (bringing: Bringing, customers: Customers): Promise<void> =>
  bringing.acts(
    spendImporter(await bringing.brought()),
    customers.map(({ resident, values }) => ({
      resident,
      sum: amountIn(values, 'sum'),
      lastYearSum: amountIn(values, 'lastYearSum'),
    })),
  );

const bringCustomers = async (
  bringing: Bringing,
  { things, avatars }: ThingsRead,
  expiresAt: string | undefined,
): Promise<void> => {
  const customers = things
    .filter(({ kind }) => kind === 'customers')
    .map((thing) => ({ ...thing, resident: { uuid: thing.id, username: avatars.get(thing.id) || thing.id } }));
  await bringAvatars(bringing, avatars);
  await bringing.rowsOf(
    'customers',
    customers.map(({ values }) => settingsOf(values)),
  );
  // A card that was redeemed in the other service must be redeemed here before its credit comes. Otherwise somebody
  // could redeem it again.
  await bringing.things('giftcards', things);
  await bringBalances(bringing, customers, expiresAt);
  await bringSpend(bringing, customers);
};

/**
 * Copies all records of another service into a store. It can be interrupted anywhere and repeated, and leaves records
 * alone that are already here.
 */
export const bringAll = async (
  other: OtherService,
  store: string,
  { buyers }: CustomersCounted,
  { creditExpires, cursor, onCustomers }: BringOptions,
): Promise<Written> => {
  const bringing = startBringing(store);
  await bringProducts(other, store, bringing);
  for await (const read of readCoupons(other)) {
    await bringAvatars(bringing, read.avatars);
    await bringing.things('coupons', read.things);
  }
  for await (const read of readCustomers(other, buyers, cursor)) {
    await bringCustomers(bringing, read, creditExpires);
    onCustomers?.(read.customers, read.next);
  }
  return bringing.written;
};
