import { NoAnswer, StoreProblem } from './problem.ts';
import { isTransient, pause, pauseMillis } from './retry.ts';
import type { Endpoints } from './types.ts';

export { NoAnswer, StoreProblem } from './problem.ts';
export type * from './types.ts';
export {
  type EventData,
  type EventType,
  type StoreEvent,
  type VerifyOptions,
  verifyWebhook,
  type WebhookMessage,
  WebhookRefused,
} from './webhook.ts';

/** Where the service is, and how to call it. */
export interface ClientOptions {
  /** `http://127.0.0.1:4000`, or the stack's `BaseUrl`. A `/v1` or slash at its end may be there or not. */
  baseUrl: string;
  apiKey: string;
  /** The most attempts of one request. 5 by default. */
  attempts?: number;
  /** The time-out of one attempt. 30,000 by default. */
  timeoutMillis?: number;
  /** Replaces the global `fetch`, for a proxy or for tests. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, its pauses included. */
  signal?: AbortSignal;
  /**
   * For POST: the service makes a change once per key within 24 hours. The client makes a new key for each call. Pass
   * your own if your program may repeat the call, for example after a crash.
   */
  idempotencyKey?: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type PathOf<M extends Method> = keyof Endpoints extends infer E ? (E extends `${M} ${infer P}` ? P : never) : never;
type Exchange<M extends Method, P extends string> = `${M} ${P}` extends keyof Endpoints
  ? Endpoints[`${M} ${P}`]
  : never;
type Sent<M extends Method, P extends string> = Omit<Exchange<M, P>, 'answer'> & CallOptions;
/** The argument is optional where none of its members is required. */
type Arguments<T> = Record<never, never> extends T ? [sent?: T] : [sent: T];
type Answer<M extends Method, P extends string> = Exchange<M, P> extends { answer: infer A } ? A : undefined;
/** The paths of lists, whose answers have rows. */
type ListPath = { [P in PathOf<'GET'>]: Answer<'GET', P> extends { data: unknown[] } ? P : never }[PathOf<'GET'>];
type Row<P extends ListPath> = Answer<'GET', P> extends { data: (infer R)[] } ? R : never;

interface AnySent extends CallOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

const addressOf = (baseUrl: string, template: string, { path = {}, query = {} }: AnySent): string => {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
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
      const option = { 'X-API-Key': 'apiKey', 'Idempotency-Key': 'idempotencyKey' }[name] ?? name;
      throw new TypeError(`${option} has a character that the header ${name} must not have.`);
    }
};

/** The request that all attempts of a call send. Throws if it cannot be sent. */
const requestOf = (method: Method, template: string, sent: AnySent, { baseUrl, apiKey }: ClientOptions) => {
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
  };
  checkHeaders(headers);
  const body = sent.body === undefined ? {} : { body: JSON.stringify(sent.body) };
  return {
    address: addressOf(baseUrl, template, sent),
    init: { method, headers, redirect: 'error' as const, ...body },
    idempotencyKey,
  };
};

/** The parsed body of an answer. It may not be JSON where a proxy answers for the service. */
const bodyOf = async (response: Response): Promise<{ value?: unknown; isJson: boolean }> => {
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

/**
 * A client of one store. Each method takes a path as the API reference writes it, then `path`, `query` and `body`. It
 * returns the parsed body, or undefined for 204.
 *
 * It retries transient failures (429, 5xx, a lost connection, a time-out), and waits as long as `Retry-After` asks. A POST
 * has an Idempotency-Key, so it takes effect once even if an answer is lost. Throws `StoreProblem` for any other failure
 * and for an answer that is not JSON, and `NoAnswer` if the last attempt gets none or `signal` ends the call. Both carry
 * the `idempotencyKey`. Throws a TypeError, without sending anything, if the call itself is wrong.
 */
export const storeClient = (options: ClientOptions) => {
  const { attempts = 5, timeoutMillis = 30_000, fetch: send = fetch } = options;

  const attempt = async (
    { address, init }: Pick<ReturnType<typeof requestOf>, 'address' | 'init'>,
    signal: AbortSignal | undefined,
  ) => {
    const limit = AbortSignal.timeout(timeoutMillis);
    const response = await send(address, { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    // Part of the attempt, since an answer may break off.
    return { response, ...(await bodyOf(response)) };
  };

  const call = async (method: Method, template: string, sent: AnySent = {}): Promise<unknown> => {
    const { idempotencyKey, ...request } = requestOf(method, template, sent, options);
    for (let number = 1; ; number++) {
      const last = number >= attempts;
      const answer = await attempt(request, sent.signal).catch((error: unknown) => {
        if (last || sent.signal?.aborted) throw new NoAnswer(error, idempotencyKey);
        return undefined;
      });
      if (answer?.response.ok && answer.isJson) return answer.value;
      const wait = pauseMillis(number, answer?.response.headers.get('Retry-After') ?? null);
      if (answer && (last || wait === undefined || !isTransient(answer.response.status))) {
        const { status, ok, headers } = answer.response;
        const { pathname } = new URL(request.address);
        const requestId = headers.get('X-Request-Id') ?? undefined;
        throw new StoreProblem(status, ok ? noJson : answer.value, pathname, { requestId, idempotencyKey });
      }
      await pause(wait ?? 0, sent.signal).catch((reason: unknown) => {
        throw new NoAnswer(reason, idempotencyKey);
      });
    }
  };

  const verb =
    <M extends Method>(method: M) =>
    <P extends PathOf<M>>(path: P, ...[sent]: Arguments<Sent<M, P>>): Promise<Answer<M, P>> =>
      call(method, path, sent as AnySent) as Promise<Answer<M, P>>;

  /** Yields every row of a list, page after page: `for await (const product of store.rows('/v1/products'))`. */
  async function* rows<P extends ListPath>(path: P, ...[sent]: Arguments<Sent<'GET', P>>): AsyncGenerator<Row<P>> {
    const first = sent as AnySent | undefined;
    for (let cursor: unknown = first?.query?.cursor; ; ) {
      // A cursor does not carry the filters.
      const page = (await call('GET', path, { ...first, query: { ...first?.query, cursor } })) as {
        data: Row<P>[];
        pagination: { nextCursor: string | null };
      };
      yield* page.data;
      if (page.pagination.nextCursor === null) return;
      cursor = page.pagination.nextCursor;
    }
  }

  return { get: verb('GET'), post: verb('POST'), put: verb('PUT'), delete: verb('DELETE'), rows };
};
