import { type Route, takesIfMatch, takesKeys } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { onceOnly } from '../../test/support/example-requests.ts';
import { type FuzzRequest, strangers } from '../../test/support/requests.ts';
import { ada, bob, cleo } from '../../test/support/residents.ts';

/** Derives the allowed answers from the rows' schemas, without the service's code. */

const patterns = new Map(routes.map((row) => [row, new RegExp(`^${row.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)]));

/** The row that a request reaches. If two match, it is the one that names more of the path. */
export const rowOf = (method: string, target: string): Route | undefined => {
  const path = target.split('?')[0] ?? '';
  const fitting = routes.filter((row) => row.method === method && patterns.get(row)?.test(path));
  return fitting.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
};

/** The path's parameters; undefined if an encoding is malformed. */
const paramsOf = (row: Route, path: string): Record<string, string> | undefined => {
  const sent = patterns.get(row)?.exec(path)?.groups ?? {};
  try {
    return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
};

const isQueryFaulty = (row: Route, query: string): boolean => {
  // A percent sign without two digits counts as bytes that are not UTF-8.
  const values = new URLSearchParams(query.replaceAll(/%(?![0-9a-f]{2})/gi, '%FF'));
  const known = Object.keys(row.query.shape).filter((name) => values.has(name));
  if (known.some((name) => values.getAll(name).length > 1 || values.get(name)?.includes('\ufffd'))) return true;
  return !row.query.safeParse(Object.fromEntries(known.map((name) => [name, values.get(name)]))).success;
};

const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** The value of a body's JSON. */
const parsedBody = (bytes: string) => JSON.parse(textOf(bytes).replace(/^\ufeff/, ''));

/** True if a value holds a member or a character that no body may have, or nests deeper than a body may. */
const isRefused = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return value.includes('\ufffd');
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 5000 || Object.hasOwn(value, '__proto__')) return true;
  if (Object.hasOwn(value, 'constructor') && Object.hasOwn(Object(value.constructor), 'prototype')) return true;
  return Object.entries(value).some(([name, inner]) => name.includes('\ufffd') || isRefused(inner, depth + 1));
};

const isBodyFaulty = (row: Route, bytes: string): boolean => {
  if (!row.body) return false;
  const text = textOf(bytes);
  if (Buffer.byteLength(text) > 256 * 1024) return true;
  if (row.bodyOptional && text.trim() === '') return false;
  try {
    const value = parsedBody(bytes);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRefused(value)) return true;
    return !row.body.safeParse(value).success;
  } catch {
    return true;
  }
};

const isIdempotencyKeyFaulty = (row: Route, keys: string[]): boolean =>
  row.method === 'POST' &&
  keys.length > 0 &&
  (keys.length > 1 || !/^[\x21-\x7e]{1,255}$/.test(keys[0]?.replace(/^"(.*)"$/, '$1') ?? ''));

/** A list of ETags. Backtracking does no harm to short texts. */
const etags = /^[\t ,]*(?:W\/)?"[!#-~\x80-\xff]*"(?:[\t ]*,[\t ,]*(?:W\/)?"[!#-~\x80-\xff]*")*[\t ,]*$/;

/** The state of a request's precondition: none, malformed, or for a state that is not current. */
const preconditionOf = (row: Route, headers: readonly [string, string][]): 'none' | 'malformed' | 'fails' => {
  const values = headers
    .filter(([name]) => name === 'If-Match')
    .map(([, value]) => value.replace(/^[\t ]+|[\t ]+$/g, ''));
  if (!takesIfMatch(row) || values.length === 0 || values.join() === '*') return 'none';
  return etags.test(values.join()) ? 'fails' : 'malformed';
};

const names = new Set([ada, bob, cleo, ...strangers].flatMap(({ uuid, username }) => [uuid, username]));

const isKnown = (identifier = ''): boolean =>
  names.has(
    identifier
      .trim()
      .toLowerCase()
      .replace(/[ .]resident$/, '')
      .replace(' ', '.'),
  );

/** Endpoints that never refuse a well-formed request about an existing resident. */
const undecidedByState = [
  'customers/get-customer',
  'customers/get-credit',
  'customers/get-spend',
  'customers/update-customer',
  'customers/ban-customer',
  'customers/unban-customer',
  'gift-cards/grant-gift-card',
  'categories/create-category',
];

/** Writes without a body that an earlier request may have made impossible. A redeemed card cannot be disabled. */
const decidedByState: readonly string[] = [...onceOnly, 'gift-cards/disable-gift-card'];

/** Nothing makes history here, so an undo waits for it in vain. */
const undo = 'customers/undo-credit-change';

/** True if a request here can succeed. Each has a key, and neither a code nor the token of a page. */
export const canSucceed = (row: Route): boolean => takesKeys(row) && row.id !== undo;

/** True if no earlier write can change the status of a well-formed request. */
const isFree = (row: Route, query: string, body: string): boolean => {
  if (row.id === 'products/create-product') {
    const { profitShares = [], demoId = null } = parsedBody(body);
    return profitShares.length === 0 && demoId === null;
  }
  const sent = new URLSearchParams(query);
  const isFromItsEdge = !('id' in row.params.shape) && !sent.has('cursor') && !sent.has('after');
  // A span may end before it begins.
  const isSpan = sent.has('from') && sent.has('to');
  return ('cursor' in row.query.shape && isFromItsEdge && !isSpan) || undecidedByState.includes(row.id);
};

/** The statuses that a well-formed request may get while nothing fails. */
const wellFormedStatuses = (row: Route, params: Record<string, string>, query: string, body: string): number[] => {
  const { identifier } = params;
  // An earlier request may have told the store of an avatar whom nobody imported.
  if (isFree(row, query, body))
    return identifier === undefined || isKnown(identifier) ? [row.status] : [row.status, 404];
  // Any other write without a body can only fail by its path.
  return row.body || row.method === 'GET' || decidedByState.includes(row.id)
    ? [row.status, ...row.problems]
    : [row.status, 404];
};

/**
 * The statuses that a request (with its fixtures filled in) may get. A request that is sent `alone` meets no
 * contention, so it must not get 503.
 */
export const expectedStatuses = (
  { method, target, headers, body = '', expect }: FuzzRequest,
  { alone = false } = {},
): number[] => {
  if (expect) return expect;
  // HTTP allows only ASCII in a request line.
  if (/[^\x21-\x7e]/.test(target)) return [400];
  const row = rowOf(method, target);
  if (!row) return [404];
  if (!takesKeys(row)) return [403];
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const params = paramsOf(row, path);
  const idempotencyKeys = headers.filter(([name]) => name === 'Idempotency-Key').map(([, value]) => value.trim());
  const isPathFaulty = !params || !row.params.safeParse(params).success;
  if (isPathFaulty && row.method === 'GET' && ['id', 'uuid', 'keyId'].some((name) => name in row.params.shape))
    return [404];
  const precondition = preconditionOf(row, headers);
  const faulty =
    isPathFaulty ||
    precondition === 'malformed' ||
    isQueryFaulty(row, query) ||
    isBodyFaulty(row, body) ||
    isIdempotencyKeyFaulty(row, idempotencyKeys);
  if (faulty) return [400];
  const statuses = wellFormedStatuses(row, params, query, body);
  return [
    ...(precondition === 'fails' ? statuses.map((status) => (status === row.status ? 412 : status)) : statuses),
    ...(alone && row.id !== undo ? [] : [503]),
    ...(idempotencyKeys.length > 0 ? [409, 422] : []),
    // A store makes few keys in an hour.
    ...(row.makes ? [429] : []),
  ];
};
