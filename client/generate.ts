import { readFileSync, writeFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';

/**
 * Writes `types.ts` from `docs/openapi.json`: the schemas by their names, and `Endpoints`, which has for each
 * "METHOD /path" the types of the request (`path`, `query`, `body`) and of the response (`answer`).
 */

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked at member by member.
type Json = any;

const source = new URL('../docs/openapi.json', import.meta.url);
const target = new URL('./types.ts', import.meta.url);

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
  const required = [path && 'path', body && operation.requestBody.required && 'body', answer && 'answer'];
  return {
    type: 'object',
    additionalProperties: false,
    description: operation.summary,
    properties: { ...(path && { path }), ...(query && { query }), ...(body && { body }), ...(answer && { answer }) },
    required: required.filter((name) => typeof name === 'string'),
  };
};

/** Lists take no index signatures: a field that is not in the contract does not compile. */
const closed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  // A description beside a reference would make another type of it.
  if (value.$ref) return { $ref: value.$ref.replace('#/components/schemas/', '#/definitions/') };
  const { default: _default, example: _example, examples: _examples, ...schema } = value;
  const isObject = schema.type === 'object';
  // Rules across fields would turn a type into unions that nobody reads. The service checks them.
  const { allOf: _allOf, anyOf: _anyOf, ...plain } = schema;
  const rest = isObject ? plain : schema;
  const open = isObject && rest.additionalProperties === undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, closed(member)])),
    ...(open && { additionalProperties: false }),
  };
};

/** The text of `types.ts`. */
export const clientTypes = async (document: Json): Promise<string> => {
  const endpoints = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([method]) => ['get', 'put', 'post', 'delete'].includes(method))
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, exchangeOf(document, operation)]),
  );
  const schema = {
    type: 'object',
    additionalProperties: false,
    description: 'The requests and responses of every endpoint.',
    properties: Object.fromEntries(endpoints),
    required: endpoints.map(([name]) => name),
    definitions: document.components.schemas,
  };
  return compile(closed(schema), 'Endpoints', {
    // An array with bounds would become a tuple.
    ignoreMinAndMaxItems: true,
    bannerComment:
      '// Written by `npm run openapi` from docs/openapi.json. Change lib/routes/ or reference/, not this file.',
    style: { singleQuote: true, printWidth: 120 },
    strictIndexSignatures: true,
  });
};

if (import.meta.main) writeFileSync(target, await clientTypes(JSON.parse(readFileSync(source, 'utf8'))));
