import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The report of a run, on one screen, and its row in the table of its page in docs/evidence/. */

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${textOf(part)}`)
    .join(', ');
};

/** The longest line on a screen for one member. */
const longest = 400;

/** A report with a line for each of its members. Counts follow their names. */
export const screenOf = (report: object): string =>
  Object.entries(report)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line))
    .join('\n');

const rowOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Puts a row into the table of a page that has its columns, in their order. It replaces a row that begins alike. */
export const withRow = (document: string, row: Readonly<Record<string, string | number>>): string => {
  const lines = document.split('\n');
  const names = Object.keys(row);
  const columnsOf = (line: string): string[] => line.slice(2, -2).split(' | ');
  const isHead = (columns: string[]): boolean =>
    columns.length === names.length && columns.every((name) => names.includes(name));
  const head = lines.findIndex((line) => isHead(columnsOf(line)));
  if (head < 0) throw new Error(`The page needs a table with the columns ${rowOf(names)}.`);
  const end = lines.findIndex((line, place) => place > head && !line.startsWith('|'));
  // An object has a name that is a number, such as a status, before all others.
  const cells = columnsOf(lines[head] ?? '').map((name) => row[name] ?? '');
  const same = lines.findIndex((line, place) => place > head && line.startsWith(`| ${cells[0]} |`));
  lines.splice(same < 0 ? end : same, same < 0 ? 0 : 1, rowOf(cells));
  return lines.join('\n');
};

/** Notes a run in docs/evidence/<page>.md. */
export const noteRun = (page: string, row: Readonly<Record<string, string | number>>): void => {
  const file = join(import.meta.dirname, '../../docs/evidence', `${page}.md`);
  writeFileSync(file, withRow(readFileSync(file, 'utf8'), row));
};
