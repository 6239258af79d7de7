import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { now } from '../lib/clock.ts';
import { headerValues } from '../lib/http/headers.ts';
import type { Caller } from '../lib/http/request.ts';
import { pageUsageKeyOf, usageKeyOf } from '../lib/http/usage-key.ts';
import { keyStage, type ParsedKey, parseKey, secretMatches } from '../lib/keys.ts';
import type { AuthorizedRow, Route } from '../lib/routes/route.ts';
import { routes } from '../lib/routes/routes.ts';
import { type ApiKey, findKey, isLive, noteUse } from '../lib/store/api-keys.ts';
import { findPage, isCodeLive, isUnderWay } from '../lib/store/pages.ts';

/** API Gateway answers 401 to an authorizer that throws this very text. */
const unauthorized = (): Error => new Error('Unauthorized');

/** The text of the request's only `X-API-Key` header. Throws 401 for a missing, empty, repeated or malformed one. */
const keyOfRequest = (event: APIGatewayRequestAuthorizerEvent): ParsedKey => {
  const values = headerValues(event, 'x-api-key');
  const key = values.length === 1 ? parseKey(values[0] ?? '', keyStage()) : undefined;
  if (!key) throw unauthorized();
  return key;
};

/** The longest that noting a key's use may delay a call. */
const noteMillis = 1000;

/** True for a secret that opens the row: of a live key or, for the rows of an invitation, of its code. */
const opens = (key: ApiKey, secret: string, row: AuthorizedRow | undefined): boolean => {
  if (secretMatches(secret, key.hash)) return isLive(key);
  if (!secretMatches(secret, key.codeHash)) return false;
  // After acceptance too, so that the endpoint can say that the code was used.
  return row?.byInvitation === true && key.status !== 'revoked' && now() < Date.parse(key.invitedUntil ?? '');
};

/** Says for the gateway's 403 which thing a key lacks for a row; undefined if it lacks nothing. */
const lackOf = (scopes: readonly string[], row: AuthorizedRow | undefined): string | undefined => {
  if (row?.byInvitation) return 'the code of an invitation';
  if (row?.byPageCode) return 'the code of a page';
  return row && (row.scope === null || scopes.includes(row.scope)) ? undefined : `the scope ${row?.scope}`;
};

/** The caller that a text names, and which thing the caller lacks for the row. */
interface Admission {
  caller: Caller;
  lack?: string | undefined;
  usageKey: string;
}

/** The scope of a page's token. */
const self = 'self' satisfies Route['scope'];

/** Undefined for a key that does not open the row. */
const admitKey = async ({ id, secret }: ParsedKey, row: AuthorizedRow | undefined): Promise<Admission | undefined> => {
  const key = await findKey(id);
  if (!key || !opens(key, secret, row)) return undefined;
  const isCode = !secretMatches(secret, key.hash);
  // A failure or delay of this note must not reach the caller. Accepting an invitation is not a use of its key.
  const noted = isCode ? undefined : noteUse(key).catch(() => undefined);
  await Promise.race([noted, sleep(noteMillis, undefined, { ref: false })]);
  const caller: Caller = {
    store: key.store,
    keyId: key.id,
    scopes: key.scopes.join(' '),
    ...(key.origin && { keyOrigin: key.origin }),
    ...(key.storeGone && { storeGone: 'true' }),
  };
  return { caller, lack: isCode ? undefined : lackOf(key.scopes, row), usageKey: usageKeyOf(key.store) };
};

/**
 * Undefined for a text that opens no row of a page. A code opens its one row even after it was used, so that the
 * endpoint can say that it was. A token opens the rows of its page; for any other row it lacks what a key has.
 */
const admitPage = async ({ id, secret }: ParsedKey, row: AuthorizedRow | undefined): Promise<Admission | undefined> => {
  const page = await findPage(id);
  if (!page) return undefined;
  const isCode = secretMatches(secret, page.codeHash);
  const isOpen = isCode ? row?.byPageCode && isCodeLive(page) : secretMatches(secret, page.hash) && isUnderWay(page);
  if (!isOpen) return undefined;
  const { store } = page;
  const isOwn = isCode || row?.scope === self;
  const lack = isOwn ? undefined : (lackOf([], row) ?? 'the rights of a key of the store');
  return { caller: { store, keyId: id, scopes: isCode ? '' : self }, lack, usageKey: pageUsageKeyOf(id) };
};

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

/** Lambda authorizer of every route: 401 without a live key, 403 (a Deny) without what the route needs. */
export const handler = async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
  const key = keyOfRequest(event);
  const row: AuthorizedRow | undefined = routes.find(
    ({ method, path }) => method === event.httpMethod && path === event.resource,
  );
  const admission = await (key.isOfPage ? admitPage : admitKey)(key, row);
  if (!admission) throw unauthorized();
  const { caller, lack, usageKey } = admission;
  return {
    principalId: caller.keyId,
    policyDocument: policy(lack === undefined ? 'Allow' : 'Deny', event.methodArn, event.resource),
    context: { ...caller, ...(lack !== undefined && { lack }) },
    usageIdentifierKey: usageKey,
  };
};
