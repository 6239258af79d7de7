import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { build } from 'esbuild';
import { logSink } from '../../lib/log.ts';
import { type Meter, metered, newMeter } from '../../lib/table/meter.ts';
import { type Contestant, prepare } from './compared/contestants.ts';
import { ratesOf, report, withTable } from './support.ts';

/** Compares three endpoints of this service with the same endpoints made from Hono and ElectroDB alone. */

/** The cost of one more request. A sale is paid in L$. This service counts its cost in its log line. */
const costOf = async ({ handler, eventOf }: Contestant): Promise<Omit<Meter, 'isOver'>> => {
  const { write } = logSink;
  const meter = newMeter();
  const lines: object[] = [];
  logSink.write = (fields) => void lines.push(fields);
  await metered(meter, () => handler(eventOf(1), {} as Context));
  logSink.write = write;
  return (lines.find((line) => 'units' in line) as Meter | undefined) ?? meter;
};

const root = join(import.meta.dirname, '../..');

/** The number of lines of the repository's own code in a bundle of these files, without blank lines and comments. */
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

interface Options {
  rounds: number;
  requests: number;
  callers: number;
}

export const measureCompare = async ({ callers, ...options }: Options): Promise<void> => {
  // The line is made, but not written.
  logSink.write = (fields) => void JSON.stringify(fields);
  await withTable(async () => {
    const contestants = (await prepare()).map((contestant) => ({ ...contestant, callers }));
    const measured = await ratesOf(contestants, options, async ({ handler, eventOf }, number) => {
      const { statusCode, body } = await handler(eventOf(number), {} as Context);
      if (statusCode >= 300) throw new Error(`A request was answered with ${statusCode}: ${body}`);
    });
    const rows: object[] = [];
    for (const { contestant, ...times } of measured) {
      const { operation, contestant: name } = contestant;
      // After the first of these two, the buyer owns the product.
      await costOf(contestant);
      const { calls, steps, units } = await costOf(contestant);
      rows.push({ operation, contestant: name, ...times, calls, steps, units });
    }
    report('compare', rows);
  });
  const entries = ['customers/get-credit', 'customers/increment-credit', 'sales/create-sale'];
  const lines = [
    { contestant: 'ours', lines: await linesOf(entries.map((entry) => `functions/${entry}.ts`)) },
    { contestant: 'Hono and ElectroDB', lines: await linesOf(['proof/bench/compared/hono-electrodb.ts']) },
  ];
  report('compare-code', lines, { counted: true });
};
