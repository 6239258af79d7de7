import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Context, Hono } from 'hono';
import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type * as z from 'zod';
import { now } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { authorOf } from '../../../lib/credit/state.ts';
import type { Caller } from '../../../lib/http/request.ts';
import { logSink } from '../../../lib/log.ts';
import { internalError, invalid, notFound, Problem, problemBody } from '../../../lib/problem.ts';
import { getCategory as getCategoryRow } from '../../../lib/routes/categories.ts';
import { incrementCredit as incrementCreditRow } from '../../../lib/routes/credit.ts';
import { getCategory } from '../../../lib/store/categories.ts';
import { metered, newMeter } from '../../../lib/table/meter.ts';
import type { LambdaHandler } from '../support.ts';

/**
 * Two endpoints with Hono in the place of lib/http: the same schemas, verbs, headers, log line and problems. The query
 * is not parsed, as neither endpoint has one.
 */

type Env = { Bindings: { event: APIGatewayProxyEvent } };

const callerOf = (c: Context<Env>): Caller => (c.env.event.requestContext.authorizer ?? {}) as unknown as Caller;

const parse = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(...result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`));
};

const maxBodyBytes = 256 * 1024;

const bodyOf = async (c: Context<Env>): Promise<unknown> => {
  const text = await c.req.text();
  if (Buffer.byteLength(text) > maxBodyBytes) throw invalid('The body must be at most 256 KiB.');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body must be a JSON object.');
  }
};

const app = new Hono<Env>();

app.use(async (c, next) => {
  const started = now();
  const meter = newMeter();
  await metered(meter, next);
  const { requestId } = c.env.event.requestContext;
  c.header('Cache-Control', 'no-store');
  c.header('X-Request-Id', requestId);
  const { store, keyId } = callerOf(c);
  const { calls, steps, units } = meter;
  const milliseconds = now() - started;
  const { path: route } = c.req;
  logSink.write({
    level: 'INFO',
    requestId,
    route,
    store,
    keyId,
    status: c.res.status,
    milliseconds,
    calls,
    steps,
    units,
  });
});

app.onError((error, c) => {
  const problem = error instanceof Problem ? error : internalError();
  return c.body(JSON.stringify(problemBody(problem, c.req.path)), problem.status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json',
    ...problem.headers,
  });
});

app.notFound(() => {
  throw notFound();
});

app.get('/v1/categories/:id', async (c) => {
  const { id } = parse(getCategoryRow.params, c.req.param());
  return c.json(getCategoryRow.response.parse(await getCategory(callerOf(c).store, id)));
});

app.post('/v1/customers/:identifier/actions/increment-credit', async (c) => {
  const { identifier } = parse(incrementCreditRow.params, c.req.param());
  const body = parse(incrementCreditRow.body, await bodyOf(c));
  const command = { kind: 'increment', ...body } as const;
  const { store, keyId } = callerOf(c);
  const author = authorOf({ id: c.env.event.requestContext.requestId, keyId, body });
  const changed = await changeCredit(store, identifier, 'regular', command, author);
  return c.json(incrementCreditRow.response.parse(changed));
});

const lambda = handle(app);

export const handler: LambdaHandler = async (event, context) =>
  (await lambda(event as unknown as LambdaEvent, context as unknown as LambdaContext)) as unknown as Awaited<
    ReturnType<LambdaHandler>
  >;
