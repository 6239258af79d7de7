import type { Context } from 'aws-lambda';
import { logSink } from '../lib/log.ts';
import { db, dbOnce } from '../lib/table/table.ts';
import { type Contestant, prepare } from './compared/contestants.ts';
import { median, quantile, report, rounded, withTable } from './support.ts';

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
