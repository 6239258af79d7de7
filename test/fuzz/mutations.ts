import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { anyJson, anySegment, anyText } from './hostile.ts';
import { bytesOf, type FuzzRequest, type JsonSchema, jsonSchema, type Parts, partsOf, requestOf } from './requests.ts';

/** One thing that is made wrong with a request that was right. Not every one is refused: see expectation.ts. */
type Mutation = fc.Arbitrary<(request: FuzzRequest, parts: Parts) => FuzzRequest>;

type Path = (string | number)[];

const pathsOf = ({ properties = {}, items }: JsonSchema): Path[] => [
  ...Object.entries(properties).flatMap(([name, schema]) => [
    [name],
    ...pathsOf(schema).map((path) => [name, ...path]),
  ]),
  ...(items ? [[0], ...pathsOf(items).map((path) => [0, ...path])] : []),
];

const mark = '\u0000here\u0000';

const withAt = (value: unknown, [first, ...rest]: Path, last: unknown): unknown => {
  if (first === undefined) return last;
  if (typeof first === 'number') return [withAt(Array.isArray(value) ? value[0] : undefined, rest, last)];
  const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return Object.fromEntries([...Object.entries(object), [first, withAt(object[first], rest, last)]]);
};

/** The body's JSON with `json` at a place; removed where there is none. */
const bodyWith = (body: unknown, path: Path, json: string | undefined): string =>
  bytesOf(
    JSON.stringify(withAt(body, path, json === undefined ? undefined : mark)).replace(
      JSON.stringify(mark),
      () => json ?? '',
    ),
  );

/** Fields of answers and of the table, which no request may set, and names that objects have by themselves. */
const foreignFields = [
  ...new Set(routes.flatMap(({ response }) => Object.keys(response?.shape ?? {}))),
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'pk',
    'sk',
    'flags',
    'store',
    'banReason',
    '',
  ],
];

const bodies: ((body: string) => string)[] = [
  () => '',
  () => ' ',
  () => 'null',
  () => '[]',
  () => '7',
  () => '"text"',
  () => '{}',
  () => '{',
  (body) => body.slice(0, -1),
  (body) => `${body}}`,
  (body) => `${body}${body}`,
  (body) => `\n\t ${body}\r\n`,
  (body) => `\xef\xbb\xbf${body}`,
  (body) => body.replace('"', '\xff"'),
  (body) => body.replace(/:"/, ':"\xc3\x28\xed\xa0\x80'),
  (body) => body.replaceAll('"', "'"),
  (body) => `/* comment */${body}`,
  (body) => Buffer.from(body, 'utf16le').toString('latin1'),
  (body) => gzipSync(body).toString('latin1'),
  (body) => body.replace('{', `{"padding":"${'x'.repeat(256 * 1024)}",`),
  (body) => body.replace('{', `{"padding":"${'\u00e9'.repeat(130 * 1024)}",`),
  (body) => body.replace('{', `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},`),
  () => '['.repeat(100_000),
];

const bodyMutations = (row: Route): Mutation[] => {
  if (!row.body) return [];
  const paths = pathsOf(jsonSchema(row.body));
  return [
    fc
      .tuple(fc.constantFrom(...paths), fc.option(anyJson, { freq: 12, nil: undefined }))
      .map(([path, json]) => (request, { body }) => ({
        ...request,
        mutation: json === undefined ? `without ${path.join('.')}` : `${path.join('.')} is ${json.slice(0, 60)}`,
        body: bodyWith(body, path, json),
      })),
    fc.tuple(fc.constantFrom(...foreignFields), anyJson).map(([name, json]) => (request) => ({
      ...request,
      mutation: `also ${name}`,
      body: (request.body ?? '{}').replace('{', () =>
        bytesOf(`{${JSON.stringify(name)}:${json}${request.body === '{}' ? '' : ','}`),
      ),
    })),
    fc.tuple(fc.constantFrom(...paths), anyJson).map(([[name = ''], json]) => (request) => ({
      ...request,
      mutation: `${name} twice`,
      body: (request.body ?? '{}').replace('{', () => bytesOf(`{"${name}":${json}${request.body === '{}' ? '' : ','}`)),
    })),
    fc.nat(bodies.length - 1).map((number) => (request) => ({
      ...request,
      mutation: `body ${number}`,
      body: bodies[number]?.(request.body ?? '') ?? '',
    })),
  ];
};

const withQuery = (target: string, pair: string): string => `${target}${target.includes('?') ? '&' : '?'}${pair}`;

const queryMutations = (row: Route): Mutation[] => {
  const names = [...Object.keys(row.query.shape), 'unknown', '__proto__', 'constructor', ''];
  return [
    fc
      .tuple(
        fc.constantFrom(...names),
        fc.oneof(
          anyText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6000)),
          fc.constantFrom('%', '%ff', '%zz', '+', 'a=b', '1&limit=1', '1;limit=1'),
        ),
      )
      .map(([name, value]) => (request) => ({
        ...request,
        mutation: `query ${name}`,
        target: withQuery(request.target, `${name}=${value}`),
      })),
    fc
      .constantFrom('?', '?&', '?=', '??limit=1', '?limit', '?limit[]=1', '?LIMIT=1', '?limit=1#f')
      .map((query) => (request) => ({
        ...request,
        mutation: `query ${query}`,
        target: `${request.target.split('?')[0]}${query}`,
      })),
  ];
};

const pathMutations = (row: Route): Mutation[] => {
  const refused = [400, 404];
  const places = row.path.split('/').flatMap((segment, index) => (segment.startsWith('{') ? [index] : []));
  const replaced: Mutation = fc
    .tuple(fc.constantFrom(...places, -1), anySegment)
    .map(([place, segment]) => (request) => {
      const [path = '', query] = request.target.split(/(?=\?)/);
      if (place < 0)
        return {
          ...request,
          mutation: 'a segment more',
          target: `${path}/${bytesOf(segment)}${query ?? ''}`,
          expect: refused,
        };
      const segments = path.split('/').map((each, index) => (index === place ? bytesOf(segment) : each));
      return { ...request, mutation: `path ${segment.slice(0, 40)}`, target: segments.join('/') + (query ?? '') };
    });
  const bent: [string, (path: string) => string][] = [
    ['a slash at the end', (path) => `${path}/`],
    ['two slashes', (path) => `/${path}`],
    ['capitals', (path) => path.replace('/v1', '/V1')],
    ['another version', (path) => path.replace('/v1', '/v2')],
    ['an encoded slash', (path) => path.replace('/v1/', '/v1%2F')],
    ['dots', (path) => `/v1/..${path}`],
    ['encoded dots', (path) => path.replace('/v1/', '/v1/%2e%2e/v1/')],
    ['an encoded letter', (path) => path.replace('/v1/', '/%76%31/')],
    ['a whole URL', (path) => `http://127.0.0.1${path}`],
    ['a very long path', (path) => `${path}${'/x'.repeat(9000)}`],
    ['an asterisk', () => '*'],
    ['nothing', () => '/'],
  ];
  return [
    replaced,
    fc.constantFrom(...bent).map(([mutation, bend]) => (request) => ({
      ...request,
      mutation,
      target: request.target.replace(/^[^?]*/, bend),
      expect: refused,
    })),
    fc
      .constantFrom('PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'DELETE', 'get', 'BREW', 'GET\0', 'POST POST')
      .filter((method) => method !== row.method)
      .map((method) => (request) => ({
        ...request,
        mutation: `method ${method}`,
        method,
        expect: [...refused, 200, 204],
      })),
  ];
};

const long = 'x'.repeat(20_000);

/** Headers that are added or take another's place, and what may be answered: unless said, what is without them. */
const headers: [header: [string, string], expect?: number[]][] = [
  [['X-API-Key', 'x'], [401]],
  [['X-API-Key', '~key~'], [401]],
  [['X-API-Key', ''], [401]],
  [['x-api-key', '~otherkey~'], [401]],
  [['X-Api-Key ', '~key~'], [400]],
  [['Evil', 'a\r\nX-Injected: yes']],
  [['Evil', 'a\nX-Injected: yes'], [400]],
  [['Evil', 'a\rb'], [400]],
  [['Evil', 'a\0b'], [400]],
  [['Evil', '\xff\xfe\x80']],
  [['Evil', long], [400]],
  [['Ev il', 'x'], [400]],
  [['', 'x'], [400]],
  [['__proto__', 'x']],
  [['constructor', 'x']],
  [['Host', 'evil.example']],
  [['X-Forwarded-Host', 'evil.example']],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['Content-Type', 'application/xml; charset=utf-16']],
  [['Content-Type', '\x80']],
  [['Content-Encoding', 'gzip']],
  [['Accept', 'text/html']],
  [['Accept-Encoding', 'gzip;q=1e999']],
  [['Range', 'bytes=0-0']],
  [['If-None-Match', '*']],
  [['Expect', '100-continue']],
  [['Expect', '999-impossible']],
  [['Upgrade', 'h2c']],
  [['Cookie', long.slice(0, 4000)]],
  [['X-Amz-Invocation-Type', 'Event']],
  [['Idempotency-Key', '']],
  [['Idempotency-Key', 'a b']],
  [['Idempotency-Key', '\xe9']],
  [['Idempotency-Key', 'x'.repeat(256)]],
  [['Idempotency-Key', 'a#b']],
  [['Idempotency-Key', '"quoted"']],
];

const headerMutations: Mutation[] = [
  fc.constantFrom(...headers).map(([header, expect]) => (request) => ({
    ...request,
    mutation: `header ${header.join(': ').slice(0, 60)}`,
    headers: [...request.headers, header],
    ...(expect && { expect }),
  })),
  fc.constantFrom<[string, number[]?]>(['X-API-Key', [401]], ['Host', [400]]).map(([gone, expect]) => (request) => ({
    ...request,
    mutation: `no ${gone}`,
    headers: request.headers.filter(([name]) => name !== gone),
    ...(expect && { expect }),
  })),
  fc
    .constantFrom(
      '',
      'x',
      'sis_test_',
      '~key~x',
      '~key~, ~key~',
      'é',
      '~othercasekey~',
      '~unknownkey~',
      'x'.repeat(5000),
    )
    .map((key) => (request) => ({
      ...request,
      mutation: `key ${key.slice(0, 30)}`,
      headers: request.headers.map(([name, value]) => [name, name === 'X-API-Key' ? bytesOf(key) : value]),
      expect: [401],
    })),
];

const framingMutations = (row: Route): Mutation[] =>
  row.body
    ? [
        fc.constantFrom('chunked', 'short', 'long', 'twice', 'both').map((framing) => (request) => ({
          ...request,
          mutation: `length ${framing}`,
          framing,
          ...(framing !== 'chunked' && { expect: [400] }),
        })),
      ]
    : [];

/** Requests to a row: a third of them as they should be, the others with one thing made wrong. */
const requestsTo = (row: Route): fc.Arbitrary<FuzzRequest> => {
  const mutations = [
    ...bodyMutations(row),
    ...bodyMutations(row),
    ...queryMutations(row),
    ...pathMutations(row),
    ...headerMutations,
    ...framingMutations(row),
  ];
  const none: Mutation = fc.constant((request) => request);
  const mutation = fc.oneof(
    { weight: mutations.length, arbitrary: none },
    ...mutations.map((arbitrary) => ({ weight: 2, arbitrary })),
  );
  return fc.tuple(partsOf(row), mutation).map(([parts, mutate]) => mutate(requestOf(row, parts), parts));
};

/** Requests to any row, each as likely as the others. */
export const requests: fc.Arbitrary<FuzzRequest> = fc.oneof(...routes.map(requestsTo));
