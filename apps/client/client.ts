import {
  type Answered,
  answered,
  type CallOptions,
  type Listed,
  listed,
  type Page,
  type WithResponse,
} from './answer.ts';
import { operations, type Resources } from './operations.ts';
import { NoAnswer, StoreProblem } from './problem.ts';
import { isTransient, pause, pauseMillis } from './retry.ts';
import type { Endpoints } from './types.ts';

export type { Answered, CallOptions, Listed, WithResponse } from './answer.ts';
export type { Resources } from './operations.ts';
export { NoAnswer, StoreProblem } from './problem.ts';
export type * from './types.ts';
export {
  type EventData,
  type StoreEvent,
  type VerifyOptions,
  verifyWebhook,
  type WebhookMessage,
  WebhookRefused,
} from './webhook.ts';

/** Where the service is, and how to call it. */
export interface ClientOptions {
  /** `http://127.0.0.1:4000`, or the stack's `BaseUrl`. It may end with `/v1` or a slash. */
  baseUrl: string;
  apiKey: string;
  /** The most attempts of one request. 5 by default. */
  attempts?: number;
  /** The time-out of one attempt. 30,000 by default. */
  timeoutMillis?: number;
  /** Replaces the global `fetch`, for a proxy or for tests. */
  fetch?: typeof fetch;
  /** Runs before each attempt, and may change its headers. They hold the API key: log none. */
  onRequest?: (attempt: Attempt & { headers: Headers }) => void | Promise<void>;
  /** Runs after each attempt, for logs and figures. */
  onResponse?: (attempt: Attempt & Outcome) => void | Promise<void>;
}

/** One attempt of a call, as hooks see it. */
export interface Attempt {
  method: Method;
  /** The path as the reference writes it, with its placeholders. */
  path: string;
  url: string;
  /** 1 for the first. */
  attempt: number;
}

/** The end of an attempt. Without an answer there is an `error` instead of a `status`. */
export interface Outcome {
  status: number | undefined;
  requestId: string | undefined;
  millis: number;
  error: unknown;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type PathOf<M extends Method> = keyof Endpoints extends infer E ? (E extends `${M} ${infer P}` ? P : never) : never;
type Exchange<M extends Method, P extends string> = `${M} ${P}` extends keyof Endpoints
  ? Endpoints[`${M} ${P}`]
  : never;
type RequestParts<M extends Method, P extends string> = Omit<Exchange<M, P>, 'answer'> & CallOptions;
/** The argument is optional if none of its members is required. */
type Arguments<T> = Record<never, never> extends T ? [sent?: T] : [sent: T];
type Answer<M extends Method, P extends string> = Exchange<M, P> extends { answer: infer A } ? A : undefined;
/** The paths of lists, whose answers have pages of rows. */
type ListPath = { [P in PathOf<'GET'>]: Answer<'GET', P> extends Page ? P : never }[PathOf<'GET'>];
type Row<P extends ListPath> = Answer<'GET', P> extends { data: (infer R)[] } ? R : never;

type Verb<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...sent: Arguments<RequestParts<M, P>>
) => Answered<Answer<M, P>>;

/**
 * The calls of a store: the methods of its resources, and the methods that take a path as the API reference writes it.
 */
export interface StoreClient extends Resources {
  get: Verb<'GET'>;
  post: Verb<'POST'>;
  put: Verb<'PUT'>;
  delete: Verb<'DELETE'>;
  /** Yields every row of a list, page after page: `for await (const product of store.rows('/v1/products'))`. */
  rows: <P extends ListPath>(
    path: P,
    ...sent: Arguments<RequestParts<'GET', P>>
  ) => AsyncGenerator<Row<P>, void, undefined>;
}

interface AnyRequest extends CallOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const addressOf = (baseUrl: string, template: string, { path = {}, query = {} }: AnyRequest): string => {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = path[name];
    // URLs drop such segments, so the request would go to another path.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be a text, and not empty, "." or "..".`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return `${baseUrl.replace(/(?:\/v1)?\/*$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`;
};

/** Throws if a header cannot be sent. Never quotes its value, as `fetch` would, since it may be the key. */
const checkHeaders = (headers: Record<string, string>): void => {
  for (const [name, value] of Object.entries(headers))
    try {
      new Headers({ [name]: value });
    } catch {
      const option =
        { 'X-API-Key': 'apiKey', 'Idempotency-Key': 'idempotencyKey', 'If-Match': 'ifMatch' }[name] ?? name;
      throw new TypeError(`${option} has a character that the header ${name} must not have.`);
    }
};

/** The request that all attempts of a call send. Throws if it cannot be sent. */
const buildRequest = (method: Method, template: string, sent: AnyRequest, { baseUrl, apiKey }: ClientOptions) => {
  if (!/^https?:\/\/[^/@]+(\/|$)/i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      'baseUrl must begin with http:// or https://, such as https://example.org, without a password.',
    );
  const idempotencyKey = method === 'POST' ? (sent.idempotencyKey ?? crypto.randomUUID()) : undefined;
  const headers = {
    'X-API-Key': apiKey,
    Accept: 'application/json',
    ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(sent.ifMatch !== undefined && { 'If-Match': sent.ifMatch }),
  };
  checkHeaders(headers);
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) };
  return {
    address: addressOf(baseUrl, template, sent),
    init: { method, headers, redirect: 'error' as const, ...body },
    idempotencyKey,
  };
};

/** The parsed body of an answer. If a proxy answers instead of the service, it may not be JSON. */
const readBody = async (response: Response): Promise<{ value?: unknown; isJson: boolean }> => {
  const text = await response.text();
  if (text === '') return { isJson: response.status === 204 };
  try {
    return { value: JSON.parse(text), isJson: true };
  } catch {
    return { isJson: false };
  }
};

const noJson = {
  title: 'Not JSON',
  detail: 'The answer is not JSON. Check that baseUrl leads to the service and that no proxy answers for it.',
};

type RequestSender = (method: Method, path: string, sent?: AnyRequest) => Promise<WithResponse<unknown>>;

/** Sends a request, and sends it again after transient failures, until an answer is final. */
const exchangeWith = (options: ClientOptions): RequestSender => {
  const { attempts = 5, timeoutMillis = 30_000, fetch: send = fetch, onRequest, onResponse } = options;

  const attempt = async (address: string, init: RequestInit, signal: AbortSignal | undefined) => {
    const limit = AbortSignal.timeout(timeoutMillis);
    const response = await send(address, { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    // Reading is a part of the attempt, since an answer may break off.
    return { response, ...(await readBody(response)) };
  };

  return async (method, path, sent = {}) => {
    const { idempotencyKey, address: url, init } = buildRequest(method, path, sent, options);
    for (let number = 1; ; number++) {
      const last = number >= attempts;
      const about = { method, path, url, attempt: number };
      const headers = new Headers(init.headers);
      await onRequest?.({ ...about, headers });
      const began = performance.now();
      let error: unknown;
      const answer = await attempt(url, { ...init, headers }, sent.signal).catch((reason: unknown) => {
        error = reason;
        return undefined;
      });
      const requestId = answer?.response.headers.get('X-Request-Id') ?? undefined;
      const millis = performance.now() - began;
      await onResponse?.({ ...about, status: answer?.response.status, requestId, millis, error });
      if (!answer && (last || sent.signal?.aborted)) throw new NoAnswer(error, idempotencyKey);
      if (answer?.response.ok && answer.isJson)
        return { data: answer.value, status: answer.response.status, requestId, headers: answer.response.headers };
      const wait = pauseMillis(number, answer?.response.headers.get('Retry-After') ?? null);
      if (answer && (last || wait === undefined || !isTransient(answer.response.status))) {
        const { status, ok } = answer.response;
        throw new StoreProblem(status, ok ? noJson : answer.value, new URL(url).pathname, {
          requestId,
          idempotencyKey,
        });
      }
      await pause(wait ?? 0, sent.signal).catch((reason: unknown) => {
        throw new NoAnswer(reason, idempotencyKey);
      });
    }
  };
};

/** A call by the values of the path, then body or query, then options. */
type Operation = (...values: unknown[]) => Answered<unknown>;

/** The method of a line of `operations`. */
const makeCall = (
  line: string,
  call: (method: Method, path: string, sent?: AnyRequest) => Answered<unknown>,
  list: (path: string, sent?: AnyRequest) => Listed<unknown>,
): Operation => {
  const [method = '', path = '', rest] = line.split(' ');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return (...values) => {
    const [first, second] = values.slice(names.length);
    const sent = {
      path: Object.fromEntries(names.map((name, n) => [name, values[n] as string])),
      ...(rest === undefined ? {} : { [rest === 'list' ? 'query' : rest]: first }),
      ...((rest === undefined ? first : second) as CallOptions | undefined),
    };
    return rest === 'list' ? list(path, sent) : call(method as Method, path, sent);
  };
};

/**
 * A client of one store. `store.customers.incrementCredit('ada', { delta: 100 })` takes the values of the path, then
 * body or query, then options. `get`, `post`, `put` and `delete` take a path as the API reference writes it, then
 * `path`, `query` and `body`. A call returns the parsed body, or undefined for 204; `withResponse()` on it also gives
 * the request id. The client retries transient failures (429, 5xx, a lost connection, a time-out), and waits as long as
 * `Retry-After` asks. A POST has an Idempotency-Key, so it takes effect once even if an answer is lost. Throws
 * `StoreProblem` for any other failure and for an answer that is not JSON. Throws `NoAnswer` if the last attempt gets
 * none or `signal` ends the call. Both carry the `idempotencyKey`. Throws a TypeError, without sending anything, if the
 * call itself is wrong.
 */
export const storeClient = (options: ClientOptions): StoreClient => {
  const exchange = exchangeWith(options);

  const call = (method: Method, path: string, sent?: AnyRequest): Answered<unknown> =>
    answered(exchange(method, path, sent));

  const list = (path: string, sent?: AnyRequest): Listed<unknown> =>
    // A cursor does not carry the filters.
    listed(call('GET', path, sent), (cursor) => call('GET', path, { ...sent, query: { ...sent?.query, cursor } }));

  const resources = Object.fromEntries(
    Object.entries(operations).map(([group, lines]) => [
      group,
      Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, makeCall(line, call, list)])),
    ]),
  );

  const verb = (method: Method) => (path: string, sent?: AnyRequest) => call(method, path, sent);

  async function* rows(path: string, sent?: AnyRequest): AsyncGenerator<unknown> {
    yield* list(path, sent);
  }

  const byPath = { get: verb('GET'), post: verb('POST'), put: verb('PUT'), delete: verb('DELETE'), rows };
  return { ...resources, ...byPath } as unknown as StoreClient;
};
