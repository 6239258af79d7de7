import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { tableName } from '../lib/table/table.ts';
import { ensureTable } from '../local/table.ts';
import startTestEngine from '../test/support/engine.ts';

/** Runs `work` with an engine in memory and a table of its own in it. */
export const withTable = async <T>(work: () => Promise<T>): Promise<T> => {
  const stop = await startTestEngine();
  try {
    process.env.TABLE_NAME = `bench-${randomUUID()}`;
    const client = new DynamoDBClient({});
    await ensureTable(client, tableName());
    client.destroy();
    return await work();
  } finally {
    await stop();
  }
};

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

interface Sent {
  method: string;
  /** The row's path, with parameters in braces. */
  route: string;
  path: string;
  params: Record<string, string | undefined>;
  query?: URLSearchParams;
  body?: unknown;
  store: string;
}

/** The event that the gateway sends a function. */
export const eventOf = ({ method, route, path, params, query, body, store }: Sent): APIGatewayProxyEvent => {
  const headers = { 'X-API-Key': 'bench', 'Content-Type': 'application/json', Host: 'bench.invalid' };
  const values = Object.fromEntries([...(query ?? [])].map(([name, value]) => [name, [value]]));
  return {
    httpMethod: method,
    resource: route,
    path,
    pathParameters: params,
    queryStringParameters: null,
    multiValueQueryStringParameters: query ? values : null,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    stageVariables: null,
    isBase64Encoded: false,
    body: body === undefined ? null : JSON.stringify(body),
    requestContext: { requestId: randomUUID(), path, authorizer: { store, keyId: 'bench' } },
  } as unknown as APIGatewayProxyEvent;
};

/** The value that `share` of them do not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const resultsDir = join(import.meta.dirname, 'results');

/** What was measured, on what machine, and how to do it again. */
export interface Result<T> {
  command: string;
  date: string;
  machine: { cores: number; cpu: string; memoryGiB: number; node: string; loadBefore: number };
  rows: T[];
}

/** How busy the machine was before the benchmarks began. */
const loadBefore = Number(process.env.BENCH_LOAD_BEFORE ?? rounded(loadavg()[0] ?? 0));

/** Writes a benchmark's rows, with the facts of this machine, to bench/results, and prints them. */
export const report = <T extends object>(name: string, rows: T[]): void => {
  const machine = {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? '',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadBefore,
  };
  const result: Result<T> = {
    command: `npm run bench -- ${name}`,
    date: new Date().toISOString().slice(0, 10),
    machine,
    rows,
  };
  mkdirSync(resultsDir, { recursive: true });
  writeFileSync(join(resultsDir, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.table(rows);
};
