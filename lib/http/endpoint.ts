import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { now } from '../clock.ts';
import type { Route } from '../routes/route.ts';
import { maxCursorLength } from '../routes/wire.ts';
import { type Meter, metered, newMeter } from '../store/meter.ts';
import { answerOnce, type KeptAnswer } from '../store/request-record.ts';
import { isConflict, isThrottle } from '../store/retry.ts';
import { openCursor } from './cursor.ts';
import { logSink } from './log.ts';
import { cursorInvalid, type ListRequest } from './page.ts';
import { internalError, invalid, notFound, Problem, problemBody, unavailable } from './problem.ts';

/** What a function's rule gets: the request, parsed by the row's schemas. */
export interface Request<R extends Route> {
  /** Its `X-Request-Id`. */
  id: string;
  /** The store that the API key belongs to. */
  store: string;
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: R['body'] extends z.ZodType ? z.output<R['body']> : undefined;
  /** For lists: how much is asked for, and from where. */
  list: ListRequest;
}

/** What a rule answers with: all that the row's response schema asks for. What it does not declare is dropped. */
type Answer<R extends Route> = R['response'] extends z.ZodType ? z.input<R['response']> : unknown;

/** The store and key that the authorizer found; `storeGone` where the store was deleted after the key was issued. */
export interface Caller {
  store: string;
  keyId: string;
  storeGone?: string;
}

const maxBodyBytes = 256 * 1024;

/** The message of one fault: the field's name, then what is allowed; or a sentence of its own. */
const messageOf = ({ path, message, input }: z.core.$ZodIssue): string => {
  if (/^[A-Z]/.test(message)) return message;
  const name = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  );
  if (input === undefined && message.startsWith('must be')) return `${name || 'The body'} is required: it ${message}.`;
  return `${name || 'The body'} ${message}.`;
};

/** Parses `value`; the messages of its faults go to `faults`. */
const parse = <T extends z.ZodType>(schema: T, value: unknown, faults: string[]): z.output<T> | undefined => {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  // A number far out of range breaks two rules of its schema, which have one message.
  faults.push(...new Set(result.error.issues.map(messageOf)));
  return undefined;
};

/** The path's parameters, percent-decoded; undefined where the encoding is malformed. */
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
  // No 400 is listed for a GET of one row: an id that is no UUID is one that does not exist.
  if (!params && row.method === 'GET' && 'id' in row.params.shape) throw notFound();
  return params;
};

const parseQuery = (row: Route, event: APIGatewayProxyEvent, faults: string[]): unknown => {
  const values = event.multiValueQueryStringParameters ?? {};
  const known = Object.keys(row.query.shape).filter((name) => (values[name]?.length ?? 0) > 0);
  const repeated = known.filter((name) => (values[name]?.length ?? 0) > 1);
  faults.push(...repeated.map((name) => `${name} must be given once.`));
  const once = known.filter((name) => !repeated.includes(name)).map((name) => [name, values[name]?.[0]]);
  return parse(row.query, Object.fromEntries(once), faults);
};

const bodyNotJson = 'The body must be a JSON object.';

/** The value of a JSON text; undefined where it is none. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const parseBody = (row: Route, { body, isBase64Encoded }: APIGatewayProxyEvent, faults: string[]): unknown => {
  if (!row.body) return undefined;
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
  if (Buffer.byteLength(text) > maxBodyBytes) {
    faults.push(`The body must be at most ${maxBodyBytes / 1024} KiB.`);
    return undefined;
  }
  if (row.bodyOptional && text.trim() === '') return parse(row.body, {}, faults);
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return parse(row.body, value, faults);
  faults.push(bodyNotJson);
  return undefined;
};

const parseList = (row: Route, event: APIGatewayProxyEvent, query: unknown, faults: string[]): ListRequest => {
  const owner = `${event.requestContext.authorizer?.store} ${row.id}`;
  const { limit = 0 } = (query ?? {}) as { limit?: number };
  const cursor = 'cursor' in row.query.shape ? event.multiValueQueryStringParameters?.cursor?.[0] : undefined;
  if (cursor === undefined || cursor.length > maxCursorLength) return { limit, owner };
  const place = openCursor(cursor, owner);
  if (place) return { limit, owner, cursor: place };
  faults.push(cursorInvalid);
  return { limit, owner };
};

const idempotencyKeyFault = 'Idempotency-Key must be 1 to 255 printable ASCII characters, given once.';

/** The Idempotency-Key of a POST, if it has one; with or without the quotes that the draft wants around it. */
const parseIdempotencyKey = (row: Route, event: APIGatewayProxyEvent, faults: string[]): string | undefined => {
  if (row.method !== 'POST') return undefined;
  const values = Object.entries(event.multiValueHeaders ?? {}).flatMap(([name, all = []]) =>
    name.toLowerCase() === 'idempotency-key' ? all : [],
  );
  if (values.length === 0) return undefined;
  const key = values[0]?.replace(/^"(.*)"$/, '$1') ?? '';
  if (values.length === 1 && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  faults.push(idempotencyKeyFault);
  return undefined;
};

/** Parses path, query and body, and throws one 400 with the faults of all three. */
const parseRequest = <R extends Route>(row: R, event: APIGatewayProxyEvent) => {
  const { store, storeGone } = (event.requestContext.authorizer ?? {}) as unknown as Caller;
  // The layers before the endpoint let such a key pass: the contract wants 404 from the endpoint itself.
  if (storeGone) throw notFound();
  const faults: string[] = [];
  const params = parseParams(row, event, faults);
  const query = parseQuery(row, event, faults);
  const list = parseList(row, event, query, faults);
  const body = parseBody(row, event, faults);
  const idempotencyKey = parseIdempotencyKey(row, event, faults);
  if (faults.length > 0) throw invalid(...faults);
  const request = { id: event.requestContext.requestId, store, params, query, body, list } as Request<R>;
  return { request, idempotencyKey };
};

const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return isThrottle(error) || isConflict(error) ? unavailable() : internalError();
};

const answer = (
  status: number,
  headers: Record<string, string>,
  body: unknown,
  contentType = 'application/json',
): KeptAnswer => ({
  statusCode: status,
  headers: { 'Cache-Control': 'no-store', ...headers, ...(body !== undefined && { 'Content-Type': contentType }) },
  body: body === undefined ? '' : JSON.stringify(body),
});

const respond = (row: Route, event: APIGatewayProxyEvent, result: unknown): KeptAnswer => {
  // Parsed on its way out, so that no key or internal attribute of an item can leak.
  const body: { id?: string } | undefined = row.response?.parse(result);
  const location = row.status === 201 ? { Location: `${event.requestContext.path}/${body?.id}` } : {};
  return answer(row.status, location, body);
};

/** Parses the request and has it answered: once, where it has an Idempotency-Key. */
const serve = async <R extends Route>(
  row: R,
  rule: (request: Request<R>) => Promise<Answer<R>>,
  event: APIGatewayProxyEvent,
): Promise<APIGatewayProxyResult> => {
  const { request, idempotencyKey } = parseRequest(row, event);
  if (idempotencyKey === undefined) return respond(row, event, await rule(request));
  const { store, keyId } = (event.requestContext.authorizer ?? {}) as unknown as Caller;
  const { answer: kept, replayed } = await answerOnce(
    {
      store,
      keyId,
      idempotencyKey,
      request: `${row.method} ${event.requestContext.path}\n${event.body ?? ''}`,
      answerOf: (result) => respond(row, event, result),
    },
    () => rule(request),
  );
  return replayed ? { ...kept, headers: { ...kept.headers, 'Idempotent-Replayed': 'true' } } : kept;
};

/** One line per request. It holds no key, no query, no body and no message, so nothing secret can be in it. */
const logLine = (row: Route, event: APIGatewayProxyEvent, status: number, started: number, meter: Meter) => {
  const { requestId, authorizer } = event.requestContext;
  return {
    level: status >= 500 ? 'ERROR' : 'INFO',
    requestId,
    route: row.id,
    store: authorizer?.store,
    keyId: authorizer?.keyId,
    status,
    milliseconds: now() - started,
    calls: meter.calls,
    steps: meter.steps,
    units: meter.units,
  };
};

/**
 * The Lambda handler of a row. `rule` decides what the endpoint does; parsing, problems, headers and the log line are
 * the same for all and made here.
 */
export const endpoint = <R extends Route>(row: R, rule: (request: Request<R>) => Promise<Answer<R>>) => {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>((event: APIGatewayProxyEvent) =>
    serve(row, rule, event),
  ).onError((request) => {
    const problem = problemOf(request.error);
    if (problem.status === 500)
      logSink.write({ level: 'ERROR', requestId: request.event.requestContext.requestId, stack: request.error?.stack });
    const body = problemBody(problem, request.event.requestContext.path);
    request.response = answer(problem.status, problem.headers, body, 'application/problem+json');
  });

  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const meter = newMeter();
    const started = now();
    return metered(meter, async () => {
      const response = await handler(event, context);
      logSink.write(logLine(row, event, response.statusCode, started, meter));
      return { ...response, headers: { ...response.headers, 'X-Request-Id': event.requestContext.requestId } };
    });
  };
};
