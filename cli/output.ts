import { stripVTControlCharacters, styleText } from 'node:util';

/** All that the command prints goes through here: tables for people, JSON for programs, notes beside both. */

/** Thrown for a command that was given wrongly: exit code 2, where other failures are 1. */
export class UsageError extends Error {}

/** Thrown for a failure that the text explains in full. */
export class Failure extends Error {}

let json = false;

/** Whether `--json` was given. */
export const isJson = (): boolean => json;

export const setJson = (on: boolean): void => {
  json = on;
};

type Style = Parameters<typeof styleText>[0];

/** Coloured where the stream is a terminal that has colours (and NO_COLOR is not set). */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** Whether a person can be asked. */
export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY) && !json;

// Names and errors come from outside: nothing in them may steer the terminal or turn the order of the line around.
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text from outside as it may be shown on a terminal. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s/g, ' ').replace(steering, '\ufffd');

/** An error as it is shown: line by line, since it may quote what came from outside. */
export const shownError = (text: string): string =>
  paint('red', text.split('\n').map(plain).join('\n'), process.stderr);

/** JSON on one line. What could steer a terminal is escaped, which JSON itself asks only of a part of it. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A column of a table: its heading, and the cell that a row has there. Numbers stand to the right. */
export interface Column<T> {
  heading: string;
  cell: (row: T) => string | number | undefined;
  /** Colours the cell. */
  style?: (row: T) => Style | undefined;
  /** Gives way, line by line, where the terminal is too narrow. */
  wraps?: true;
}

/** `text` on lines of at most `width`, broken at blanks where there are any. */
const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const end = blank > 0 ? blank : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
};

const gap = '  ';
const narrowest = 10;

/**
 * How wide each column is: as wide as its cells, but where the terminal is too narrow those that wrap share what is left
 * evenly. Undefined where that is too little to read.
 */
const widthsOf = <T>(columns: readonly Column<T>[], cells: string[][]): number[] | undefined => {
  const widths = cells[0]?.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0))) ?? [];
  const wrapping = columns.flatMap(({ wraps }, i) => (wraps ? [i] : []));
  const fixed = widths.filter((_, i) => !wrapping.includes(i)).reduce((sum, width) => sum + width, 0);
  const room = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  let left = room - fixed - gap.length * (columns.length - 1);
  let sharing = wrapping.length;
  for (const i of wrapping.toSorted((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0))) {
    const natural = widths[i] ?? 0;
    const width = Math.min(natural, Math.floor(left / sharing));
    if (width < Math.min(natural, narrowest)) return undefined;
    widths[i] = width;
    left -= width;
    sharing -= 1;
  }
  return left < 0 ? undefined : widths;
};

const printTable = <T>(rows: readonly T[], columns: readonly Column<T>[]): void => {
  const values = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const cells = values.map((row) => row.map((value) => (value === undefined ? '-' : plain(String(value)))));
  const headings = columns.map(({ heading }) => heading.toUpperCase());
  const toRight = columns.map((_, i) => values.some((row) => typeof row[i] === 'number'));
  const styles = rows.map((row) => columns.map(({ style }) => style?.(row)));
  const styled = (text: string, style: Style | undefined): string => (style ? paint(style, text) : text);
  const widths = widthsOf(columns, [headings, ...cells]);
  if (!widths) {
    // Too narrow for a table: each row by itself, a line for each column.
    const widest = Math.max(...headings.map(({ length }) => length));
    const blocks = cells.map((row, at) =>
      row
        .map((text, i) => `${paint('dim', headings[i]?.padEnd(widest) ?? '')}${gap}${styled(text, styles[at]?.[i])}\n`)
        .join(''),
    );
    process.stdout.write(blocks.join('\n'));
    return;
  }
  const write = (row: string[], style: (i: number) => Style | undefined): void => {
    const lines = row.map((text, i) => wrapped(text, widths[i] ?? text.length));
    for (let at = 0; at < Math.max(...lines.map(({ length }) => length)); at++) {
      const parts = lines.map((cell, i) => {
        const text = cell[at] ?? '';
        return styled(toRight[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0), style(i));
      });
      process.stdout.write(`${parts.join(gap).trimEnd()}\n`);
    }
  };
  write(headings, () => 'dim');
  for (const [at, row] of cells.entries()) write(row, (i) => styles[at]?.[i]);
};

/**
 * Prints one row or several: as a table, or with `--json` as an object on a line each. JSON shows the whole row, a table
 * the columns. `none` is the note where there is no row.
 */
export const print = <T extends object>(
  rowOrRows: T | readonly T[],
  columns: readonly Column<T>[],
  none = 'None.',
): void => {
  const rows = Array.isArray(rowOrRows) ? (rowOrRows as readonly T[]) : [rowOrRows as T];
  if (json) for (const row of rows) process.stdout.write(`${jsonLine(row)}\n`);
  else if (rows.length === 0) note(none);
  else printTable(rows, columns);
};

/** A number of things, in words: `1 item`, `2 items`. */
export const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

/** A line for the person at the terminal, on standard error, so that standard output holds nothing but the result. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** A time of the contract as people read it: to the minute, in UTC. */
export const shownTime = (time: string | undefined): string | undefined =>
  time && `${time.slice(0, 16).replace('T', ' ')}Z`;

/** The examples at the end of a command's help. */
export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
