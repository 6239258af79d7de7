import { functionFile, type Kind, kindsWritten, type Route } from '../lib/routes/route.ts';
import { type IndexName, indexes } from '../lib/table/schema.ts';
import tableUses from './table-uses.json' with { type: 'json' };
import type { TableUse } from './table-uses.ts';

/** The kinds of item that a function may touch. A function that writes a kind may read it too. */
export interface Access {
  readonly reads: readonly Kind[];
  readonly writes: readonly Kind[];
  /** Kinds whose items it only updates, and does not read. */
  readonly updates?: readonly Kind[];
  /** The function creates items of these kinds, and deletes none. */
  readonly makes?: readonly Kind[];
  /** Further partitions, such as the partitions of an index that spans stores. */
  readonly alsoReads?: readonly string[];
  /** The actions and indexes that the function's code can use, by default all. */
  readonly uses?: readonly TableUse[];
}

/** A role's permissions on the table. The stack makes policies of them, and tests check every command against them. */
export interface Permission {
  sid: string;
  /** DynamoDB's actions, without their prefix. */
  actions: string[];
  /** The indexes that the permission covers beside the table. */
  indexes: IndexName[];
  /** Patterns of the partition keys. */
  partitions: string[];
}

const sharedKinds: readonly Kind[] = ['STORE', 'KEY', 'PAGE', 'RESIDENT', 'NAME', 'LOG', 'SWEEP'];

/** The partition keys of a kind, in the table and its indexes: see `Kind`. */
const partitionsOf = (kind: Kind): string[] =>
  sharedKinds.includes(kind) ? [`${kind}#*`] : [`*#${kind}`, `*#${kind}#*`];

const allIndexes = Object.keys(indexes) as IndexName[];

/** A function may only update items of these kinds, and creates none unless `makes` has the kind. None is deleted. */
const onlyUpdated: readonly Kind[] = ['STORE', 'KEY', 'PAGE'];

/** A function may only add items of these kinds. It can neither read nor change one. */
const onlyMade: readonly Kind[] = ['LOG'];

/** A function's permissions on the table: its kinds of item only, and no scan. */
export const permissions = ({
  reads,
  writes,
  updates = [],
  makes = [],
  alsoReads = [],
  uses,
}: Access): Permission[] => {
  const isUsed = (one: string): boolean => uses === undefined || (uses as readonly string[]).includes(one);
  const written = writes.filter((kind) => !onlyMade.includes(kind));
  const made = [...makes, ...writes.filter((kind) => onlyMade.includes(kind))];
  const readable = [...new Set([...reads, ...written])].flatMap(partitionsOf).concat(alsoReads);
  // Only a transaction checks items that it does not write, and only a function that writes has transactions.
  const checks = writes.length > 0 ? ['ConditionCheckItem'] : [];
  const read = {
    sid: 'Read',
    actions: ['GetItem', 'BatchGetItem', 'Query', ...checks],
    indexes: allIndexes,
    partitions: readable,
  };
  const write = {
    sid: 'Write',
    actions: ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
    indexes: [],
    partitions: written.filter((kind) => !onlyUpdated.includes(kind)).flatMap(partitionsOf),
  };
  const update = {
    sid: 'Update',
    actions: ['UpdateItem'],
    indexes: [],
    partitions: [...written.filter((kind) => onlyUpdated.includes(kind)), ...updates].flatMap(partitionsOf),
  };
  const make = { sid: 'Make', actions: ['PutItem'], indexes: [], partitions: made.flatMap(partitionsOf) };
  return [read, write, update, make]
    .map((one) => ({ ...one, actions: one.actions.filter(isUsed), indexes: one.indexes.filter(isUsed) }))
    .filter(({ actions, partitions }) => actions.length > 0 && partitions.length > 0);
};

/** The uses of a function. Throws for a function that the file does not list: its role would allow all actions. */
const usedBy = (entry: string): readonly TableUse[] => {
  const uses = (tableUses as Readonly<Record<string, string[]>>)[entry];
  if (uses) return uses as TableUse[];
  throw new Error(`infra/table-uses.json has no line for ${entry}. Run npm run openapi, which writes it.`);
};

/** The needs of all rows that one function serves. */
export const togetherOf = (rows: readonly Route[]): Route => {
  const first = rows.find(({ query }) => 'cursor' in query.shape) ?? (rows[0] as Route);
  const all = (kinds: (row: Route) => readonly Kind[]): Kind[] => [...new Set(rows.flatMap(kinds))];
  const isAny = (flag: 'queue' | 'resolves' | 'quotes' | 'showsSecret') =>
    rows.some((row) => row[flag]) && { [flag]: true as const };
  return {
    ...first,
    ...isAny('queue'),
    ...isAny('resolves'),
    ...isAny('quotes'),
    ...isAny('showsSecret'),
    reads: all(({ reads }) => reads),
    writes: all(kindsWritten),
    makes: all(({ makes = [] }) => makes),
  };
};

const hasShare = (row: Route): boolean => 'cursor' in row.query.shape || row.writes.length > 0;

/**
 * The access of an endpoint's function. Lists note how much they have read, and other endpoints how much they have
 * written: lib/http/store-share.ts.
 */
export const accessOf = (row: Route): Access => ({
  reads: row.reads,
  writes: kindsWritten(row),
  makes: row.makes ?? [],
  ...(hasShare(row) && { updates: ['UNITS'] }),
  uses: usedBy(functionFile(row)),
});

/** The authorizer reads keys and pages, and notes the last use of keys. It can neither create nor delete one. */
export const authorizerPermissions: Permission[] = [
  { sid: 'Keys', actions: ['GetItem', 'UpdateItem'], indexes: [], partitions: partitionsOf('KEY') },
  { sid: 'Pages', actions: ['GetItem'], indexes: [], partitions: partitionsOf('PAGE') },
];

/**
 * The worker checks that the store exists and that the sale was not refunded. It keeps the record of each delivery, and
 * notes lost dispensers. It notes when a customer's product was given. It tells vendors of changes, and notes when.
 */
export const workerAccess: Access = {
  reads: ['STORE', 'SALE', 'EVENT', 'VENDOR'],
  writes: ['DELIVERY', 'DISPENSER', 'WEBHOOK'],
  updates: ['OWNED', 'VENDOR', 'UNITS'],
  uses: usedBy('delivery-worker'),
};

/** Asks a store's dispenser for an avatar, counts that, and keeps the answer for the store. */
export const lookUpAccess: Access = {
  reads: ['RESIDENT', 'NAME'],
  writes: ['STORE_RESIDENT', 'STORE_NAME', 'LOOKUP', 'DISPENSER'],
  uses: usedBy('resident-lookup'),
};

/**
 * The sweep finds due customers and renamed residents in an index that spans all stores, and notes when it ran. A
 * rename reaches every item that has a copy of the name. The sweep also orders the deliveries of sales and notes how
 * far it has come, gives up payouts that nobody reports, and notes which vendors are lost.
 */
export const sweepAccess: Access = {
  reads: ['STORE', 'NAME', 'SALE', 'DELIVERY', 'WEBHOOK', 'VENDOR'],
  writes: [
    ...(['CUSTOMER', 'LOT', 'SWEEP', 'COUPON', 'GIFTCARD', 'SPEND', 'RESIDENT', 'STORE_RESIDENT'] as const),
    ...(['PAYEE', 'PAYOUT', 'CUSTOMER_NAME'] as const),
  ],
  updates: ['SALE', 'WEBHOOK', 'VENDOR'],
  alsoReads: ['CUSTOMER#DUE#*', 'WEBHOOK#DUE', 'PAYOUT#DUE', 'VENDOR#DUE'],
  uses: usedBy('expiry-sweep'),
};

/** The hourly export notes which increment it has asked for. */
export const exportAccess: Access = {
  reads: [],
  writes: ['SWEEP'],
  uses: usedBy('table-export'),
};

/**
 * The stream's consumer makes history and the sums of days, reads rows first if records repeat, and notes events. It
 * counts what sales owe in the accounts of payees; a debt that is counted late may be paid already. It deletes only
 * names that lead to nobody. Events and the journal need the issuers of keys, the copies of products, and the authors
 * of deletions.
 */
export const consumerAccess: Access = {
  reads: [
    ...(['STORE', 'HISTORY', 'DAY', 'WEBHOOK', 'SALE', 'PAYEE', 'PRODUCT', 'STOCK'] as const),
    ...(['CUSTOMER', 'RESIDENT', 'NAME', 'STORE_RESIDENT', 'KEY', 'REMOVED'] as const),
  ],
  writes: ['CUSTOMER_NAME'],
  updates: ['HISTORY', 'DAY', 'EVENT', 'SALE'],
  makes: ['HISTORY', 'PAYEE', 'PAYOUT'],
  uses: usedBy('stream-consumer'),
};
