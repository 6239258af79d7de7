import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { now } from '../lib/clock.ts';
import { headerValues } from '../lib/http/headers.ts';
import type { Caller } from '../lib/http/request.ts';
import { usageKeyOf } from '../lib/http/usage-key.ts';
import { keyStage, parseKey, secretMatches } from '../lib/keys.ts';
import { routes } from '../lib/routes/routes.ts';
import { type ApiKey, findKey, noteUse } from '../lib/store/api-keys.ts';

/** API Gateway answers 401 to an authorizer that throws this very text. */
const unauthorized = (): Error => new Error('Unauthorized');

/** The key of the request's only `X-API-Key` header. Throws 401 for a missing, empty, repeated or malformed one. */
const keyOfRequest = (event: APIGatewayRequestAuthorizerEvent): { id: string; secret: string } => {
  const values = headerValues(event, 'x-api-key');
  const key = values.length === 1 ? parseKey(values[0] ?? '', keyStage()) : undefined;
  if (!key) throw unauthorized();
  return key;
};

/** The longest that noting a key's use may delay a call. */
const noteMillis = 1000;

const isUsable = ({ status, expiresAt }: ApiKey): boolean =>
  status === 'active' && (expiresAt === undefined || now() < Date.parse(expiresAt));

/**
 * The policy for one route. API Gateway caches it by key, method and resource path, so it must hold for every path of
 * the route: the path's parameters are wildcards.
 */
const policy = (effect: 'Allow' | 'Deny', methodArn: string, resource: string) => {
  const [api, stage, method] = methodArn.split('/');
  const segments = resource.split('/').map((segment) => (segment.startsWith('{') ? '*' : segment));
  return {
    Version: '2012-10-17',
    Statement: [
      { Action: 'execute-api:Invoke', Effect: effect, Resource: `${api}/${stage}/${method}${segments.join('/')}` },
    ],
  };
};

/** Lambda authorizer of every route: 401 without a live key, 403 (a Deny) without the route's scope. */
export const handler = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  const { id, secret } = keyOfRequest(event);
  const key = await findKey(id);
  if (!key || !secretMatches(secret, key.hash) || !isUsable(key)) throw unauthorized();
  const row = routes.find(({ method, path }) => method === event.httpMethod && path === event.resource);
  const allowed = row !== undefined && (row.scope === null || key.scopes.includes(row.scope));
  // A failure or delay of this note must not reach the caller.
  await Promise.race([noteUse(key).catch(() => undefined), sleep(noteMillis, undefined, { ref: false })]);
  const caller: Caller = {
    store: key.store,
    keyId: key.id,
    scopes: key.scopes.join(' '),
    ...(key.origin && { keyOrigin: key.origin }),
    ...(key.storeGone && { storeGone: 'true' }),
  };
  return {
    principalId: key.id,
    policyDocument: policy(allowed ? 'Allow' : 'Deny', event.methodArn, event.resource),
    // The gateway puts the missing scope into its 403.
    context: { ...caller, ...(!allowed && row?.scope && { scope: row.scope }) },
    usageIdentifierKey: usageKeyOf(key.store),
  };
};
