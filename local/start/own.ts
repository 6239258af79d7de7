import { readdir, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { bundleDesk } from '../../infra/desk.ts';
import { answerDesk, customerPage } from '../../lib/http/desk.ts';
import { answerPage } from '../pages/pages.ts';
import { answerDev } from './dev.ts';

/** Answers requests for the local service's own pages and tools, which the API does not have. */

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Says why a request is refused, if it is. Programs on this machine may use the tools. A web site that the developer
 * visits may not. Such a site can give this address another name, which is then the host, or send a form, which has a
 * foreign origin.
 */
const refusal = ({ method, headers: { host = '', origin, ...others } }: IncomingMessage): string | undefined => {
  if (!loopbackHost.test(host))
    return `Open this as 127.0.0.1 or localhost, not as ${host || 'a host without a name'}.`;
  // In this header, which no page can set, a browser tells that another site sends the request, even without an origin.
  const site = String(others['sec-fetch-site'] ?? 'none');
  const isOwn = origin === undefined ? /^(?:none|same-origin)$/.test(site) : origin === `http://${host}`;
  if (method === 'GET' || method === 'HEAD' || isOwn) return undefined;
  const sender = origin ?? `another site (${site})`;
  return `A request from ${sender} is refused: only the local pages and programs on this machine may make changes.`;
};

/** The path of the desk, of a file that it loads, or of the customer's page. */
const deskPath = /^\/desk(?:\/([^/]*))?$|^(\/me)$/;

const deskSources = ['../../apps/desk', '../../apps/page', '../../apps/client'].map((path) =>
  join(import.meta.dirname, path),
);

/** The time of the last change of the pages' sources. Removing a file is a change too. */
const lastChange = async (): Promise<number> => {
  const found = await Promise.all(
    deskSources.map(async (root) => (await readdir(root, { recursive: true })).map((name) => join(root, name))),
  );
  // An editor's temporary file may be gone already.
  const timeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  return Math.max(...(await Promise.all([...deskSources, ...found.flat()].map(timeOf))));
};

/**
 * Builds desk and customer's page as they are deployed, with the pages for developers. Loading a page again shows
 * changes of its sources.
 */
const desk = (() => {
  let last: { files: ReturnType<typeof bundleDesk>; of: number } | undefined;
  return async (name: string) => {
    if (last && name !== '' && name !== customerPage) return last.files;
    const of = await lastChange();
    if (last?.of !== of) last = { files: bundleDesk('local'), of };
    return last.files;
  };
})();

/** Answers a request for a page or a tool. Returns false for any other. */
export const answerOwn = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<boolean> => {
  const path = request.url?.split('?')[0] ?? '';
  const isTool = path.startsWith('/_dev/');
  const [isDesk, below = '', page = below] = deskPath.exec(path) ?? [];
  if (!isTool && !isDesk && !/^\/(?:(?:docs|openapi\.json)?$|pages\/)/.test(path)) return false;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  const refused = refusal(request);
  if (refused) {
    response.writeHead(403, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: refused }));
    return true;
  }
  if (isDesk) {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const { statusCode, headers, body: text } = answerDesk(await desk(page), page);
    // Node sends no body in an answer to HEAD.
    response.writeHead(statusCode, headers).end(text);
    return true;
  }
  if (path === '/' && (request.method === 'GET' || request.method === 'HEAD')) {
    response.writeHead(302, { Location: '/desk', 'Cache-Control': 'no-store' }).end();
    return true;
  }
  if (!isTool) return answerPage(request, response);
  await answerDev(request, response, body);
  return true;
};
