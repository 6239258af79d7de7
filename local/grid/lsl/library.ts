import { createHash, createHmac } from 'node:crypto';
import { source } from '../../../lib/clock.ts';
import { newKey } from '../keys.ts';
import { jsonItems, jsonPart, jsonType, jsonValue, listToJson } from './json.ts';
import {
  asString,
  Float,
  floatOf,
  type Item,
  integerOf,
  Key,
  List,
  ScriptError,
  type Type,
  truncated,
} from './values.ts';

/**
 * Functions by signature in LSL, such as `integer llAbs(integer)`. If a signature ends in ` waits`, the function may
 * make the script wait.
 */
export type Functions = Readonly<Record<string, (...values: never[]) => unknown>>;

/** The JavaScript of a variable's first value, if it is declared without one. */
export const defaults: Readonly<Record<string, string>> = {
  integer: '0',
  float: '0',
  string: "''",
  key: "''",
  vector: 'new V.Vector(0, 0, 0)',
  list: 'new V.List([])',
};

/** LSL's constants: integers as numbers, strings as strings. */
export const constants: Readonly<Record<string, number | string>> = {
  TRUE: 1,
  FALSE: 0,
  NULL_KEY: '00000000-0000-0000-0000-000000000000',
  EOF: '\n\n\n',
  NAK: '\n\x15\n',
  STRING_TRIM_HEAD: 1,
  STRING_TRIM_TAIL: 2,
  STRING_TRIM: 3,
  ALL_SIDES: -1,
  DEBUG_CHANNEL: 0x7fffffff,
  TYPE_INTEGER: 1,
  TYPE_FLOAT: 2,
  TYPE_STRING: 3,
  TYPE_KEY: 4,
  TYPE_INVALID: 0,
  PUBLIC_CHANNEL: 0,
  JSON_INVALID: '\ufdd0',
  JSON_OBJECT: '\ufdd1',
  JSON_ARRAY: '\ufdd2',
  JSON_NUMBER: '\ufdd3',
  JSON_STRING: '\ufdd4',
  JSON_NULL: '\ufdd5',
  JSON_TRUE: '\ufdd6',
  JSON_FALSE: '\ufdd7',
  HTTP_METHOD: 0,
  HTTP_MIMETYPE: 1,
  HTTP_BODY_MAXLENGTH: 2,
  HTTP_VERBOSE_THROTTLE: 4,
  HTTP_CUSTOM_HEADER: 5,
  HTTP_ACCEPT: 8,
  URL_REQUEST_GRANTED: 'URL_REQUEST_GRANTED',
  URL_REQUEST_DENIED: 'URL_REQUEST_DENIED',
  CHANGED_INVENTORY: 0x1,
  CHANGED_OWNER: 0x80,
  CHANGED_REGION: 0x100,
  CHANGED_TELEPORT: 0x200,
  CHANGED_REGION_START: 0x400,
  INVENTORY_NONE: -1,
  INVENTORY_ALL: -1,
  INVENTORY_TEXTURE: 0,
  INVENTORY_OBJECT: 6,
  INVENTORY_NOTECARD: 7,
  INVENTORY_SCRIPT: 10,
  MASK_OWNER: 1,
  PERM_TRANSFER: 0x2000,
  PERM_COPY: 0x8000,
  PERMISSION_DEBIT: 2,
  TEXTURE_BLANK: '5748decc-f629-461c-9a36-a35a221fe21f',
  PAY_HIDE: -1,
  PAY_DEFAULT: -2,
  LINKSETDATA_OK: 0,
  LINKSETDATA_EMEMORY: 1,
  LINKSETDATA_ENOKEY: 2,
  LINKSETDATA_EPROTECTED: 3,
  LINKSETDATA_NOTFOUND: 4,
  LINKSETDATA_NOUPDATE: 5,
  LINKSETDATA_RESET: 0,
  LINKSETDATA_UPDATE: 1,
  LINKSETDATA_DELETE: 2,
  LINKSETDATA_MULTIDELETE: 3,
  CHANGED_LINK: 0x20,
  PRIM_TEXT: 26,
  LINK_ROOT: 1,
  LINK_SET: -1,
  LINK_ALL_OTHERS: -2,
  LINK_ALL_CHILDREN: -3,
  LINK_THIS: -4,
};

const bounds = (length: number, first: number, last: number): [number, number] => [
  first < 0 ? first + length : first,
  1 + (last < 0 ? last + length : last),
];

const slice = <T>(whole: readonly T[], from: number, end = whole.length): T[] =>
  whole.slice(Math.max(from, 0), Math.max(end, 0));

/**
 * The part from `first` to `last`, both included. A negative number counts from the end. If `first` comes after `last`,
 * everything except the part between them.
 */
const picked = <T>(whole: readonly T[], first: number, last: number): T[] => {
  const [from, end] = bounds(whole.length, first, last);
  return from < end ? slice(whole, from, end) : [...slice(whole, 0, end), ...slice(whole, from)];
};

/** The part that `picked` leaves out. */
const without = <T>(whole: readonly T[], first: number, last: number): T[] => {
  const [from, end] = bounds(whole.length, first, last);
  return from < end ? [...slice(whole, 0, from), ...slice(whole, end)] : slice(whole, end, from);
};

/** The number of characters. A character beyond U+FFFF is one, though it takes twice the memory. */
const lengthOf = (text: string): number => [...text].length;
const pickedText = (text: string, first: number, last: number): string => picked([...text], first, last).join('');
const withoutText = (text: string, first: number, last: number): string => without([...text], first, last).join('');

const itemAt = ({ items }: List, place: number): Item | undefined =>
  items.at(place < -items.length ? items.length : place);

const areEqual = (a: Item | undefined, b: Item | undefined): boolean =>
  a === b || (typeof a === 'object' && a.constructor === b?.constructor && asString(a) === asString(b as Item));

const typeOf = (item: Item | undefined): number => {
  if (item === undefined) return 0;
  if (typeof item === 'number') return 1;
  if (typeof item === 'string') return 3;
  if (item instanceof Float) return 2;
  return item instanceof Key ? 4 : 5;
};

const digest = (algorithm: string): string => {
  if (!['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].includes(algorithm))
    throw new ScriptError(`llHMAC: unsupported algorithm ${algorithm}`);
  return algorithm;
};

/** Cuts a text at the separators. If several fit, takes the first in the list. */
const parts = (text: string, separators: List): string[] => {
  const ends = separators.items.map(asString).filter((end) => end !== '');
  const result: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; ) {
    const end = ends.find((one) => text.startsWith(one, at));
    if (end === undefined) part += text[at];
    else {
      result.push(part);
      part = '';
    }
    at += end?.length ?? 1;
  }
  return [...result, part];
};

/**
 * Replaces a part of a text at its first `count` places, at its last ones if `count` is negative, or everywhere for 0.
 */
const replaced = (text: string, part: string, by: string, count: number): string => {
  const pieces = part === '' ? [text] : text.split(part);
  const joints = pieces.length - 1;
  const isReplaced = (joint: number): boolean => count === 0 || (count > 0 ? joint < count : joint >= joints + count);
  return pieces.slice(1).reduce((all, piece, joint) => all + (isReplaced(joint) ? by : part) + piece, pieces[0] ?? '');
};

const trimmed = (text: string, ends: number): string => {
  const head = ends & 1 ? text.trimStart() : text;
  return ends & 2 ? head.trimEnd() : head;
};

/** Escapes everything but letters, digits and -._~, byte by byte. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** LSL's functions that only compute. */
export const library: Functions = {
  'integer llAbs(integer)': (value: number) => Math.abs(value) | 0,
  'integer llFloor(float)': (value: number) => truncated(Math.floor(value)),
  'integer llRound(float)': (value: number) => truncated(Math.floor(value + 0.5)),
  'float llFrand(float)': (limit: number) => Math.fround(source.random() * limit),
  'key llGenerateKey()': () => newKey(),
  'integer llStringLength(string)': lengthOf,
  'string llChar(integer)': (code: number) => String.fromCodePoint(code),
  'integer llOrd(string, integer)': (text: string, at: number) => [...text].at(at)?.codePointAt(0) ?? 0,
  'integer llSubStringIndex(string, string)': (text: string, part: string) => {
    const place = text.indexOf(part);
    return place < 0 ? place : lengthOf(text.slice(0, place));
  },
  'string llGetSubString(string, integer, integer)': pickedText,
  'string llDeleteSubString(string, integer, integer)': withoutText,
  'string llReplaceSubString(string, string, string, integer)': replaced,
  'string llToLower(string)': (text: string) => text.toLowerCase(),
  'string llToUpper(string)': (text: string) => text.toUpperCase(),
  'string llStringTrim(string, integer)': trimmed,
  'string llEscapeURL(string)': escaped,
  'string llStringToBase64(string)': (text: string) => Buffer.from(text).toString('base64'),
  'string llSHA256String(string)': (text: string) => createHash('sha256').update(text).digest('hex'),
  'string llHMAC(string, string, string)': (secret: string, text: string, algorithm: string) =>
    createHmac(digest(algorithm), secret).update(text).digest('base64'),
  'string llBase64ToString(string)': (text: string) => Buffer.from(text, 'base64').toString('utf8'),
  'list llJson2List(string)': (text: string) => new List(jsonItems(text)),
  'string llList2Json(string, list)': listToJson,
  'string llJsonGetValue(string, list)': (text: string, { items }: List) => jsonValue(jsonPart(text, items)),
  'string llJsonValueType(string, list)': (text: string, { items }: List) => jsonType(jsonPart(text, items)),
  'integer llGetListLength(list)': ({ items }: List) => items.length,
  'integer llGetListEntryType(list, integer)': (list: List, place: number) => typeOf(itemAt(list, place)),
  'string llList2String(list, integer)': (list: List, place: number) => asString(itemAt(list, place) ?? ''),
  'key llList2Key(list, integer)': (list: List, place: number) => asString(itemAt(list, place) ?? ''),
  'integer llList2Integer(list, integer)': (list: List, place: number) => {
    const item = itemAt(list, place) ?? 0;
    if (typeof item === 'number') return item;
    return item instanceof Float ? truncated(item.value) : integerOf(typeof item === 'string' ? item : '');
  },
  'float llList2Float(list, integer)': (list: List, place: number) => {
    const item = itemAt(list, place) ?? 0;
    if (typeof item === 'number') return Math.fround(item);
    return item instanceof Float ? item.value : floatOf(typeof item === 'string' ? item : '');
  },
  'list llList2List(list, integer, integer)': ({ items }: List, first: number, last: number) =>
    new List(picked(items, first, last)),
  'list llDeleteSubList(list, integer, integer)': ({ items }: List, first: number, last: number) =>
    new List(without(items, first, last)),
  'integer llListFindList(list, list)': ({ items }: List, { items: sought }: List) => {
    for (let at = 0; at + sought.length <= items.length; at++)
      if (sought.every((item, place) => areEqual(items[at + place], item))) return at;
    return -1;
  },
  'list llListSort(list, integer, integer)': ({ items }: List, stride: number, isAscending: number) => {
    if (stride !== 1 || items.some((item) => typeof item !== 'string'))
      throw new ScriptError('llListSort: this interpreter sorts texts one by one');
    const sorted = items.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
    return new List(isAscending === 1 ? sorted : sorted.toReversed());
  },
  'string llDumpList2String(list, string)': ({ items }: List, separator: string) => items.map(asString).join(separator),
  'list llParseStringKeepNulls(string, list, list)': (text: string, separators: List, spacers: List) => {
    if (spacers.items.length > 0) throw new ScriptError('spacers are not part of this interpreter');
    return new List(parts(text, separators));
  },
  'list llParseString2List(string, list, list)': (text: string, separators: List, spacers: List) => {
    if (spacers.items.length > 0) throw new ScriptError('spacers are not part of this interpreter');
    return new List(parts(text, separators).filter((part) => part !== ''));
  },
};

/** The JavaScript by which a cast turns a value of one type into another type. It uses the names of values.ts. */
export const casts: Readonly<Record<string, (code: string) => string>> = {
  'integer>float': (code) => `Math.fround(${code})`,
  'integer>string': (code) => `String(${code})`,
  'float>integer': (code) => `V.truncated(${code})`,
  'float>string': (code) => `V.floatText(${code})`,
  'string>integer': (code) => `V.integerOf(${code})`,
  'string>float': (code) => `V.floatOf(${code})`,
  'string>key': (code) => code,
  'key>string': (code) => code,
  'vector>string': (code) => `V.vectorText(${code})`,
  'list>string': (code) => `${code}.items.map(V.asString).join('')`,
  ...Object.fromEntries(
    ['integer', 'float', 'string', 'key', 'vector'].map((type) => [
      `${type}>list`,
      (code: string) => `new V.List([${boxed(type, code)}])`,
    ]),
  ),
};

/** The JavaScript of a value in a list. */
export function boxed(type: string, code: string): string {
  if (type === 'float') return `new V.Float(${code})`;
  return type === 'key' ? `new V.Key(${code})` : code;
}

export const isText = (type: Type): boolean => type === 'string' || type === 'key';
export const isNumber = (type: Type): boolean => type === 'integer' || type === 'float';

/** The JavaScript of an operator between the numbers `a` and `b`. */
const operators: Readonly<Record<'integer' | 'float', Readonly<Record<string, string>>>> = {
  integer: {
    '+': '(a + b | 0)',
    '-': '(a - b | 0)',
    '*': 'Math.imul(a, b)',
    '/': 'M.divided(a, b)',
    '%': 'M.rest(a, b)',
    '&': '(a & b)',
    '|': '(a | b)',
    '^': '(a ^ b)',
    '<<': '(a << b)',
    '>>': '(a >> b)',
    '&&': '+(a !== 0 && b !== 0)',
    '||': '+(a !== 0 || b !== 0)',
  },
  float: { '+': 'Math.fround(a + b)', '-': 'Math.fround(a - b)', '*': 'Math.fround(a * b)', '/': 'M.quotient(a, b)' },
};
const comparisons: Readonly<Record<string, string>> = {
  '==': '+(a === b)',
  '!=': '+(a !== b)',
  '<': '+(a < b)',
  '<=': '+(a <= b)',
  '>': '+(a > b)',
  '>=': '+(a >= b)',
};

type Operation = { type: Type; code: string } | undefined;

const compared = (code: string | undefined): Operation => (code ? { type: 'integer', code } : undefined);

const numberOperation = (sign: string, type: 'integer' | 'float'): Operation => {
  const code = operators[type][sign];
  return code ? { type, code } : compared(comparisons[sign]);
};

const sum = (a: Type, b: Type): Operation => {
  if (a === 'string' && b === 'string') return { type: 'string', code: 'M.made(a + b)' };
  if (![a, b].includes('list') || [a, b].includes('void')) return undefined;
  const items = (type: Type, side: string): string => (type === 'list' ? `...${side}.items` : boxed(type, side));
  return { type: 'list', code: `M.list([${items(a, 'a')}, ${items(b, 'b')}])` };
};

const equality = (sign: string, a: Type, b: Type): Operation => {
  if (isText(a) && isText(b)) return compared(comparisons[sign]);
  if (a === 'vector' && b === 'vector') return compared(`+(V.vectorText(a) ${sign}= V.vectorText(b))`);
  // LSL compares only the lengths of lists.
  if (a !== 'list' || b !== 'list') return undefined;
  return compared(sign === '==' ? '+(a.items.length === b.items.length)' : '(a.items.length - b.items.length)');
};

/** The type and JavaScript of an operation; undefined if LSL has none for these types. */
export const operation = (sign: string, a: Type, b: Type): Operation => {
  if (isNumber(a) && isNumber(b)) return numberOperation(sign, a === b && a === 'integer' ? 'integer' : 'float');
  if (sign === '+') return sum(a, b);
  return sign === '==' || sign === '!=' ? equality(sign, a, b) : undefined;
};
