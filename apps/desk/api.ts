import { NoAnswer, StoreProblem, storeClient } from '../client/client.ts';
import { tellOfKey } from './key-end.ts';
import { texts } from './texts.ts';

/** The typed client over the desk's own origin. */

/** The service's address: the desk's address without its own name, such as `https://example.org/prod`. */
export const baseUrl = (): string => `${location.origin}${location.pathname.replace(/\/desk\/?$/, '')}`;

/**
 * The Idempotency-Keys of requests that got no answer, by request. They last as long as the tab, so a reload keeps
 * them.
 */
const unansweredName = 'desk.unanswered';

const readUnanswered = (): Record<string, string> => JSON.parse(sessionStorage.getItem(unansweredName) ?? '{}');

const keepUnanswered = (request: string, key: string | undefined): void => {
  const { [request]: _, ...others } = readUnanswered();
  sessionStorage.setItem(unansweredName, JSON.stringify(key === undefined ? others : { ...others, [request]: key }));
};

/** True if a write of this tab got no answer, so that nobody knows whether it was made. */
export const hasUnanswered = (): boolean => Object.keys(readUnanswered()).length > 0;

/** Statuses after which nobody knows whether the change was made. */
const isUncertain = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/**
 * A `fetch` that makes each write once. A POST without an answer keeps its Idempotency-Key until the same request is
 * answered. So pressing a button again, even after a reload, repeats the change instead of making a second one. A PUT
 * or DELETE carries the ETag with which its thing was last read: it gets 412 if somebody else has changed the thing
 * since.
 */
const carefulFetch = (): typeof fetch => {
  const tags = new Map<string, string>();
  return async (input, init = {}) => {
    const { method = 'GET' } = init;
    const address = String(input);
    // The limits of a coupon are part of the coupon.
    const thing = address.replace(/\/limits$/, '');
    const headers = new Headers(init.headers);
    const request = `${address} ${init.body ?? ''}`;
    if (method === 'POST') {
      const key = readUnanswered()[request] ?? headers.get('Idempotency-Key') ?? crypto.randomUUID();
      headers.set('Idempotency-Key', key);
      keepUnanswered(request, key);
    }
    const tag = tags.get(thing);
    if (tag !== undefined && (method === 'PUT' || method === 'DELETE')) headers.set('If-Match', tag);
    const response = await fetch(address, { ...init, headers });
    // An answer may break off. Only a whole one counts.
    const text = await response.text();
    if (method === 'POST' && !isUncertain(response.status)) keepUnanswered(request, undefined);
    const newTag = response.headers.get('ETag');
    if (response.ok && newTag !== null && method !== 'POST') tags.set(thing, newTag);
    return new Response(response.status === 204 ? null : text, { status: response.status, headers: response.headers });
  };
};

/**
 * A client, and how it gets another key once its own has ended: the page that holds it stays. `attempts` and time-outs
 * are for a person who waits.
 */
export const connect = (apiKey: string) => {
  let key = apiKey;
  const client = storeClient({
    baseUrl: baseUrl(),
    apiKey,
    attempts: 3,
    timeoutMillis: 12_000,
    fetch: carefulFetch(),
    onRequest: ({ headers }) => headers.set('X-API-Key', key),
    onResponse: ({ status }) => {
      if (status === 401) tellOfKey('ended');
    },
  });
  const replaceKey = (next: string): void => {
    key = next;
  };
  return { client, replaceKey };
};

export type Client = ReturnType<typeof connect>['client'];

/** A failure in words for the person at the desk. */
export interface Fault {
  status: number | undefined;
  text: string;
  /** The service's own messages, and what makes words of them beside the fields of a form. */
  errors: readonly string[];
  words?: typeof import('./messages.ts');
}

/** Explains a failed call. Its words are loaded with the first one. Throws what is no failure of a call. */
export const explainError = async (error: unknown, noAnswer: string): Promise<Fault> => {
  if (error instanceof NoAnswer) return { status: undefined, text: noAnswer, errors: [] };
  if (!(error instanceof StoreProblem)) throw error;
  const { status, detail } = error;
  if (status === 401) return { status, text: texts.signIn.again.text, errors: [] };
  const errors = error.errors.length > 0 ? error.errors : [detail];
  const words = await import('./messages.ts').catch(() => undefined);
  const text = errors.map((message) => words?.wordsAlone(message) ?? message).join(' ');
  return { status, text, errors, ...(words && { words }) };
};

/** True if the service has refused the request itself: another one may succeed. */
export const isRefusal = (error: unknown): boolean => error instanceof StoreProblem && error.status === 400;

/** A thing without a version was read again before its change, and had changed. */
export class ChangedMeanwhile extends Error {}

/** True if somebody else has changed the thing since it was read. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ChangedMeanwhile || (error instanceof StoreProblem && error.status === 412);

/** The two rows that change credit by an amount. */
export const incrementPath = (type: string | undefined) =>
  type === 'restricted'
    ? ('/v1/customers/{identifier}/actions/increment-restricted-credit' as const)
    : ('/v1/customers/{identifier}/actions/increment-credit' as const);
