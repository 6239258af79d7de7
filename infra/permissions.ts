import { type Kind, kindsWritten, type Route } from '../lib/routes/route.ts';
import { type IndexName, indexes } from '../lib/table/schema.ts';

/** The kinds of item that a function may touch. Who writes a kind may read it too. */
export interface Access {
  readonly reads: readonly Kind[];
  readonly writes: readonly Kind[];
  /** Partitions beyond those of the kinds: an index that spans stores. */
  readonly alsoReads?: readonly string[];
}

/** What a role allows on the table, as data: the stack makes policies of it, and the tests hold every command to it. */
export interface Permission {
  sid: string;
  /** Actions of DynamoDB. */
  actions: string[];
  /** Of the table itself and of these indexes. */
  indexes: IndexName[];
  /** Patterns of the partition keys. */
  partitions: string[];
}

const sharedKinds: readonly Kind[] = ['STORE', 'KEY', 'RESIDENT', 'NAME', 'SWEEP'];

/** The partition keys of a kind, of the table and of its indexes alike: see `Kind`. */
const partitionsOf = (kind: Kind): string[] =>
  sharedKinds.includes(kind) ? [`${kind}#*`] : [`*#${kind}`, `*#${kind}#*`];

const allIndexes = Object.keys(indexes) as IndexName[];

/** What a function may do with the table, and nothing else: no scan, and no kind of item that it has no use for. */
export const permissions = ({ reads, writes, alsoReads = [] }: Access): Permission[] => {
  const readable = [...new Set([...reads, ...writes])].flatMap(partitionsOf).concat(alsoReads);
  // What a transaction only checks, it does not write; who writes nothing has no transaction.
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
    partitions: writes.flatMap(partitionsOf),
  };
  return [read, write].filter(({ partitions }) => partitions.length > 0);
};

/** What an endpoint's function may touch. */
export const accessOf = (row: Route): Access => ({ reads: row.reads, writes: kindsWritten(row) });

/** The authorizer reads keys and notes when they were last used; it can neither make nor delete one. */
export const authorizerPermissions: Permission[] = [
  { sid: 'Keys', actions: ['GetItem', 'UpdateItem'], indexes: [], partitions: partitionsOf('KEY') },
];

/** The worker keeps the record of each delivery of a store that is there, and notes where no dispenser is any more. */
export const workerAccess: Access = { reads: ['STORE'], writes: ['DELIVERY', 'DISPENSER'] };

/** The sweep finds the customers of all stores who are due in an index that spans them, and notes when it ran. */
export const sweepAccess: Access = { reads: [], writes: ['CUSTOMER', 'LOT', 'SWEEP'], alsoReads: ['CUSTOMER#DUE#*'] };
