import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { build } from 'esbuild';
import { logSink } from '../../lib/log.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { type Meter, metered, newMeter } from '../../lib/table/meter.ts';
import { type Contestant, prepare, prepareWhole, type WholeContestant } from './compared/contestants.ts';
import { inTurns, median, quantile, ratesOf, report, rounded, withTable } from './support.ts';

/**
 * Ours beside Hono and ElectroDB: the processor time of a GET and an increment with one layer replaced, lib/http by
 * Hono or lib/store by ElectroDB, and three endpoints that are made of the two libraries alone.
 */

interface CpuRow {
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

interface WholeRow {
  operation: string;
  contestant: string;
  /** Requests answered in a second, the median of the rounds. */
  perSecond: number;
  /** Milliseconds that half of all requests, and 99 in 100, did not exceed. */
  median: number;
  p99: number;
  /** DynamoDB's, of one request; those side by side are one step. */
  calls: number;
  steps: number;
  units: number;
}

/** The lines of code of the three endpoints. */
interface CodeRow {
  contestant: string;
  lines: number;
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

/** The cost of one more request; a sale is paid in L$. Ours counts it in its log line. */
const costOf = async ({ handler, eventOf }: WholeContestant): Promise<Omit<Meter, 'isOver'>> => {
  const { write } = logSink;
  const meter = newMeter();
  const lines: object[] = [];
  logSink.write = (fields) => void lines.push(fields);
  await metered(meter, () => handler(eventOf(1), {} as Context));
  logSink.write = write;
  return (lines.find((line) => 'units' in line) as Meter | undefined) ?? meter;
};

const root = join(import.meta.dirname, '../..');

/** The lines of the repository's own code that a bundle of these files holds, without blank ones and comments. */
const linesOf = async (files: string[]): Promise<number> => {
  const contents = files.map((file) => `import './${file}';`).join('\n');
  const { metafile } = await build({
    ...{ stdin: { contents, resolveDir: root }, absWorkingDir: root, metafile: true },
    ...{ bundle: true, write: false, platform: 'node', packages: 'external', logLevel: 'silent' },
  });
  const own = Object.keys(metafile.inputs).filter((file) => file.endsWith('.ts'));
  const lines = own.flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'));
  return lines.filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length;
};

export const measureWhole = async ({ callers, ...options }: Options & { callers: number }): Promise<void> => {
  const rows = await quietly(async () => {
    const contestants = (await prepareWhole()).map((contestant) => ({ ...contestant, callers }));
    const measured = await ratesOf(contestants, options, async ({ handler, eventOf }, number) => {
      const { statusCode, body } = await handler(eventOf(number), {} as Context);
      if (statusCode >= 300) throw new Error(`A request was answered with ${statusCode}: ${body}`);
    });
    const rows: WholeRow[] = [];
    for (const { contestant, ...times } of measured) {
      const { operation, contestant: name } = contestant;
      // By the first of the two the buyer owns the product.
      await costOf(contestant);
      const { calls, steps, units } = await costOf(contestant);
      rows.push({ operation, contestant: name, ...times, calls, steps, units });
    }
    return rows;
  });
  report('compare', rows);
  const entries = ['customers/get-credit', 'customers/increment-credit', 'sales/create-sale'];
  report<CodeRow>('compare-code', [
    { contestant: 'ours', lines: await linesOf(entries.map((entry) => `functions/${entry}.ts`)) },
    { contestant: 'Hono and ElectroDB', lines: await linesOf(['proof/bench/compared/hono-electrodb.ts']) },
  ]);
};
