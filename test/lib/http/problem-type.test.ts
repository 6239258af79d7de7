import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { problemTypeOf } from '../../../lib/http/problem-type.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startTestService } from '../../support/service.ts';

const json = 'application/json';
const problem = 'application/problem+json';

const typeFor = (accept: string[], headers: Record<string, string[]> = { 'X-SecondLife-Shard': ['Production'] }) =>
  problemTypeOf({ multiValueHeaders: { ...headers, ...(accept.length > 0 && { Accept: accept }) } });

/** The Accept that simulators send by default. */
const simulator =
  'text/*, application/xhtml+xml, application/atom+xml, application/json, application/xml, application/llsd+xml, ' +
  'application/x-javascript, application/javascript, application/x-www-form-urlencoded, application/rss+xml';

test.each<[accept: string[], type: string]>([
  [[simulator], json],
  [['application/json'], json],
  [['APPLICATION/Json'], json],
  [[' application/json '], json],
  [['application/json;charset=utf-8'], json],
  [['application/json ; q=0.001'], json],
  [['application/json;q=1.000'], json],
  [['text/plain', 'application/json'], json],
  [['text/*;q=0.5', 'application/xml, application/json'], json],
  [['application/json, */*;q=0'], json],
  [['application/json, application/*;Q=0.0'], json],
  [['application/json, application/problem+json;q=0.000'], json],
  [['application/json, application/problem+json;q=0'], json],
  [['application/json, application/problem+xml'], json],
  [['application/json;a="x, */*"'], json],
  [['application/json;a=";q=0"'], json],
  [['application/json;a="\\", */*"'], json],
  [['application/json, text/plain;a="open, */*'], json],
  [[',, application/json ,'], json],
  [['application/json;q=0, application/json;level=1'], json],
  [[], problem],
  [[''], problem],
  [['text/*'], problem],
  [['*/*'], problem],
  [['application/*'], problem],
  [['application/problem+json'], problem],
  [['application/json, */*'], problem],
  [['application/json, */*;q=0.1'], problem],
  [['application/json', '*/*;q=0.001'], problem],
  [['application/json, application/*'], problem],
  [['application/json;q=1, application/problem+json;q=0.1'], problem],
  [['application/json, Application/Problem+JSON;a=b'], problem],
  [['application/json;q=0'], problem],
  [['application/json;q=0.0;a=b'], problem],
  [['application/json; a="x" ; Q=0.000'], problem],
  [['application/json;a="\\\\", */*'], problem],
  [['application/jsonp'], problem],
  [['text/json'], problem],
  [['"application/json"'], problem],
])('a script that sends Accept %j gets problems as %s', (accept, type) => {
  expect(typeFor(accept)).toBe(type);
});

test('only requests of scripts get application/json, whatever their other headers', () => {
  expect(typeFor([json], {})).toBe(problem);
  expect(typeFor([json], { 'User-Agent': ['Second Life LSL/1'] })).toBe(problem);
  expect(typeFor([json], { 'x-secondlife-SHARD': ['Testing'] })).toBe(json);
  expect(typeFor([json], { 'X-SecondLife-Shard': [''] })).toBe(json);
  expect(problemTypeOf({})).toBe(problem);
});

const randomCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''));

const blank = fc.constantFrom('', ' ', '\t', '  ');

/** One media range in any spelling: range, whether it is taken, and its text. */
const element = fc
  .record({
    range: fc.constantFrom(json, problem, 'application/*', '*/*', 'text/*', 'application/xml', 'application/json5'),
    quote: fc.constantFrom('', ';a=1', ';a="x"', ';a="*/*, application/*;q=0"', ';a="\\", */*"'),
    weight: fc.constantFrom<[string, boolean]>(
      ['', true],
      ['q=1', true],
      ['q=0.01', true],
      ['q=0', false],
      ['q=0.', false],
      ['q=0.00', false],
    ),
    after: blank,
    before: blank,
  })
  .chain(({ range, quote, weight: [weight, taken], after, before }) =>
    fc.tuple(randomCase(range), randomCase(weight)).map(([spelt, q]) => ({
      range,
      taken,
      text: `${before}${spelt}${quote}${after}${q && `;${before}${q}`}${after}`,
    })),
  );

test('the type follows from the set of ranges taken, in any spelling, order and number of header lines', () => {
  fc.assert(
    fc.property(fc.array(fc.array(element, { maxLength: 4 }), { maxLength: 3 }), (lines) => {
      const accept = lines.map((line) => line.map(({ text }) => text).join(','));

      const taken = lines.flat().filter((each) => each.taken);
      const has = (...ranges: string[]) => taken.some(({ range }) => ranges.includes(range));
      expect(typeFor(accept)).toBe(has(json) && !has(problem, 'application/*', '*/*') ? json : problem);
      expect(typeFor(accept.toReversed())).toBe(typeFor(accept));
      expect(typeFor(accept, {})).toBe(problem);
    }),
    { numRuns: 1000 },
  );
});

test('any text at all is an Accept header that has an answer', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'aq=0.;,"\\*/ +') })), (accept) => {
      expect([json, problem]).toContain(typeFor(accept));
    }),
  );
});

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const script = { Accept: simulator, 'X-SecondLife-Shard': 'Production' };

test('a script reads the same body of an endpoint’s problem as every other client', async () => {
  for (const [method, path, body] of [
    ['GET', '/v1/products?limit=0', undefined],
    ['GET', '/v1/customers/nobody.here', undefined],
    ['POST', '/v1/categories', '{'],
    ['DELETE', '/v1/categories/x', undefined],
  ] as const) {
    const plain = await service.call(method, path, body);
    const read = await service.call(method, path, body, script);

    expect(plain.headers.get('content-type')).toBe(problem);
    expect(read.headers.get('content-type')).toBe(json);
    expect([read.status, read.body]).toEqual([plain.status, plain.body]);
    for (const { headers } of [plain, read]) expect(headers.get('vary')).toBe('Accept, X-SecondLife-Shard');
  }
});

test('an answer that is no problem has no Vary, and the gateway’s own answers stay problem+json', async () => {
  const good = await service.call('GET', '/v1/products', undefined, script);
  const unauthorized = await service.callAs('x')('GET', '/v1/products', undefined, script);
  const forbidden = await service.callAs(await service.keyWith([]))('GET', '/v1/products', undefined, script);
  const unknown = await service.call('GET', '/v1/nothing', undefined, script);

  expect([good.headers.get('content-type'), good.headers.get('vary')]).toEqual([json, null]);
  for (const { headers } of [unauthorized, forbidden, unknown])
    expect([headers.get('content-type'), headers.get('vary')]).toEqual([problem, null]);
});

test('several header lines count as one', async () => {
  const ask = async (...accept: string[]) => {
    const lines = accept.map((value) => `Accept: ${value}\r\n`).join('');
    const head = `Host: localhost\r\nConnection: close\r\nX-API-Key: ${service.key}\r\nX-SecondLife-Shard: Production\r\n`;
    const answer = await sendRaw(
      Number(new URL(service.baseUrl).port),
      Buffer.from(`GET /v1/products?limit=0 HTTP/1.1\r\n${head}${lines}\r\n`),
    );
    return answer?.headers.get('content-type');
  };

  expect(await ask('text/html', json)).toEqual([json]);
  expect(await ask(json, '*/*')).toEqual([problem]);
});
