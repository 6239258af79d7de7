import type { Context } from 'aws-lambda';
import { logSink } from '../lib/log.ts';
import { db, dbOnce } from '../lib/table/client.ts';
import { type Contestant, prepare } from './compared/contestants.ts';
import { inTurns, median, quantile, report, rounded, withTable } from './support.ts';

/** A GET and an increment of ours beside the same two with one layer replaced: lib/http by Hono, lib/store by ElectroDB. */

export interface CpuRow {
  operation: string;
  contestant: string;
  /** The SDK's work is marshalling, signing and reading the answer. */
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
  /** Milliseconds that half of all requests, and 95 in 100, did not exceed. */
  median: number;
  p95: number;
  ofOurs: number;
}

interface Options {
  rounds: number;
  requests: number;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's answer, whose body is a stream that can be read once.
const buffered = async ({ response: { statusCode, headers, body } }: any) => ({
  response: { statusCode, headers, body: Buffer.concat(await Array.fromAsync<Uint8Array>(body)) },
});

/** Records the table's answers and replays them, so that only this process works. Returns a function that ends it. */
const stubTable = (includes: CpuRow['includes']): (() => void) => {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's arguments and answers are passed on as they are.
  const kept = new Map<string, any>();
  const name = 'stub';
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's arguments and answers are passed on as they are.
  const replay = (next: any, context: any) => async (args: any) => {
    const { Key } = args.input;
    const key = `${context.commandName} ${JSON.stringify(Key)}`;
    if (!kept.has(key)) kept.set(key, includes === 'own code' ? await next(args) : await buffered(await next(args)));
    return kept.get(key);
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
  // The line is made, but not written.
  logSink.write = (fields) => void JSON.stringify(fields);
  try {
    return await withTable(work);
  } finally {
    logSink.write = write;
  }
};

const cpuRounds = async (contestants: Contestant[], includes: CpuRow['includes'], { rounds, requests }: Options) => {
  const restore = stubTable(includes);
  // The first rounds compile the code.
  const measured = await inTurns(contestants, { rounds, warmUps: 3 }, async ({ handler, event }) => {
    const before = process.cpuUsage();
    for (let request = 0; request < requests; request++) await handler(event, {} as Context);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / requests;
  });
  restore();
  const rows = measured.map(({ operation, contestant, values }) => ({
    ...{ operation, contestant, includes },
    microseconds: rounded(median(values), 1),
    lower: rounded(quantile(values, 0.25), 1),
    upper: rounded(quantile(values, 0.75), 1),
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
  const measured = await quietly(async () =>
    inTurns(await prepare(), { rounds }, async ({ handler, event }) => {
      const millis: number[] = [];
      for (let request = 0; request < requests; request++) {
        const started = performance.now();
        await handler(event, {} as Context);
        millis.push(performance.now() - started);
      }
      return millis;
    }),
  );
  const rows = measured.map(({ operation, contestant, values }) => ({
    ...{ operation, contestant },
    median: rounded(median(values), 3),
    p95: rounded(quantile(values, 0.95), 3),
  }));
  report<LatencyRow>(
    'latency',
    ratios(rows, (row) => row.median),
  );
};
