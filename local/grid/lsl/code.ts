import { casts, constants, defaults, isNumber, isText, operation } from './library.ts';
import type { Token } from './tokens.ts';
import type { Expression, Script, Variable } from './types.ts';
import type { Type } from './values.ts';

/** Makes the JavaScript of each expression from its parts, or refuses their types. */

/** A number or text as it is in the script. */
export const literal = (script: Script, { kind, text }: Token): Expression => {
  if (kind === 'string') return { type: kind, code: JSON.stringify(text), pure: true };
  if (kind === 'float') return { type: kind, code: `${Math.fround(Number.parseFloat(text))}`, pure: true };
  if (Number(text) > 0xffffffff) script.refuse(`${text} is no 32 bit integer`);
  return { type: 'integer', code: `${Number(text) | 0}`, pure: true };
};

/** One of LSL's own constants, if there is one with this name. */
export const constant = (name: string): Expression | undefined => {
  if (name === 'ZERO_VECTOR') return { type: 'vector', code: defaults.vector ?? '', pure: true };
  const value = constants[name];
  if (value === undefined) return undefined;
  return { type: typeof value === 'number' ? 'integer' : 'string', code: JSON.stringify(value), pure: true };
};

export const read = (variable: Variable): Expression => {
  return { type: variable.type, code: variable.name, pure: true, variable };
};

export const grouped = ({ variable: _, ...value }: Expression): Expression => ({ ...value, code: `(${value.code})` });

export const assigned = ({ type, name, scope }: Variable, code: string): string =>
  isText(type) || type === 'list' ? `(${name} = M.${scope}(${code}, ${name}))` : `(${name} = ${code})`;

/**
 * Counts a variable up or down. The expression has the new value, or the old one if the sign comes after the variable.
 */
export const counted = ({ name }: Variable, sign: string, isBehind: boolean): Expression => {
  const code = `(${name} = ${name} ${sign} 1 | 0)`;
  return { type: 'integer', code: isBehind ? `(${code} ${sign === '+' ? '-' : '+'} 1 | 0)` : code };
};

export const operated = (script: Script, sign: string, left: Expression, right: Expression): Expression => {
  const { type, code } =
    operation(sign, left.type, right.type) ?? script.refuse(`there is no ${left.type} ${sign} ${right.type}`);
  const fill = (a: string, b: string): string => code.replace(/\b[ab]\b/g, (side) => (side === 'a' ? a : b));
  if (left.pure && right.pure) return { type, code: fill(left.code, right.code), pure: isNumber(type) };
  // LSL evaluates the right side first. Each operation has names of its own, since a call may come in between.
  const [a, b] = [`a_${script.numbered}`, `b_${script.numbered++}`];
  script.locals.push(a, b);
  return { type, code: `(${b} = ${right.code}, ${a} = ${left.code}, ${fill(a, b)})` };
};

/** A value after `-`, `!` or `~`. */
export const signed = (script: Script, sign: string, { type, code, pure = false }: Expression): Expression => {
  if (sign === '-' && type === 'float') return { type, code: `(- ${code})`, pure };
  if (type !== 'integer') return script.refuse(`there is no ${sign}${type}`);
  return { type, code: sign === '!' ? `+(${code} === 0)` : `(${sign} ${code} | 0)`, pure };
};

export const cast = (script: Script, wanted: Type, { variable: _, ...value }: Expression): Expression => {
  const { type, code } = value;
  if (type === wanted) return { type, code };
  const made = casts[`${type}>${wanted}`]?.(code) ?? script.refuse(`a ${type} cannot become a ${wanted}`);
  if (isText(wanted) && isText(type)) return { ...value, type: wanted };
  const pure = isNumber(wanted) && value.pure === true;
  return { type: wanted, code: wanted === 'string' ? `M.made(${made})` : made, pure };
};

/** Calls a function of LSL or of the script. */
export const called = (script: Script, name: string, values: readonly string[]): Expression => {
  const own = script.own.get(name);
  if (own) return { type: own.type, code: `(yield* f_${name}(${values.join(', ')}))` };
  const { type = 'void', waits = false } = script.known.get(name) ?? {};
  const done = `L.${name}(${values.join(', ')})`;
  if (waits) return { type, code: `(yield* M.waited(${done}))` };
  return { type, code: isText(type) || type === 'list' ? `M.made(${done})` : done };
};

export const condition = (script: Script, { type, code }: Expression): string => {
  if (isNumber(type)) return `${code} !== 0`;
  if (type === 'string') return `${code} !== ''`;
  if (type === 'key') return `V.isKey(${code})`;
  return type === 'list' ? `${code}.items.length > 0` : script.refuse(`a ${type} is no condition`);
};

/** Writes a generator function. To make the script wait, it yields the seconds. */
export const generator = (script: Script, title: string, parameters: readonly Variable[], block: string): string => {
  const names = parameters.map(({ name }) => name);
  const counts = names.map((name) => `M.local(${name}, 0);`).join(' ');
  const all = script.locals.length > 0 ? `let ${script.locals.join(', ')};` : '';
  const run = `const depth = M.enter(); ${all} try { ${counts} ${block} } finally { M.leave(depth); }`;
  return `function* ${title}(${names.join(', ')}) { ${run} }`;
};
