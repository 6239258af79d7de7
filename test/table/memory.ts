import { Cancelled, type Engine, Refused } from '../../lib/table/engine.ts';
import { applied, conditionOf, holds, type Item, targetOf, type Write } from '../../lib/table/language.ts';
import { indexes, type Key, tableKey } from '../../lib/table/schema.ts';

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** An engine in memory, on which the table language behaves as on DynamoDB. Its indexes are never stale. */
export const memoryEngine = (): Engine => {
  const items = new Map<string, Item>();
  const at = (key: Key): Item | undefined => items.get(nameOf(key));
  const store = (write: Write): Item | undefined => {
    const key = targetOf(write);
    const item = applied(write, at(key));
    if (item) items.set(nameOf(key), structuredClone(item));
    else items.delete(nameOf(key));
    return item;
  };
  const refused = (write: Write): boolean => !holds(conditionOf(write), at(targetOf(write)));
  return {
    get: async (key) => structuredClone(at(key)),
    getSome: async (keys) => ({
      items: keys.flatMap((key) => (at(key) ? [structuredClone(at(key)) as Item] : [])),
      rest: [],
    }),
    getTogether: async (keys) => keys.map((key) => structuredClone(at(key))),
    query: async ({
      partition,
      index,
      descending,
      from,
      first,
      last,
      contains,
      limit = Number.POSITIVE_INFINITY,
      after,
    }) => {
      const { partition: hash, sort } = index ? indexes[index] : tableKey;
      const positionOf = (item: Item): string => `${item[sort]}\n${item.sk}`;
      const sign = descending ? -1 : 1;
      const found = [...items.values()]
        .filter((item) => item[hash] === partition && item[sort] !== undefined)
        .sort((a, b) => (positionOf(a) < positionOf(b) ? -sign : sign))
        .filter((item) => {
          const position = String(item[sort]);
          if ((first !== undefined && position < first) || (last !== undefined && position > last)) return false;
          if (after && positionOf(item) <= positionOf(after) !== descending) return false;
          if (!from) return true;
          if (position === from.position) return from.inclusive;
          return position > from.position !== descending;
        });
      const read = structuredClone(found.slice(0, limit));
      const passes = contains
        ? read.filter((item) => contains.texts.some((text) => String(item[contains.attribute]).includes(text)))
        : read;
      return { items: passes, next: found.length > limit ? read.at(-1) : undefined };
    },
    write: async (write) => {
      if (refused(write)) throw new Refused(structuredClone(at(targetOf(write))));
      return structuredClone(store(write));
    },
    transact: async (writes) => {
      const refusals = writes.map((write) => ({ refused: refused(write), item: at(targetOf(write)) }));
      if (refusals.some((one) => one.refused)) throw new Cancelled(structuredClone(refusals));
      for (const write of writes) store(write);
    },
    removeSome: async (keys) => {
      for (const key of keys) items.delete(nameOf(key));
      return [];
    },
  };
};
