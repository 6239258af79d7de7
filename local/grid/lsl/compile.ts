import { generator } from './code.ts';
import { defaults, type Functions } from './library.ts';
import { block, globalValue } from './parse.ts';
import { events, Script, type Variable } from './types.ts';
import type { Type } from './values.ts';

/** Compiles a script to JavaScript. Refuses a script with anything unknown. */

export interface Program {
  /** The body of a JavaScript function of `V`, `L` and `M`, which returns `{state: {event: generator function}}`. */
  code: string;
  /** The estimated memory of the script itself under Mono, in bytes. */
  bytes: number;
}

// The bytes of an empty script, and of a function or event with its metadata, fitted like `nodeBytes`.
const scriptBytes = 2330;
const functionBytes = 76;

/** The memory of a script with this many assembled bytes. The region adds places where it may interrupt the script. */
const memoryOf = (assembled: number): number => Math.round(4096 + 1.5 * assembled);

/** Finds the states, and the signatures of all functions, since a script may call a function before it is declared. */
const findDeclared = (script: Script): void => {
  let depth = 0;
  for (const [at, { kind, text }] of script.tokens.entries()) {
    if (kind === 'sign' && text === '{') depth += 1;
    if (kind === 'sign' && text === '}') depth -= 1;
    if (depth > 0 || kind !== 'word') continue;
    script.at = at;
    const before = script.tokens[at - 1]?.text ?? '';
    if (text === 'default' || before === 'state') script.states.add(text);
    if (!script.isSign('(', 1) || script.isType()) continue;
    findFunction(script, at > 0 && script.isType(-1) ? (before as Type) : 'void');
  }
  script.at = 0;
};

const findFunction = (script: Script, type: Type): void => {
  const name = script.name();
  if (script.own.has(name)) script.refuse(`${name} is declared twice`);
  const parameters: Type[] = [];
  for (let ahead = 0; !script.isSign(')', ahead - 1); ahead++)
    if (script.isType(ahead)) parameters.push(script.peek(ahead).text as Type);
  script.own.set(name, { type, parameters, waits: false });
};

const parameters = (script: Script): Variable[] => {
  const declared: Variable[] = [];
  script.expect('(');
  while (!script.isSign(')')) {
    if (!script.isType()) script.refuse(`${script.peek().text} is no type`);
    const type = script.next().text as Type;
    declared.push(script.declare(type, script.name()));
    if (!script.isSign(')')) script.expect(',');
  }
  script.expect(')');
  return declared;
};

/** Compiles a function or handler, from its parameters on. */
const body = (script: Script, title: string, type: Type): { code: string; types: Type[] } => {
  script.scopes = [new Map()];
  script.locals = [];
  script.returns = type;
  script.bytes += functionBytes;
  const declared = parameters(script);
  script.expect('{');
  const { code, ends } = block(script);
  if (type !== 'void' && !ends) script.refuse(`not every path of ${title} returns a value`);
  return { code: generator(script, title, declared, code), types: declared.map((one) => one.type) };
};

const global = (script: Script): string => {
  const type = script.next().text as Type;
  const name = script.name();
  if (script.globals.has(name) || script.own.has(name)) script.refuse(`${name} is declared twice`);
  const value = script.take('=') ? script.converted(globalValue(script), type) : (defaults[type] ?? '');
  script.expect(';');
  script.globals.set(name, { type, name: `g_${name}`, scope: 'global' });
  return `let g_${name} = M.global(${value}, 0);`;
};

const handlers = (script: Script): string => {
  const codes = new Map<string, string>();
  script.expect('{');
  while (!script.take('}')) {
    const event = script.next().text;
    const wanted = events[event] ?? script.refuse(`there is no event ${event}`);
    if (codes.has(event)) script.refuse(`${event} is declared twice`);
    const { code, types } = body(script, event, 'void');
    if (types.join() !== wanted.join()) script.refuse(`${event} takes (${wanted.join(', ')})`);
    codes.set(event, `${event}: ${code}`);
  }
  if (codes.size === 0) script.refuse('a state needs an event');
  return `{ ${[...codes.values()].join(',\n')} }`;
};

/** Code that tells the machine how to read and write all globals at once. */
const memory = (script: Script): string => {
  const names = [...script.globals.values()].map(({ name }) => name).join(', ');
  return `M.keep(() => [${names}], (values) => { [${names}] = values; });`;
};

/** Compiles globals and functions, which come before the states. */
const declarations = (script: Script): string => {
  const globals: string[] = [];
  const functions: string[] = [];
  while (!script.isWord('default')) {
    if (script.peek().kind === 'end') script.refuse('there is no default state');
    const isTyped = script.isType();
    if (script.isSign('(', isTyped ? 2 : 1)) {
      const type = isTyped ? (script.next().text as Type) : 'void';
      functions.push(body(script, `f_${script.name()}`, type).code);
    } else if (isTyped) globals.push(global(script));
    else script.refuse(`unexpected ${script.peek().text}`);
  }
  return `${globals.join('\n')}\n${functions.join('\n')}`;
};

const states = (script: Script): string => {
  const codes: string[] = [];
  script.isHandler = true;
  while (script.peek().kind !== 'end') {
    if (codes.length > 0) script.expect('state');
    const state = script.next().text;
    if (!script.states.has(state)) script.refuse(`unexpected ${state}`);
    codes.push(`${JSON.stringify(state)}: ${handlers(script)}`);
  }
  return `return { ${codes.join(',\n')} };`;
};

/**
 * Compiles a script. Throws ScriptRefused, which names the line. `functions` are the functions that scripts may call.
 */
export const compile = (source: string, functions: Functions): Program => {
  const script = new Script(source, functions);
  script.bytes = scriptBytes;
  findDeclared(script);
  const code = `'use strict';\n${declarations(script)}\n${memory(script)}\n${states(script)}`;
  return { code, bytes: memoryOf(script.bytes) };
};
