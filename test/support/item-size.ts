import type { Item } from '../../lib/table/language.ts';

const sizes = new WeakMap<object, number>();

/** About the size of a number: a byte for two digits and one more. */
const numberBytes = (value: number): number =>
  Math.ceil(
    String(Math.abs(value))
      .replace('.', '')
      .replace(/^0+|0+$/g, '').length / 2,
  ) + (value < 0 ? 2 : 1);

const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Set) return [...value].reduce((sum, one) => sum + valueBytes(one), 0);
  const members = Array.isArray(value) ? value : Object.values(value);
  const names = Array.isArray(value) ? 0 : Object.keys(value).reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return 3 + names + members.length + members.reduce((sum, one) => sum + valueBytes(one), 0);
};

/** The bytes of an item as DynamoDB counts them: names and values. */
export const sizeOf = (item: Item): number => {
  const known = sizes.get(item);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const [name, value] of Object.entries(item))
    if (value !== undefined) bytes += Buffer.byteLength(name) + valueBytes(value);
  // A table in memory freezes what it keeps, so its size stays.
  if (Object.isFrozen(item)) sizes.set(item, bytes);
  return bytes;
};
