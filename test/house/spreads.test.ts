import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { codeOf, countsOf } from '../support/houses.ts';

/**
 * A call takes some 120,000 arguments, and throws a RangeError for more. So code that runs for a merchant spreads data
 * into the arguments of `push`, `unshift`, `Math.max` or `Math.min` only if it is known to be short.
 */

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesIn = (node: SyntaxNode): SyntaxNode[] => Object.values(node).flat().filter(isNode);

const spreading = /(?:\.(?:push|unshift)|^Math\.(?:max|min))$/;

/** The calls of a file whose arguments are spread, each as the file and what is called and spread. */
const spreadsIn = (file: string, text: string): string[] => {
  const found: string[] = [];
  const textOf = ({ start, end }: SyntaxNode): string => text.slice(start, end).replaceAll(/\s+/g, ' ');
  const visit = (node: SyntaxNode): void => {
    const { callee, arguments: given } = node;
    if (node.type === 'CallExpression' && isNode(callee) && Array.isArray(given) && spreading.test(textOf(callee)))
      for (const one of given.filter(isNode))
        if (one.type === 'SpreadElement') found.push(`${file} ${textOf(callee)}(${textOf(one)})`);
    for (const child of nodesIn(node)) visit(child);
  };
  const program: unknown = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (isNode(program)) visit(program);
  return found;
};

const root = join(import.meta.dirname, '../..');
const files = codeOf('lib', 'functions', 'apps/shared', 'apps/client', 'apps/cli', 'apps/desk', 'apps/page');
const spreads = files.flatMap((file) => spreadsIn(file, readFileSync(join(root, file), 'utf8')));

/** Each spread, by its file and the beginning of the call, and why it is short. */
const bounds: readonly [call: string, why: string][] = [
  ['lib/credit/joined.ts Math.min(...gaps)', 'some 40 parts of a change'],
  ['lib/credit/lots.ts lots.push(...some)', 'a page'],
  ['lib/events/bus.ts refused.push(...failed', 'a batch of the stream'],
  ['lib/events/days.ts earlier.push(', 'a batch of the stream'],
  ['lib/events/events.ts noted.push(', 'some of a batch of the stream'],
  ['lib/events/history.ts alone.push(...some)', 'fewer than go together'],
  ['lib/http/request.ts faults.push(', 'a schema ends with the bound of its array; the parameters of a row'],
  ['lib/operator/imports/rows.ts done.push(...transaction)', 'a transaction of the table'],
  ['lib/operator/imports/rows.ts finished.push(...done)', 'the rows that are written together'],
  ['lib/sale/sweep.ts left.push(', 'a piece of a page'],
  ['lib/table/table.ts found.push(...(items as T[]))', 'a page of the table, at most 1 MB'],
  ['lib/events/consume.ts failed.push(...sources)', 'a batch of the stream'],
  ['apps/cli/books/doctor-deployment.ts times.push(', 'a page'],
  ['apps/cli/books/doctor-history.ts seen.missing.push(', 'a page'],
  ['apps/cli/books/doctor-store.ts Math.min(...boxes', 'the 10 boxes of a store'],
  ['apps/cli/commands/convert.ts Math.max(...items', 'words of the help'],
  ['apps/cli/commands/credit-backfill.ts found.faults.push(', 'the faults of one customer'],
  ['apps/cli/commands/credit-repair.ts off.push(', 'one customer'],
  ['apps/cli/commands/credit-repair.ts left.push(', 'one customer'],
  ['apps/cli/commands/doctor.ts findings.push(', 'the findings of one check'],
  ['apps/cli/commands/import.ts Math.max(...all', 'words of the help'],
  ['apps/cli/commands/listen.ts Math.max(...eventNames', 'the types of events'],
  ['apps/cli/commands/reconcile.ts Math.max(', 'words of the help'],
  ['apps/cli/commands/restore-check.ts keys.push(', 'the keys of a store, 10,000 at most'],
  ['apps/cli/data/check.ts all.push(', 'the faults of one row'],
  ['apps/cli/deployment/payouts.ts kept.push(...lines)', 'the shares of one sale'],
  ['apps/cli/person/erase.ts together.push(...some)', 'a transaction of the table'],
  ['apps/desk/developer/timeline.tsx Math.min(...starts)', 'the lots of four pages'],
  ['apps/desk/developer/timeline.tsx Math.max(...ends)', 'the lots of four pages'],
  ['apps/desk/import/plan.ts found.push(', 'four at once'],
  ['apps/desk/pages/customer-lots.tsx Math.', 'the 40 lots that are shown'],
  ['apps/desk/pages/customer-timeline.tsx found.push(', 'one event'],
  ['apps/desk/parts/spark.tsx Math.', 'the hours of a day, or 30 days'],
  ['apps/desk/parts/chart.tsx Math.', 'the days of a chart'],
  ['apps/desk/parts/list.tsx lines.push(', 'a thousand at once'],
];

test(`no call has an argument for each row of a merchant's data (${countsOf(files)})`, () => {
  const isKnown = (call: string): boolean => bounds.some(([known]) => call.startsWith(known));

  expect(spreads.length).toBeGreaterThan(40);
  expect(spreads.filter((call) => !isKnown(call))).toEqual([]);
  expect(bounds.filter(([known]) => !spreads.some((call) => call.startsWith(known)))).toEqual([]);
});

test('finds planted calls, over several lines and in a component too', () => {
  const planted =
    'const a = Math.max(0, ...rows.map(\n  ({ size }) => size));\nall.of.push(...rows);\nfew.push(...rows.slice(1));\n';

  expect(spreadsIn('apps/planted.ts', `${planted}use(...rows); const b = [...rows]; new Map(rows);`)).toEqual([
    'apps/planted.ts Math.max(...rows.map( ({ size }) => size))',
    'apps/planted.ts all.of.push(...rows)',
    'apps/planted.ts few.push(...rows.slice(1))',
  ]);
  expect(spreadsIn('apps/planted.tsx', 'const A = () => <b>{Math.min(...rows)}</b>;')).toHaveLength(1);
});
