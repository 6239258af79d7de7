import { inspect } from 'node:util';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { now } from '../clock.ts';
import { logSink } from '../log.ts';
import { internalError, Problem, problemBody, unavailable, unknownEnd } from '../problem.ts';
import type { Route } from '../routes/route.ts';
import { seal, unseal } from '../seal.ts';
import { type Actor, actedBy } from '../table/actor.ts';
import { BusyError, UnansweredError } from '../table/engine.ts';
import { answerOnce, type KeptAnswer } from '../table/idempotency.ts';
import { type Meter, metered, newMeter, requestSeconds } from '../table/meter.ts';
import { corsHeaders } from './cors.ts';
import { etagOf } from './etag.ts';
import { answerHeaders } from './headers.ts';
import { problemTypeOf, problemTypeVary } from './problem-type.ts';
import { callerOf, type FaultsNow, parseRequest, type Request } from './request.ts';
import { boundReads, boundWrites } from './store-share.ts';

/** The input of the row's response schema, which drops every field that it does not declare. */
export type Result<R extends Route> = R['response'] extends z.ZodType ? z.input<R['response']> : unknown;

type Handler<R extends Route, A> = (request: Request<R>, asker: A) => Promise<Result<R>>;

const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof UnansweredError) return unknownEnd(error);
  return error instanceof BusyError ? unavailable() : internalError();
};

const response = (
  statusCode: number,
  headers: Record<string, string>,
  body: unknown,
  contentType = 'application/json',
): KeptAnswer => ({
  statusCode,
  headers: { ...headers, ...(body !== undefined && { 'Content-Type': contentType }) },
  body: body === undefined ? '' : JSON.stringify(body),
});

/** The path at which a row's answer can be read, with the stage before it as in the request's own path. */
const locationOf = ({ location }: Route, { requestContext: { path } }: APIGatewayProxyEvent): string =>
  location === undefined ? path : path.slice(0, path.indexOf('/v1/')) + location;

const success = (row: Route, event: APIGatewayProxyEvent, result: unknown): KeptAnswer => {
  // The schema keeps keys and internal attributes of an item from leaking.
  const body: { id?: string } | undefined = row.response?.parse(result);
  const { deliveryId, sequence } = (result ?? {}) as { deliveryId?: string; sequence?: number | null };
  const headers = {
    ...(row.delivers && deliveryId !== undefined && { 'Delivery-Id': deliveryId }),
    ...(row.changesCredit && typeof sequence === 'number' && { 'Credit-Sequence': String(sequence) }),
    ...(row.status === 201 && { Location: `${locationOf(row, event)}/${body?.id}` }),
    ...(row.tagged && body && { ETag: etagOf(row.tagged.parse(result)) }),
  };
  return response(row.status, headers, body);
};

/** How a kept answer is written down and read: an answer with a secret is sealed for its request. */
const keeping = (row: Route, owner: string): Record<'close' | 'open', (answer: KeptAnswer) => KeptAnswer> => {
  if (!row.showsSecret) return { close: (answer) => answer, open: (answer) => answer };
  return {
    close: (answer) => ({ ...answer, body: seal(answer.body, owner) }),
    open: (answer) => ({ ...answer, body: unseal(answer.body, owner) as string }),
  };
};

interface EndpointOptions<R extends Route, A> {
  /**
   * Looks at who asks, before the request's form and before a kept answer of its Idempotency-Key. Throws 401 and 429.
   * The handler gets what it answers.
   */
  admit?: (keyId: string) => Promise<A>;
  faultsNow?: FaultsNow;
  /** Throws if the caller may not see the kept answer of an Idempotency-Key any more. */
  beforeReplay?: (request: Request<R>) => Promise<unknown>;
}

/** Bounds what the row reads and writes. Throws 429. */
const boundUse = async (row: Route, store: string): Promise<void> => {
  if (row.writes.length > 0) await boundWrites(store, row.share);
  // It must follow the writes: it keeps the count that they have begun, and adds its own.
  if (row.share === 'pages') boundReads(store, 'pageReads');
  else if ('cursor' in row.query.shape) boundReads(store);
};

/** Parses the request and runs the handler. A request with an Idempotency-Key takes effect once. */
const serve = async <R extends Route, A>(
  row: R,
  handler: Handler<R, A>,
  event: APIGatewayProxyEvent,
  { admit, faultsNow, beforeReplay }: EndpointOptions<R, A>,
): Promise<APIGatewayProxyResult> => {
  const { store, keyId, keyOrigin = keyId } = callerOf(event);
  if (admit) await boundUse(row, store);
  const asker = (await admit?.(keyId)) as A;
  const { request, idempotencyKey } = parseRequest(row, event, faultsNow);
  if (!admit) await boundUse(row, store);
  const actor: Actor | undefined = row.unsigned ? undefined : { type: 'key', id: keyId, requestId: request.id };
  const handle = () => actedBy(actor, () => handler(request, asker));
  if (idempotencyKey === undefined) return success(row, event, await handle());
  const { close, open } = keeping(row, `${store} ${keyOrigin} ${idempotencyKey}`);
  const { answer: kept, replayed } = await answerOnce(
    {
      store,
      keyId: keyOrigin,
      idempotencyKey,
      request: `${row.method} ${event.requestContext.path}\n${event.body ?? ''}`,
      answerOf: (result) => close(success(row, event, result)),
    },
    handle,
  );
  if (replayed) await beforeReplay?.(request);
  const answer = open(kept);
  return replayed ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer;
};

const logError = (event: APIGatewayProxyEvent, error: unknown): void => {
  const stack = error instanceof Error ? error.stack : inspect(error);
  logSink.write({ level: 'ERROR', requestId: event.requestContext.requestId, stack });
};

const failure = (event: APIGatewayProxyEvent, error: unknown): APIGatewayProxyResult => {
  const problem = problemOf(error);
  // Only the log gets the error behind a 500, or the cause of a 503.
  const hidden = problem.status === 500 ? error : problem.cause;
  if (problem.status === 500 || hidden instanceof Error) logError(event, hidden);
  const body = problemBody(problem, event.requestContext.path);
  return response(problem.status, { ...problem.headers, Vary: problemTypeVary }, body, problemTypeOf(event));
};

/** One line for each request. It has no key, query, body or message, so it cannot hold a secret. */
const logLine = (row: Route, event: APIGatewayProxyEvent, status: number, started: number, meter: Meter) => {
  const { store, keyId } = callerOf(event);
  const { calls, steps, units } = meter;
  return {
    level: status >= 500 ? 'ERROR' : 'INFO',
    requestId: event.requestContext.requestId,
    route: row.id,
    store,
    keyId,
    status,
    milliseconds: now() - started,
    calls,
    steps,
    units,
  };
};

/**
 * The time for which a request tries again what other requests keep it from. Its last attempt gets the rest of the
 * request's time.
 */
const retryMillis = (requestSeconds - 7) * 1000;

/** An answer with the headers that all answers have. */
const finished = (event: APIGatewayProxyEvent, answer: APIGatewayProxyResult): APIGatewayProxyResult => {
  const cors = corsHeaders(process.env.CORS_ORIGINS, event);
  const vary = [answer.headers?.Vary, cors.Vary].filter((names) => names !== undefined).join(', ');
  const headers = {
    ...answerHeaders,
    ...answer.headers,
    ...cors,
    ...(vary !== '' && { Vary: vary }),
    'X-Request-Id': event.requestContext.requestId,
  };
  return { ...answer, headers };
};

/** The answer if even a problem could not be written. Nothing in it depends on the request's headers. */
const bareFailure = ({ requestContext: { path, requestId } }: APIGatewayProxyEvent): APIGatewayProxyResult =>
  response(
    500,
    { ...answerHeaders, 'X-Request-Id': requestId },
    problemBody(internalError(), path),
    'application/problem+json',
  );

/** The time that is left for the answer and its log line when a request is given up. */
const endMillis = 100;

const timedOut = (): never => {
  throw unknownEnd(new Error('The request took longer than its function may run.'));
};

/**
 * The Lambda function of a row. The wrapper parses the request, turns errors into problems, sets the headers and writes
 * the log line; `handler` does the endpoint's own work.
 */
export const endpoint = <R extends Route, A = undefined>(
  row: R,
  handler: Handler<R, A>,
  options: EndpointOptions<R, A> = {},
) => {
  const wrapped = middy<APIGatewayProxyEvent, APIGatewayProxyResult>(
    (event: APIGatewayProxyEvent) => serve(row, handler, event, options),
    { timeoutEarlyInMillis: endMillis, timeoutEarlyResponse: timedOut },
  ).onError((request) => {
    request.response = failure(request.event, request.error);
  });

  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const started = now();
    const { keyId } = callerOf(event);
    const meter = { ...newMeter(row.method === 'GET'), keyId, retryUntil: started + retryMillis };
    return metered(meter, async () => {
      try {
        const answer = await wrapped(event, context);
        // After a timeout the handler still runs. It must not write anything more: the caller was told that the request
        // failed.
        meter.isOver = true;
        logSink.write(logLine(row, event, answer.statusCode, started, meter));
        return finished(event, answer);
      } catch (error) {
        // The gateway answers anything thrown here with 502 and no body.
        meter.isOver = true;
        logError(event, error);
        return bareFailure(event);
      }
    });
  };
};
