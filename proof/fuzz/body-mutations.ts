import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { anyJson } from './hostile.ts';
import { bytesOf, type JsonSchema, jsonSchema, type Mutation } from './requests.ts';

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

/** The body's JSON with `json` at `path`. Without `json` the member is removed. */
const bodyWith = (body: unknown, path: Path, json: string | undefined): string =>
  bytesOf(
    JSON.stringify(withAt(body, path, json === undefined ? undefined : mark)).replace(
      JSON.stringify(mark),
      () => json ?? '',
    ),
  );

/** Fields of answers and of the table, which no request may set, and names that every object inherits. */
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

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);

/** The body's JSON with a member twice, once unchanged. JSON.parse decides which one counts. */
const bodyWithTwo = (body: unknown, path: Path, json: string, comesFirst: boolean): string => {
  const own = JSON.stringify(valueAt(body, path)) ?? json;
  const two = comesFirst ? [json, own] : [own, json];
  return bodyWith(body, path, two.join(`,${JSON.stringify(path.at(-1))}:`));
};

/** A body for an endpoint that ignores bodies. The answer must be that of the request without it. */
const garbage: Mutation = fc
  .oneof(
    anyJson.map(bytesOf),
    fc.nat(bodies.length - 1).map((number) => bodies[number]?.('{"name":"text"}') ?? ''),
  )
  .map((body) => (request) => ({
    ...request,
    mutation: `a body where there is none: ${body.slice(0, 60)}`,
    body,
  }));

/** The faults that a body of a row's request can have. */
export const bodyMutations = (row: Route): Mutation[] => {
  if (!row.body) return [garbage];
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
    fc
      .tuple(fc.constantFrom(...paths.filter((path) => typeof path.at(-1) === 'string')), anyJson, fc.boolean())
      .map(([path, json, comesFirst]) => (request, { body }) => ({
        ...request,
        mutation: `${path.join('.')} twice, ${comesFirst ? 'first' : 'last'} ${json.slice(0, 60)}`,
        body: bodyWithTwo(body, path, json, comesFirst),
      })),
    fc.nat(bodies.length - 1).map((number) => (request) => ({
      ...request,
      mutation: `body ${number}`,
      body: bodies[number]?.(request.body ?? '') ?? '',
    })),
  ];
};

/** The faults that the length of a body can have. */
export const framingMutations = (row: Route): Mutation[] =>
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
