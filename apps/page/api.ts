import { pageOf } from './code.ts';
import { keep, kept } from './session.ts';

/** The API at the page's own origin, by addresses relative to the page's: a stage may stand before both. */

/** The service refused a call. */
export class Refused extends Error {
  readonly status: number;
  readonly detail: string;
  /** The seconds until another try makes sense. */
  readonly seconds: number;

  constructor(status: number, detail: string, seconds: number) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.seconds = seconds;
  }
}

/** No answer came, or none that says whether the call was done. */
export class NoAnswer extends Error {}

const attempts = 3;
const timeoutMillis = 15_000;
/** A person waits for no longer pause than this before the next attempt. */
const mostSeconds = 3;

/** Statuses after which nobody knows whether a change was made. */
const isUncertain = (status: number): boolean => status === 408 || status === 409 || status >= 500;

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** The Idempotency-Keys of requests that got no answer, by request, so that pressing a button again repeats them. */
const unanswered = (): Record<string, string> => JSON.parse(kept('page.unanswered') ?? '{}');

const note = (request: string, key: string | undefined): void => {
  const { [request]: _, ...others } = unanswered();
  keep('page.unanswered', JSON.stringify(key === undefined ? others : { ...others, [request]: key }));
};

const detailIn = (text: string): string => {
  try {
    return String(JSON.parse(text).detail);
  } catch {
    return '';
  }
};

/** One attempt: the answer's body, or why there is none. */
const attempt = async (path: string, init: RequestInit): Promise<unknown> => {
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, { ...init, signal: AbortSignal.timeout(timeoutMillis) });
    // An answer may break off.
    text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
  } catch {
    throw new NoAnswer();
  }
  if (isUncertain(response.status)) throw new NoAnswer();
  throw new Refused(response.status, detailIn(text), Number(response.headers.get('Retry-After') ?? 0));
};

/** Repeats an attempt without an answer, and one that came at a busy moment. */
const persist = async (path: string, init: RequestInit): Promise<unknown> => {
  for (let number = 1; ; number++)
    try {
      return await attempt(path, init);
    } catch (error) {
      const isBusy = error instanceof Refused && error.status === 429 && error.seconds <= mostSeconds;
      if (number === attempts || !(isBusy || error instanceof NoAnswer)) throw error;
      await pause(error instanceof Refused ? 1000 * Math.max(1, error.seconds) : 500 * number);
    }
};

const headersOf = (key: string, others: Record<string, string> = {}): Record<string, string> => ({
  'X-API-Key': key,
  Accept: 'application/json',
  ...others,
});

/** Reads a row under `v1/me`. Throws Refused and NoAnswer. */
export const read = <T>(token: string, path: string): Promise<T> =>
  persist(`v1/me${path}`, { headers: headersOf(token) }) as Promise<T>;

/** Replaces a row under `v1/me`. Throws Refused and NoAnswer. */
export const put = <T>(token: string, path: string, body: object): Promise<T> =>
  persist(`v1/me${path}`, {
    method: 'PUT',
    headers: headersOf(token, { 'Content-Type': 'application/json' }),
    body: JSON.stringify(body),
  }) as Promise<T>;

/**
 * Does an act under `v1/me` once: it keeps its Idempotency-Key until it is answered, also over a reload, and the same
 * act repeats under that key. Throws Refused and NoAnswer.
 */
export const post = async <T>(key: string, path: string, body?: object): Promise<T> => {
  const text = body && JSON.stringify(body);
  const request = `${pageOf(key)} ${path} ${text ?? ''}`;
  const idempotencyKey = unanswered()[request] ?? crypto.randomUUID();
  note(request, idempotencyKey);
  const headers = { 'Idempotency-Key': idempotencyKey, ...(text && { 'Content-Type': 'application/json' }) };
  const forget = () => note(request, undefined);
  try {
    const answer = await persist(`v1/me${path}`, {
      method: 'POST',
      headers: headersOf(key, headers),
      ...(text && { body: text }),
    });
    forget();
    return answer as T;
  } catch (error) {
    if (error instanceof Refused && error.status !== 429) forget();
    throw error;
  }
};
