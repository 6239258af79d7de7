import { all, any, type Condition, copyOf, type Item, type Update } from '../../lib/table/language.ts';

/** A reader of DynamoDB's expressions, as far as the service and its tests use them. */

export interface Expressions {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string | undefined;
  KeyConditionExpression?: string | undefined;
  FilterExpression?: string | undefined;
  ProjectionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Item | undefined;
}

type Comparison = Extract<Condition, { is: unknown }>['is'];

/** A part of a condition that the table language does not have. */
type Text = { kind: 'begins' | 'contains'; attribute: string; text: string };

const token = /\s*([#:]?[A-Za-z_][\w.#]*|<=|>=|<>|[=<>(),])/y;

class Reader {
  readonly #tokens: string[] = [];
  readonly #used = new Set<string>();
  readonly #of: Expressions;
  #at = 0;

  constructor(expression: string, of: Expressions) {
    this.#of = of;
    token.lastIndex = 0;
    while (token.lastIndex < expression.length) {
      const from = token.lastIndex;
      const found = token.exec(expression)?.[1];
      if (found === undefined) throw new Error(`The expression cannot be read from ${from} on: ${expression}`);
      this.#tokens.push(found);
    }
  }

  get next(): string | undefined {
    return this.#tokens[this.#at];
  }

  get used(): ReadonlySet<string> {
    return this.#used;
  }

  take(expected?: string): string {
    const found = this.#tokens[this.#at++];
    if (found === undefined || (expected !== undefined && found !== expected))
      throw new Error(`The expression has ${found} where ${expected ?? 'more'} is expected: ${this.#tokens.join(' ')}`);
    return found;
  }

  takeIf(expected: string): boolean {
    if (this.next !== expected) return false;
    this.#at += 1;
    return true;
  }

  path(): string {
    const nameOf = (part: string): string => {
      if (!part.startsWith('#')) return part;
      const name = this.#of.ExpressionAttributeNames?.[part];
      if (name === undefined) throw new Error(`The name ${part} is not given.`);
      this.#used.add(part);
      return name;
    };
    return this.take().split('.').map(nameOf).join('.');
  }

  value(): unknown {
    const name = this.take();
    const values = this.#of.ExpressionAttributeValues ?? {};
    if (!name.startsWith(':') || !(name in values)) throw new Error(`The value ${name} is not given.`);
    this.#used.add(name);
    return values[name];
  }

  list<T>(one: () => T): T[] {
    const found = [one()];
    while (this.takeIf(',')) found.push(one());
    return found;
  }
}

const calls: Record<string, (reader: Reader) => Condition | Text> = {
  attribute_not_exists: (reader) => ({ missing: reader.path() }),
  attribute_exists: (reader) => ({ present: reader.path() }),
  begins_with: (reader) => textOf(reader, 'begins'),
  contains: (reader) => textOf(reader, 'contains'),
};

const textOf = (reader: Reader, kind: Text['kind']): Text => {
  const attribute = reader.path();
  reader.take(',');
  return { kind, attribute, text: String(reader.value()) };
};

/** The parts that AND or OR joins. Each is either a condition or a part of a text. */
type Parts = { joined: 'all' | 'any'; parts: (Condition | Text | Parts)[] };

const readUnit = (reader: Reader): (Condition | Text | Parts)[] => {
  if (reader.takeIf('(')) {
    const inner = readParts(reader);
    reader.take(')');
    return [inner];
  }
  const call = calls[reader.next ?? ''];
  if (call) {
    reader.take();
    reader.take('(');
    const read = call(reader);
    reader.take(')');
    return [read];
  }
  const attribute = reader.path();
  if (!reader.takeIf('BETWEEN')) return [{ attribute, is: reader.take() as Comparison, value: reader.value() }];
  const low = reader.value();
  reader.take('AND');
  return [
    { attribute, is: '>=', value: low },
    { attribute, is: '<=', value: reader.value() },
  ];
};

const readParts = (reader: Reader): Parts => {
  const sums: Parts[] = [];
  do {
    const parts = readUnit(reader);
    while (reader.takeIf('AND')) parts.push(...readUnit(reader));
    sums.push({ joined: 'all', parts });
  } while (reader.takeIf('OR'));
  return sums.length === 1 ? (sums[0] as Parts) : { joined: 'any', parts: sums };
};

const asCondition = (read: Condition | Text | Parts): Condition => {
  if ('kind' in read) throw new Error(`A write has no condition on a part of ${read.attribute}.`);
  if (!('joined' in read)) return read;
  return (read.joined === 'all' ? all : any)(...read.parts.map(asCondition));
};

/** All comparisons of a key condition, or the texts of a filter, which are flat. */
const flat = (read: Condition | Text | Parts): (Condition | Text)[] =>
  'joined' in read ? read.parts.flatMap(flat) : [read];

const readUpdate = (reader: Reader): Update['change'] => {
  const [set, add]: [Item, Record<string, number | ReadonlySet<string>>] = [{}, {}];
  const clauses: Record<string, () => void> = {
    SET: () => {
      const attribute = reader.path();
      reader.take('=');
      if (reader.next?.startsWith(':')) set[attribute] = reader.value();
      else if (reader.takeIf('if_not_exists')) {
        reader.take('(');
        const from = reader.path();
        reader.take(',');
        set[attribute] = copyOf(from, reader.value());
        reader.take(')');
      } else set[attribute] = copyOf(reader.path());
    },
    REMOVE: () => {
      set[reader.path()] = undefined;
    },
    ADD: () => {
      add[reader.path()] = reader.value() as number | ReadonlySet<string>;
    },
  };
  while (reader.next !== undefined) {
    const clause = clauses[reader.take()];
    if (!clause) throw new Error('An update has a clause that cannot be read here.');
    reader.list(clause);
  }
  return { set, add };
};

/**
 * The parsed expressions of a command. Throws if they do not use a name or a value that the command gives, as DynamoDB
 * does.
 */
export const read = (of: Expressions) => {
  const used = new Set<string>();
  const reading = <T>(expression: string | undefined, how: (reader: Reader) => T): T | undefined => {
    if (expression === undefined) return undefined;
    const reader = new Reader(expression, of);
    const found = how(reader);
    if (reader.next !== undefined) throw new Error(`The expression goes on after its end: ${expression}`);
    for (const name of reader.used) used.add(name);
    return found;
  };
  const found = {
    when: reading(of.ConditionExpression, (reader) => asCondition(readParts(reader))),
    change: reading(of.UpdateExpression, readUpdate),
    key: reading(of.KeyConditionExpression, (reader) => flat(readParts(reader))) as
      | Extract<Condition, { is: unknown }>[]
      | undefined,
    filter: reading(of.FilterExpression, (reader) => flat(readParts(reader))) as Text[] | undefined,
    attributes: reading(of.ProjectionExpression, (reader) => reader.list(() => reader.path())),
  };
  for (const name of Object.keys({ ...of.ExpressionAttributeNames, ...of.ExpressionAttributeValues }))
    if (!used.has(name)) throw new Error(`No expression uses ${name}.`);
  return found;
};
