import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { handler as ourGet } from '../functions/categories/get-category.ts';
import { handler as ourIncrement } from '../functions/customers/increment-credit.ts';
import { logSink } from '../lib/http/log.ts';
import { createCategory } from '../lib/store/categories.ts';
import { touchCustomer } from '../lib/store/customers.ts';
import { db, dbOnce } from '../lib/store/table.ts';
import * as electrodb from './compared/electrodb.ts';
import { handler as hono } from './compared/hono.ts';
import { eventOf, type LambdaHandler, median, quantile, report, rounded, withTable } from './support.ts';

/**
 * A GET and an increment of ours beside the same two with one layer replaced: lib/http by Hono, lib/store by ElectroDB.
 * Rounds of all take turns, so that a busy moment of the machine falls on all alike.
 */

export interface CpuRow {
  operation: string;
  contestant: string;
  /** Whether the SDK's work (marshalling, signing, reading the answer) is in it. */
  includes: 'own code' | 'own code and SDK';
  /** Processor time of this process per request: the median of the rounds, and the quartiles. */
  microseconds: number;
  lower: number;
  upper: number;
  ofOurs: number;
}

export interface LatencyRow {
  operation: string;
  contestant: string;
  /** Of all requests: half, and 95 in 100, took no longer. */
  median: number;
  p95: number;
  ofOurs: number;
}

interface Options {
  rounds: number;
  requests: number;
}

interface Contestant {
  operation: string;
  contestant: string;
  handler: LambdaHandler;
  event: APIGatewayProxyEvent;
}

/** The contestants, each with its category and customer in the table; test/compared.test.ts holds them to the same answers. */
export const prepare = async (): Promise<Contestant[]> => {
  const [store, storeOfElectrodb] = ['bench', 'bench-electrodb'];
  const uuid = randomUUID();
  await touchCustomer(store, { uuid, username: 'hot' });
  const { id } = await createCategory(store, { name: 'Light' });
  const idOfElectrodb = await electrodb.seed(storeOfElectrodb, uuid);
  const get = (categoryId: string, of: string): APIGatewayProxyEvent =>
    eventOf({
      method: 'GET',
      route: '/v1/categories/{id}',
      path: `/v1/categories/${categoryId}`,
      params: { id: categoryId },
      store: of,
    });
  const increment = (of: string): APIGatewayProxyEvent =>
    eventOf({
      method: 'POST',
      route: '/v1/customers/{identifier}/actions/increment-credit',
      path: `/v1/customers/${uuid}/actions/increment-credit`,
      params: { identifier: uuid },
      body: { delta: 1 },
      store: of,
    });
  const [ours, withHono, withElectrodb] = ['ours', 'Hono for lib/http', 'ElectroDB for lib/store'];
  const contestants: Contestant[] = [
    { operation: 'get-category', contestant: ours, handler: ourGet, event: get(id, store) },
    { operation: 'get-category', contestant: withHono, handler: hono, event: get(id, store) },
    {
      operation: 'get-category',
      contestant: withElectrodb,
      handler: electrodb.getCategory,
      event: get(idOfElectrodb, storeOfElectrodb),
    },
    { operation: 'increment-credit', contestant: ours, handler: ourIncrement, event: increment(store) },
    { operation: 'increment-credit', contestant: withHono, handler: hono, event: increment(store) },
    {
      operation: 'increment-credit',
      contestant: withElectrodb,
      handler: electrodb.incrementCredit,
      event: increment(storeOfElectrodb),
    },
  ];
  for (const { contestant, handler, event } of contestants) {
    const { statusCode, body } = await handler(event, {} as Context);
    if (statusCode !== 200) throw new Error(`${contestant} answered ${statusCode}: ${body}`);
  }
  return contestants;
};

/** The table's answers are kept and given again, so that nothing but this process works. Answers how to stop that. */
const stubTable = (includes: CpuRow['includes']): (() => void) => {
  const kept = new Map<string, unknown>();
  const name = 'stub';
  // biome-ignore lint/suspicious/noExplicitAny: what the SDK passes on is kept as it is, whatever it is.
  const replay = (next: any, context: any) => async (args: any) => {
    const { Key } = args.input;
    const key = `${context.commandName} ${JSON.stringify(Key)}`;
    const known = kept.get(key);
    if (known) return known;
    const result = await next(args);
    if (includes === 'own code') kept.set(key, result);
    else {
      const { statusCode, headers, body } = result.response;
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      kept.set(key, { response: { statusCode, headers, body: Buffer.concat(chunks) } });
      return kept.get(key);
    }
    return result;
  };
  for (const { middlewareStack } of [db, dbOnce])
    if (includes === 'own code') middlewareStack.add(replay, { step: 'initialize', priority: 'low', name });
    else middlewareStack.add(replay, { step: 'deserialize', priority: 'low', name });
  return () => {
    for (const client of [db, dbOnce]) client.middlewareStack.remove(name);
  };
};

const ratios = <T extends { operation: string; contestant: string }>(rows: T[], of: (row: T) => number) =>
  rows.map((row) => {
    const ours = rows.find((other) => other.operation === row.operation && other.contestant === 'ours');
    return { ...row, ofOurs: rounded(of(row) / of(ours ?? row)) };
  });

const quietly = async <T>(work: () => Promise<T>): Promise<T> => {
  const { write } = logSink;
  // The line is made, as it would be, but goes nowhere.
  logSink.write = (fields) => void JSON.stringify(fields);
  try {
    return await withTable(work);
  } finally {
    logSink.write = write;
  }
};

const cpuRounds = async (contestants: Contestant[], includes: CpuRow['includes'], { rounds, requests }: Options) => {
  const restore = stubTable(includes);
  const all = contestants.map((one) => ({ ...one, times: [] as number[] }));
  // The first rounds, in which the code is compiled, do not count.
  for (let round = -3; round < rounds; round++)
    for (const { handler, event, times } of all) {
      const before = process.cpuUsage();
      for (let request = 0; request < requests; request++) await handler(event, {} as Context);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times.push((user + system) / requests);
    }
  restore();
  const rows = all.map(({ operation, contestant, times }) => ({
    operation,
    contestant,
    includes,
    microseconds: rounded(median(times), 1),
    lower: rounded(quantile(times, 0.25), 1),
    upper: rounded(quantile(times, 0.75), 1),
  }));
  return ratios(rows, ({ microseconds }) => microseconds);
};

export const measureCpu = async (options: Options): Promise<void> => {
  const rows = await quietly(async () => {
    const contestants = await prepare();
    return [
      ...(await cpuRounds(contestants, 'own code', options)),
      ...(await cpuRounds(contestants, 'own code and SDK', options)),
    ];
  });
  report<CpuRow>('cpu', rows);
};

export const measureLatency = async ({ rounds, requests }: Options): Promise<void> => {
  const measured = await quietly(async () => {
    const all = (await prepare()).map((one) => ({ ...one, times: [] as number[] }));
    for (let round = -1; round < rounds; round++)
      for (const { handler, event, times } of all)
        for (let request = 0; request < requests; request++) {
          const started = performance.now();
          await handler(event, {} as Context);
          if (round >= 0) times.push(performance.now() - started);
        }
    return all.map(({ operation, contestant, times }) => ({
      operation,
      contestant,
      median: rounded(median(times), 3),
      p95: rounded(quantile(times, 0.95), 3),
    }));
  });
  report<LatencyRow>(
    'latency',
    ratios(measured, (row) => row.median),
  );
};
