import { asString, Float, type Item, integerOf, Key, type List, floatOf as numberOf, Vector } from './values.ts';

/** Reads and writes JSON as LSL does. A part of a text keeps its blanks and digits. */

interface Part {
  /** JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_NULL, JSON_TRUE or JSON_FALSE. */
  type: string;
  text: string;
  /** The parts of an object by name, or of an array by index. */
  parts: ReadonlyMap<string, Part>;
}

const invalid = '\ufdd0';
const [objectType, arrayType, numberType, stringType] = ['\ufdd1', '\ufdd2', '\ufdd3', '\ufdd4'];
const words: Readonly<Record<string, string>> = { null: '\ufdd5', true: '\ufdd6', false: '\ufdd7' };
const noParts: ReadonlyMap<string, Part> = new Map();

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };
/** LSL does not know \u, so the letter and its digits stay. */
const unquoted = (text: string): string =>
  text.slice(1, -1).replace(/\\([\s\S])/g, (_, sign: string) => escapes[sign] ?? sign);
const escaped: Readonly<Record<string, string>> = { '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r' };
const quoted = (text: string): string =>
  `"${text.replace(/[\b\t\n\f\r"/\\]/g, (sign) => `\\${escaped[sign] ?? sign}`)}"`;

/** Reads the part that begins at an index in valid JSON. `end` is the index after it. */
const partAt = (json: string, from: number): { part: Part; end: number } => {
  const skip = (at: number): number => at + (/^[\s,:]*/.exec(json.slice(at))?.[0].length ?? 0);
  const start = skip(from);
  const sign = json[start] ?? '';
  if (sign !== '{' && sign !== '[') {
    const [text = ''] = /^(?:"(?:[^"\\]|\\[\s\S])*"|[^\s,:\]}]+)/.exec(json.slice(start)) ?? [];
    const type = sign === '"' ? stringType : (words[text] ?? numberType);
    return { part: { type, text, parts: noParts }, end: start + text.length };
  }
  const parts = new Map<string, Part>();
  let at = skip(start + 1);
  while (json[at] !== '}' && json[at] !== ']') {
    const name = sign === '{' ? partAt(json, at) : undefined;
    const { part, end } = partAt(json, name?.end ?? at);
    parts.set(name ? unquoted(name.part.text) : String(parts.size), part);
    at = skip(end);
  }
  const type = sign === '{' ? objectType : arrayType;
  return { part: { type, text: json.slice(start, at + 1), parts }, end: at + 1 };
};

/** The part of a JSON text at a path; undefined if there is none. */
export const jsonPart = (text: string, path: readonly Item[]): Part | undefined => {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let found: Part | undefined = partAt(text, 0).part;
  for (const step of path) {
    const isPlace = typeof step === 'number';
    found = isPlace === (found?.type === arrayType) ? found?.parts.get(asString(step)) : undefined;
  }
  return found;
};

export const jsonType = (part: Part | undefined): string => part?.type ?? invalid;

export const jsonValue = (part: Part | undefined): string => {
  if (part?.type === stringType) return unquoted(part.text);
  return part && [numberType, objectType, arrayType].includes(part.type) ? part.text : jsonType(part);
};

/** The parts of an object, with their names, or of an array as items of a list. Any other text is one item. */
export const jsonItems = (text: string): Item[] => {
  const itemOf = (part: Part): Item => {
    if (part.type !== numberType) return jsonValue(part);
    return /^-?\d+$/.test(part.text) ? integerOf(part.text) : new Float(numberOf(part.text));
  };
  const whole = jsonPart(text, []);
  if (whole?.type === objectType) return [...whole.parts].flatMap(([name, part]) => [name, itemOf(part)]);
  if (whole?.type === arrayType) return [...whole.parts.values()].map(itemOf);
  return [whole ? itemOf(whole) : text];
};

/** An item of a list as JSON. A text that looks like JSON, such as `true`, `[x]` and `"x"`, stays as it is. */
const jsonText = (item: Item): string => {
  if (typeof item === 'number' || item instanceof Float) return asString(item);
  if (item instanceof Key || item instanceof Vector) return `"${asString(item)}"`;
  const text = item.trim();
  const word = Object.entries(words).find(([, sign]) => sign === text)?.[0];
  if (word !== undefined || text in words) return word ?? text;
  return /^(?:\[[\s\S]*\]|\{[\s\S]*\}|"[\s\S]*")$/.test(text) ? text : quoted(text);
};

/** Makes an array or object of a list. JSON_INVALID for another kind, or for a name without a value. */
export const listToJson = (kind: string, { items }: List): string => {
  if (kind === arrayType) return `[${items.map(jsonText).join(',')}]`;
  if (kind !== objectType || items.length % 2 === 1) return invalid;
  const names = items.filter((_, place) => place % 2 === 0);
  return `{${names.map((name, place) => `${quoted(asString(name))}:${jsonText(items[2 * place + 1] ?? '')}`).join(',')}}`;
};
