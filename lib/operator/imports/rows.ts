import pMap from 'p-map';
import { customerUpsert } from '../../avatars/customers.ts';
import type { Resident } from '../../avatars/residents.ts';
import type { Log } from '../../store/operator-log.ts';
import { customerKey } from '../../table/keys.ts';
import { isNew, put, targetOf, unchanged, type Write } from '../../table/language.ts';
import { pause } from '../../table/retry.ts';
import type { Key } from '../../table/schema.ts';
import { isSameItem } from '../../table/stamp.ts';
import { getMany, transact, write } from '../../table/table.ts';

/**
 * Writes the things of a store that rows of a file, or of another service, tell of. The `plan` of an importer reads the
 * table and returns the writes for each row. A dry run stops there. The table refuses a plan's writes if another writer
 * has changed an item since it was read; then those rows are planned again. So an import can be interrupted anywhere,
 * repeated, or run twice at the same time.
 */

/** A row with checked fields. It may lack some fields of its thing. Residents and ids in it are known. */
export interface Row<F> {
  /** The row's line in its file, from 1. */
  line: number;
  fields: F;
  /** The file's texts from which ids were made, by the ids: a fault shows what a person has written. */
  texts?: ReadonlyMap<unknown, string>;
}

/** The reason why a row cannot be imported. */
export interface Fault {
  field: string;
  value?: unknown;
  message: string;
}

export type RowOutcome = 'created' | 'changed' | 'unchanged';

/** The kinds of this store's changes that a person's file can undo. The plan of an import counts them. */
export type Undoing = 'ban' | 'coupon on' | 'limit of uses' | 'end of a coupon' | 'product on' | 'price';

/** Rows that are written together or not at all. */
export interface Group<F> {
  rows: Row<F>[];
  outcome: RowOutcome | Fault;
  undoes?: readonly Undoing[];
  /** The store's own word counts here, and the row says something else. The value stays. */
  kept?: Fault;
  /** At most 100. */
  writes?: Write[];
  /** Residents who must be customers of the store before the group is written. */
  customers?: Resident[];
  /** The row is rejected with this fault unless the file also has a good row with this key. */
  needs?: { key: string; fault: Fault };
}

/** The context of a plan. */
export interface Setting {
  store: string;
  /** The rows come from another service, which a move copies again and again, rather than from a person's file. */
  isMove?: boolean | undefined;
  /** Limited products get the numbers of copies in the rows. */
  setsStock?: boolean | undefined;
  /** The log of the command that writes the rows. */
  log?: Log | undefined;
}

export interface Importer<F> {
  plan(rows: Row<F>[], setting: Setting): Promise<Group<F>[]>;
  /** Runs before the groups are written. An import may run it twice. */
  prepare?(groups: Group<F>[], setting: Setting): Promise<void>;
  /** Runs after the groups are written. An import may run it twice. */
  finish?(groups: Group<F>[], setting: Setting): Promise<void>;
}

/** The fault of an id that finds no product or category. A name never finds one, since two may share it. */
export const unknownReference = (kind: 'products' | 'categories'): string =>
  `must be ${kind === 'products' ? 'a product' : 'categories'} of the store, by UUID or by what it was imported by: the id of its row, ` +
  `else the name. Import it first, or look its UUID up with store export ${kind}`;

/** The writes that replace an item as it was read, or make a new one: none if they would change nothing. */
export const replacing = <T extends Key>(stored: T | undefined, item: T): Write[] => {
  if (!stored) return [put(item, isNew)];
  return isSameItem(stored, item) ? [] : [put(item, unchanged(stored), stored)];
};

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Reads items consistently. Answers a function from a key to its item, if there is one. */
export const readItems = async <T extends Key>(keys: readonly Key[]): Promise<(key: Key) => T | undefined> => {
  const items = new Map((await getMany<T>(keys, { consistent: true })).map((item) => [nameOf(item), item]));
  return (key) => items.get(nameOf(key));
};

const maxItems = 100;

/** Limits the calls that an import makes at once. */
export const sideBySide = { concurrency: 4 };

/** Packs as many groups into each transaction as fit. If groups write the same item, a round takes only the first. */
const pack = <F>(groups: Group<F>[], alone: boolean): Group<F>[][] => {
  const taken = new Set<string>();
  const transactions: Group<F>[][] = [];
  let room = 0;
  for (const group of groups) {
    const keys = (group.writes ?? []).map((one) => nameOf(targetOf(one)));
    if (keys.some((key) => taken.has(key))) continue;
    for (const key of keys) taken.add(key);
    if (alone || keys.length > room) {
      transactions.push([]);
      room = maxItems;
    }
    transactions.at(-1)?.push(group);
    room -= keys.length;
  }
  return transactions;
};

/** Makes residents customers of the store unless they are customers already. */
const makeCustomers = async (store: string, residents: readonly Resident[]): Promise<void> => {
  const items = await getMany(residents.map(({ uuid }) => customerKey(store, uuid)));
  const known = new Set(items.map(({ sk }) => sk));
  const newcomers = new Map(residents.filter(({ uuid }) => !known.has(uuid)).map((each) => [each.uuid, each]));
  for (const newcomer of newcomers.values()) await write(customerUpsert(store, newcomer));
};

/** Plans and writes rows until every row has an outcome. */
export const writeRows = async <F>(importer: Importer<F>, rows: Row<F>[], setting: Setting): Promise<Group<F>[]> => {
  const finished: Group<F>[] = [];
  let rest = rows;
  let alone = false;
  for (let idle = 0; rest.length > 0; ) {
    const groups = await importer.plan(rest, setting);
    const done = groups.filter(({ writes = [], customers = [] }) => writes.length === 0 && customers.length === 0);
    const writing = groups.filter((group) => !done.includes(group));
    await makeCustomers(
      setting.store,
      writing.flatMap(({ customers = [] }) => customers),
    );
    await importer.prepare?.(writing, setting);
    let refused = false;
    await pMap(
      pack(writing, alone),
      async (transaction) => {
        const writes = transaction.flatMap((group) => group.writes ?? []);
        if (writes.length === 0 || !(await transact(writes))) done.push(...transaction);
        else refused = true;
      },
      sideBySide,
    );
    alone = refused;
    finished.push(...done);
    const written = new Set(done.flatMap((group) => group.rows));
    rest = rest.filter((row) => !written.has(row));
    if (done.length === 0) await pause(++idle);
    else idle = 0;
  }
  await importer.finish?.(finished, setting);
  return finished;
};
