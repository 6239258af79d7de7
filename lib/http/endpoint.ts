import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod';
import { now } from '../clock.ts';
import { logSink } from '../log.ts';
import { internalError, Problem, problemBody, unavailable } from '../problem.ts';
import type { Route } from '../routes/route.ts';
import { answerOnce, type KeptAnswer } from '../table/idempotency.ts';
import { type Meter, metered, newMeter } from '../table/meter.ts';
import { isConflict, isThrottle } from '../table/retry.ts';
import { callerOf, parseRequest, type Request } from './request.ts';

/** What a rule answers with: all that the row's response schema asks for. What it does not declare is dropped. */
type Answer<R extends Route> = R['response'] extends z.ZodType ? z.input<R['response']> : unknown;

const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return isThrottle(error) || isConflict(error) ? unavailable() : internalError();
};

const answer = (
  status: number,
  headers: Record<string, string>,
  body: unknown,
  contentType = 'application/json',
): KeptAnswer => ({
  statusCode: status,
  headers: { 'Cache-Control': 'no-store', ...headers, ...(body !== undefined && { 'Content-Type': contentType }) },
  body: body === undefined ? '' : JSON.stringify(body),
});

const respond = (row: Route, event: APIGatewayProxyEvent, result: unknown): KeptAnswer => {
  // Parsed on its way out, so that no key or internal attribute of an item can leak.
  const body: { id?: string } | undefined = row.response?.parse(result);
  const location = row.status === 201 ? { Location: `${event.requestContext.path}/${body?.id}` } : {};
  return answer(row.status, location, body);
};

/** Parses the request and has it answered: once, where it has an Idempotency-Key. */
const serve = async <R extends Route>(
  row: R,
  rule: (request: Request<R>) => Promise<Answer<R>>,
  event: APIGatewayProxyEvent,
): Promise<APIGatewayProxyResult> => {
  const { request, idempotencyKey } = parseRequest(row, event);
  if (idempotencyKey === undefined) return respond(row, event, await rule(request));
  const { store, keyId } = callerOf(event);
  const { answer: kept, replayed } = await answerOnce(
    {
      store,
      keyId,
      idempotencyKey,
      request: `${row.method} ${event.requestContext.path}\n${event.body ?? ''}`,
      answerOf: (result) => respond(row, event, result),
    },
    () => rule(request),
  );
  return replayed ? { ...kept, headers: { ...kept.headers, 'Idempotent-Replayed': 'true' } } : kept;
};

/** One line per request. It holds no key, no query, no body and no message, so nothing secret can be in it. */
const logLine = (row: Route, event: APIGatewayProxyEvent, status: number, started: number, meter: Meter) => {
  const { store, keyId } = callerOf(event);
  return {
    level: status >= 500 ? 'ERROR' : 'INFO',
    requestId: event.requestContext.requestId,
    route: row.id,
    store,
    keyId,
    status,
    milliseconds: now() - started,
    calls: meter.calls,
    steps: meter.steps,
    units: meter.units,
  };
};

/**
 * The Lambda handler of a row. `rule` decides what the endpoint does; parsing, problems, headers and the log line are
 * the same for all and made here.
 */
export const endpoint = <R extends Route>(row: R, rule: (request: Request<R>) => Promise<Answer<R>>) => {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>((event: APIGatewayProxyEvent) =>
    serve(row, rule, event),
  ).onError((request) => {
    const problem = problemOf(request.error);
    // What is told to nobody else: the fault behind a 500, or what a 503 was made of.
    const fault = problem.status === 500 ? request.error : request.error?.cause;
    if (problem.status === 500 || fault instanceof Error) {
      const stack = fault instanceof Error ? fault.stack : undefined;
      logSink.write({ level: 'ERROR', requestId: request.event.requestContext.requestId, stack });
    }
    const body = problemBody(problem, request.event.requestContext.path);
    request.response = answer(problem.status, problem.headers, body, 'application/problem+json');
  });

  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const meter = newMeter();
    const started = now();
    return metered(meter, async () => {
      const response = await handler(event, context);
      // Where the time ran out, the rule still runs. It must not write what the caller was told has failed.
      meter.isOver = true;
      logSink.write(logLine(row, event, response.statusCode, started, meter));
      return { ...response, headers: { ...response.headers, 'X-Request-Id': event.requestContext.requestId } };
    });
  };
};
