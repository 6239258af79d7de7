import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../../lib/routes/route.ts';
import type { Ledger } from './ledger.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of any endpoint.
type Body = any;

export interface Answer {
  status: number;
  body: Body;
  /** Whether the first attempt was the one that was answered: nothing can have been done before. */
  sure: boolean;
}

export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: object;
  /** The statuses that are right, if not the row's own. */
  expect?: readonly number[];
}

export interface Service {
  baseUrl: string;
  key: string;
  ledger: Ledger;
  /** Every answer: how long it took, whether or not it was one to repeat after. */
  onAnswer: (route: Route, status: number, millis: number) => void;
  /** An attempt without an answer. */
  onLost: () => void;
}

const giveUpMillis = 300_000;
const repeated = new Set([409, 429, 500, 502, 503, 504]);

const pathOf = ({ path }: Route, { params = {}, query = {} }: Call): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? filled : `${filled}?${text}`;
};

/** Sends a request once; undefined where no answer came. */
const attempt = async (
  { baseUrl, key, onAnswer, onLost }: Service,
  route: Route,
  call: Call,
  idempotencyKey?: string,
): Promise<{ status: number; body: Body } | undefined> => {
  const started = performance.now();
  try {
    const response = await fetch(baseUrl + pathOf(route, call), {
      method: route.method,
      headers: { 'X-API-Key': key, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) },
      ...(call.body && { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(35_000),
    });
    const text = await response.text();
    onAnswer(route, response.status, performance.now() - started);
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    onLost();
    return undefined;
  }
};

/** Notes what is wrong with an answer: its status, or the shape of its body. */
const check = (ledger: Ledger, route: Route, call: Call, { status, body }: { status: number; body: Body }): void => {
  const { expect = [route.status] } = call;
  if (!expect.includes(status))
    ledger.fault(`${route.id}: ${status} instead of ${expect.join(' or ')}: ${JSON.stringify({ ...call, body })}`);
  else if (status === route.status && route.response) {
    const { success, error } = route.response.safeParse(body);
    if (!success) ledger.fault(`${route.id}: the answer has another shape: ${error.message}`);
  }
};

/** Sends a request, a POST under an Idempotency-Key, again and again until it is answered for good. */
export const send = async (service: Service, route: Route, call: Call = {}): Promise<Answer> => {
  const idempotencyKey = route.method === 'POST' ? randomUUID() : undefined;
  const until = performance.now() + giveUpMillis;
  for (let attempts = 1; ; attempts++) {
    const answer = await attempt(service, route, call, idempotencyKey);
    const sure = attempts === 1;
    if (answer && !repeated.has(answer.status)) {
      check(service.ledger, route, sure ? call : { ...call, expect: orGone(route, call) }, answer);
      return { ...answer, sure };
    }
    if (performance.now() > until) {
      const text = `${route.id}: ${attempts} attempts in ${giveUpMillis / 1000} s came to ${answer?.status}`;
      service.ledger.fault(text);
      throw new Error(text);
    }
    await sleep(Math.min(100 * 2 ** attempts, 3000) * (0.5 + Math.random()));
  }
};

/** A DELETE that was repeated may find that its first attempt did it. */
const orGone = (route: Route, { expect = [route.status] }: Call): readonly number[] =>
  route.method === 'DELETE' ? [...expect, 404] : expect;

/** Sends a request once, without an Idempotency-Key. */
export const sendOnce = (service: Service, route: Route, call: Call): ReturnType<typeof attempt> =>
  attempt(service, route, call);

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
