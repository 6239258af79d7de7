import { readFileSync, writeFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';

/**
 * Writes two files from `docs/openapi.json`. `types.ts` has the schemas by name, and `Endpoints`, which has for each
 * "METHOD /path" the types of the request (`path`, `query`, `body`) and of the response (`answer`). `operations.ts` has
 * the client's method for each operation.
 */

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked at member by member.
type Json = any;

const source = new URL('../../docs/openapi.json', import.meta.url);
const banner =
  '// Written by `npm run openapi` from docs/openapi.json. Change lib/routes/ or apps/reference/, not this file.';

const inline = (document: Json, value: Json): Json =>
  value.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((at: Json, name: string) => at[name], document)
    : value;

/** The parameters of one place (`path` or `query`) as one object. */
const parametersIn = (place: string, parameters: Json[]): Json => {
  const here = parameters.filter((parameter) => parameter.in === place);
  if (here.length === 0) return undefined;
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      here.map(({ name, description, schema }) => [name, { ...schema, description, default: undefined }]),
    ),
    required: here.filter(({ required }) => required).map(({ name }) => name),
  };
};

const jsonOf = (content: Json): Json => content?.['application/json']?.schema;

/** Request and response of an operation, as one object. */
const exchangeOf = (document: Json, operation: Json): Json => {
  const parameters = (operation.parameters ?? []).map((parameter: Json) => inline(document, parameter));
  const success = Object.entries<Json>(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const path = parametersIn('path', parameters);
  const query = parametersIn('query', parameters);
  const body = jsonOf(operation.requestBody?.content);
  const answer = jsonOf(success?.content);
  const asks = query && query.required.length > 0;
  const required = [
    path && 'path',
    asks && 'query',
    body && operation.requestBody.required && 'body',
    answer && 'answer',
  ];
  return {
    type: 'object',
    additionalProperties: false,
    description: operation.summary,
    properties: { ...(path && { path }), ...(query && { query }), ...(body && { body }), ...(answer && { answer }) },
    required: required.filter((name) => typeof name === 'string'),
  };
};

/** Lists get no index signatures, so a field outside the contract does not compile. */
const closed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  // A description beside a reference would turn it into another type.
  if (value.$ref) {
    const reference = { $ref: value.$ref.replace('#/components/schemas/', '#/definitions/') };
    return value.description ? { allOf: [reference], description: value.description } : reference;
  }
  const { default: _default, example: _example, examples: _examples, ...schema } = value;
  const isObject = schema.type === 'object';
  // Rules across fields would turn a type into unions that nobody reads. The service checks them.
  const { allOf: _allOf, ...plain } = schema;
  const rest = isObject ? plain : schema;
  const open = isObject && rest.additionalProperties === undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, closed(member)])),
    ...(open && { additionalProperties: false }),
  };
};

/** Every operation by its line, such as `GET /v1/products`. */
const operationsOf = (document: Json): [line: string, operation: Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([method]) => ['get', 'put', 'post', 'delete'].includes(method))
      .map(([method, operation]): [string, Json] => [`${method.toUpperCase()} ${path}`, operation]),
  );

/** The text of `types.ts`. */
const clientTypes = async (document: Json): Promise<string> => {
  const endpoints = operationsOf(document).map(([line, operation]) => [line, exchangeOf(document, operation)]);
  const schema = {
    type: 'object',
    additionalProperties: false,
    description: 'The requests and responses of every endpoint.',
    properties: Object.fromEntries(endpoints),
    required: endpoints.map(([name]) => name),
    definitions: document.components.schemas,
  };
  const text = await compile(closed(schema), 'Endpoints', {
    // An array with bounds would become a tuple.
    ignoreMinAndMaxItems: true,
    bannerComment: banner,
    style: { singleQuote: true, printWidth: 120 },
    strictIndexSignatures: true,
  });
  // Biome puts each member of a union that does not fit behind its name on a line of its own.
  const laidOut = text.replaceAll(
    /^(export type \w+ =\n +)('\w+'(?: \| '\w+')+);$/gm,
    (_, begin: string, union: string) =>
      `${begin.trimEnd()}${union
        .split(' | ')
        .map((member) => `\n  | ${member}`)
        .join('')};`,
  );
  // An object without named fields. The type `{}` would take everything but null.
  return laidOut.replaceAll(/(?<=[:|] )\{\}(?=;| \|)/g, 'object');
};

const schemaName = (schema: Json): string => schema.$ref.split('/').at(-1);

/** Lines in Biome's format: the items within the brackets are on lines of their own if they do not fit into one. */
const layout = (indent: string, begin: string, items: readonly string[], end: string): string => {
  const line = `${indent}${begin}${items.join(', ')}${end}`;
  if (line.length <= 120) return line;
  return [
    `${indent}${begin.trimEnd()}`,
    ...items.map((item) => `${indent}  ${item},`),
    `${indent}${end.trimStart()}`,
  ].join('\n');
};

/** The method of an operation: its line in the table, its signature, and the types of the signature. */
const methodOf = (document: Json, line: string, operation: Json, name: string) => {
  const { path, query, body, answer } = exchangeOf(document, operation).properties;
  const fields = answer && inline(document, answer).properties;
  const isList = fields?.data !== undefined && fields.pagination !== undefined;
  const rest = body ? 'body' : isList ? 'list' : query ? 'query' : undefined;
  const parameters = [
    ...Object.keys(path?.properties ?? {}).map((placeholder) => `${placeholder}: string`),
    ...(body ? [`body${operation.requestBody.required ? '' : '?'}: ${schemaName(body)}`] : []),
    ...(query ? [`query${query.required.length > 0 ? '' : '?'}: Endpoints['${line}']['query']`] : []),
    'options?: CallOptions',
  ];
  const returns = `${isList ? 'Listed' : 'Answered'}<${answer ? schemaName(answer) : 'undefined'}>`;
  return {
    row: `    ${name}: '${[line, rest].filter(Boolean).join(' ')}',`,
    signature: [`    /** ${operation.summary}. */`, layout('    ', `${name}(`, parameters, `): ${returns};`)].join(
      '\n',
    ),
    types: [body, answer].flatMap((schema) => (schema ? [schemaName(schema)] : [])),
  };
};

const byName = new Intl.Collator('en');

/** The text of `operations.ts`. Throws if two operations would have the same name. */
const clientOperations = (document: Json): string => {
  const groups = new Map<string, Map<string, ReturnType<typeof methodOf>>>();
  for (const [line, operation] of operationsOf(document)) {
    const [group, name] = operation['x-client-method'].split('.');
    const methods = groups.get(group) ?? new Map();
    if (methods.has(name)) throw new Error(`Two operations have the method ${group}.${name} in the client.`);
    groups.set(group, methods.set(name, methodOf(document, line, operation, name)));
  }
  const all = [...groups.values()].flatMap((methods) => [...methods.values()]);
  const types = ['Endpoints', ...new Set(all.flatMap((method) => method.types))].toSorted(byName.compare);
  const blocks = (part: 'row' | 'signature', end: string): string =>
    [...groups]
      .map(([group, methods]) =>
        [`  ${group}: {`, ...[...methods.values()].map((method) => method[part]), `  }${end}`].join('\n'),
      )
      .join('\n');
  return `${banner}

import type { Answered, CallOptions, Listed } from './answer.ts';
${layout('', 'import type { ', types, " } from './types.ts';")}

/** The methods of the client, by resource. */
export interface Resources {
${blocks('signature', ';')}
}

/**
 * For each method, the request that it makes, and the argument after the values of the path: \`body\`, \`query\`, or
 * \`list\` for the query of a list.
 */
export const operations = {
${blocks('row', ',')}
};
`;
};

/** The texts of the generated files, by name. */
export const clientFiles = async (document: Json): Promise<Record<string, string>> => ({
  'types.ts': await clientTypes(document),
  'operations.ts': clientOperations(document),
});

if (import.meta.main)
  for (const [name, text] of Object.entries(await clientFiles(JSON.parse(readFileSync(source, 'utf8')))))
    writeFileSync(new URL(name, import.meta.url), text);
