import { readableBy } from '../lib/http/cors.ts';
import { answerHeaders } from '../lib/http/headers.ts';

/**
 * CORS at the gateway, for the stack and for the local gateway: which pages may read the gateway's own answers, and the
 * answer to a preflight.
 */

/**
 * True for an origin as browsers send it. An origin without TLS is refused: others on its network could read the page's
 * API key.
 */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  // A URL's host may hold characters such as quotes, which have a meaning in the gateway's templates.
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text)) return false;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  return url?.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback));
};

/** True for a valid value of the setting `corsOrigins`. */
export const areCorsOrigins = (text: string): boolean =>
  text === '*' || (text.split(',').every(isOrigin) && text.split(',').length <= 20);

export const corsOriginsWords =
  'must be * or at most 20 origins separated by commas, each as browsers send it, such as https://shop.example.com: ' +
  'https (http for this machine alone), lower case, without a path';

const isOneOfSeveral = (origins: string): boolean => origins.includes(',');

/**
 * The gateway's own answers have fixed headers. If there are several origins, the gateway cannot choose the right one,
 * so no page may read these answers.
 */
export const gatewayCors = (origins: string | undefined): Record<string, string> =>
  origins === undefined || isOneOfSeveral(origins) ? {} : readableBy(origins);

export const preflightStatus = 204;

/** The headers of the answer to a browser that asks whether a page may send a request. */
export const preflightHeaders = (origins: string): Record<string, string> => ({
  ...answerHeaders,
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'X-API-Key, Content-Type, Idempotency-Key, If-Match',
  'Access-Control-Max-Age': '7200',
  ...(isOneOfSeveral(origins) ? { Vary: 'Origin' } : { 'Access-Control-Allow-Origin': origins }),
});

/**
 * The template of the preflight's answer, in API Gateway's language. If there are several origins, it allows the origin
 * that the request names.
 */
export const preflightTemplate = (origins: string): string | undefined => {
  if (!isOneOfSeveral(origins)) return undefined;
  const isAllowed = origins.split(',').map((origin) => `$origin == "${origin}"`);
  return [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if(!$origin)#set($origin = $input.params().header.get("origin"))#end',
    `#if(${isAllowed.join(' || ')})`,
    '#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)',
    '#end',
  ].join('\n');
};
