import type { IncomingMessage, ServerResponse } from 'node:http';
import { bundleDesk } from '../infra/desk.ts';
import { answerDesk } from '../lib/http/desk.ts';
import { answerDev } from './dev.ts';
import { answerPage } from './pages.ts';

/** The local service's own pages and tools, beside the API. */

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * Why a request is refused, if it is. Programs on this machine may use the tools; a web site that the developer visits
 * may not. Such a site can give this address a name of its own, which is then the host, or send a form, whose origin is
 * not ours.
 */
const refusal = ({ method, headers: { host = '', origin } }: IncomingMessage): string | undefined => {
  if (!loopbackHost.test(host))
    return `Open this as 127.0.0.1 or localhost, not as ${host || 'a host without a name'}.`;
  if (method === 'GET' || method === 'HEAD' || origin === undefined || origin === `http://${host}`) return undefined;
  return `A request from ${origin} is refused: only the local pages and programs on this machine may make changes.`;
};

const deskPath = /^\/desk(?:\/(.*))?$/;

/** The desk as it is deployed. Its page is bundled anew each time, so a change of the sources shows at the next load. */
const desk = (() => {
  let last: ReturnType<typeof bundleDesk> | undefined;
  return (name: string) => {
    if (name === '' || !last) last = bundleDesk();
    return last;
  };
})();

/** Answers a request for a page or a tool. False for any other. */
export const answerOwn = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<boolean> => {
  const path = request.url?.split('?')[0] ?? '';
  const isTool = path.startsWith('/_dev/');
  const [isDesk, file = ''] = deskPath.exec(path) ?? [];
  if (!isTool && !isDesk && !/^\/(?:(?:docs|openapi\.json|asyncapi\.json)?$|pages\/)/.test(path)) return false;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  const refused = refusal(request);
  if (refused) {
    response.writeHead(403, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: refused }));
    return true;
  }
  if (isDesk) {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const { statusCode, headers, body: text } = answerDesk(await desk(file), file);
    // Node sends no body in an answer to HEAD.
    response.writeHead(statusCode, headers).end(text);
    return true;
  }
  if (!isTool) return answerPage(request, response);
  await answerDev(request, response, body);
  return true;
};
