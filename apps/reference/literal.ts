/** Values as source code. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** How a language writes values. */
export interface Notation {
  text: (value: string) => string;
  words: Record<'true' | 'false' | 'null', string>;
  /** The name of a member, with its colon. */
  member: (name: string) => string;
  object: readonly [begin: string, end: string];
  list: readonly [begin: string, end: string];
  indent: string;
  /** Ends the last line of an object or list with several lines. */
  lastComma: '' | ',';
}

const words = { true: 'true', false: 'false', null: 'null' };
const brackets = { object: ['{', '}'], list: ['[', ']'] } as const;

const singleQuoted = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

export const typescript: Notation = {
  text: singleQuoted,
  words,
  member: (name) => `${/^\w+$/.test(name) ? name : singleQuoted(name)}: `,
  object: ['{ ', ' }'],
  list: ['[', ']'],
  indent: '  ',
  lastComma: ',',
};

export const python: Notation = {
  text: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
  member: (name) => `${JSON.stringify(name)}: `,
  ...brackets,
  indent: '    ',
  lastComma: ',',
};

export const json: Notation = {
  text: JSON.stringify,
  words,
  member: (name) => `${JSON.stringify(name)}: `,
  ...brackets,
  indent: '  ',
  lastComma: '',
};

/** JSON that a script in LSL makes from values. */
export const lsl: Notation = {
  text: JSON.stringify,
  words: { true: 'JSON_TRUE', false: 'JSON_FALSE', null: 'JSON_NULL' },
  member: (name) => `${JSON.stringify(name)}, `,
  object: ['llList2Json(JSON_OBJECT, [', '])'],
  list: ['llList2Json(JSON_ARRAY, [', '])'],
  indent: '    ',
  lastComma: '',
};

/** A value as source code, on one line if that is short. */
export const literal = (value: Json, notation: Notation, indent = ''): string => {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return notation.words[`${value}`];
  const isList = Array.isArray(value);
  const within = indent + notation.indent;
  const parts = Object.entries(value).map(
    ([name, member]) => `${isList ? '' : notation.member(name)}${literal(member, notation, within)}`,
  );
  const [begin, end] = isList ? notation.list : notation.object;
  const line = parts.length === 0 ? begin.trimEnd() + end.trimStart() : begin + parts.join(', ') + end;
  if (line.length <= 72 && !line.includes('\n')) return line;
  const lines = parts.map((part) => within + part).join(',\n');
  return `${begin.trimEnd()}\n${lines}${notation.lastComma}\n${indent}${end.trimStart()}`;
};
