import type * as z from 'zod';

export const scopes = [
  'coupons:read',
  'coupons:write',
  'coupons:apply',
  'customers:read',
  'customers:write',
  'credits:read',
  'credits:write',
  'giftcards:read',
  'giftcards:write',
  'products:read',
  'products:write',
  'products:deliver',
  'categories:read',
  'categories:write',
] as const;

export type Scope = (typeof scopes)[number];

/**
 * The kinds of item in the table. A partition key is `<store>#KIND`, `<store>#KIND#...` or, for what all stores share,
 * `KIND#...`: so a function's role can be held to the kinds that its row names.
 */
export type Kind =
  | 'STORE'
  | 'KEY'
  | 'RESIDENT'
  | 'NAME'
  | 'CUSTOMER'
  | 'LOT'
  | 'PURCHASE'
  | 'OWNED'
  | 'SPEND'
  | 'COUPON'
  | 'CODE'
  | 'APPLIED'
  | 'GIFTCARD'
  | 'PRODUCT'
  | 'CATEGORY'
  | 'MEMBER'
  | 'DELIVERY'
  | 'DISPENSER'
  | 'REQUEST'
  | 'SWEEP';

/** One endpoint. Rows are data: no AWS, no environment. The id is the path of its function under `functions/`. */
export interface Route {
  readonly id: string;
  /** One line for the API reference. */
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/v1/${string}`;
  readonly scope: Scope;
  readonly status: 200 | 201 | 204;
  /** The failures that the endpoint itself answers with, beside those of the layers around it. */
  readonly problems: readonly (400 | 404)[];
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Absent where the endpoint takes no body; what is sent is then ignored. */
  readonly body?: z.ZodType;
  /** A request without a body is as good as one with `{}`. */
  readonly bodyOptional?: true;
  /** Absent for 204. */
  readonly response?: z.ZodObject;
  /** The kinds of item that the function reads. */
  readonly reads: readonly Kind[];
  /** The kinds of item that it also writes. None: the function's role cannot write. */
  readonly writes: readonly Kind[];
  /** It puts messages on the delivery queue. */
  readonly queue?: true;
  /** Beyond the contract: an endpoint of our own. */
  readonly extension?: true;
}

/** Keeps a row's exact type, so that its function is checked against its schemas. */
export const route = <const R extends Route>(row: R): R => row;

/** The kinds that a row's function writes: a POST also keeps a record of requests with an Idempotency-Key. */
export const kindsWritten = ({ method, writes }: Route): readonly Kind[] =>
  method === 'POST' ? [...writes, 'REQUEST'] : writes;
