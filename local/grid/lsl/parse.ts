import * as make from './code.ts';
import { boxed, defaults, isNumber } from './library.ts';
import type { Expression, Script } from './types.ts';
import type { Type } from './values.ts';

/** Reads expressions and statements. It knows no jumps, no rotations and no arithmetic of vectors. */

// The bytes of an operation or a value. Mono documents no sizes, so this is fitted to scripts that Linden's compiler
// and Mono's assembler have assembled (ADR 38). Each character of a text takes two bytes more.
const nodeBytes = 6.06;

/** Binary operators, from the loosest to the tightest. All group from the left. */
const levels = ['&& ||', '|', '^', '&', '== !=', '< <= > >=', '<< >>', '+ -', '* / %'].map((signs) => signs.split(' '));
const additive = 7;

/** Reads expressions up to a sign, with commas between them. */
const list = (script: Script, end: string): Expression[] => {
  const items: Expression[] = [];
  while (!script.isSign(end)) {
    items.push(expression(script));
    if (!script.isSign(end)) script.expect(',');
  }
  script.expect(end);
  return items;
};

const call = (script: Script): Expression => {
  const { text } = script.next();
  const { parameters } =
    script.own.get(text) ?? script.known.get(text) ?? script.refuse(`there is no function ${text}`);
  const values: string[] = [];
  script.expect('(');
  while (!script.isSign(')')) {
    const wanted = parameters[values.length] ?? script.refuse(`${text} takes no ${values.length + 1} values`);
    values.push(script.converted(expression(script), wanted));
    if (!script.isSign(')')) script.expect(',');
  }
  script.expect(')');
  if (values.length < parameters.length) script.refuse(`${text} lacks values`);
  return make.called(script, text, values);
};

const listValue = (script: Script): Expression => {
  const items = list(script, ']').map(({ type, code }) => {
    if (type === 'void' || type === 'list') script.refuse(`a list cannot hold a ${type}`);
    return boxed(type, code);
  });
  return { type: 'list', code: `M.list([${items.join(', ')}])` };
};

const vector = (script: Script): Expression => {
  const parts = [',', ',', '>'].map((end) => {
    // The last part ends at `>`, which would otherwise compare.
    const part = script.converted(binary(script, end === '>' ? additive : 0), 'float');
    script.expect(end);
    return part;
  });
  return { type: 'vector', code: `new V.Vector(${parts.join(', ')})` };
};

const primary = (script: Script): Expression => {
  script.bytes += nodeBytes;
  const { kind, text } = script.peek();
  if (kind === 'string') script.bytes += 2 * text.length;
  if (kind === 'integer' || kind === 'float' || kind === 'string') return make.literal(script, script.next());
  if (script.take('(')) {
    const inner = expression(script);
    script.expect(')');
    return make.grouped(inner);
  }
  if (script.take('[')) return listValue(script);
  if (script.take('<')) return vector(script);
  if (kind !== 'word') return script.refuse(`unexpected ${text}`);
  if (script.isSign('(', 1)) return call(script);
  const found = make.constant(text) ?? make.read(script.variable(text));
  script.next();
  if (found.variable && script.isSign('.')) script.refuse('parts of vectors are not part of this interpreter');
  return found;
};

const postfix = (script: Script): Expression => {
  const value = primary(script);
  const sign = script.takeOneOf(['++', '--']);
  if (sign === undefined) return value;
  const target = value.variable ?? script.refuse('only a variable can be counted');
  if (target.type !== 'integer') script.refuse(`a ${target.type} cannot be counted here`);
  return make.counted(target, sign.charAt(0), true);
};

const unary = (script: Script): Expression => {
  if (script.isSign('(') && script.isType(1) && script.isSign(')', 2)) return castValue(script);
  const sign = script.takeOneOf(['-', '!', '~', '++', '--']);
  if (sign === undefined) return postfix(script);
  script.bytes += nodeBytes;
  const value = unary(script);
  if (sign !== '++' && sign !== '--') return make.signed(script, sign, value);
  if (!value.variable || value.type !== 'integer') return script.refuse('only an integer variable can be counted');
  return make.counted(value.variable, sign.charAt(0), false);
};

const castValue = (script: Script): Expression => {
  script.expect('(');
  const wanted = script.next().text as Type;
  script.expect(')');
  if (['-', '!', '~', '++', '--'].some((sign) => script.isSign(sign)))
    script.refuse('a cast of a sign needs parentheses');
  const value = script.isSign('(') && script.isType(1) ? unary(script) : postfix(script);
  script.bytes += nodeBytes;
  return make.cast(script, wanted, value);
};

const binary = (script: Script, level: number): Expression => {
  const signs = levels[level];
  if (!signs) return unary(script);
  let left = binary(script, level + 1);
  for (let sign = script.takeOneOf(signs); sign !== undefined; sign = script.takeOneOf(signs)) {
    script.bytes += nodeBytes;
    left = make.operated(script, sign, left, binary(script, level + 1));
  }
  return left;
};

const expression = (script: Script): Expression => {
  const left = binary(script, 0);
  const sign = script.takeOneOf(['=', '+=', '-=', '*=', '/=', '%=']);
  if (sign === undefined) return left;
  script.bytes += nodeBytes;
  const target = left.variable ?? script.refuse('one can assign only to a variable');
  const right = expression(script);
  const value = sign === '=' ? right : make.operated(script, sign.charAt(0), left, right);
  return { type: target.type, code: make.assigned(target, script.converted(value, target.type)) };
};

/** Reads a global variable's first value: a value, or a list or vector of values, but no operation. */
export const globalValue = (script: Script): Expression => {
  const why = 'a global begins with a value, not with an operation';
  const isNegative = script.take('-');
  const from = script.at;
  const isCompound = script.isSign('[') || script.isSign('<');
  const value = primary(script);
  if (isCompound) {
    const taken = script.tokens.slice(from, script.at);
    return taken.every(({ kind, text }) => kind !== 'sign' || '[]<>,-'.includes(text)) ? value : script.refuse(why);
  }
  if (!value.pure || value.code.startsWith('(')) script.refuse(why);
  if (!isNegative) return value;
  return isNumber(value.type) ? { ...value, code: `(- ${value.code})` } : script.refuse(`there is no -${value.type}`);
};

interface Statement {
  code: string;
  /** True if the code after it is never reached. */
  ends?: boolean;
}

export const block = (script: Script): Statement => {
  script.scopes.push(new Map());
  const statements: Statement[] = [];
  while (!script.isSign('}')) statements.push(statement(script, true));
  script.expect('}');
  script.scopes.pop();
  return { code: `{ ${statements.map(({ code }) => code).join('\n')} }`, ends: statements.some(({ ends }) => ends) };
};

const inParentheses = (script: Script): string => {
  script.expect('(');
  const code = make.condition(script, expression(script));
  script.expect(')');
  return code;
};

const loopBody = (script: Script): string => `{ M.turn(); ${statement(script, false).code} }`;

const declaration = (script: Script, mayDeclare: boolean): Statement => {
  if (!mayDeclare) script.refuse('a declaration needs braces around it');
  const type = script.next().text as Type;
  const name = script.name();
  const value = script.take('=') ? script.converted(expression(script), type) : (defaults[type] ?? '');
  script.expect(';');
  const declared = script.declare(type, name);
  script.locals.push(`${declared.name} = ${defaults[type]}`);
  return { code: `${make.assigned(declared, value)};` };
};

/** Statements that begin with their own word. */
const byWord: Readonly<Record<string, (script: Script) => Statement>> = {
  if: (script) => {
    const test = inParentheses(script);
    const then = statement(script, false);
    if (!script.take('else')) return { code: `if (${test}) ${then.code}` };
    const other = statement(script, false);
    return { code: `if (${test}) ${then.code} else ${other.code}`, ends: then.ends === true && other.ends === true };
  },
  while: (script) => ({ code: `while (${inParentheses(script)}) ${loopBody(script)}` }),
  do: (script) => {
    const body = loopBody(script);
    script.expect('while');
    const test = inParentheses(script);
    script.expect(';');
    return { code: `do ${body} while (${test});` };
  },
  for: (script) => {
    script.expect('(');
    const first = list(script, ';').map(({ code }) => code);
    const test = make.condition(script, expression(script));
    script.expect(';');
    const then = list(script, ')').map(({ code }) => code);
    return { code: `for (${first.join(', ')}; ${test}; ${then.join(', ')}) ${loopBody(script)}` };
  },
  return: (script) => {
    const value = script.isSign(';') ? undefined : expression(script);
    if (value && script.isHandler) script.refuse('an event returns no value');
    if (!value && script.returns !== 'void') script.refuse(`return lacks a ${script.returns}`);
    script.expect(';');
    return { code: value ? `return ${script.converted(value, script.returns)};` : 'return;', ends: true };
  },
  state: (script) => {
    if (!script.isHandler) script.refuse('only an event can change the state');
    const state = script.next().text;
    if (!script.states.has(state)) script.refuse(`there is no state ${state}`);
    script.expect(';');
    return { code: `throw new M.StateChange(${JSON.stringify(state)});`, ends: true };
  },
};

const statement = (script: Script, mayDeclare: boolean): Statement => {
  script.bytes += nodeBytes;
  if (script.take(';')) return { code: ';' };
  if (script.take('{')) return block(script);
  if (script.isType() && script.peek(1).kind === 'word') return declaration(script, mayDeclare);
  const word = Object.keys(byWord).find((one) => script.take(one));
  const run = word === undefined ? undefined : byWord[word];
  if (run) return run(script);
  if (script.isWord('jump') || script.isSign('@')) script.refuse('jumps are not part of this interpreter');
  const { code } = expression(script);
  script.expect(';');
  return { code: `${code};` };
};
