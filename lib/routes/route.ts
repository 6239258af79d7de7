import * as z from 'zod';
import { pageScope, type Scope } from './scopes.ts';
import { avatarUuid, identifier, keyId, objectUuid, uuid } from './wire.ts';

/**
 * The kinds of items in the table. A partition key is `<store>#KIND`, `<store>#KIND#...` or, for items that all stores
 * share, `KIND#...`. So a function's role can be limited to the kinds in its row.
 */
export type Kind =
  | 'STORE'
  | 'KEY'
  | 'KEYS'
  | 'PAGE'
  | 'PAGES'
  | 'RESIDENT'
  | 'NAME'
  | 'STORE_RESIDENT'
  | 'STORE_NAME'
  | 'LOOKUP'
  | 'CUSTOMER'
  | 'CUSTOMER_NAME'
  | 'LOT'
  | 'HISTORY'
  | 'DAY'
  | 'MARK'
  | 'EVENT'
  | 'REMOVED'
  | 'WEBHOOK'
  | 'COUNT'
  | 'LOG'
  | 'ERASURE'
  | 'SALE'
  | 'PURCHASE'
  | 'PAYEE'
  | 'PAYOUT'
  | 'VENDOR'
  | 'OWNED'
  | 'SPEND'
  | 'COUPON'
  | 'CODE'
  | 'APPLIED'
  | 'USE'
  | 'GIFTCARD'
  | 'GIVING'
  | 'GIVEN'
  | 'PRICING'
  | 'PRICED'
  | 'PRODUCT'
  | 'STOCK'
  | 'CATEGORY'
  | 'MEMBER'
  | 'DELIVERY'
  | 'DISPENSER'
  | 'REQUEST'
  | 'UNITS'
  | 'SWEEP';

/** The kinds that hold residents: told to all stores, told to one store, or known to a store by a sale alone. */
const residentKinds: readonly Kind[] = ['RESIDENT', 'NAME', 'STORE_RESIDENT', 'STORE_NAME', 'CUSTOMER'];

/** The facts of an endpoint that do not follow from its method and path. */
interface RowFields {
  /** The path of its function under `functions/`. */
  readonly id: string;
  /** One line for the API reference. */
  readonly summary: string;
  /** Null: any live key may call it. `self`: the token of a customer's page, and no key. */
  readonly scope: Scope | typeof pageScope | null;
  /** By default 200, or 204 without a response. */
  readonly status?: 200 | 201 | 202 | 204;
  /**
   * The failures that the endpoint itself answers, besides the failures of the layers around it. By default 404 for a
   * write and for a path with a placeholder, and 400 for everything except a GET of one row by its id.
   */
  readonly problems?: readonly (400 | 404)[];
  /** Absent if the endpoint takes no parameters. */
  readonly query?: z.ZodObject;
  /** Absent if the endpoint takes no body. It then ignores a sent one. */
  readonly body?: z.ZodType;
  /** A missing body counts as `{}`. */
  readonly bodyOptional?: true;
  /** Absent for 204. */
  readonly response?: z.ZodObject;
  /** The schema of everything that the resource's ETag covers, if it has one. Its PUT or DELETE takes If-Match. */
  readonly tagged?: z.ZodObject;
  /** The kinds of items that the function reads. */
  readonly reads?: readonly Kind[];
  /** The kinds of items that it also writes. If there is none, the function's role cannot write. */
  readonly writes?: readonly Kind[];
  /** The kinds of items that it creates, and does not write otherwise. */
  readonly makes?: readonly Kind[];
  /** It resolves residents by name or UUID, and may have the store's dispenser asked about them. */
  readonly resolves?: true;
  /** The code of an invitation may call it, and no key. */
  readonly byInvitation?: true;
  /** The code of a customer's page may call it, and no key. */
  readonly byPageCode?: true;
  /** Its answer has a secret, so the record of a request with an Idempotency-Key keeps the answer sealed. */
  readonly showsSecret?: true;
  /** It makes or takes quotes, which are sealed like cursors. */
  readonly quotes?: true;
  /**
   * Its writes count towards this share of its store, and so do the reads of a customer's page. By default they count
   * towards the share of all others.
   */
  readonly share?: 'registrations' | 'pages';
  /** The journal tells nothing of its writes, so they do not say who made them: sales have lists of their own. */
  readonly unsigned?: true;
  /** It puts messages on the delivery queue. */
  readonly queue?: true;
  /**
   * It orders a delivery. Its answer has the delivery's id in the header `Delivery-Id`; the handler answers it as
   * `deliveryId`.
   */
  readonly delivers?: true;
  /** It changes credit. Its answer has the number of the change in the header `Credit-Sequence`. */
  readonly changesCredit?: true;
  /**
   * On Lambda the function with this name serves it together with other rows: each function adds three resources to a
   * stack, which has room for 500.
   */
  readonly servedBy?: string;
  /** For 201: the path before the id of what it makes. By default the path of the request. */
  readonly location?: `/v1/${string}`;
  /** Beyond the contract: an endpoint of our own. */
  readonly extension?: true;
}

/** One endpoint. Rows are data: no AWS, no environment. */
export interface Route extends RowFields {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/v1/${string}`;
  readonly status: 200 | 201 | 202 | 204;
  readonly problems: readonly (400 | 404)[];
  /** The path's placeholders: an `{identifier}` names a resident, a `{keyId}` an API key, any other is a UUID. */
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly reads: readonly Kind[];
  readonly writes: readonly Kind[];
}

type Line = `${Route['method']} ${Route['path']}`;
type Placeholder<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;
type Params<Path extends string> = z.ZodObject<{
  [Name in Placeholder<Path>]: ReturnType<
    Name extends 'identifier' ? typeof identifier : Name extends 'keyId' ? typeof keyId : typeof uuid
  >;
}>;

/** A row with the exact types of its schemas, against which its function is checked. */
type Row<L extends Line, F extends RowFields> = Omit<Route, 'params' | 'query' | 'body' | 'response'> & {
  readonly params: Params<L>;
  readonly query: F extends { query: infer Query extends z.ZodObject } ? Query : z.ZodObject<Record<never, never>>;
} & Pick<F, Extract<keyof F, 'body' | 'response'>>;

/**
 * `{identifier}` names a resident, `{uuid}` an avatar or a vendor, `{keyId}` an API key; any other placeholder is the
 * id of a row.
 */
const placeholder = (name: string, path: string) => {
  if (name === 'identifier') return identifier();
  if (name === 'keyId') return keyId();
  if (name !== 'uuid') return uuid();
  return path.startsWith('/v1/vendors/') ? objectUuid() : avatarUuid();
};

/** Makes a row from a line such as `GET /v1/coupons/{id}` and the facts that do not follow from it. */
export const route = <const L extends Line, const F extends RowFields>(line: L, fields: F): Row<L, F> => {
  const [method = '', path = ''] = line.split(' ');
  const names = path.split('/').flatMap((segment) => (segment.startsWith('{') ? segment.slice(1, -1) : []));
  const isOneById = method === 'GET' && names.some((name) => ['id', 'uuid', 'keyId'].includes(name)) && !fields.query;
  const row = {
    method,
    path,
    status: fields.response ? 200 : 204,
    problems: [...(isOneById ? [] : [400]), ...(names.length > 0 || method !== 'GET' ? [404] : [])],
    params: z.object(Object.fromEntries(names.map((name) => [name, placeholder(name, path)]))),
    query: z.object({}),
    writes: [],
    ...fields,
    reads: [...(fields.reads ?? []), ...(fields.resolves ? residentKinds : [])],
  };
  return row as unknown as Row<L, F>;
};

/** All that the authorizer knows of a row: its bundle has only these fields (infra/bundle.ts). */
export type AuthorizedRow = Pick<Route, 'method' | 'path' | 'scope' | 'byInvitation' | 'byPageCode'>;

/** True if an API key may call the row. Other rows take the code of an invitation, or a customer's page. */
export const takesKeys = ({ scope, byInvitation, byPageCode }: Route): boolean =>
  scope !== pageScope && !byInvitation && !byPageCode;

/** True if a request may use If-Match to name the state of the resource that it changes. */
export const takesIfMatch = ({ tagged, method }: Route): boolean =>
  tagged !== undefined && (method === 'PUT' || method === 'DELETE');

/** The function that serves a row on Lambda, by its path under `functions/`. */
export const functionFile = ({ id, servedBy }: Route): string => servedBy ?? id;

/** The kinds that a row's function writes: a POST also keeps a record of requests with an Idempotency-Key. */
export const kindsWritten = ({ method, writes }: Route): readonly Kind[] =>
  method === 'POST' ? [...writes, 'REQUEST'] : writes;
