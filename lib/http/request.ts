import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import { openCursor } from '../lists/cursor.ts';
import { cursorInvalid, type ListRequest } from '../lists/page.ts';
import { invalid, notFound, unauthorized } from '../problem.ts';
import type { Route } from '../routes/route.ts';
import type { Scope } from '../routes/scopes.ts';
import { maxLength } from '../routes/wire.ts';
import type { Precondition } from '../table/table.ts';
import { readBody } from './body.ts';
import { preconditionOf } from './etag.ts';
import { headerValues, isOfScript } from './headers.ts';

/** A request, parsed by the row's schemas, as its handler gets it. */
export interface Request<R extends Route> {
  /** The answer's `X-Request-Id`. */
  id: string;
  /** The store that the API key belongs to. */
  store: string;
  keyId: string;
  /** The first key in the chain of rotations that led to this key, or the key's own id. */
  keyOrigin: string;
  /** The scopes of the API key. */
  scopes: () => readonly Scope[];
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: R['body'] extends z.ZodType ? z.output<R['body']> : undefined;
  /** For lists: the limit and the cursor. */
  list: ListRequest;
  /** A script in the virtual world sent it. Such a script can read only short answers. */
  isScript: boolean;
  /** For a PUT or DELETE with If-Match. */
  ifMatch: Precondition | undefined;
}

/** The context that the authorizer passes on. `storeGone` is set if the store was deleted after the key was issued. */
export interface Caller {
  store: string;
  keyId: string;
  /** The key's scopes, separated by spaces. */
  scopes: string;
  /** The first key in the chain of rotations that led to this key. */
  keyOrigin?: string;
  storeGone?: string;
}

export const callerOf = (event: APIGatewayProxyEvent): Caller =>
  (event.requestContext.authorizer ?? {}) as unknown as Caller;

/** Tells whether a schema accepts the value if the member at this place is removed. */
const mayLeaveOut = (schema: z.ZodType, value: unknown, path: readonly PropertyKey[]): boolean => {
  const without = structuredClone(value);
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce((at, name) => Reflect.get(at as object, name), without);
  if (Array.isArray(parent)) return false;
  Reflect.deleteProperty(parent as object, last);
  const { error } = schema.safeParse(without);
  return !error?.issues.some((issue) => toDotPath(issue.path) === toDotPath(path));
};

/** The message of one fault: the field's name and the schema's words, or a schema's whole sentence. */
const explainIssue = (schema: z.ZodType, value: unknown, { path, message, input }: z.core.$ZodIssue): string => {
  if (/^[A-Z]/.test(message)) return message;
  const name = toDotPath(path) || 'The body';
  if (input === undefined && message.startsWith('must be')) return `${name} is required: it ${message}.`;
  // Programs in many languages send null for a field that is not set.
  const isLeftOut = input === null && path.length > 0 && mayLeaveOut(schema, value, path);
  return isLeftOut ? `${name} ${message}, not null: leave it out.` : `${name} ${message}.`;
};

/** Parses `value` and adds the messages of its faults to `faults`. */
const parse = <T extends z.ZodType>(schema: T, value: unknown, faults: string[]): z.output<T> | undefined => {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  // A number far out of range breaks two rules of its schema, and both have the same message.
  faults.push(...new Set(result.error.issues.map((issue) => explainIssue(schema, value, issue))));
  return undefined;
};

/** The path's parameters without percent-encoding; undefined if the encoding is malformed. */
const decodedParams = (event: APIGatewayProxyEvent): Record<string, string> | undefined => {
  try {
    return Object.fromEntries(
      Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
    );
  } catch {
    return undefined;
  }
};

const parseParams = (row: Route, event: APIGatewayProxyEvent, faults: string[]): unknown => {
  const decoded = decodedParams(event);
  if (!decoded) faults.push('The path has a malformed percent-encoding.');
  const params = decoded && parse(row.params, decoded, faults);
  // The specification lists no 400 for a GET by id, so an id of another form gets 404.
  const isRow = ['id', 'uuid', 'keyId'].some((name) => name in row.params.shape);
  if (!params && row.method === 'GET' && isRow) throw notFound();
  return params;
};

const queryNotUtf8 = 'The query must be UTF-8 text without U+FFFD.';

const parseQuery = (row: Route, event: APIGatewayProxyEvent, faults: string[]): unknown => {
  const values = event.multiValueQueryStringParameters ?? {};
  const known = Object.keys(row.query.shape).filter((name) => (values[name]?.length ?? 0) > 0);
  // API Gateway replaces bytes that are not UTF-8, as in a body.
  if (known.some((name) => values[name]?.join().includes('\ufffd'))) faults.push(queryNotUtf8);
  const repeated = known.filter((name) => (values[name]?.length ?? 0) > 1);
  faults.push(...repeated.map((name) => `${name} must be given once.`));
  const once = known.filter((name) => !repeated.includes(name)).map((name) => [name, values[name]?.[0]]);
  return parse(row.query, Object.fromEntries(once), faults);
};

/**
 * Finds faults in a sent body that depend on the clock or a setting. They join the faults of form in one answer.
 * Without faults of form, the handler reports them: a repeated Idempotency-Key must get its first answer at any time.
 */
export type FaultsNow = (body: Readonly<Record<string, unknown>>) => string[];

/** `faults`, and the faults of `faultsNow` for fields that have none yet. */
const withFaultsNow = (faults: readonly string[], body: object | undefined, faultsNow: FaultsNow | undefined) => {
  const fieldOf = (message: string): string | undefined => message.split(' ')[0];
  const fields = new Set(faults.map(fieldOf));
  const more = (body && faultsNow?.({ ...body })) ?? [];
  return [...faults, ...more.filter((message) => !fields.has(fieldOf(message)))];
};

const parseList = (row: Route, event: APIGatewayProxyEvent, query: unknown, faults: string[]): ListRequest => {
  const owner = `${callerOf(event).store} ${row.id}`;
  const { limit = 0 } = (query ?? {}) as { limit?: number };
  const cursor = 'cursor' in row.query.shape ? event.multiValueQueryStringParameters?.cursor?.[0] : undefined;
  if (cursor === undefined || cursor.length > maxLength.cursor) return { limit, owner };
  const place = openCursor(cursor, owner);
  if (place) return { limit, owner, cursor: place };
  faults.push(cursorInvalid);
  return { limit, owner };
};

const idempotencyKeyFault = 'Idempotency-Key must be 1 to 255 printable ASCII characters without blanks, given once.';

/** The Idempotency-Key of a POST, if it has one. The quotes around it, which the IETF draft demands, are optional. */
const parseIdempotencyKey = (row: Route, event: APIGatewayProxyEvent, faults: string[]): string | undefined => {
  if (row.method !== 'POST') return undefined;
  const values = headerValues(event, 'idempotency-key');
  if (values.length === 0) return undefined;
  const key = values[0]?.replace(/^"(.*)"$/, '$1') ?? '';
  if (values.length === 1 && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  faults.push(idempotencyKeyFault);
  return undefined;
};

/** Parses path, query, body, Idempotency-Key and If-Match. Throws one 400 with all their faults. */
export const parseRequest = <R extends Route>(row: R, event: APIGatewayProxyEvent, faultsNow?: FaultsNow) => {
  // If API Gateway has a cached answer for one key, it does not ask the authorizer about the others.
  if (headerValues(event, 'x-api-key').length > 1) throw unauthorized();
  const caller = callerOf(event);
  const { store, keyId, keyOrigin = keyId, storeGone } = caller;
  // The contract wants this 404 from the endpoint, so the authorizer lets such a key pass.
  if (storeGone) throw notFound();
  const faults: string[] = [];
  const params = parseParams(row, event, faults);
  const query = parseQuery(row, event, faults);
  const list = parseList(row, event, query, faults);
  const sent = row.body && readBody(event, row.bodyOptional ?? false, faults);
  const body = row.body && sent && parse(row.body, sent, faults);
  const idempotencyKey = parseIdempotencyKey(row, event, faults);
  const ifMatch = preconditionOf(row, headerValues(event, 'if-match'), faults);
  if (faults.length > 0) throw invalid(...withFaultsNow(faults, sent, faultsNow));
  const { requestId: id } = event.requestContext;
  const isScript = isOfScript(event);
  const scopes = () => caller.scopes.split(' ') as Scope[];
  const request = { id, store, keyId, keyOrigin, scopes, params, query, body, list, isScript, ifMatch } as Request<R>;
  return { request, idempotencyKey };
};
