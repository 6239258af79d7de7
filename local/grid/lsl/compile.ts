import { boxed, casts, constants, type Functions } from './library.ts';
import { ScriptRefused, type Token, tokensOf } from './tokens.ts';

/**
 * Compiles a script to JavaScript, or refuses it: what this compiler does not know, it does not run. It knows no jumps,
 * no rotations and no arithmetic of vectors.
 */

type Type = 'integer' | 'float' | 'string' | 'key' | 'vector' | 'list' | 'void';

interface Expression {
  type: Type;
  code: string;
  /** Its evaluation has no effect and meets none, so it may take place at any time. */
  pure?: boolean;
  /** It is a variable, to which one may assign. */
  variable?: Variable;
}

interface Variable {
  type: Type;
  /** Its name in JavaScript. */
  name: string;
  scope: 'global' | 'local';
}

interface Signature {
  type: Type;
  parameters: Type[];
  waits: boolean;
}

export interface Program {
  /** The body of a JavaScript function of `V`, `L` and `M`, which returns `{state: {event: generator function}}`. */
  code: string;
  /** The memory that the script itself is estimated to take under Mono, in bytes. */
  bytes: number;
}

/** The types of the parameters of each event. */
export const events: Readonly<Record<string, readonly Type[]>> = {
  ...{ state_entry: [], state_exit: [], timer: [], on_rez: ['integer'], touch_start: ['integer'] },
  ...{ changed: ['integer'], dataserver: ['key', 'string'], http_request: ['key', 'string', 'string'] },
  ...{ http_response: ['key', 'integer', 'list', 'string'], listen: ['integer', 'string', 'key', 'string'] },
  ...{ money: ['key', 'integer'], transaction_result: ['key', 'integer', 'string'] },
  ...{ run_time_permissions: ['integer'], linkset_data: ['integer', 'string', 'string'] },
};

const types: readonly string[] = ['integer', 'float', 'string', 'key', 'vector', 'list'];
const reserved = (
  'default state jump return if else for while do event quaternion rotation print attach at_rot_target at_target ' +
  'collision control email experience_permissions game_control link_message moving_end moving_start ' +
  'no_sensor object_rez path_update remote_data sensor touch touch_end land_collision not_at_target'
).split(' ');

const defaults: Readonly<Record<string, string>> = {
  ...{ integer: '0', float: '0', string: "''", key: "''", vector: 'new V.Vector(0, 0, 0)', list: 'new V.List([])' },
};

/** Binary operators from the loosest to the tightest. All of them group from the left. */
const levels = [
  ['&&', '||'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const additive = 7;

/** JavaScript over `a` and `b` for an operator between two types. */
const integerOperators: Readonly<Record<string, string>> = {
  ...{ '+': '(a + b | 0)', '-': '(a - b | 0)', '*': 'Math.imul(a, b)', '/': 'M.divided(a, b)', '%': 'M.rest(a, b)' },
  ...{ '&': '(a & b)', '|': '(a | b)', '^': '(a ^ b)', '<<': '(a << b)', '>>': '(a >> b)' },
  ...{ '&&': '+(a !== 0 && b !== 0)', '||': '+(a !== 0 || b !== 0)' },
};
const comparisons: Readonly<Record<string, string>> = {
  ...{ '==': '+(a === b)', '!=': '+(a !== b)', '<': '+(a < b)', '<=': '+(a <= b)', '>': '+(a > b)', '>=': '+(a >= b)' },
};
const floatOperators: Readonly<Record<string, string>> = {
  ...{ '+': 'Math.fround(a + b)', '-': 'Math.fround(a - b)', '*': 'Math.fround(a * b)', '/': 'M.quotient(a, b)' },
};

const isText = (type: Type): boolean => type === 'string' || type === 'key';
const isNumber = (type: Type): boolean => type === 'integer' || type === 'float';

/** The type and code of an operation; undefined where LSL has none for these types. */
const operation = (sign: string, a: Type, b: Type): { type: Type; code: string } | undefined => {
  if (a === 'integer' && b === 'integer') {
    const code = integerOperators[sign] ?? comparisons[sign];
    return code ? { type: 'integer', code } : undefined;
  }
  if (isNumber(a) && isNumber(b)) {
    const code = floatOperators[sign];
    if (code) return { type: 'float', code };
    return comparisons[sign] ? { type: 'integer', code: comparisons[sign] } : undefined;
  }
  if (sign === '+' && a === 'string' && b === 'string') return { type: 'string', code: 'M.made(a + b)' };
  if (sign === '+' && a === 'list' && b === 'list') return { type: 'list', code: 'M.list([...a.items, ...b.items])' };
  if (sign === '+' && a === 'list' && b !== 'void')
    return { type: 'list', code: `M.list([...a.items, ${boxed(b, 'b')}])` };
  if (sign === '+' && b === 'list' && a !== 'void')
    return { type: 'list', code: `M.list([${boxed(a, 'a')}, ...b.items])` };
  if ((sign === '==' || sign === '!=') && isText(a) && isText(b))
    return { type: 'integer', code: comparisons[sign] ?? '' };
  if ((sign === '==' || sign === '!=') && a === 'vector' && b === 'vector')
    return { type: 'integer', code: `+(V.vectorText(a) ${sign}= V.vectorText(b))` };
  // Lists are compared by their lengths alone.
  if (sign === '==' && a === 'list' && b === 'list')
    return { type: 'integer', code: '+(a.items.length === b.items.length)' };
  if (sign === '!=' && a === 'list' && b === 'list')
    return { type: 'integer', code: '(a.items.length - b.items.length)' };
  return undefined;
};

const signatureOf = (text: string): [string, Signature] => {
  const [, type, name = '', parameters = '', waits] = /^(\w+) (\w+)\((.*)\)( waits)?$/.exec(text) ?? [];
  return [
    name,
    { type: type as Type, parameters: parameters.split(', ').filter(Boolean) as Type[], waits: waits !== undefined },
  ];
};

/** The functions by name. */
export const byName = (functions: Functions): Record<string, Functions[string]> =>
  Object.fromEntries(Object.entries(functions).map(([text, run]) => [signatureOf(text)[0], run]));

// Mono has no documented sizes. These are fitted to what eight scripts weigh that Linden's compiler and Mono's
// assembler have assembled (ADR 38): an empty script, a function or event with its metadata, an operation or value, and
// two bytes for each character of a text.
const scriptBytes = 2330;
const functionBytes = 76;
const nodeBytes = 6.06;

/**
 * The memory that a script of so many assembled bytes takes: the region adds places where it may interrupt the script.
 */
const memoryOf = (assembled: number): number => Math.round(4096 + 1.5 * assembled);

/** Throws ScriptRefused, which says the line. `functions` are those that scripts may call. */
export const compile = (source: string, functions: Functions): Program => {
  const tokens = tokensOf(source);
  const known = new Map(Object.keys(functions).map(signatureOf));
  const own = new Map<string, Signature>();
  const globals = new Map<string, Variable>();
  const states = new Set<string>();
  let scopes: Map<string, Variable>[] = [];
  let locals: string[] = [];
  let returns: Type = 'void';
  let isHandler = false;
  let numbered = 0;
  let bytes = scriptBytes;
  let at = 0;

  const peek = (ahead = 0): Token => tokens[Math.min(at + ahead, tokens.length - 1)] as Token;
  const refuse = (why: string): never => {
    throw new ScriptRefused(`line ${peek().line}: ${why}`);
  };
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const isSign = (text: string, ahead = 0): boolean => peek(ahead).kind === 'sign' && peek(ahead).text === text;
  const isWord = (text: string, ahead = 0): boolean => peek(ahead).kind === 'word' && peek(ahead).text === text;
  const isType = (ahead = 0): boolean => peek(ahead).kind === 'word' && types.includes(peek(ahead).text);
  const take = (text: string): boolean => {
    const found = isSign(text) || isWord(text);
    if (found) at += 1;
    return found;
  };
  const expect = (text: string): void => void (take(text) || refuse(`expected ${text} instead of ${peek().text}`));
  const name = (): string => {
    const { kind, text } = peek();
    if (kind !== 'word' || types.includes(text) || reserved.includes(text) || text in events)
      return refuse(`${text} cannot be a name`);
    if (known.has(text) || text in constants) return refuse(`${text} is LSL's own`);
    at += 1;
    return text;
  };

  /** A value where one of another type is expected: LSL makes floats of integers, and strings of keys and back. */
  const converted = ({ type, code }: Expression, wanted: Type): string => {
    if (type === wanted && type !== 'void') return code;
    if (type === 'integer' && wanted === 'float') return casts['integer>float']?.(code) ?? '';
    if (isText(type) && isText(wanted)) return code;
    return refuse(`a ${type} stands where a ${wanted} must be`);
  };
  const assigned = ({ type, name: target, scope }: Variable, code: string): string =>
    isText(type) || type === 'list' ? `(${target} = M.${scope}(${code}, ${target}))` : `(${target} = ${code})`;
  const variable = (text: string): Variable => {
    for (const scope of scopes.toReversed()) if (scope.has(text)) return scope.get(text) as Variable;
    return globals.get(text) ?? refuse(`there is no variable ${text}`);
  };
  const declare = (type: Type, text: string): Variable => {
    const scope = scopes.at(-1) as Map<string, Variable>;
    if (scope.has(text)) refuse(`${text} is declared twice`);
    const declared: Variable = { type, name: `${text}_${numbered++}`, scope: 'local' };
    scope.set(text, declared);
    return declared;
  };

  const operate = (sign: string, left: Expression, right: Expression): Expression => {
    const result = operation(sign, left.type, right.type) ?? refuse(`there is no ${left.type} ${sign} ${right.type}`);
    const pure = left.pure === true && right.pure === true;
    const fill = (a: string, b: string): string => result.code.replace(/\b[ab]\b/g, (side) => (side === 'a' ? a : b));
    if (pure) return { type: result.type, code: fill(left.code, right.code), pure: isNumber(result.type) };
    // The right side is evaluated first. Each operation has names of its own, for a call may come in between.
    const [a, b] = [`a_${numbered}`, `b_${numbered++}`];
    locals.push(`${a}`, `${b}`);
    return { type: result.type, code: `(${b} = ${right.code}, ${a} = ${left.code}, ${fill(a, b)})` };
  };

  const call = (text: string): Expression => {
    const signature = own.get(text) ?? known.get(text) ?? refuse(`there is no function ${text}`);
    const values: string[] = [];
    expect('(');
    while (!isSign(')')) {
      const wanted = signature.parameters[values.length] ?? refuse(`${text} takes no ${values.length + 1} values`);
      values.push(converted(expression(), wanted));
      if (!isSign(')')) expect(',');
    }
    expect(')');
    if (values.length < signature.parameters.length) refuse(`${text} lacks values`);
    const { type } = signature;
    if (own.has(text)) return { type, code: `(yield* f_${text}(${values.join(', ')}))` };
    const done = `L.${text}(${values.join(', ')})`;
    if (signature.waits) return { type, code: `(yield* M.waited(${done}))` };
    return { type, code: isText(type) || type === 'list' ? `M.made(${done})` : done };
  };

  const list = (end: string): Expression[] => {
    const items: Expression[] = [];
    while (!isSign(end)) {
      items.push(expression());
      if (!isSign(end)) expect(',');
    }
    expect(end);
    return items;
  };

  const primary = (): Expression => {
    const { kind, text } = peek();
    bytes += nodeBytes;
    if (kind === 'integer') {
      at += 1;
      const value = Number(text);
      if (value > 0xffffffff) refuse(`${text} is no 32 bit integer`);
      return { type: 'integer', code: `${value | 0}`, pure: true };
    }
    if (kind === 'float') {
      at += 1;
      return { type: 'float', code: `${Math.fround(Number.parseFloat(text))}`, pure: true };
    }
    if (kind === 'string') {
      at += 1;
      bytes += 2 * text.length;
      return { type: 'string', code: JSON.stringify(text), pure: true };
    }
    if (take('(')) {
      const inner = expression();
      expect(')');
      const { variable: _, ...value } = inner;
      return { ...value, code: `(${inner.code})` };
    }
    if (take('[')) {
      const items = list(']').map(({ type, code }) => {
        if (type === 'void' || type === 'list') refuse(`a list cannot hold a ${type}`);
        return boxed(type, code);
      });
      return { type: 'list', code: `M.list([${items.join(', ')}])` };
    }
    if (take('<')) {
      const parts: string[] = [];
      for (const end of [',', ',', '>']) {
        // The last part ends at the sign that would compare.
        parts.push(converted(binary(end === '>' ? additive : 0), 'float'));
        expect(end);
      }
      return { type: 'vector', code: `new V.Vector(${parts.join(', ')})` };
    }
    if (kind === 'word' && isSign('(', 1)) {
      at += 1;
      return call(text);
    }
    if (kind === 'word' && text === 'ZERO_VECTOR') {
      at += 1;
      return { type: 'vector', code: defaults.vector ?? '', pure: true };
    }
    if (kind === 'word' && text in constants) {
      at += 1;
      const value = constants[text];
      return { type: typeof value === 'number' ? 'integer' : 'string', code: JSON.stringify(value), pure: true };
    }
    if (kind !== 'word') return refuse(`unexpected ${text}`);
    const found = variable(text);
    at += 1;
    if (isSign('.')) refuse('parts of vectors are not part of this interpreter');
    return { type: found.type, code: found.name, pure: true, variable: found };
  };

  const postfix = (): Expression => {
    const value = primary();
    if (!isSign('++') && !isSign('--')) return value;
    const sign = next().text[0] ?? '';
    const target = value.variable ?? refuse('only a variable can be counted');
    if (target.type !== 'integer') refuse(`a ${target.type} cannot be counted here`);
    return {
      type: 'integer',
      code: `((${target.name} = ${target.name} ${sign} 1 | 0) ${sign === '+' ? '-' : '+'} 1 | 0)`,
    };
  };

  const cast = (): Expression => {
    const wanted = next().text as Type;
    expect(')');
    if (['-', '!', '~', '++', '--'].some((sign) => isSign(sign))) refuse('a cast of a sign needs parentheses');
    const value = isSign('(') && isType(1) ? unary() : postfix();
    bytes += nodeBytes;
    if (value.type === wanted) return { type: wanted, code: value.code };
    const { variable: _, ...rest } = value;
    const code = casts[`${value.type}>${wanted}`]?.(value.code) ?? refuse(`a ${value.type} cannot become a ${wanted}`);
    if (isText(wanted) && isText(value.type)) return { ...rest, type: wanted };
    return {
      type: wanted,
      code: wanted === 'string' ? `M.made(${code})` : code,
      pure: isNumber(wanted) && value.pure === true,
    };
  };

  const unary = (): Expression => {
    if (isSign('(') && isType(1) && isSign(')', 2)) {
      at += 1;
      return cast();
    }
    const sign = ['-', '!', '~', '++', '--'].find((one) => take(one));
    if (sign === undefined) return postfix();
    bytes += nodeBytes;
    const { type, code, variable: target, pure = false } = unary();
    if (sign === '++' || sign === '--') {
      if (!target || type !== 'integer') return refuse('only an integer variable can be counted');
      return { type, code: `(${target.name} = ${target.name} ${sign[0]} 1 | 0)` };
    }
    if (sign === '-' && type === 'float') return { type, code: `(- ${code})`, pure };
    if (type !== 'integer') return refuse(`there is no ${sign}${type}`);
    return { type, code: sign === '!' ? `+(${code} === 0)` : `(${sign} ${code} | 0)`, pure };
  };

  function binary(level: number): Expression {
    const signs = levels[level];
    if (!signs) return unary();
    let left = binary(level + 1);
    for (let sign = signs.find(isSignHere); sign !== undefined; sign = signs.find(isSignHere)) {
      at += 1;
      bytes += nodeBytes;
      left = operate(sign, left, binary(level + 1));
    }
    return left;
  }
  function isSignHere(sign: string): boolean {
    return isSign(sign);
  }

  function expression(): Expression {
    const left = binary(0);
    const sign = ['=', '+=', '-=', '*=', '/=', '%='].find(isSignHere);
    if (sign === undefined) return left;
    at += 1;
    bytes += nodeBytes;
    const target = left.variable ?? refuse('one can assign only to a variable');
    const right = expression();
    const value = sign === '=' ? right : operate(sign[0] ?? '', left, right);
    return { type: target.type, code: assigned(target, converted(value, target.type)) };
  }

  const condition = (): string => {
    const { type, code } = expression();
    if (isNumber(type)) return `${code} !== 0`;
    if (type === 'string') return `${code} !== ''`;
    if (type === 'key') return `V.isKey(${code})`;
    return type === 'list' ? `${code}.items.length > 0` : refuse(`a ${type} is no condition`);
  };
  const inParentheses = (): string => {
    expect('(');
    const code = condition();
    expect(')');
    return code;
  };

  interface Statement {
    code: string;
    /** The code behind it is never reached. */
    ends?: boolean;
  }

  const block = (): Statement => {
    scopes.push(new Map());
    const statements: Statement[] = [];
    while (!isSign('}')) statements.push(statement(true));
    expect('}');
    scopes.pop();
    return { code: `{ ${statements.map(({ code }) => code).join('\n')} }`, ends: statements.some(({ ends }) => ends) };
  };

  const loopBody = (): string => `{ M.turn(); ${statement(false).code} }`;

  function statement(mayDeclare: boolean): Statement {
    bytes += nodeBytes;
    if (take(';')) return { code: ';' };
    if (take('{')) return block();
    if (isType() && peek(1).kind === 'word') {
      if (!mayDeclare) refuse('a declaration needs braces around it');
      const type = next().text as Type;
      const text = name();
      const value = take('=') ? converted(expression(), type) : (defaults[type] ?? '');
      expect(';');
      const declared = declare(type, text);
      locals.push(`${declared.name} = ${defaults[type]}`);
      return { code: `${assigned(declared, value)};` };
    }
    if (take('if')) {
      const test = inParentheses();
      const then = statement(false);
      if (!take('else')) return { code: `if (${test}) ${then.code}` };
      const other = statement(false);
      return { code: `if (${test}) ${then.code} else ${other.code}`, ends: then.ends === true && other.ends === true };
    }
    if (take('while')) return { code: `while (${inParentheses()}) ${loopBody()}` };
    if (take('do')) {
      const body = loopBody();
      expect('while');
      const test = inParentheses();
      expect(';');
      return { code: `do ${body} while (${test});` };
    }
    if (take('for')) {
      expect('(');
      const first = list(';').map(({ code }) => code);
      const test = condition();
      expect(';');
      const then = list(')').map(({ code }) => code);
      return { code: `for (${first.join(', ')}; ${test}; ${then.join(', ')}) ${loopBody()}` };
    }
    if (take('return')) {
      const value = isSign(';') ? undefined : expression();
      if (value && isHandler) refuse('an event returns no value');
      if (!value && returns !== 'void') refuse(`return lacks a ${returns}`);
      expect(';');
      return { code: value ? `return ${converted(value, returns)};` : 'return;', ends: true };
    }
    if (take('state')) {
      if (!isHandler) refuse('only an event can change the state');
      const state = next().text;
      if (!states.has(state)) refuse(`there is no state ${state}`);
      expect(';');
      return { code: `throw new M.StateChange(${JSON.stringify(state)});`, ends: true };
    }
    if (isWord('jump') || isSign('@')) refuse('jumps are not part of this interpreter');
    const { code } = expression();
    expect(';');
    return { code: `${code};` };
  }

  const parameters = (): Variable[] => {
    const declared: Variable[] = [];
    expect('(');
    while (!isSign(')')) {
      if (!isType()) refuse(`${peek().text} is no type`);
      const type = next().text as Type;
      declared.push(declare(type, name()));
      if (!isSign(')')) expect(',');
    }
    expect(')');
    return declared;
  };

  /** A generator function: where the script waits, it yields the seconds. */
  const body = (title: string, type: Type): { code: string; types: Type[] } => {
    scopes = [new Map()];
    locals = [];
    returns = type;
    bytes += functionBytes;
    const declared = parameters();
    expect('{');
    const { code, ends } = block();
    if (type !== 'void' && !ends) refuse(`not every path of ${title} returns a value`);
    const names = declared.map((one) => one.name);
    const counted = names.map((one) => `M.local(${one}, 0);`).join(' ');
    const all = locals.length > 0 ? `let ${locals.join(', ')};` : '';
    const run = `const depth = M.enter(); ${all} try { ${counted} ${code} } finally { M.leave(depth); }`;
    return { code: `function* ${title}(${names.join(', ')}) { ${run} }`, types: declared.map((one) => one.type) };
  };

  /** The signatures of all functions, since a script may call one that comes later. */
  const findFunctions = (): void => {
    for (let depth = 0, i = 0; i < tokens.length; i++) {
      const { kind, text } = tokens[i] as Token;
      if (kind === 'sign' && text === '{') depth += 1;
      if (kind === 'sign' && text === '}') depth -= 1;
      if (depth > 0 || kind !== 'word') continue;
      if (text === 'default' || tokens[i - 1]?.text === 'state') states.add(text);
      at = i;
      if (!isSign('(', 1) || types.includes(text)) continue;
      const before = tokens[i - 1]?.text ?? '';
      const text_ = name();
      if (own.has(text_)) refuse(`${text} is declared twice`);
      const wanted: Type[] = [];
      for (let ahead = 1; !isSign(')', ahead - 1); ahead++) if (isType(ahead)) wanted.push(peek(ahead).text as Type);
      own.set(text, { type: (types.includes(before) ? before : 'void') as Type, parameters: wanted, waits: false });
    }
    at = 0;
  };

  /** Only values can begin a global variable, no operations. */
  const constant = (): Expression => {
    const isNegative = take('-');
    if (isSign('[') || isSign('<')) {
      const from = at;
      const value = primary();
      const isValue = ({ kind, text }: Token): boolean => kind !== 'sign' || '[]<>,-'.includes(text);
      return tokens.slice(from, at).every(isValue)
        ? value
        : refuse('a global begins with a value, not with an operation');
    }
    const value = primary();
    if (!value.pure || value.code.startsWith('(')) refuse('a global begins with a value, not with an operation');
    if (!isNegative) return value;
    return isNumber(value.type) ? { ...value, code: `(- ${value.code})` } : refuse(`there is no -${value.type}`);
  };

  const global = (): string => {
    const type = next().text as Type;
    const text = name();
    if (globals.has(text) || own.has(text)) refuse(`${text} is declared twice`);
    const value = take('=') ? converted(constant(), type) : (defaults[type] ?? '');
    expect(';');
    globals.set(text, { type, name: `g_${text}`, scope: 'global' });
    return `let g_${text} = M.global(${value}, 0);`;
  };

  const handlers = (): string => {
    const codes: string[] = [];
    const seen = new Set<string>();
    expect('{');
    while (!take('}')) {
      const event = next().text;
      const wanted = events[event] ?? refuse(`there is no event ${event}`);
      if (seen.has(event)) refuse(`${event} is declared twice`);
      seen.add(event);
      const { code, types: found } = body(event, 'void');
      if (found.join() !== wanted.join()) refuse(`${event} takes (${wanted.join(', ')})`);
      codes.push(`${event}: ${code}`);
    }
    if (codes.length === 0) refuse('a state needs an event');
    return `{ ${codes.join(',\n')} }`;
  };

  findFunctions();
  const globalCodes: string[] = [];
  const functionCodes: string[] = [];
  const stateCodes: string[] = [];
  while (!isWord('default')) {
    if (peek().kind === 'end') refuse('there is no default state');
    const typed = isType();
    if (isSign('(', typed ? 2 : 1)) {
      const type = typed ? (next().text as Type) : 'void';
      functionCodes.push(body(`f_${name()}`, type).code);
    } else if (typed) globalCodes.push(global());
    else refuse(`unexpected ${peek().text}`);
  }
  isHandler = true;
  while (peek().kind !== 'end') {
    if (stateCodes.length > 0) expect('state');
    const state = next().text;
    if (!states.has(state)) refuse(`unexpected ${state}`);
    stateCodes.push(`${JSON.stringify(state)}: ${handlers()}`);
  }
  const code = `'use strict';\n${globalCodes.join('\n')}\n${functionCodes.join('\n')}\nreturn { ${stateCodes.join(',\n')} };`;
  return { code, bytes: memoryOf(bytes) };
};
