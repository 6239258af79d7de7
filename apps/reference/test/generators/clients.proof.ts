import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/files.ts';
import { startForTests } from '../../../../test/support/local-service.ts';
import type { OpenApiDocument, Operation, Parameter } from '../../types.ts';

/**
 * Clients that three generators, each with a parser of its own, make of docs/openapi.json in a project of somebody
 * else.
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
  /** TypeScript of the body; undefined where there is none. */
  body: string | undefined;
}

const callOf = (method: string, path: string, operation: Operation, body?: unknown): Call => ({
  operation: operation.operationId,
  method: method.toUpperCase(),
  path,
  values: Object.fromEntries(
    operation.parameters
      .filter((one): one is Parameter => 'in' in one && one.in === 'path')
      .map(({ name }) => [name, 'ada']),
  ),
  body: body === undefined ? undefined : JSON.stringify(body),
});

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);
const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];

/** Each operation with the example of its body, and without a body that it can do without. */
const rightCalls = operations.flatMap(({ method, path, operation }) => [
  ...(operation.requestBody?.required ? [] : [callOf(method, path, operation)]),
  ...(bodyOf(operation)?.example === undefined ? [] : [callOf(method, path, operation, bodyOf(operation)?.example)]),
]);

const wrongBodies = (operationId: string): unknown[] =>
  operationId === 'applyCoupon' || operationId === 'revokeCoupon' ? [{ scope: 0 }, { scope: 1, code: 'A' }] : [];

/** Bodies that lack a field, have one of another type, or break a rule across fields. */
const wrongCalls = operations.flatMap(({ method, path, operation }) => {
  const example = bodyOf(operation)?.example as object | undefined;
  if (example === undefined) return [];
  const [field = ''] = Object.keys(example);
  const bodies = [{ ...example, [field]: { any: 'thing' } }, ...wrongBodies(operation.operationId)];
  return bodies.map((body) => callOf(method, path, operation, body));
});

interface Generator {
  name: string;
  /** Command line, where SOURCE is the document and OUTPUT the folder. */
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
    // Without the option it demands fields of a request that have a default.
    command: ['openapi-typescript', source, '--default-non-nullable=false', '--output', 'OUTPUT/types.ts'],
    head: `import createClient from 'openapi-fetch'; import type { paths } from './types';
const client = createClient<paths>();`,
    call: ({ method, path, values, body }) => {
      const params = Object.keys(values).length > 0 && `params: { path: ${JSON.stringify(values)} }`;
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
    call: ({ operation, values, body }) => {
      const path = Object.keys(values).length > 0 && `path: ${JSON.stringify(values)}`;
      return `sdk.${operation}({ ${[path, body && `body: ${body}`].filter(Boolean).join(', ')} });`;
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
    call: ({ operation, values, body }) =>
      `api.${operation}(${[...Object.values(values).map((value) => JSON.stringify(value)), ...(body ? [body] : [])].join(', ')});`,
    program: `import { defaults, incrementCredit } from './client';
export const increment = async (baseUrl: string, key: string, identifier: string): Promise<number | undefined> => {
  Object.assign(defaults, { baseUrl, headers: { 'X-API-Key': key } });
  const answer = await incrementCredit(identifier, { delta: 5 });
  return answer.status === 200 ? answer.data.credit : undefined;
};`,
  },
];

const run = async (command: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, HEY_API_TELEMETRY: 'off' };
  return promisify(execFile)(command, args, { cwd: project, env, maxBuffer: 1e8 }).then(
    ({ stdout }) => stdout,
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => `${stdout}${stderr}` || 'It has failed.',
  );
};

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
  await Promise.all(
    generators.map(async ({ name, command: [bin = '', ...args], head, call, program }) => {
      const folder = join(project, name);
      mkdirSync(folder);
      await run(join('node_modules/.bin', bin), ...args.map((arg) => arg.replace('OUTPUT', folder)));
      writeFileSync(join(folder, 'right.ts'), [head, ...rightCalls.map(call)].join('\n'));
      writeFileSync(
        join(folder, 'wrong.ts'),
        [head, ...wrongCalls.map((one) => `// @ts-expect-error\n${call(one)}`)].join('\n'),
      );
      writeFileSync(join(folder, 'program.ts'), program);
    }),
  );
  faults = (await run(join(root, 'node_modules/.bin/tsc'), '--pretty', 'false')).split('\n').filter(Boolean);
  service = await startForTests();
}, 600_000);
afterAll(() => service?.stop());

describe.each(generators)('the client that $name generates', ({ name }) => {
  test('compiles, takes right calls and refuses wrong ones', () => {
    expect(rightCalls.length).toBeGreaterThan(operations.length);
    expect(wrongCalls.length).toBeGreaterThan(20);
    expect(faults.filter((line) => line.startsWith(`${name}/`))).toEqual([]);
  });

  test('calls the service', async () => {
    const outfile = join(project, name, 'program.mjs');
    await build({ entryPoints: [join(project, name, 'program.ts')], bundle: true, format: 'esm', outfile });
    const { increment } = await import(outfile);
    const avatar = service.residents[0]?.uuid ?? '';

    const [first, second] = [
      await increment(service.baseUrl, service.keys.all, avatar),
      await increment(service.baseUrl, service.keys.all, avatar),
    ];

    expect(first).toBeGreaterThanOrEqual(5);
    expect(second).toBe(first + 5);
  });
});

test('the compiler complains of nothing else', () => {
  expect(faults).toEqual([]);
});
