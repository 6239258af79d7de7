import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { source } from '../../../lib/clock.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { logSink } from '../../../lib/log.ts';
import { details, invalid, notFound, Problem } from '../../../lib/problem.ts';
import { type Route, route } from '../../../lib/routes/route.ts';
import { integer, queryBoolean, uuid } from '../../../lib/routes/wire.ts';
import { refuseIfOver, requestSeconds } from '../../../lib/table/meter.ts';
import { pauseOvertaken } from '../../../lib/table/retry.ts';

/** Tests the wrapper alone, with its own rows and with events like those of API Gateway. */

const row = route('PUT /v1/things', {
  id: 'things/put-thing',
  summary: 'Put a thing',
  scope: 'products:write',
  query: z.object({ loud: queryBoolean().optional() }),
  body: z.object({ parts: z.array(z.object({ size: z.object({ cm: integer(1, 9) }) })).optional() }),
  response: z.object({ got: z.unknown() }),
});

const { body: _, ...rest } = row;
const withoutBody: Route = { ...rest, method: 'DELETE', status: 204, query: z.object({}) };
const optional: Route = { ...row, bodyOptional: true };
const post: Route = { ...row, method: 'POST' };
const created: Route = { ...row, status: 201, response: z.object({ id: z.string() }) };

const lines: object[] = [];
logSink.write = (line) => lines.push(line);
afterEach(() => {
  lines.length = 0;
});

const eventOf = (event: Partial<APIGatewayProxyEvent>): APIGatewayProxyEvent =>
  ({
    body: '{}',
    requestContext: { path: '/v1/things', requestId: 'r-1', authorizer: { store: 'S', keyId: 'K' } },
    ...event,
  }) as APIGatewayProxyEvent;

const answerOf = async (
  of: Route,
  event: Partial<APIGatewayProxyEvent>,
  handler: (request: { body: unknown; query: unknown }) => Promise<object> = async ({ body }) => ({ got: body }),
) => {
  const { body, ...answer } = await endpoint(of, handler as never)(eventOf(event), {} as Context);
  return { ...answer, body: body === '' ? '' : JSON.parse(body) };
};

const errorsOf = async (of: Route, event: Partial<APIGatewayProxyEvent>): Promise<string[]> =>
  (await answerOf(of, event)).body.errors;

test('a message names the field by its path; one about the whole body says so', async () => {
  const body = JSON.stringify({ parts: [{ size: { cm: 1 } }, { size: { cm: 0 } }, { size: {} }] });
  const strict: Route = { ...row, body: z.object({}).refine(() => false, { error: 'must be nicer' }) };
  const choosy: Route = { ...row, body: z.object({}).refine(() => false, { error: 'Send something else.' }) };
  const wanting: Route = { ...row, body: z.object({ a: z.string({ error: 'is not there' }) }) };

  expect(await errorsOf(row, { body })).toEqual([
    'parts[1].size.cm must be a whole number from 1 to 9.',
    'parts[2].size.cm is required: it must be a whole number from 1 to 9.',
  ]);
  expect(await errorsOf(strict, {})).toEqual(['The body must be nicer.']);
  expect(await errorsOf(choosy, {})).toEqual(['Send something else.']);
  expect(await errorsOf(wanting, {})).toEqual(['a is not there.']);
});

test('null for a field that may be left out says so, and for no other', async () => {
  const fields = { kind: z.string({ error: 'must be text' }), until: z.string({ error: 'must be a time' }).optional() };
  const inside = z.object({ until: fields.until }).optional();
  const loose: Route = { ...row, body: z.object({ ...fields, list: z.array(fields.kind).optional(), inside }) };

  expect(
    await errorsOf(loose, { body: JSON.stringify({ kind: null, until: null, list: [null], inside: { until: null } }) }),
  ).toEqual([
    'kind must be text.',
    'until must be a time, not null: leave it out.',
    'list[0] must be text.',
    'inside.until must be a time, not null: leave it out.',
  ]);
});

test('a body is text or base64, and may be missing from the event', async () => {
  const notJson = ['The body must be a JSON object.'];
  const text = '{"parts":[{"size":{"cm":5}}]}';

  expect((await answerOf(row, { body: text })).body.got).toEqual(JSON.parse(text));
  const encoded = { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
  expect((await answerOf(row, encoded)).body.got).toEqual(JSON.parse(text));
  expect(await errorsOf(row, { body: null })).toEqual(notJson);
  expect(await errorsOf(row, { body: null, isBase64Encoded: true })).toEqual(notJson);
  expect(await errorsOf(row, { body: 'Stryker' })).toEqual(notJson);
});

test('a byte order mark before a body is ignored', async () => {
  const text = '\ufeff{"parts":[]}';

  expect((await answerOf(row, { body: text })).body.got).toEqual({ parts: [] });
  const encoded = { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
  expect((await answerOf(row, encoded)).body.got).toEqual({ parts: [] });
  expect(await answerOf(optional, { body: '\ufeff' })).toMatchObject({ statusCode: 200, body: { got: {} } });
  for (const body of [`\ufeff${text}`, '{"parts":\ufeff[]}'])
    expect(await errorsOf(row, { body })).toEqual(['The body must be a JSON object.']);
});

test('400s for a body that is not UTF-8, or holds U+FFFD, with which API Gateway replaces such bytes', async () => {
  const latin1 = { body: Buffer.from('{"note":"Caf\u00e9"}', 'latin1').toString('base64'), isBase64Encoded: true };
  const bodies = ['{"note":"\ufffd"}', '{"a":[{"\ufffd":1}]}', '{"note":"\\ufffd"}', '{"note":"\\uFFFD"}'];

  for (const event of [latin1, ...bodies.map((body) => ({ body }))])
    expect(await errorsOf(row, event), event.body).toEqual(['The body must be UTF-8 text without U+FFFD.']);
  expect((await answerOf(row, { body: '{"note":"\\\\ufffd"}' })).statusCode).toBe(200);
});

test('400s for a query that is not UTF-8, with the faults of its values; an unknown parameter is ignored', async () => {
  const fault = 'The query must be UTF-8 text without U+FFFD.';
  const refusal = (loud: string[]) => errorsOf(row, { multiValueQueryStringParameters: { loud, other: ['\ufffd'] } });

  expect(await refusal(['\ufffd'])).toEqual([fault, 'loud must be true or false.']);
  expect(await refusal(['true', '\ufffd'])).toEqual([fault, 'loud must be given once.']);
  expect(await refusal(['%zz'])).toEqual(['loud must be true or false.']);
  expect((await answerOf(row, { multiValueQueryStringParameters: { '\ufffd': ['\ufffd'] } })).statusCode).toBe(200);
});

test('400s for members that could change a prototype, at any depth; similar names are unknown fields', async () => {
  const fault = ['The body must not have a member __proto__, nor a constructor with a prototype.'];
  const refused = ['{"__proto__":{}}', '{"a":[{"__proto__":1}]}', '{"constructor":{"prototype":{}}}'];

  for (const body of refused) expect(await errorsOf(row, { body }), body).toEqual(fault);
  expect((await answerOf(row, { body: '{"constructor":1,"prototype":1,"toString":1}' })).body.got).toEqual({});
});

test('reports a fault of the body together with those of path and query', async () => {
  const faulty: Route = { ...row, params: z.object({ id: uuid() }) };
  const event = { pathParameters: { id: 'x' }, multiValueQueryStringParameters: { loud: ['no'] } };

  for (const body of ['{', '{"__proto__":1}', '{"a":"\ufffd"}', `"${'x'.repeat(256 * 1024)}"`])
    expect(await errorsOf(faulty, { ...event, body }), body.slice(0, 20)).toEqual([
      'id must be a UUID.',
      'loud must be true or false.',
      expect.stringMatching(/^The body must /),
    ]);
});

test('an optional body may be missing or blank, which counts as {}; otherwise it must be an object', async () => {
  for (const body of [null, '', ' \n', '{}'])
    expect(await answerOf(optional, { body })).toMatchObject({ statusCode: 200, body: { got: {} } });
  for (const body of ['x', '[]', '0', 'null'])
    expect(await errorsOf(optional, { body })).toEqual(['The body must be a JSON object.']);
  expect(await errorsOf(optional, { body: '{"parts":1}' })).toHaveLength(1);
});

const caution = {
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
};

test('a row without a body ignores a sent one, and an answer without a body has no Content-Type', async () => {
  const { response: _response, ...silent } = withoutBody;

  const answer = await answerOf(silent, { body: 'not JSON' });

  expect(answer).toEqual({
    statusCode: 204,
    headers: { ...caution, 'X-Request-Id': 'r-1' },
    body: '',
  });
});

test('a repeated known parameter is one fault; an empty list counts as no parameter', async () => {
  const queryOf = async (loud?: string[]) =>
    answerOf(row, loud ? { multiValueQueryStringParameters: { loud } } : {}, async ({ query }) => ({ got: query }));

  expect((await queryOf(['true'])).body.got).toEqual({ loud: true });
  expect((await queryOf([])).body.got).toEqual({});
  expect((await queryOf()).body.got).toEqual({});
  expect((await queryOf(['no', 'no'])).body.errors).toEqual(['loud must be given once.']);
});

test('the Idempotency-Key of a POST must be one printable text; other methods ignore it', async () => {
  const fault = 'Idempotency-Key must be 1 to 255 printable ASCII characters without blanks, given once.';
  const withKeys = (...keys: string[]) => ({ multiValueHeaders: { 'IDEMPOTENCY-KEY': keys } });

  for (const keys of [['a', 'b'], ['a b'], [''], ['""'], ['x'.repeat(256)], ['é']])
    expect(await errorsOf(post, withKeys(...keys)), keys.join()).toEqual([fault]);
  expect((await answerOf(row, withKeys('a', 'b'))).statusCode).toBe(200);
  expect((await answerOf(post, { multiValueHeaders: { Other: ['a', 'b'] } })).statusCode).toBe(200);
  expect((await answerOf(post, withKeys())).statusCode).toBe(200);
});

test('a 201 has a Location under the path of its request; no other answer has one', async () => {
  const made = await answerOf(created, {}, async () => ({ id: 'T1', secret: 'not declared' }));
  const put = await answerOf(row, {});

  expect(made).toEqual({
    statusCode: 201,
    headers: {
      ...caution,
      'Content-Type': 'application/json',
      Location: '/v1/things/T1',
      'X-Request-Id': 'r-1',
    },
    body: { id: 'T1' },
  });
  expect(put.headers).not.toHaveProperty('Location');
});

test('logs a bug as an error with its stack, but no refusal', async () => {
  const bug = new TypeError('internal detail');

  const broken = await answerOf(row, {}, () => Promise.reject(bug));
  const nothing = await answerOf(row, {}, () => Promise.reject(undefined));
  const missing = await answerOf(row, {}, () => Promise.reject(notFound()));
  const refused = await answerOf(row, {}, () => Promise.reject(invalid('No.', 'Never.')));

  expect([broken, nothing, missing, refused].map(({ statusCode }) => statusCode)).toEqual([500, 500, 404, 400]);
  expect(JSON.stringify(broken)).not.toContain('internal detail');
  expect(refused.body).toEqual({
    status: 400,
    title: 'Bad Request',
    detail: 'No. Never.',
    instance: '/v1/things',
    errors: ['No.', 'Never.'],
  });
  expect(lines).toEqual([
    { level: 'ERROR', requestId: 'r-1', stack: bug.stack },
    expect.objectContaining({ level: 'ERROR', status: 500, route: row.id, store: 'S', keyId: 'K' }),
    expect.objectContaining({ level: 'ERROR', requestId: 'r-1' }),
    expect.objectContaining({ level: 'ERROR', status: 500 }),
    expect.objectContaining({ level: 'INFO', status: 404 }),
    expect.objectContaining({ level: 'INFO', status: 400 }),
  ]);
});

test('a thrown thing that is no error is logged as it looks', async () => {
  await answerOf(row, {}, () => Promise.reject({ code: 'ENOENT' }));

  expect(lines[0]).toEqual({ level: 'ERROR', requestId: 'r-1', stack: "{ code: 'ENOENT' }" });
});

test('a fault of the answer itself is a problem too, and logged', async () => {
  const headerless = { multiValueHeaders: { Accept: null } } as never;
  const { write } = logSink;
  logSink.write = (line) => {
    if ('route' in line) throw new Error('No room for the line.');
    lines.push(line);
  };

  const unlogged = await answerOf(row, {}).finally(() => {
    logSink.write = write;
  });
  const refused = await answerOf(row, headerless, () => Promise.reject(notFound()));

  for (const answer of [unlogged, refused])
    expect(answer).toEqual({
      statusCode: 500,
      headers: { ...caution, 'Content-Type': 'application/problem+json', 'X-Request-Id': 'r-1' },
      body: { status: 500, title: 'Internal Server Error', detail: expect.any(String), instance: '/v1/things' },
    });
  expect(lines).toMatchObject([
    { level: 'ERROR', requestId: 'r-1', stack: expect.stringContaining('No room for the line.') },
    { level: 'ERROR', requestId: 'r-1', stack: expect.stringContaining('TypeError') },
  ]);
});

test('a request that is given up says so in the log, with time left for its answer', async () => {
  const handler = () => sleep(60).then(() => ({ got: 1 }));

  const { statusCode, headers, body } = await endpoint(row, handler)(eventOf({}), {
    getRemainingTimeInMillis: () => 105,
  } as Context);

  expect(statusCode).toBe(503);
  expect(headers).toMatchObject({ 'Retry-After': '1' });
  expect(JSON.parse(body).detail).toBe(details.unknownEnd);
  expect(lines[0]).toMatchObject({ stack: expect.stringContaining('took longer than its function may run') });
});

test('logs the cause of a 503, and does not answer it', async () => {
  const cause = new Error('the queue does not exist');
  const busy = Object.assign(new Problem(503, 'Busy.'), { cause });

  const answer = await answerOf(row, {}, () => Promise.reject(busy));

  expect(JSON.stringify(answer)).not.toContain('queue');
  expect(lines[0]).toEqual({ level: 'ERROR', requestId: 'r-1', stack: cause.stack });
});

test('a handler stops calling the table after its time-out', async () => {
  let late: Promise<unknown> = Promise.resolve();
  const sent: string[] = [];
  const call = async (name: string) => {
    refuseIfOver();
    sent.push(name);
  };
  const handler = async () => {
    await call('in time');
    await sleep(50);
    late = call('too late');
    await late.catch(() => undefined);
    return { got: 1 };
  };

  const { statusCode } = await endpoint(row, handler)(eventOf({}), { getRemainingTimeInMillis: () => 15 } as Context);
  await sleep(60);

  expect(statusCode).toBe(503);
  await expect(late).rejects.toThrow('answered already');
  expect(sent).toEqual(['in time']);
});

test('401s for two keys, even if the authorizer has seen only one of them', async () => {
  const event = { multiValueHeaders: { 'X-API-Key': ['one'], 'x-api-key': ['two'] } };

  expect((await answerOf(row, event)).statusCode).toBe(401);
  expect((await answerOf(row, { multiValueHeaders: { 'X-API-Key': ['one'] } })).statusCode).toBe(200);
});

test('404s for the key of a deleted store, also if the request has faults', async () => {
  const authorizer = { store: 'S', keyId: 'K', storeGone: 'true' };
  const event = { body: 'not JSON', requestContext: { ...eventOf({}).requestContext, authorizer } };

  expect((await answerOf(row, event)).statusCode).toBe(404);
});

test('503s while there is time to answer, where other writers come first again and again', async () => {
  let time = 0;
  Object.assign(source, { now: () => time, random: () => 0 });

  const { statusCode } = await answerOf(row, {}, async () => {
    for (let attempt = 1; ; attempt++) {
      time += 1700;
      await pauseOvertaken(attempt);
    }
  });

  expect(statusCode).toBe(503);
  // The work behind the last pause has a few seconds, as a slow table may need.
  expect(time).toBeLessThan((requestSeconds - 5) * 1000);
});
