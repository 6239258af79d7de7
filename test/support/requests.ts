import * as fc from 'fast-check';
import * as z from 'zod';
import { uuidPattern } from '../../lib/identifier.ts';
import type { Route } from '../../lib/routes/route.ts';
import { timestampForm } from '../../lib/routes/timestamp.ts';
import { kindOf } from './one-of-each.ts';
import { ada, bob, cleo, unknownUuid } from './residents.ts';

/** The ways in which the length of a body is sent, beside a correct Content-Length. */
export const framings = ['chunked', 'short', 'long', 'twice', 'both'] as const;

/**
 * A raw request. `~name~` in its target and body stands for an id or code of the fixtures, so that the same seed always
 * makes the same request.
 */
export interface FuzzRequest {
  /** The id of the row to which it is sent. */
  row: string;
  /** The name of its fault; empty for none. */
  mutation: string;
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  /** One character per byte. */
  body?: string;
  framing?: (typeof framings)[number];
  /** The allowed statuses, if they do not follow from the row's schemas. */
  expect?: number[] | undefined;
  /** The media type of an endpoint's problem, if it is not problem+json. */
  problemType?: string;
}

/** The number of rows of each kind in the fixtures: `~coupon0~` and so on. */
export const fixtureCount = 12;

const named = (kind: string): fc.Arbitrary<string> => fc.nat(fixtureCount - 1).map((number) => `~${kind}${number}~`);

/** An id of the kind. Now and then it is another store's, unknown, or in capitals. */
const idOf = (kind: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: named(kind) },
    { weight: 1, arbitrary: fc.constantFrom(`~their${kind}~`, unknownUuid, unknownUuid.toUpperCase()) },
  );

const residents = [ada, bob, cleo];

/** There are enough residents that a store most likely has no record yet of the one in a request. */
export const strangers = Array.from({ length: 60 }, (_, number) => ({
  uuid: `${String(number).padStart(8, '0')}-5712-0000-0000-000000000000`,
  username: `stranger${number}`,
}));
const stranger = fc.constantFrom(...strangers.flatMap(({ uuid, username }) => [uuid, username]));
const residentUuid = fc.constantFrom(...residents.map(({ uuid }) => uuid), unknownUuid);
const identifier = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...residents.flatMap(({ uuid, username }) => [uuid, username])) },
  { weight: 2, arbitrary: fc.constantFrom('Ada Lovelace', ' BOB resident ', 'cleo.Resident', ada.uuid.toUpperCase()) },
  { weight: 3, arbitrary: stranger },
  { weight: 1, arbitrary: fc.constantFrom('nobody.here', unknownUuid) },
);

const text = (max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: Math.min(max, 40) }) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(max, 200) }) },
  );

const date = fc.date({ min: new Date('2027-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });
const oddTimes = ['2000-01-01T00:00:00Z', '2030-01-31T12:00+02:00', '9999-12-31T23:59:59.999Z'];
const timestamp = fc.oneof(
  { weight: 3, arbitrary: date.map((each) => each.toISOString()) },
  { weight: 1, arbitrary: fc.constantFrom(...oddTimes) },
);

/** Fields whose name says more than their type. */
const byName: Record<string, fc.Arbitrary<unknown>> = {
  identifier,
  ownerIdentifier: identifier,
  buyerIdentifier: identifier,
  buyer: identifier,
  product: idOf('product'),
  recipientIdentifier: identifier,
  username: identifier,
  userUuid: identifier,
  couponOwnerUuid: residentUuid,
  couponId: idOf('coupon'),
  productId: idOf('product'),
  demoId: fc.option(idOf('product'), { freq: 2 }),
  category: idOf('category'),
  code: fc.oneof(named('code'), text(64)),
  item: fc.stringMatching(/^[ -{}~]{1,63}$/),
  limit: fc.integer({ min: 1, max: 1000 }).map(String),
  spentMoreThan: fc.integer({ min: -5, max: 1000 }).map(String),
  cursor: fc.constantFrom('~cursor~', '~theircursor~'),
  search: text(100),
  prefix: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('ad', 'Ada L', 'bob.r', 'cl') },
    { weight: 1, arbitrary: text(63) },
  ),
  delta: fc.oneof(fc.integer({ min: -300, max: 500 }), fc.constantFrom(1_000_000_000, -2_147_483_647)),
  percent: fc.double({ min: 0.1, max: 30, noNaN: true }),
  url: fc.constantFrom('http://127.0.0.1:1/cap/1', 'https://sim.agni.secondlife.io:12043/cap/1', 'http://localhost:1'),
};

export interface JsonSchema {
  type?: string;
  pattern?: string;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
}

/** The JSON Schema of a request's input, with every reference replaced by its schema. */
export const jsonSchema = (schema: z.ZodType): JsonSchema => {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const inlined = (value: unknown): JsonSchema =>
    JSON.parse(JSON.stringify(value), (_, part) =>
      part?.$ref ? { ...part, ...inlined($defs[part.$ref.replace('#/$defs/', '')]) } : part,
    );
  return inlined(root);
};

/** Values that a schema mostly accepts. */
const valueFor = (schema: JsonSchema, name = ''): fc.Arbitrary<unknown> => {
  const { type, pattern, minimum = -1e6, maximum = 2_147_483_647, maxLength = 100 } = schema;
  const known = byName[name];
  if (known) return known;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (type === 'object') return objectOf(schema);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueFor(each)));
  if (type === 'array') return fc.array(valueFor(schema.items ?? {}), { maxLength: 3 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer')
    return fc.oneof(
      fc.integer({ min: minimum, max: maximum }),
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }),
    );
  if (type === 'number') return fc.double({ min: Math.max(minimum, 0), max: Math.min(maximum, 100), noNaN: true });
  if (pattern === uuidPattern.source) return fc.uuid();
  if (pattern === timestampForm) return timestamp;
  return type === 'null' ? fc.constant(null) : text(maxLength);
};

const objectOf = ({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, name)])), {
    requiredKeys: required,
  });

/** Text of a body or header as one character per byte. */
export const bytesOf = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');

const pathOf = ({ path }: Route): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...path.split('/').map((segment, index, segments) => {
        if (!segment.startsWith('{')) return fc.constant(segment);
        if (segment === '{identifier}') return identifier.map(encodeURIComponent);
        if (segment === '{uuid}') return residentUuid;
        const kind = kindOf[segments[index - 1] as keyof typeof kindOf];
        return idOf(kind);
      }),
    )
    .map((segments) => segments.join('/'));

const queryOf = (row: Route): fc.Arbitrary<string> =>
  objectOf(jsonSchema(row.query)).map((values) => {
    // A cursor needs no escaping, and a placeholder for one must not be escaped.
    const pairs = Object.entries(values).map(
      ([name, value]) => `${name}=${/^~\w+~$/.test(String(value)) ? value : encodeURIComponent(String(value))}`,
    );
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  });

/** Keeps one of the three coupon fields of apply and revoke, and the product if the scope needs it. */
const chosen = (body: Record<string, unknown>): Record<string, unknown> => {
  if (!('scope' in body)) return body;
  const { code, couponOwnerUuid, couponId, productId, scope, ...rest } = body;
  const choice = couponId ? { couponId } : couponOwnerUuid ? { couponOwnerUuid } : { code: code ?? '~code0~' };
  return { ...rest, ...choice, scope, ...(scope === 1 && { productId: productId ?? '~product0~' }) };
};

const none = fc.constant(undefined);
const idempotencyKey = fc.oneof(
  none,
  fc.nat(300).map((number) => `key-${number}`),
  fc.uuid(),
);

interface ValidRequest {
  request: FuzzRequest;
  /** Of its body. */
  value: Record<string, unknown> | undefined;
}

export const validRequests = (row: Route): fc.Arbitrary<ValidRequest> => {
  const value = row.body ? objectOf(jsonSchema(row.body)).map(chosen) : none;
  const key = row.method === 'POST' ? idempotencyKey : none;
  return fc.tuple(pathOf(row), queryOf(row), value, key).map(([path, query, value, key]) => {
    const headers: FuzzRequest['headers'] = [
      ['Host', 'localhost'],
      ['Connection', 'close'],
      ['X-API-Key', '~key~'],
    ];
    if (key !== undefined) headers.push(['Idempotency-Key', key]);
    const request = { row: row.id, mutation: '', method: row.method, target: path + query, headers };
    return { value, request: value ? { ...request, body: bytesOf(JSON.stringify(value)) } : request };
  });
};

/** Puts one fault into a valid request: its name, and what it changes. Some faults are allowed: see expectation.ts. */
export type Mutation = fc.Arbitrary<(valid: ValidRequest) => Partial<FuzzRequest> & Pick<FuzzRequest, 'mutation'>>;
