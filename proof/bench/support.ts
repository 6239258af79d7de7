import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import pMap from 'p-map';
import { scopes } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { tableName } from '../../lib/table/client.ts';
import { ensureTable } from '../../local/engines/table.ts';
import { matcher } from '../../local/gateway/matcher.ts';
import { proxyEvent } from '../../local/gateway/proxy-event.ts';
import startInMemory from '../../test/support/engine.ts';

/** Makes another table in the engine, which is used from then on. */
export const newTable = async (kept: { streamed?: boolean; indexed?: boolean } = {}): Promise<void> => {
  process.env.TABLE_NAME = `bench-${randomUUID()}`;
  const client = new DynamoDBClient({});
  await ensureTable(client, tableName(), { streamed: false, ...kept });
  client.destroy();
};

/** Runs `work` with a table of its own in an engine in memory. */
export const withTable = async <T>(work: () => Promise<T>): Promise<T> => {
  const stop = await startInMemory();
  try {
    await newTable();
    return await work();
  } finally {
    await stop();
  }
};

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const match = matcher(routes);

/** The row of a request, and the event that the gateway sends to its function. */
export const eventOf = (store: string, method: string, url: string, body?: unknown, keyId = 'bench') => {
  const [path = ''] = url.split('?');
  const found = match(method, path);
  if (!found) throw new Error(`There is no ${method} ${path}.`);
  const headersDistinct = { 'X-API-Key': ['bench'], 'Content-Type': ['application/json'], Host: ['bench.invalid'] };
  const request = { url, headersDistinct, socket: {} } as unknown as IncomingMessage;
  const event = proxyEvent(request, randomUUID(), found, Buffer.from(body === undefined ? '' : JSON.stringify(body)));
  event.requestContext.authorizer = { store, keyId, scopes: scopes.join(' ') };
  return { row: found.row, event };
};

/**
 * Measures all contestants in rounds, in which they take turns: other work of the machine slows down all alike. Rounds
 * that warm up do not count.
 */
export const inTurns = async <T extends object>(
  contestants: readonly T[],
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
  measure: (contestant: T) => number | number[] | Promise<number | number[]>,
): Promise<(T & { values: number[] })[]> => {
  const measured = contestants.map((contestant) => ({ ...contestant, values: [] as number[] }));
  for (let round = -warmUps; round < rounds; round++)
    for (const contestant of measured) {
      const value = await measure(contestant);
      if (round >= 0) contestant.values.push(...[value].flat());
    }
  return measured;
};

/** The value that `share` of them do not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/**
 * Sends requests, each contestant's so many at a time, in rounds in which they take turns. Answers the median rate, and
 * of all requests the median and the 99th percentile in milliseconds.
 */
export const ratesOf = async <T extends { callers: number }>(
  contestants: readonly T[],
  { rounds, requests }: { rounds: number; requests: number },
  send: (contestant: T, number: number) => Promise<unknown>,
) => {
  let sent = 0;
  const turns = contestants.map((contestant) => ({ contestant, rates: [] as number[] }));
  const measured = await inTurns(turns, { rounds }, async ({ contestant, rates }) => {
    const times: number[] = [];
    const started = performance.now();
    const sendOne = async (): Promise<void> => {
      const begun = performance.now();
      await send(contestant, sent++);
      times.push(performance.now() - begun);
    };
    await pMap(Array(requests), sendOne, { concurrency: contestant.callers });
    rates.push((1000 * requests) / (performance.now() - started));
    return times;
  });
  return measured.map(({ contestant, rates, values }) => ({
    contestant,
    // The first round warmed up.
    perSecond: rounded(median(rates.slice(1)), 0),
    median: rounded(median(values)),
    p99: rounded(quantile(values, 0.99)),
  }));
};

export const resultsDir = join(import.meta.dirname, 'results');

/** The rows of a benchmark, with its command and the machine. */
export interface Result<T> {
  command: string;
  date: string;
  machine: { cores: number; cpu: string; memoryGiB: number; node: string; loadBefore: number };
  rows: T[];
}

/** The load of the machine before the benchmarks began. */
const loadBefore = Number(process.env.BENCH_LOAD_BEFORE ?? rounded(loadavg()[0] ?? 0));

/** Writes a benchmark's rows, with the facts of this machine, to proof/bench/results, and prints them. */
export const report = <T extends object>(name: string, rows: T[], command = process.argv.slice(2).join(' ')): void => {
  const machine = {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? '',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadBefore,
  };
  const result: Result<T> = {
    command: `npm run bench -- ${command}`,
    date: new Date().toISOString().slice(0, 10),
    machine,
    rows,
  };
  mkdirSync(resultsDir, { recursive: true });
  writeFileSync(join(resultsDir, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  console.table(rows);
};
