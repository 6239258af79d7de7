import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionFile } from '../lib/routes/route.ts';
import { routes } from '../lib/routes/routes.ts';
import type { IndexName } from '../lib/table/schema.ts';
import { bundle, bundleDir, entries } from './bundle.ts';

/** A function's uses of the table: DynamoDB's actions, and the indexes that it queries. */
export type TableUse =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'ConditionCheckItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | IndexName;

/** Texts that show that a bundle has the code of a use: esbuild leaves out unused functions, but keeps texts. */
const signs: Record<TableUse, RegExp> = {
  GetItem: /"(?:GetItem|TransactGetItems)"/,
  BatchGetItem: /"BatchGetItem"/,
  Query: /"Query"/,
  ConditionCheckItem: /kind:"check",/,
  PutItem: /kind:"put",/,
  UpdateItem: /kind:"update",/,
  DeleteItem: /kind:"remove",/,
  BatchWriteItem: /"BatchWriteItem"/,
  byFlags: /"byFlags"/,
  byRank: /"byRank"/,
  byText: /"byText"/,
  byDue: /"byDue"/,
  byBuyer: /"byBuyer"/,
};

/** The deployed functions. A function that serves several rows is listed instead of them. */
const deployed = (): string[] => {
  const together = new Set(routes.filter((row) => functionFile(row) !== row.id).map(({ id }): string => id));
  return entries().filter((entry) => !together.has(entry));
};

/** The uses in the code of each function's bundle. A function whose code has none is left out. */
export const usesInBundles = (outDir: string): [entry: string, uses: TableUse[]][] =>
  deployed()
    .map((entry): [string, TableUse[]] => {
      const code = readFileSync(join(bundleDir(outDir, entry), 'index.cjs'), 'utf8');
      return [entry, (Object.keys(signs) as TableUse[]).filter((use) => signs[use].test(code))];
    })
    .filter(([, uses]) => uses.length > 0);

/** The text of infra/table-uses.json, a line for each function. */
export const tableUsesFile = async (): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), 'table-uses-'));
  await bundle(outDir, deployed());
  const lines = usesInBundles(outDir).map(([entry, uses]) => `"${entry}": ["${uses.join('", "')}"]`);
  rmSync(outDir, { recursive: true });
  return `{\n  ${lines.join(',\n  ')}\n}\n`;
};
