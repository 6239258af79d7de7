import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, InterruptedError, UsageError } from '../terminal/errors.ts';

/**
 * Another service with the contract's API, such as another vendor network. Every request is a GET, so nothing is
 * changed there. If the service throttles a request, all requests wait as the answer says.
 */

type Json = Record<string, unknown>;

export interface OtherService {
  /** The service's host, for messages and the log. */
  host: string;
  /** The answer about one record; undefined if the service does not have it. */
  get: (path: string) => Promise<Json | undefined>;
  /** The pages of a list from a cursor on. */
  pages: (path: string, options?: { limit?: number; cursor?: string | undefined }) => AsyncGenerator<Page>;
}

export interface Page {
  rows: Json[];
  next: string | undefined;
}

/** The service refuses a cursor because it has forgotten it. */
export class LostCursorError extends Error {}

export interface OtherOptions {
  signal?: AbortSignal | undefined;
  /** Called when all requests have to wait, because the service asks for it or does not answer. */
  onWait?: ((seconds: number, why: string) => void) | undefined;
}

const callMillis = 60_000;
const firstPause = 500;
const longestPause = 60_000;
/** The command gives up after this many failures of one request. */
const mostFailures = 12;

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/** Reads the address of a service, without `/v1` and slashes at its end. Throws if a key must not be sent there. */
export const parseServiceUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const example = 'such as https://api.example.com';
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`--from must be an address, ${example}.`);
  if (url.username || url.search || url.hash) throw new UsageError(`--from must be an address alone, ${example}.`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError('--from must begin with https://, so that nobody on the way reads the key.');
  url.pathname = url.pathname.replace(/(?:\/v1)?\/*$/, '');
  return url;
};

/** The time that `Retry-After` gives, in seconds or as a date; undefined if it gives none. */
const retryAfterMillis = (answer: Response): number | undefined => {
  const text = answer.headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
};

/**
 * True for a status after which another try may succeed: too many requests, or a fault of the service or of a proxy.
 */
const isTransient = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const neededScopes = 'products:read, categories:read, coupons:read, customers:read and giftcards:read';

/** Explains a refusal to the person who runs the command. */
const refusalOf = (host: string, path: string, status: number, detail: string): Error => {
  const said = detail === '' ? '' : ` (${detail})`;
  if (status === 401) return new Failure(`${host} does not accept the key${said}. Give another one.`);
  if (status === 403) return new Failure(`The key may not GET ${path} at ${host}${said}. It needs ${neededScopes}.`);
  return new Failure(`${host} answered ${status} to GET ${path}${said}.`);
};

/** Makes all requests wait while one of them has to. */
const startGate = ({ signal, onWait }: OtherOptions) => {
  let until = 0;
  const interrupted = (): never => {
    throw new InterruptedError('Interrupted. Give the same command again: it goes on where it was.');
  };
  return {
    close: (millis: number, why: string): void => {
      if (Date.now() + millis > until + 1000) onWait?.(Math.ceil(millis / 1000), why);
      until = Math.max(until, Date.now() + millis);
    },
    pass: async (): Promise<void> => {
      if (signal?.aborted) interrupted();
      for (let left = until - Date.now(); left > 0; left = until - Date.now())
        await sleep(left, undefined, { signal }).catch(interrupted);
    },
  };
};

interface Answer {
  status: number;
  body: unknown;
  retryMillis: number | undefined;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends one GET. */
const ask = async (url: string, key: string, signal: AbortSignal | undefined): Promise<Answer> => {
  const answer = await fetch(url, {
    method: 'GET',
    headers: { Accept: 'application/json, application/problem+json', 'X-API-Key': key },
    // A redirect could send the key to another address.
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(callMillis), ...(signal ? [signal] : [])]),
  });
  return { status: answer.status, body: parsed(await answer.text()), retryMillis: retryAfterMillis(answer) };
};

/** Repeats a request until the service itself answers. */
const askPatiently = async (
  host: string,
  gate: ReturnType<typeof startGate>,
  send: () => Promise<Answer>,
): Promise<Answer> => {
  for (let failures = 0; ; ) {
    await gate.pass();
    const pause = Math.min(firstPause * 2 ** failures, longestPause);
    let why: string;
    try {
      const answer = await send();
      if (!isTransient(answer.status)) return answer;
      why = `${host} answers ${answer.status}`;
      gate.close(answer.retryMillis ?? pause, why);
      // A 429 does not count as a failure, since the service answers a client that waits long enough.
      if (answer.status !== 429) failures += 1;
    } catch (error) {
      const { message, cause } = error as Error;
      why = `${host} does not answer: ${cause instanceof Error ? cause.message || cause.name : message}`;
      gate.close(pause, why);
      failures += 1;
    }
    if (failures >= mostFailures)
      throw new Failure(`${why}. Give the same command again later: it goes on where it was.`);
  }
};

type Get = OtherService['get'];

/** Reads the pages of a list. Throws if an answer is not a page, or a cursor comes twice. */
async function* pagesOf(
  host: string,
  get: Get,
  path: string,
  { limit = 1000, cursor }: { limit?: number; cursor?: string | undefined } = {},
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  for (let next = cursor; ; ) {
    const query = `limit=${limit}${next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`}`;
    const page = await get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    if (!page) return;
    const { data, pagination } = page;
    if (!Array.isArray(data) || !data.every(isObject) || !isObject(pagination))
      throw new Failure(`${host} answered GET ${path} with something that is no list.`);
    const after = pagination.nextCursor;
    next = typeof after === 'string' && after !== '' ? after : undefined;
    yield { rows: data, next };
    if (next === undefined) return;
    if (seen.has(next)) throw new Failure(`${host} answered GET ${path} with a page that comes again and again.`);
    seen.add(next);
  }
}

/** Opens another service with a key that it issued. */
export const openOther = (base: URL, key: string, options: OtherOptions = {}): OtherService => {
  const { host } = base;
  const gate = startGate(options);
  const get: Get = async (path) => {
    const url = `${base.href.replace(/\/$/, '')}${path}`;
    const { status, body } = await askPatiently(host, gate, () => ask(url, key, options.signal));
    if (status === 200 && isObject(body)) return body;
    if (status === 404) return undefined;
    const detail = isObject(body) && typeof body.detail === 'string' ? body.detail : '';
    if (status === 400 && /cursor/i.test(detail)) throw new LostCursorError(detail);
    if (status === 200) throw new Failure(`${host} answered GET ${path} with something that is no JSON object.`);
    throw refusalOf(host, path, status, detail);
  };
  return { host, get, pages: (path, range) => pagesOf(host, get, path, range) };
};
