import { details, titleOf } from '../lib/problem.ts';

/** An answer that API Gateway gives without a function. The stack and the local gateway both read these rows. */
export interface GatewayAnswer {
  status: number;
  /**
   * API Gateway puts the authorizer's context into `$context.authorizer.<name>`. It runs no code in these texts and
   * shows them no header, so a text cannot depend on the header that is wrong.
   */
  detail: string;
  headers?: Record<string, string>;
}

const noEndpoint = 'No endpoint has this method and path. Each path begins with /v1 and ends without a slash.';

/**
 * API Gateway's own answers by their type. On AWS a layer before API Gateway answers REQUEST_TOO_LARGE, to a body over
 * 10 MB, in a form of its own.
 */
export const gatewayAnswers = {
  // API Gateway's name for an unknown route.
  MISSING_AUTHENTICATION_TOKEN: { status: 404, detail: noEndpoint },
  RESOURCE_NOT_FOUND: { status: 404, detail: noEndpoint },
  UNAUTHORIZED: { status: 401, detail: details.unauthorized },
  ACCESS_DENIED: {
    status: 403,
    detail: 'The API key lacks $context.authorizer.lack, which this endpoint needs.',
  },
  EXPIRED_TOKEN: { status: 403, detail: 'The request may not be made.' },
  INVALID_API_KEY: { status: 403, detail: 'The request may not be made.' },
  INVALID_SIGNATURE: { status: 403, detail: 'The request may not be made.' },
  WAF_FILTERED: { status: 403, detail: 'The request may not be made.' },
  THROTTLED: {
    status: 429,
    detail: 'Too many requests: send them more slowly.',
    headers: { 'Retry-After': '1' },
  },
  QUOTA_EXCEEDED: {
    status: 429,
    detail: 'Too many requests: send them more slowly.',
    headers: { 'Retry-After': '60' },
  },
  BAD_REQUEST_BODY: { status: 400, detail: 'The request is malformed.' },
  BAD_REQUEST_PARAMETERS: { status: 400, detail: 'The request is malformed.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, detail: 'The request is malformed.' },
  REQUEST_TOO_LARGE: { status: 413, detail: 'The body must be at most 256 KiB.' },
  API_CONFIGURATION_ERROR: { status: 500, detail: details.internalError },
  // The authorizer threw, timed out or was throttled. No endpoint's function was called.
  AUTHORIZER_CONFIGURATION_ERROR: { status: 503, detail: details.unavailable, headers: { 'Retry-After': '1' } },
  AUTHORIZER_FAILURE: { status: 503, detail: details.unavailable, headers: { 'Retry-After': '1' } },
  // The function was throttled and did nothing, or it crashed and may have written: API Gateway has one name for both,
  // and one text for all methods.
  INTEGRATION_FAILURE: {
    status: 503,
    detail: details.unknownEnd,
    headers: { 'Retry-After': '1' },
  },
  INTEGRATION_TIMEOUT: { status: 504, detail: 'The service did not answer in time.' },
  DEFAULT_4XX: { status: 400, detail: 'The request is malformed.' },
  DEFAULT_5XX: { status: 500, detail: details.internalError },
} as const satisfies Record<string, GatewayAnswer>;

/** The problem+json body of a gateway answer. `instance` is the path, or the gateway's variable for it. */
export const gatewayBody = ({ status, detail }: GatewayAnswer, instance: string) => ({
  status,
  title: titleOf(status),
  detail,
  instance,
});

/** An answer whose variables are replaced with the authorizer's context, as API Gateway does it. */
export const withContext = (answer: GatewayAnswer, context: Readonly<Record<string, unknown>> = {}): GatewayAnswer => ({
  ...answer,
  detail: answer.detail.replace(/\$context\.authorizer\.(\w+)/g, (_, name: string) => String(context[name] ?? '')),
});

/** API Gateway caches the authorizer's answer under these: see functions/authorizer.ts. */
export const authorizerIdentity = { header: 'X-API-Key', context: ['httpMethod', 'resourcePath'] } as const;
