import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { details } from '../../lib/problem.ts';
import type { Route } from '../../lib/routes/route.ts';
import type { Book } from './book.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of any endpoint.
type Body = any;

export interface Answer {
  status: number;
  body: Body;
  /** The number of attempts that may have reached the service, the answered one included. */
  attempts: number;
}

export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: object;
  /** The expected statuses. By default the row's own. */
  expect?: readonly number[];
}

/** A service that a machine reaches over HTTP, with the machine's clock. */
export interface Service {
  baseUrl: () => string;
  key: string;
  book: Book;
  /** Waits after this many attempts; undefined for a client with the real clock, which waits up to three seconds. */
  pause?: (attempts: number) => Promise<void>;
  /** A request without a final answer is given up after this long, by the real clock. */
  patienceMillis: number;
  /** Hears of every answer, even if the client retries it. */
  onAnswer?: (route: Route, status: number, millis: number) => void;
  /** Hears of an attempt without an answer. */
  onLost?: () => void;
  /** The schema of a row's answers in an earlier version, which may also answer. */
  earlier?: (route: Route) => Route['response'];
}

/** True for an answer after which the request is not repeated. */
export const isFinal = (status: number): boolean => ![409, 429, 500, 502, 503, 504].includes(status);

const pauseOnWall = (attempts: number): Promise<void> =>
  sleep(Math.min(100 * 2 ** attempts, 3000) * (0.5 + Math.random()));

const pathOf = ({ path }: Route, { params = {}, query = {} }: Call): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? filled : `${filled}?${text}`;
};

interface Attempt {
  /** Undefined if the attempt got no answer. */
  answer?: { status: number; body: Body };
  /** False if no service took the connection. */
  arrived: boolean;
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';

/** Sends a request once. */
const attempt = async (
  { baseUrl, key, onAnswer, onLost }: Service,
  route: Route,
  call: Call,
  idempotencyKey?: string,
): Promise<Attempt> => {
  const started = performance.now();
  try {
    const response = await fetch(baseUrl() + pathOf(route, call), {
      method: route.method,
      headers: { 'X-API-Key': key, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) },
      ...(call.body && { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(35_000),
    });
    const text = await response.text();
    onAnswer?.(route, response.status, performance.now() - started);
    return { answer: { status: response.status, body: text === '' ? undefined : JSON.parse(text) }, arrived: true };
  } catch (error) {
    onLost?.();
    return { arrived: !isRefused(error) };
  }
};

/** Adds a fault for a wrong status or a wrong form of the body. */
const check = (
  { book, earlier }: Service,
  route: Route,
  call: Call,
  { status, body }: { status: number; body: Body },
): void => {
  const { expect = [route.status] } = call;
  if (!expect.includes(status))
    book.fault(`${route.id}: ${status} instead of ${expect.join(' or ')}: ${JSON.stringify({ ...call, body })}`);
  else if (status === route.status && route.response) {
    const { success, error } = route.response.safeParse(body);
    if (!success && !earlier?.(route)?.safeParse(body).success)
      book.fault(`${route.id}: the answer has another shape: ${error.message}`);
  }
};

/** Retries a request until it has a final answer, a POST with one Idempotency-Key. */
export const send = async (service: Service, route: Route, call: Call = {}): Promise<Answer> => {
  const { patienceMillis, pause = pauseOnWall } = service;
  const idempotencyKey = route.method === 'POST' ? randomUUID() : undefined;
  const begun = performance.now();
  let arrivals = 0;
  for (let attempts = 1; ; attempts++) {
    const { answer, arrived } = await attempt(service, route, call, idempotencyKey);
    if (arrived) arrivals += 1;
    if (answer && isFinal(answer.status)) {
      check(service, route, arrivals === 1 ? call : { ...call, expect: orGone(route, call) }, answer);
      return { ...answer, attempts: arrivals };
    }
    if (performance.now() - begun > patienceMillis) {
      const text = `${route.id}: ${attempts} attempts in ${patienceMillis / 1000} s came to ${answer?.status}`;
      service.book.fault(text);
      throw new Error(text);
    }
    await pause(attempts);
  }
};

/** A retried DELETE may find that its first attempt has succeeded. */
const orGone = (route: Route, { expect = [route.status] }: Call): readonly number[] =>
  route.method === 'DELETE' ? [...expect, 404] : expect;

/** Says whether an answer tells that a request was not done. A 503 that leaves this open does not. */
export const isUndone = (answer: Attempt['answer']): boolean =>
  answer?.status === 503 && answer.body.detail !== details.unknownEnd;

/** Sends a request once, without an Idempotency-Key. */
export const sendOnce = async (service: Service, route: Route, call: Call): Promise<Attempt> => {
  const outcome = await attempt(service, route, call);
  if (outcome.answer) check(service, route, { ...call, expect: [route.status, 500, 503] }, outcome.answer);
  return outcome;
};

/** Walks a list from its first page to its last. */
export const walk = async (service: Service, route: Route, { query, ...call }: Call): Promise<Body[]> => {
  const found: Body[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body } = await send(service, route, { ...call, query: { ...query, ...(cursor && { cursor }) } });
    if (status !== 200) return found;
    found.push(...body.data);
    cursor = body.pagination.nextCursor;
  }
  return found;
};
