import { isDeepStrictEqual } from 'node:util';
import { knownShape } from '../shape.ts';
import type { Key } from './schema.ts';

/**
 * Writes and their conditions as data. Entities compose them and know nothing of DynamoDB's expressions. An engine
 * carries them out. `holds` and `applied` say what they mean.
 *
 *     write(update(categoryKey(store, id), { set: { name }, when: exists }))
 *     transact([put(coupon, isNew), put(code, isNew)], { answer: coupon })
 */

export type Item = Record<string, unknown>;

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly missing: string }
  | { readonly present: string }
  | { readonly attribute: string; readonly is: Comparison; readonly value: unknown }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

const compare =
  (is: Comparison) =>
  (attribute: string, value: unknown): Condition => ({ attribute, is, value });

export const missing = (attribute: string): Condition => ({ missing: attribute });
export const present = (attribute: string): Condition => ({ present: attribute });
/** An attribute has a value or, for undefined, is missing. A path such as `pending.id` is fine. */
export const is = (attribute: string, value: unknown): Condition =>
  value === undefined ? missing(attribute) : compare('=')(attribute, value);
export const isNot = compare('<>');
export const atMost = compare('<=');
export const below = compare('<');
export const above = compare('>');
export const atLeast = compare('>=');
export const all = (...conditions: (Condition | undefined)[]): Condition => ({
  all: conditions.filter((condition) => condition !== undefined),
});
export const any = (...conditions: Condition[]): Condition => ({ any: conditions });

/** There is no item, or this version of the service can read it. */
export const isKnown = any(missing('shape'), atMost('shape', knownShape));

/** Nothing has the key. */
export const isNew = missing('pk');
/** Something has the key. */
export const exists = present('pk');
/**
 * The item is as it was read, attribute by attribute; or there still is none. Attributes that the item did not have may
 * have been added, except the ones in `also`.
 */
export const unchanged = (read: object | undefined, also: readonly string[] = []): Condition => {
  if (!read) return isNew;
  const absent = also.filter((name) => !(name in read)).map(missing);
  return all(...Object.entries(read).map(([name, value]) => is(name, value)), ...absent);
};

class Copy {
  readonly attribute: string;
  readonly otherwise: unknown;
  constructor(attribute: string, otherwise?: unknown) {
    this.attribute = attribute;
    this.otherwise = otherwise;
  }
}

/** The value that another attribute had before the update; `otherwise` if the item did not have it. */
export const copyOf = (attribute: string, otherwise?: unknown): Copy => new Copy(attribute, otherwise);
export const isCopy = (value: unknown): value is Copy => value instanceof Copy;

/** An update of the item, or of a new item if none has the key. */
export interface AttributeChanges {
  /** The new values; undefined removes the attribute. */
  set?: Readonly<Record<string, unknown>> | undefined;
  /** Values for attributes that the item does not have. */
  ifMissing?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Adds to numbers, where a missing one counts as 0, and to sets of texts, where a missing one counts as empty. Such
   * an update is not repeated after a lost answer, unless the caller says that it may be.
   */
  add?: Readonly<Record<string, number | ReadonlySet<string>>> | undefined;
  when?: Condition | undefined;
}

/** The item as it was read, if the write was made from it. A transaction stamps such a write (stamp.ts). */
type ReadBasis = { readonly found?: object | undefined };

export type Update = ReadBasis & { readonly kind: 'update'; readonly key: Key; readonly change: AttributeChanges };

export type Write =
  | (ReadBasis & { readonly kind: 'put'; readonly item: Item & Key; readonly when?: Condition | undefined })
  | Update
  | { readonly kind: 'remove'; readonly key: Key; readonly when?: Condition | undefined }
  | { readonly kind: 'check'; readonly key: Key; readonly when: Condition };

const keyAlone = ({ pk, sk }: Key): Key => ({ pk, sk });

/** A new item; or, with `found`, the item that takes its place. `found` is the item that was read under its key. */
export const put = <T extends Key>(item: T, when?: Condition, found?: object): Write => ({
  kind: 'put',
  item: { ...item } as Item & Key,
  when,
  ...(found && { found }),
});
export const update = (key: Key, change: AttributeChanges): Update => ({ kind: 'update', key: keyAlone(key), change });
/** An update that was decided from the item as it was read. */
export const updated = (found: Key, change: AttributeChanges): Update => ({ ...update(found, change), found });
export const remove = (key: Key, when?: Condition): Write => ({ kind: 'remove', key: keyAlone(key), when });
/** Writes nothing: it makes the transaction depend on another item. */
export const check = (key: Key, when: Condition): Write => ({ kind: 'check', key: keyAlone(key), when });

export const targetOf = (write: Write): Key => (write.kind === 'put' ? keyAlone(write.item) : write.key);
export const conditionOf = (write: Write): Condition | undefined =>
  write.kind === 'update' ? write.change.when : write.when;

const valueAt = (item: Item | undefined, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Item | undefined)?.[name], item);

const compares: Record<Comparison, (a: never, b: never) => boolean> = {
  '=': isDeepStrictEqual,
  '<>': (a, b) => !isDeepStrictEqual(a, b),
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Tells whether a condition holds for the item under its key, undefined if there is none. */
export const holds = (condition: Condition | undefined, item: Item | undefined): boolean => {
  if (!condition) return true;
  if ('all' in condition) return condition.all.every((part) => holds(part, item));
  if ('any' in condition) return condition.any.some((part) => holds(part, item));
  if ('missing' in condition) return valueAt(item, condition.missing) === undefined;
  if ('present' in condition) return valueAt(item, condition.present) !== undefined;
  const value = valueAt(item, condition.attribute);
  // DynamoDB compares nothing with a missing attribute, except that it differs from every value.
  if (value === undefined) return condition.is === '<>';
  return compares[condition.is](value as never, condition.value as never);
};

const increased = (value: unknown, step: number | ReadonlySet<string>): unknown =>
  typeof step === 'number' ? Number(value ?? 0) + step : new Set([...((value as Set<string>) ?? []), ...step]);

/** The item that a write leaves under its key, given the one that is there; undefined for none. */
export const applied = (write: Write, item: Item | undefined): Item | undefined => {
  if (write.kind === 'put') return write.item;
  if (write.kind === 'remove') return undefined;
  if (write.kind === 'check') return item;
  const { set = {}, ifMissing = {}, add = {} } = write.change;
  const made: Item = { ...write.key, ...ifMissing, ...item };
  for (const [name, value] of Object.entries(set))
    made[name] = isCopy(value) ? (item?.[value.attribute] ?? value.otherwise) : value;
  for (const [name, step] of Object.entries(add)) made[name] = increased(item?.[name], step);
  const isWhole = Object.values(made).every((value) => value !== undefined);
  return isWhole ? made : Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
};
