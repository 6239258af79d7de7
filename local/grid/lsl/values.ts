import { uuidPattern } from '../../../lib/identifier.ts';

/**
 * LSL's values in JavaScript. Integers and floats are numbers, strings and keys are strings. A list boxes floats and
 * keys, since they would otherwise look like integers and strings.
 */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}
export class Key {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export class Vector {
  readonly parts: readonly number[];
  constructor(...parts: number[]) {
    this.parts = parts.map(Math.fround);
  }
}
export type Type = 'integer' | 'float' | 'string' | 'key' | 'vector' | 'list' | 'void';
export type Item = number | string | Float | Key | Vector;

export const nullKey = '00000000-0000-0000-0000-000000000000';

/** A key is true if it is a UUID other than the null key. */
export const isKey = (text: string): boolean => uuidPattern.test(text) && text !== nullKey;

/** The failure that ends a script. The owner sees its text inworld. */
export class ScriptError extends Error {}

/** LSL writes six digits after the point, but five in a vector that is cast by itself. */
export const floatText = (value: number, digits = 6): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return Math.abs(value) < 1e21 ? value.toFixed(digits) : `${BigInt(value)}.${'0'.repeat(digits)}`;
};

export const vectorText = ({ parts }: Vector, digits = 5): string =>
  `<${parts.map((part) => floatText(part, digits)).join(', ')}>`;

/** Cuts a float to an integer. Out of range it becomes the smallest integer. */
export const truncated = (value: number): number =>
  value > -2147483649 && value < 2147483648 ? Math.trunc(value) : -2147483648;

/** Reads the integer at the beginning of a text, decimal or hexadecimal; 0 if there is none, -1 beyond 32 bits. */
export const integerOf = (text: string): number => {
  const [, sign = '', digits] = /^\s*([+-]?)(0[xX][\da-fA-F]+|\d+)/.exec(text) ?? [];
  if (digits === undefined) return 0;
  const value = Number(digits);
  if (value > 0xffffffff) return -1;
  return sign === '-' ? -value | 0 : value | 0;
};

/** Reads the number at the beginning of a text; 0 if there is none. */
export const floatOf = (text: string): number => {
  const [number = '0'] = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(text) ?? [];
  return Math.fround(Number(number));
};

export const asString = (item: Item): string => {
  if (typeof item === 'string') return item;
  if (typeof item === 'number') return String(item);
  if (item instanceof Key) return item.text;
  return item instanceof Float ? floatText(item.value) : vectorText(item, 6);
};

/**
 * The bytes of a list's item under Mono, as the wiki measured them. A UTF-16 text has a head of 18 bytes and a key one
 * of 30; a number takes 16.
 */
const bytesOfItem = (item: Item): number => {
  if (typeof item === 'string') return 18 + 2 * item.length;
  if (item instanceof Key) return 30 + 2 * item.text.length;
  return item instanceof Vector ? 24 : 16;
};

/** A list never changes. Each operation makes a new one. */
export class List {
  readonly items: readonly Item[];
  readonly bytes: number;
  constructor(items: readonly Item[]) {
    this.items = items;
    this.bytes = items.reduce<number>((sum, item) => sum + bytesOfItem(item), 21);
  }
}

/** The bytes of a variable's value on the heap. */
export const memoryOf = (value: unknown): number => {
  if (typeof value === 'string') return 18 + 2 * value.length;
  return value instanceof List ? value.bytes : 0;
};
