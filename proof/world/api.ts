import { randomUUID } from 'node:crypto';
import type { Actor } from './actor.ts';

/** A merchant's program beside the scripts: it repeats each request until it has a final answer. */

// biome-ignore lint/suspicious/noExplicitAny: bodies of any endpoint.
export type Body = any;

const isFinal = (status: number): boolean => status < 500 && status !== 409 && status !== 429;

export const createApi = (actor: Actor, baseUrl: () => string, key: string) => {
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Body }> => {
    const idempotencyKey = randomUUID();
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(baseUrl() + path, {
        method,
        headers: { 'X-API-Key': key, ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      }).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response && text !== undefined && isFinal(response.status))
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
      if (attempt > 200) throw new Error(`${method} ${path} got no final answer (${response?.status}).`);
      await actor.wait(Math.min(attempt, 10));
    }
  };
  return {
    call,
    /** The body of an answer that must be a success. */
    must: async (method: string, path: string, body?: object): Promise<Body> => {
      const answer = await call(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    /** All rows of a list. */
    all: async (path: string): Promise<Body[]> => {
      const rows: Body[] = [];
      for (let cursor = ''; ; ) {
        const { status, body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor}`);
        if (status === 404) return rows;
        if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
        rows.push(...body.data);
        if (!body.pagination.nextCursor) return rows;
        cursor = `&cursor=${encodeURIComponent(body.pagination.nextCursor)}`;
      }
    },
  };
};

export type Api = ReturnType<typeof createApi>;
