import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/files.ts';
import { startForTests } from '../../../../test/support/local-service.ts';
import type { OpenApiDocument, Operation, Parameter } from '../../types.ts';

/**
 * Clients that five generators, each with its own parser, make from docs/openapi.json in somebody else's project, and
 * the collection that Postman makes from it.
 */

const root = join(import.meta.dirname, '../../../..');
const source = join(root, 'docs/openapi.json');
const project = tempDir();
const { paths }: OpenApiDocument = JSON.parse(readFileSync(source, 'utf8'));

interface Call {
  operation: string;
  method: string;
  path: string;
  /** Values of the placeholders in the path, in their order. */
  values: Record<string, string>;
  /** Query values that an operation requires. */
  query: Record<string, string>;
  /** The body in TypeScript; undefined if there is none. */
  body: string | undefined;
}

const valuesIn = (place: 'path' | 'query', { parameters }: Operation): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter((one): one is Parameter => 'in' in one && one.in === place && one.required)
      .map(({ name }) => [name, 'ada']),
  );

const callOf = (method: string, path: string, operation: Operation, body?: unknown): Call => ({
  operation: operation.operationId,
  method: method.toUpperCase(),
  path,
  values: valuesIn('path', operation),
  query: valuesIn('query', operation),
  body: body === undefined ? undefined : JSON.stringify(body),
});

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);
const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];

/** Each operation with the example of its body, and also without a body if that is optional. */
const rightCalls = operations.flatMap(({ method, path, operation }) => [
  ...(operation.requestBody?.required ? [] : [callOf(method, path, operation)]),
  ...(bodyOf(operation)?.example === undefined ? [] : [callOf(method, path, operation, bodyOf(operation)?.example)]),
]);

const wrongBodies = (operationId: string): unknown[] =>
  operationId === 'applyCoupon' || operationId === 'revokeCoupon' ? [{ scope: 0 }, { scope: 1, code: 'A' }] : [];

/** Bodies that lack a field, have a field of a wrong type, or break a rule across fields. */
const wrongCalls = operations.flatMap(({ method, path, operation }) => {
  const example = bodyOf(operation)?.example as object | undefined;
  const [field] = Object.keys(example ?? {});
  if (field === undefined) return [];
  const bodies = [{ ...example, [field]: { any: 'thing' } }, ...wrongBodies(operation.operationId)];
  return bodies.map((body) => callOf(method, path, operation, body));
});

interface Generator {
  name: string;
  /** Command line, where OUTPUT is the folder. */
  command: string[];
  /** The head of a file of calls. */
  head: string;
  call: (call: Call) => string;
  /** Sets the service's address and key, adds 5 L$ to a customer's credit, and returns the new balance. */
  program: string;
}

const generators: Generator[] = [
  {
    name: 'openapi-typescript',
    // Without this option it demands request fields that have a default.
    command: ['openapi-typescript', source, '--default-non-nullable=false', '--output', 'OUTPUT/types.ts'],
    head: `import createClient from 'openapi-fetch'; import type { paths } from './types';
const client = createClient<paths>();`,
    call: ({ method, path, values, query, body }) => {
      const asked = Object.entries({ path: values, query }).filter(([, some]) => Object.keys(some).length > 0);
      const params = asked.length > 0 && `params: ${JSON.stringify(Object.fromEntries(asked))}`;
      return `client.${method}('${path}', { ${[params, body && `body: ${body}`].filter(Boolean).join(', ')} });`;
    },
    program: `import createClient from 'openapi-fetch'; import type { paths } from './types';
export const increment = async (baseUrl: string, key: string, identifier: string): Promise<number | undefined> => {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });
  const path = '/v1/customers/{identifier}/actions/increment-credit';
  const { data } = await client.POST(path, { params: { path: { identifier } }, body: { delta: 5 } });
  return data?.credit;
};`,
  },
  {
    name: 'hey-api',
    command: ['openapi-ts', '--input', source, '--output', 'OUTPUT/client'],
    head: `import * as sdk from './client';`,
    call: ({ operation, values, query, body }) => {
      const path = Object.keys(values).length > 0 && `path: ${JSON.stringify(values)}`;
      const search = Object.keys(query).length > 0 && `query: ${JSON.stringify(query)}`;
      return `sdk.${operation}({ ${[path, search, body && `body: ${body}`].filter(Boolean).join(', ')} });`;
    },
    program: `import { incrementCredit } from './client'; import { client } from './client/client.gen';
export const increment = async (baseUrl: string, key: string, identifier: string): Promise<number | undefined> => {
  client.setConfig({ baseUrl, headers: { 'X-API-Key': key } });
  const { data } = await incrementCredit({ path: { identifier }, body: { delta: 5 } });
  return data?.credit;
};`,
  },
  {
    name: 'oazapfts',
    command: ['oazapfts', source, 'OUTPUT/client.ts'],
    head: `import * as api from './client';`,
    call: ({ operation, values, query, body }) =>
      `api.${operation}(${[...Object.values({ ...values, ...query }).map((value) => JSON.stringify(value)), ...(body ? [body] : [])].join(', ')});`,
    program: `import { defaults, incrementCredit } from './client';
export const increment = async (baseUrl: string, key: string, identifier: string): Promise<number | undefined> => {
  Object.assign(defaults, { baseUrl, headers: { 'X-API-Key': key } });
  const answer = await incrementCredit(identifier, { delta: 5 });
  return answer.status === 200 ? answer.data.credit : undefined;
};`,
  },
  {
    name: 'kubb',
    command: [process.execPath, 'kubb.mjs', source, 'OUTPUT'],
    head: `import * as api from './clients';`,
    call: ({ operation, values, query, body }) => {
      const search = Object.keys(query).length > 0 && JSON.stringify(query);
      const given = [...Object.values(values).map((value) => JSON.stringify(value)), body, search];
      return `api.${operation}(${given.filter(Boolean).join(', ')});`;
    },
    program: `import { incrementCredit } from './clients'; import { setConfig } from './.kubb/fetch'; import * as zod from './zod';
export const increment = async (baseURL: string, key: string, identifier: string): Promise<number | undefined> => {
  setConfig({ baseURL, headers: { 'X-API-Key': key } });
  return (await incrementCredit(identifier, { delta: 5 })).credit;
};
export const schemasOf = (operation: string) => {
  const named = (end: string) => Object.entries(zod).find(([name]) => name === operation + end)?.[1];
  return [named('MutationRequestSchema'), named('MutationResponseSchema') ?? named('QueryResponseSchema')];
};`,
  },
];

/** Kubb takes its settings as a program: a client that parses each body and each answer with a zod schema. */
const kubb = `import { build } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
const [, , path, output] = process.argv;
const to = (file) => ({ output: { path: file, barrelType: false } });
const { error, failedPlugins } = await build({
  config: {
    root: '.',
    input: { path },
    output: { path: output, extension: { '.ts': '' }, barrelType: false, format: false, lint: false },
    plugins: [
      pluginOas({ generators: [] }),
      pluginTs(to('types.ts')),
      pluginZod({ ...to('zod.ts'), version: '4', importPath: 'zod/v4' }),
      pluginClient({ ...to('clients.ts'), client: 'fetch', parser: 'zod', bundle: true }),
    ],
  },
});
if (error ?? failedPlugins.size > 0) throw error ?? [...failedPlugins][0].error;`;

const run = async (command: string, ...args: string[]): Promise<string> => {
  const PATH = [join(project, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, HEY_API_TELEMETRY: 'off' };
  return promisify(execFile)(command, args, { cwd: project, env, maxBuffer: 1e8 }).then(
    ({ stdout }) => stdout,
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => `${stdout}${stderr}` || 'It has failed.',
  );
};

/** A generator that knows only OpenAPI 3.0: it makes a zod schema for each body and answer, and parses both with it. */
const zodProgram = `import { api, createApiClient } from './client';
export const increment = async (baseUrl: string, key: string, identifier: string): Promise<number | undefined> => {
  const client = createApiClient(baseUrl, { axiosConfig: { headers: { 'X-API-Key': key } } });
  return (await client.incrementCredit({ delta: 5 }, { params: { identifier } })).credit;
};
export const schemasOf = (operation: string) => {
  const found = api.api.find(({ alias }) => alias === operation);
  const parameters = found && 'parameters' in found ? found.parameters : [];
  return [parameters.find(({ type }) => type === 'Body')?.schema, found?.response];
};`;

/** Prints the requests of the collection that Postman makes from the document, as docs/guides/quick-start.md says. */
const converter = `const { readFileSync } = require('node:fs');
const data = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const resolution = { parametersResolution: 'Example', requestParametersResolution: 'Example' };
const how = { ...resolution, folderStrategy: 'Tags', enableOptionalParameters: false };
const itemsOf = (items) => items.flatMap(({ item, request }) => (item ? itemsOf(item) : [request]));
require('openapi-to-postmanv2').convert({ type: 'json', data }, how, (error, { output }) => {
  if (error) throw error;
  console.log(JSON.stringify(itemsOf(output[0].data.item)));
});`;

interface PostmanRequest {
  method: string;
  url: {
    path: string[];
    query?: { key: string; value: string; disabled?: boolean }[];
    variable?: { key: string; value: string }[];
  };
  header?: { key: string; value: string; disabled?: boolean }[];
  body?: { raw?: string };
}

/** The compiler’s complaints. */
let faults: string[];
let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(import.meta.dirname, file), join(project, file));
  cpSync(join(root, '.npmrc'), join(project, '.npmrc'));
  writeFileSync(
    join(project, 'tsconfig.json'),
    '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [], "noEmit": true } }',
  );
  await promisify(execFile)('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: project });
  writeFileSync(join(project, 'kubb.mjs'), kubb);
  await Promise.all(
    generators.map(async ({ name, command: [bin = '', ...args], head, call, program }) => {
      const folder = join(project, name);
      mkdirSync(folder);
      await run(bin, ...args.map((arg) => arg.replace('OUTPUT', folder)));
      writeFileSync(join(folder, 'right.ts'), [head, ...rightCalls.map(call)].join('\n'));
      writeFileSync(
        join(folder, 'wrong.ts'),
        [head, ...wrongCalls.map((one) => `// @ts-expect-error\n${call(one)}`)].join('\n'),
      );
      writeFileSync(join(folder, 'program.ts'), program);
    }),
  );
  const folder = join(project, 'openapi-zod-client');
  mkdirSync(folder);
  await run('openapi-zod-client', source, '--output', join(folder, 'client.ts'), '--with-alias');
  writeFileSync(join(folder, 'program.ts'), zodProgram);
  writeFileSync(join(project, 'postman.cjs'), converter);
  faults = (await run(join(root, 'node_modules/.bin/tsc'), '--pretty', 'false')).split('\n').filter(Boolean);
  service = await startForTests();
}, 600_000);
afterAll(() => service?.stop());

/** The exports of a generator’s program. */
const programOf = async (name: string) => {
  const outfile = join(project, name, 'program.mjs');
  await build({
    entryPoints: [join(project, name, 'program.ts')],
    bundle: true,
    format: 'esm',
    packages: 'external',
    outfile,
  });
  return import(outfile);
};

const calls = async (name: string): Promise<void> => {
  const { increment } = await programOf(name);
  const avatar = service.residents[0]?.uuid ?? '';

  const [first, second] = [
    await increment(service.baseUrl, service.keys.all, avatar),
    await increment(service.baseUrl, service.keys.all, avatar),
  ];

  expect(first).toBeGreaterThanOrEqual(5);
  expect(second).toBe(first + 5);
};

test('the client of openapi-zod-client compiles, and calls the service', async () => {
  expect(faults.filter((line) => line.startsWith('openapi-zod-client/'))).toEqual([]);
  await calls('openapi-zod-client');
});

describe.each(generators)('the client that $name generates', ({ name }) => {
  test('compiles, takes right calls and refuses wrong ones', () => {
    expect(rightCalls.length).toBeGreaterThan(operations.length);
    expect(wrongCalls.length).toBeGreaterThan(20);
    expect(faults.filter((line) => line.startsWith(`${name}/`))).toEqual([]);
  });

  test('calls the service', () => calls(name));
});

/** A schema of zod, of whichever version. */
interface Parser {
  safeParse: (value: unknown) => { success: boolean; error?: Error };
}

test.each(['kubb', 'openapi-zod-client'])('the schemas of %s take each body and each answer', async (name) => {
  const { schemasOf }: { schemasOf: (operation: string) => (Parser | undefined)[] } = await programOf(name);

  const parsed = operations.flatMap(({ operation }) => {
    const [request, answer] = schemasOf(operation.operationId);
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
    const body = success && 'content' in success ? success.content?.['application/json'] : undefined;
    const examples = { request: bodyOf(operation)?.example, answer: body?.example };
    return Object.entries(examples)
      .filter(([, example]) => example !== undefined)
      .map(([what, example]) => {
        const result = (what === 'request' ? request : answer)?.safeParse(example);
        return { what: `${what} of ${operation.operationId}`, fault: result ? result.error?.message : 'no schema' };
      });
  });

  expect(parsed.length).toBeGreaterThan(operations.length);
  expect(parsed.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

/**
 * Their examples are ids that the document's own payout and key got: when the collection runs, these are others. An
 * invitation takes its code instead of a key, and a customer's page its code or token.
 */
const named =
  /\/v1\/payouts\/[^/]+\/actions\/report$|\/v1\/(?:keys|me)(?:\/|$)|\/store\/key\/(?:invitation|actions\/accept)$/;

test('each request that Postman makes of the document works on the demo store, but for some about keys, a page and a payout', async () => {
  const requests: PostmanRequest[] = JSON.parse(await run(process.execPath, 'postman.cjs', source));
  const pathOf = ({ url: { path, variable = [] } }: PostmanRequest): string =>
    `/${path.map((part) => variable.find(({ key }) => `:${key}` === part)?.value ?? part).join('/')}`;
  const isLast = (one: PostmanRequest): number =>
    Number(one.method === 'DELETE' && pathOf(one).includes('/webhooks/')) +
    2 * Number(pathOf(one).endsWith('/key/actions/end'));

  const answers: string[] = [];
  for (const one of requests.toSorted((a, b) => isLast(a) - isLast(b))) {
    const query = (one.url.query ?? []).filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
    const headers = (one.header ?? []).filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
    const { status } = await fetch(`${service.baseUrl}${pathOf(one)}?${new URLSearchParams(query)}`, {
      method: one.method,
      headers: { ...Object.fromEntries(headers), 'X-API-Key': service.keys.all ?? '' },
      ...(one.body?.raw && { body: one.body.raw }),
    });
    answers.push(`${status} ${one.method} ${pathOf(one)}`);
  }

  expect(requests).toHaveLength(operations.length);
  expect(answers.filter((answer) => !answer.startsWith('2') && !named.test(answer))).toEqual([]);
});

test('the compiler complains of nothing else', () => {
  expect(faults).toEqual([]);
});
