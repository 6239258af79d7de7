import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { bytesOf, framings, type JsonSchema, jsonSchema, type Mutation } from '../../test/support/requests.ts';
import { anyJson } from './hostile.ts';

type Path = (string | number)[];

const pathsOf = ({ properties = {}, items }: JsonSchema): Path[] => [
  ...Object.entries(properties).flatMap(([name, schema]) => [
    [name],
    ...pathsOf(schema).map((path) => [name, ...path]),
  ]),
  ...(items ? [[0], ...pathsOf(items).map((path) => [0, ...path])] : []),
];

const mark = '\u0000here\u0000';

/** The body's JSON with the JSON at `path` changed. Undefined removes the member. */
const bodyWith = (body: unknown, path: Path, change: (own: string | undefined) => string | undefined): string => {
  let json: string | undefined;
  const withMark = (value: unknown, [first, ...rest]: Path): unknown => {
    if (first === undefined) {
      json = change(JSON.stringify(value));
      return json && mark;
    }
    if (typeof first === 'number') return [withMark(Array.isArray(value) ? value[0] : undefined, rest)];
    const object = Object(value);
    return { ...object, [first]: withMark(object[first], rest) };
  };
  const text = JSON.stringify(withMark(body, path));
  return bytesOf(text.replace(JSON.stringify(mark), () => json ?? ''));
};

/** Fields of answers and of the table, which no request may set, and names that every object inherits. */
const foreignFields = [
  ...new Set(routes.flatMap(({ response }) => Object.keys(response?.shape ?? {}))),
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
  ...['pk', 'sk', 'flags', 'store', 'banReason', ''],
];

const bodies: ((body: string) => string)[] = [
  ...['', ' ', 'null', '[]', '7', '"text"', '{}', '{', '['.repeat(100_000)].map((body) => () => body),
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
];
const bodyNumber = fc.nat(bodies.length - 1);

/** A body for an endpoint that ignores bodies. The answer must be the same as without it. */
const garbage: Mutation = fc
  .oneof(
    anyJson.map(bytesOf),
    bodyNumber.map((number) => bodies[number]?.('{"name":"text"}') ?? ''),
  )
  .map((body) => () => ({ mutation: `a body where there is none: ${body.slice(0, 60)}`, body }));

/** The faults that a body of a row's request can have. */
export const bodyMutations = (row: Route): Mutation[] => {
  if (!row.body) return [garbage];
  const paths = pathsOf(jsonSchema(row.body));
  return [
    fc
      .tuple(fc.constantFrom(...paths), fc.option(anyJson, { freq: 12, nil: undefined }))
      .map(([path, json]) => ({ value }) => ({
        mutation: json === undefined ? `without ${path.join('.')}` : `${path.join('.')} is ${json.slice(0, 60)}`,
        body: bodyWith(value, path, () => json),
      })),
    fc.tuple(fc.constantFrom(...foreignFields), anyJson).map(([name, json]) => ({ request: { body = '{}' } }) => ({
      mutation: `also ${name}`,
      body: body.replace('{', () => bytesOf(`{${JSON.stringify(name)}:${json}${body === '{}' ? '' : ','}`)),
    })),
    // JSON.parse decides which of two equal members counts.
    fc
      .tuple(fc.constantFrom(...paths.filter((path) => typeof path.at(-1) === 'string')), anyJson, fc.boolean())
      .map(([path, json, comesFirst]) => ({ value }) => ({
        mutation: `${path.join('.')} twice, ${comesFirst ? 'first' : 'last'} ${json.slice(0, 60)}`,
        body: bodyWith(value, path, (own = json) =>
          (comesFirst ? [json, own] : [own, json]).join(`,${JSON.stringify(path.at(-1))}:`),
        ),
      })),
    bodyNumber.map((number) => ({ request: { body = '' } }) => ({
      mutation: `body ${number}`,
      body: bodies[number]?.(body) ?? '',
    })),
  ];
};

/** The faults that the length of a body can have. */
export const framingMutations = (row: Route): Mutation[] => {
  if (!row.body) return [];
  return [
    fc.constantFrom(...framings).map((framing) => () => ({
      mutation: `length ${framing}`,
      framing,
      expect: framing === 'chunked' ? undefined : [400],
    })),
  ];
};
