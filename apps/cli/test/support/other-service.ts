import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '../../../../lib/routes/routes.ts';
import { matcher } from '../../../../local/gateway/matcher.ts';
import { atEnd } from '../../../../test/support/at-end.ts';

/** A fault of another service: an answer in the place of its own, one that it makes of its own, or none at all. */
export type Fault = (
  path: string,
  number: number,
) => { status: number; headers?: Record<string, string> } | ((body: string) => string) | 'broken' | undefined;

/**
 * Another vendor's service as a client sees it: really one of these services that answers only the contract's rows. It
 * counts its requests by method, and has the faults that it is given.
 */
export const startOther = async (baseUrl: string) => {
  const rowOf = matcher(routes.filter(({ extension }) => !extension));
  const methods = new Map<string, number>();
  const paths: string[] = [];
  const state = { fault: undefined as Fault | undefined, rewrite: (path: string): string => path };
  const answer = async (response: ServerResponse, method: string, path: string, key: string): Promise<void> => {
    const problem = (status: number, headers = {}): void =>
      void response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers }).end('{}');
    methods.set(method, (methods.get(method) ?? 0) + 1);
    paths.push(path);
    const fault = state.fault?.(path, paths.length);
    if (fault === 'broken') return void response.destroy();
    if (typeof fault === 'object') return problem(fault.status, fault.headers);
    if (!rowOf(method, path.split('?')[0] ?? '')) return problem(404);
    const real = await fetch(baseUrl + state.rewrite(path), { method, headers: { 'X-API-Key': key } });
    const text = await real.text();
    response.writeHead(real.status, { 'Content-Type': real.headers.get('content-type') ?? '' });
    response.end(fault ? fault(text) : text);
  };
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    answer(response, method, url, String(headers['x-api-key'] ?? '')).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    paths,
    failWith: (fault: Fault | undefined): void => {
      state.fault = fault;
    },
    /** Changes the paths of requests before the service gets them, for such as shorter pages. */
    rewrite: (rewrite: (path: string) => string): void => {
      state.rewrite = rewrite;
    },
  };
};
