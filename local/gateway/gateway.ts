import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import type {
  APIGatewayAuthorizerResult,
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayRequestAuthorizerEvent,
  Context,
} from 'aws-lambda';
import { minCompressedBytes } from '../../infra/compression.ts';
import { gatewayCors, preflightHeaders, preflightStatus } from '../../infra/cors.ts';
import {
  authorizerIdentity,
  type GatewayAnswer,
  gatewayAnswers,
  gatewayBody,
  withContext,
} from '../../infra/gateway-answers.ts';
import { newId, now } from '../../lib/clock.ts';
import { corsHeaders } from '../../lib/http/cors.ts';
import { answerHeaders } from '../../lib/http/headers.ts';
import { isPageUsageKey } from '../../lib/http/usage-key.ts';
import type { Route } from '../../lib/routes/route.ts';
import { answerMalformed } from './malformed.ts';
import { matcher } from './matcher.ts';
import { authorizerEvent, lambdaContext, localPlace, proxyEvent, type RequestPlace } from './proxy-event.ts';

/** A method of the API, such as a row of the route table. */
export interface Method {
  id: string;
  method: string;
  /** The path of the resource, with the names of parameters in braces. */
  path: string;
  /** True if anybody may call it. Then the gateway does not ask the authorizer. */
  isOpen?: boolean;
  /** The method's own limit for all callers together, if it differs from the limit in the options. */
  limit?: Limit;
}

/** Sustained requests per second, and requests at once. */
export interface Limit {
  rate: number;
  burst: number;
}

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
type Authorizer = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

export interface GatewayOptions<M extends Method = Route> {
  routes: readonly M[];
  /** Returns the function of a row, which may throw a GatewayFault. */
  handlerOf: (row: M) => Promise<Handler>;
  authorizer: Authorizer;
  /** The header and the values of the context by which the gateway caches the authorizer's answers. */
  identity?: { readonly header: string; readonly context: readonly string[] };
  /** The time for which the gateway caches the authorizer's answers; 0: not at all. */
  authorizerTtlSeconds: number;
  /** Sustained requests per second of a route, and requests at once. */
  rate: number;
  burst: number;
  /** The limit of all calls of one store; by default none. */
  storeLimit?: Limit;
  /** The limit of the pages of one store's customers, by usage key. */
  pageLimit?: Limit;
  /** The origins whose pages may read answers, as in the setting `corsOrigins`. */
  cors?: string | undefined;
  /** Answers a browser that asks whether a page may send a request. By default pages of the origins in `cors` may. */
  preflight?: ((request: IncomingMessage) => APIGatewayProxyResult) | undefined;
  /** The place of the API; by default a made-up one whose stage is not part of the paths. */
  place?: RequestPlace;
  /** The gateway's own answers; by default those in `infra/gateway-answers.ts`. */
  ownAnswer?: OwnAnswer;
  /** Answers of at least this many bytes are compressed for callers that accept it. */
  compressFrom?: number;
  /** Answers requests outside the API, such as for the local service's own pages. Returns true if it did. */
  before?: (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<boolean>;
  onAnswer?: (request: AnsweredRequest) => void;
}

/** The type of an answer of the gateway itself, such as `THROTTLED`. */
export type AnswerType = keyof typeof gatewayAnswers;

/** Makes the gateway's own answer of a type. `path` has the stage; `authorizer` is the authorizer's context. */
export type OwnAnswer = (
  type: AnswerType,
  request: { id: string; path: string; authorizer: Readonly<Record<string, unknown>> },
) => APIGatewayProxyResult;

/** An answered request. */
export interface AnsweredRequest {
  id: string;
  method: string;
  url: string;
  status: number;
  millis: number;
  /** Every value of each header, by its name in lower case. */
  headers: Record<string, string[]>;
  /** The request's body, empty if it was too large, and the answer's. */
  body: Buffer;
  answer: string;
}

const maxBodyBytes = 10 * 1024 * 1024;
/** Far more than API Gateway accepts, so that a cursor that is too long gets its own error message. */
const maxHeaderBytes = 256 * 1024;

/** A token bucket: `rate` requests per second, `burst` at once. */
const bucket = (rate: number, burst: number) => {
  let tokens = burst;
  let last = performance.now();
  return (): boolean => {
    const time = performance.now();
    tokens = Math.min(burst, tokens + ((time - last) / 1000) * rate);
    last = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};

/** Token buckets by name. */
const buckets = () => {
  const known = new Map<string, () => boolean>();
  return (name: string, { rate, burst }: Limit): boolean => {
    const take = known.get(name) ?? bucket(rate, burst);
    known.set(name, take);
    return take();
  };
};

/** True if a policy allows the method. `*` in its resource stands for any characters. */
const allows = ({ policyDocument }: APIGatewayAuthorizerResult, methodArn: string): boolean =>
  policyDocument.Statement.every((statement) => {
    const resources = 'Resource' in statement ? [statement.Resource].flat() : [];
    const fits = resources.some((resource) => {
      const parts = String(resource).split('*').map(RegExp.escape);
      return new RegExp(`^${parts.join('.*')}$`, 's').test(methodArn);
    });
    return fits && statement.Effect === 'Allow';
  });

/** Is thrown to end a request with an answer of the gateway itself. */
export class GatewayFault {
  readonly type: AnswerType;
  readonly authorizer: Readonly<Record<string, unknown>>;
  constructor(type: AnswerType, authorizer: Readonly<Record<string, unknown>> = {}) {
    this.type = type;
    this.authorizer = authorizer;
  }
}

/** Asks the authorizer as API Gateway does: once for each key and route, until the cached answer expires. */
const authorizing = <M extends Method>({
  authorizer,
  authorizerTtlSeconds,
  identity: sources = authorizerIdentity,
}: GatewayOptions<M>) => {
  const cache = new Map<string, { result: APIGatewayAuthorizerResult; until: number }>();
  const ask = async (identity: string, event: APIGatewayRequestAuthorizerEvent) => {
    const known = cache.get(identity);
    if (known && now() < known.until) return known.result;
    const result = await authorizer(event).catch((error: unknown) => {
      const unauthorized = error instanceof Error && error.message === 'Unauthorized';
      throw new GatewayFault(unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_CONFIGURATION_ERROR');
    });
    if (authorizerTtlSeconds > 0) cache.set(identity, { result, until: now() + authorizerTtlSeconds * 1000 });
    if (cache.size > 10_000) cache.clear();
    return result;
  };
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const keys = event.multiValueHeaders?.[sources.header.toLowerCase()] ?? [];
    // API Gateway refuses a request without a key before it asks the authorizer.
    if (keys.every((key) => key === '')) throw new GatewayFault('UNAUTHORIZED');
    const context = sources.context.map((name) => event.requestContext[name as keyof typeof event.requestContext]);
    const result = await ask(JSON.stringify([keys, ...context]), event);
    if (!allows(result, event.methodArn)) throw new GatewayFault('ACCESS_DENIED', result.context ?? {});
    return result;
  };
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // A body over the limit is read to its end but not kept, since the caller reads no answer before.
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) throw new GatewayFault('REQUEST_TOO_LARGE');
  return Buffer.concat(chunks);
};

const problemAnswer =
  (cors?: string): OwnAnswer =>
  (type, { path, authorizer }) => {
    const answer: GatewayAnswer = withContext(gatewayAnswers[type], authorizer);
    return {
      statusCode: answer.status,
      headers: {
        ...answerHeaders,
        ...gatewayCors(cors),
        ...answer.headers,
        'Content-Type': 'application/problem+json',
      },
      body: JSON.stringify(gatewayBody(answer, path)),
    };
  };

/**
 * The answer to a preflight. If several origins are allowed, it names the request's, like the deployed gateway's
 * template.
 */
const preflightAnswer = ({ headersDistinct }: IncomingMessage, origins: string): APIGatewayProxyResult => {
  const {
    Vary: _,
    'Access-Control-Expose-Headers': __,
    ...allowed
  } = corsHeaders(origins, {
    multiValueHeaders: headersDistinct as Record<string, string[]>,
  });
  return { statusCode: preflightStatus, headers: { ...preflightHeaders(origins), ...allowed }, body: '' };
};

/** Lets a request through if the limit of its route and, for a request with a key, of its store allow it. */
const admitting = <M extends Method>(options: GatewayOptions<M>) => {
  const { rate, burst } = options;
  const authorize = authorizing(options);
  const takeOfRoute = buckets();
  const takeOfStore = buckets();
  return async (row: GatewayOptions<M>['routes'][number], event: ReturnType<typeof proxyEvent>): Promise<void> => {
    const limit = row.limit ?? { rate, burst };
    const throttled = new GatewayFault('THROTTLED');
    if (row.isOpen) {
      if (!takeOfRoute(row.id, limit)) throw throttled;
      return;
    }
    // A refused request uses up the route's limit too, since AWS does not promise otherwise.
    const { context, principalId, usageIdentifierKey } = await authorize(authorizerEvent(event)).catch((fault) => {
      throw takeOfRoute(row.id, limit) ? fault : throttled;
    });
    if (!usageIdentifierKey) throw new GatewayFault('INVALID_API_KEY');
    // This is the order of API Gateway's documentation. So a store above its limit takes nothing from the others.
    const storeLimit = isPageUsageKey(usageIdentifierKey) ? options.pageLimit : options.storeLimit;
    if (storeLimit && !takeOfStore(usageIdentifierKey, storeLimit)) throw throttled;
    if (!takeOfRoute(row.id, limit)) throw throttled;
    event.requestContext.authorizer = { principalId, ...context };
  };
};

const urlPath = (request: IncomingMessage): string => request.url?.split('?')[0] ?? '';

/** Finds the route of a request, and calls its handler if the request may pass. */
const answering = <M extends Method>(options: GatewayOptions<M>) => {
  const { place = localPlace } = options;
  const match = matcher(options.routes);
  const admit = admitting(options);
  return async (request: IncomingMessage, id: string, body: Buffer): Promise<APIGatewayProxyResult> => {
    const path = urlPath(request);
    const found = path.startsWith(`${place.prefix}/`)
      ? match(request.method ?? '', path.slice(place.prefix.length))
      : undefined;
    if (!found) throw new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
    const { row } = found;
    const event = proxyEvent(request, id, found, body, place);
    await admit(row, event);
    const handler = await options.handlerOf(row);
    return handler(event, lambdaContext(row, id));
  };
};

const compressors = { gzip: gzipSync, deflate: deflateSync };

/** The coding that a caller likes best, if it is one that API Gateway compresses with. For any other it does not. */
const firstCoding = (accepted = ''): keyof typeof compressors | undefined => {
  const codings = accepted.split(',').map((one) => {
    const [name = '', weight = ''] = one.split(';').map((part) => part.trim().toLowerCase());
    return { name, weight: Number(/^q=([\d.]+)$/.exec(weight)?.[1] ?? 1) };
  });
  const best = codings.toSorted((one, other) => other.weight - one.weight)[0];
  if (!best || best.weight === 0) return undefined;
  return best.name === 'gzip' || best.name === 'deflate' ? best.name : undefined;
};

const gatewayFault = (error: unknown): GatewayFault => {
  if (error instanceof GatewayFault) return error;
  console.error(error);
  return new GatewayFault('INTEGRATION_FAILURE');
};

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  { statusCode, headers, body }: APIGatewayProxyResult,
  compressFrom: number,
): void => {
  const plain = Buffer.from(body);
  const isLong = plain.length >= compressFrom;
  const coding = isLong ? firstCoding(request.headers['accept-encoding']) : undefined;
  const sent = coding ? compressors[coding](plain) : plain;
  response.writeHead(statusCode, {
    ...(headers as Record<string, string>),
    ...(statusCode !== 204 && { 'Content-Length': sent.length }),
    ...(coding && { 'Content-Encoding': coding }),
  });
  response.end(sent);
};

/** An HTTP server that treats the route table like API Gateway treats the deployed stack. */
export const createGateway = <M extends Method>(options: GatewayOptions<M>): Server => {
  const { cors, place = localPlace, ownAnswer = problemAnswer(cors), compressFrom = minCompressedBytes } = options;
  const { preflight = cors ? (request: IncomingMessage) => preflightAnswer(request, cors) : undefined } = options;
  const answer = answering(options);

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = newId();
    const started = performance.now();
    const path = urlPath(request);
    let result: APIGatewayProxyResult;
    let body: Buffer = Buffer.alloc(0);
    try {
      // Node.js itself would refuse this, but without problem+json.
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        throw new GatewayFault('BAD_REQUEST_PARAMETERS');
      body = await readBody(request);
      if (await options.before?.(request, response, body)) return;
      const isPreflight = request.method === 'OPTIONS' && path !== '/';
      result = preflight && isPreflight ? preflight(request) : await answer(request, id, body);
    } catch (error) {
      // The caller left before the request was complete. No answer is possible, and no handler has started.
      if (!request.complete && request.destroyed) return;
      const { type, authorizer } = gatewayFault(error);
      result = ownAnswer(type, { id, path, authorizer });
    }
    const headers = { [place.requestIdHeader]: id, ...result.headers };
    send(request, response, { ...result, headers }, compressFrom);
    options.onAnswer?.({
      id,
      method: request.method ?? '',
      url: request.url ?? '',
      status: result.statusCode,
      millis: Math.round(performance.now() - started),
      headers: request.headersDistinct as Record<string, string[]>,
      body,
      answer: result.body,
    });
  };

  // A client on a busy machine may wait long, and must not send into a connection that is just being closed.
  const keepAliveTimeout = 60_000;
  return createServer({ requireHostHeader: false, maxHeaderSize: maxHeaderBytes, keepAliveTimeout }, respond)
    .on('checkExpectation', respond)
    .on('connect', (_request, socket) => answerMalformed({}, socket))
    .on('clientError', answerMalformed);
};
