import { CancelledError, type Engine, type Query, type Refusal, RefusedError } from '../../../lib/table/engine.ts';
import { applied, conditionOf, holds, type Item, targetOf, type Write } from '../../../lib/table/language.ts';
import { type IndexName, indexes, type Key, tableKey } from '../../../lib/table/schema.ts';

/** A write as it was carried out: the item before and after it, undefined for none. */
export interface Written {
  key: Key;
  before: Item | undefined;
  after: Item | undefined;
}

export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** A copy that nobody can change, as the table keeps it: without undefined values. */
const kept = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Set) return new Set(value);
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(kept));
  const copy: Item = {};
  for (const name in value) {
    const member = (value as Item)[name];
    if (member !== undefined) copy[name] = kept(member);
  }
  return Object.freeze(copy);
};

/** The attributes that an index holds of an item. */
const projected = (item: Item, index: IndexName): Item => {
  const { partition, sort, include } = indexes[index];
  const row: Item = {};
  for (const name of ['pk', 'sk', partition, sort, ...include]) if (item[name] !== undefined) row[name] = item[name];
  return row;
};

/**
 * A table in memory. Each call is one moment, and the items that it answers are frozen. Reads may see some items in
 * another state: `seen` has that state, by `nameOf`.
 */
export class MemoryTable {
  /** By partition, then by sort key. */
  readonly partitions = new Map<string, Map<string, Item>>();

  /** A table with the same items. */
  copy(): MemoryTable {
    const copy = new MemoryTable();
    for (const [pk, items] of this.partitions) copy.partitions.set(pk, new Map(items));
    return copy;
  }

  get({ pk, sk }: Key): Item | undefined {
    return this.partitions.get(pk)?.get(sk);
  }

  items(): Item[] {
    return [...this.partitions.values()].flatMap((items) => [...items.values()]);
  }

  /** The items among which are all rows of a partition of the table or of an index. */
  protected candidates(partition: string, index: IndexName | undefined): Iterable<Item> {
    return index ? this.items() : (this.partitions.get(partition)?.values() ?? []);
  }

  /** The order of rows of an index that have one position. */
  protected tieOf({ sk, pk }: Item): string {
    return `${sk}\n${pk}`;
  }

  query(
    { partition, index, descending, from, first, last, contains, limit = Number.POSITIVE_INFINITY, after }: Query,
    seen?: ReadonlyMap<string, Item | undefined>,
  ): { items: Item[]; next?: Item | undefined } {
    const { partition: hash, sort } = index ? indexes[index] : tableKey;
    const found: Item[] = [];
    const consider = (item: Item | undefined): void => {
      if (item?.[hash] !== partition || item[sort] === undefined) return;
      const position = String(item[sort]);
      if ((first !== undefined && position < first) || (last !== undefined && position > last)) return;
      if (from && (position === from.position ? !from.inclusive : position > from.position === descending)) return;
      found.push(item);
    };
    for (const item of this.candidates(partition, index))
      if (!seen?.has(nameOf(item as unknown as Key))) consider(item);
    for (const item of seen?.values() ?? []) consider(item);
    const positionOf = (item: Item): string => `${item[sort]}\n${this.tieOf(item)}`;
    if (found.length > 1) {
      const sign = descending ? -1 : 1;
      found.sort((a, b) => (positionOf(a) < positionOf(b) ? -sign : sign));
    }
    const isBehind = (a: string, b: string): boolean => (descending ? a < b : a > b);
    const rows = after ? found.filter((item) => isBehind(positionOf(item), positionOf(after))) : found;
    const read = index ? rows.slice(0, limit).map((row) => projected(row, index)) : rows.slice(0, limit);
    const passes = contains
      ? read.filter((item) => contains.texts.some((text) => String(item[contains.attribute]).includes(text)))
      : read;
    return { items: passes, next: rows.length > limit ? read.at(-1) : undefined };
  }

  /** Carries out all writes if all their conditions hold; else answers what refused them. */
  transact(writes: readonly Write[]): { written: Written[] } | { refusals: Refusal[] } {
    const found = writes.map((write) => this.get(targetOf(write)));
    if (writes.some((write, place) => !holds(conditionOf(write), found[place])))
      return {
        refusals: writes.map((write, place) =>
          holds(conditionOf(write), found[place]) ? { refused: false } : { refused: true, item: found[place] },
        ),
      };
    const written: Written[] = [];
    for (const [place, write] of writes.entries()) {
      if (write.kind === 'check') continue;
      const [key, before] = [targetOf(write), found[place]];
      const after = kept(applied(write, before)) as Item | undefined;
      this.set(key, after);
      written.push({ key, before, after });
    }
    return { written };
  }

  /** Puts an item under a key, or removes the one that is there. */
  set({ pk, sk }: Key, item: Item | undefined): void {
    let items = this.partitions.get(pk);
    if (!items) {
      items = new Map();
      this.partitions.set(pk, items);
    }
    if (item) items.set(sk, item);
    else items.delete(sk);
  }
}

/**
 * An engine over a table in memory, on which the table language behaves as on DynamoDB. Its indexes are never stale.
 */
export const memoryEngine = (table = new MemoryTable()): Engine => ({
  get: async (key) => table.get(key),
  getSome: async (keys) => ({
    items: keys.map((key) => table.get(key)).filter((item) => item !== undefined),
    rest: [],
  }),
  getTogether: async (keys) => keys.map((key) => table.get(key)),
  query: async (query) => table.query(query),
  write: async (write) => {
    const result = table.transact([write]);
    if ('refusals' in result) throw new RefusedError(result.refusals[0]?.item);
    return result.written[0]?.after;
  },
  transact: async (writes) => {
    const result = table.transact(writes);
    if ('refusals' in result) throw new CancelledError(result.refusals);
  },
  removeSome: async (keys) => {
    for (const key of keys) table.set(key, undefined);
    return [];
  },
});
