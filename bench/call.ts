import { logSink } from '../lib/log.ts';
import { routes } from '../lib/routes/routes.ts';
import type { Call } from '../test/support/service.ts';
import { eventOf, type LambdaHandler } from './support.ts';

/** Calls the functions of one store as the tests do, but without a server between: the answer and what it cost. */
export const callIn =
  (store: string): Call =>
  async (method, url, body) => {
    const { pathname, searchParams } = new URL(url, 'http://bench.invalid');
    const matches = routes.flatMap((row) => {
      const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
      const values = new RegExp(`^${row.path.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname)?.slice(1);
      if (row.method !== method || !values) return [];
      return [{ row, params: Object.fromEntries(names.map((name, index) => [name, values[index]])) }];
    });
    const match = matches[0];
    if (!match) throw new Error(`There is no ${method} ${pathname}.`);
    const { handler } = (await import(`../functions/${match.row.id}.ts`)) as { handler: LambdaHandler };
    const lines: object[] = [];
    logSink.write = (fields) => {
      lines.push(fields);
    };
    const event = eventOf({
      method,
      route: match.row.path,
      path: pathname,
      params: match.params,
      query: searchParams,
      body,
      store,
    });
    const answer = await handler(event, {} as Parameters<LambdaHandler>[1]);
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${pathname} answered ${answer.statusCode}: ${answer.body}`);
    return {
      status: answer.statusCode,
      headers: new Headers(),
      body: answer.body ? JSON.parse(answer.body) : undefined,
      cost: lines.at(-1) as Awaited<ReturnType<Call>>['cost'],
    };
  };
