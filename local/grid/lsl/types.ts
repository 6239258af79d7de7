import { casts, constants, type Functions, isText } from './library.ts';
import { Reader } from './tokens.ts';
import type { Type } from './values.ts';

/** A script during compilation: its tokens, and the names and types that are known at a place. */

export interface Expression {
  type: Type;
  /** Its JavaScript. */
  code: string;
  /** True if its evaluation has no effect and depends on none, so that it may happen at any time. */
  pure?: boolean;
  /** Set for a variable, to which a script can assign. */
  variable?: Variable;
}

export interface Variable {
  type: Type;
  /** The name in JavaScript. */
  name: string;
  scope: 'global' | 'local';
}

interface Signature {
  type: Type;
  parameters: Type[];
  waits: boolean;
}

const parseSignature = (text: string): [string, Signature] => {
  const [, type, name = '', parameters = '', waits] = /^(\w+) (\w+)\((.*)\)( waits)?$/.exec(text) ?? [];
  const wanted = parameters.split(', ').filter(Boolean) as Type[];
  return [name, { type: type as Type, parameters: wanted, waits: waits !== undefined }];
};

export const byName = (functions: Functions): Record<string, Functions[string]> =>
  Object.fromEntries(Object.entries(functions).map(([text, run]) => [parseSignature(text)[0], run]));

const eventTexts =
  'state_entry(); state_exit(); timer(); on_rez(integer); touch_start(integer); changed(integer); ' +
  'dataserver(key, string); http_request(key, string, string); http_response(key, integer, list, string); ' +
  'listen(integer, string, key, string); money(key, integer); transaction_result(key, integer, string); ' +
  'run_time_permissions(integer); linkset_data(integer, string, string); ' +
  'link_message(integer, integer, string, key)';
const signatures = eventTexts.split('; ').map((text) => parseSignature(`void ${text}`));
/** The types of the parameters of each event. */
export const events: Readonly<Record<string, readonly Type[]>> = Object.fromEntries(
  signatures.map(([name, { parameters }]) => [name, parameters]),
);

const types: readonly string[] = ['integer', 'float', 'string', 'key', 'vector', 'list'];
const reserved = (
  'default state jump return if else for while do event quaternion rotation print attach at_rot_target at_target ' +
  'collision control email experience_permissions game_control moving_end moving_start ' +
  'no_sensor object_rez path_update remote_data sensor touch touch_end land_collision not_at_target'
).split(' ');

/** The parsing functions read it one after another. Each continues where the last one stopped. */
export class Script extends Reader {
  readonly known: ReadonlyMap<string, Signature>;
  readonly own = new Map<string, Signature>();
  readonly globals = new Map<string, Variable>();
  readonly states = new Set<string>();
  /** The variables of the function that is being read, by block. `locals` are declared at its beginning. */
  scopes: Map<string, Variable>[] = [];
  locals: string[] = [];
  /** The type of this function, and whether it handles an event. */
  returns: Type = 'void';
  isHandler = false;
  numbered = 0;
  /** The bytes of the assembled script so far. */
  bytes = 0;
  constructor(source: string, functions: Functions) {
    super(source);
    this.known = new Map(Object.keys(functions).map(parseSignature));
  }
  isType(ahead = 0): boolean {
    return this.peek(ahead).kind === 'word' && types.includes(this.peek(ahead).text);
  }
  /** Takes the name of something new. */
  name(): string {
    const { kind, text } = this.peek();
    if (kind !== 'word' || types.includes(text) || reserved.includes(text) || text in events)
      return this.refuse(`${text} cannot be a name`);
    if (this.known.has(text) || text in constants) return this.refuse(`${text} is LSL's own`);
    return this.next().text;
  }
  variable(text: string): Variable {
    for (const scope of this.scopes.toReversed()) if (scope.has(text)) return scope.get(text) as Variable;
    return this.globals.get(text) ?? this.refuse(`there is no variable ${text}`);
  }
  declare(type: Type, text: string): Variable {
    const scope = this.scopes.at(-1) as Map<string, Variable>;
    if (scope.has(text)) this.refuse(`${text} is declared twice`);
    const declared: Variable = { type, name: `${text}_${this.numbered++}`, scope: 'local' };
    scope.set(text, declared);
    return declared;
  }
  /** Converts a value to an expected type: integers to floats, and keys to strings and back. */
  converted({ type, code }: Expression, wanted: Type): string {
    if (type === wanted && type !== 'void') return code;
    if (type === 'integer' && wanted === 'float') return casts['integer>float']?.(code) ?? '';
    if (isText(type) && isText(wanted)) return code;
    return this.refuse(`a ${type} stands where a ${wanted} must be`);
  }
}
