import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Prints everything that the command prints: tables for people, JSON for programs, notes beside both. */

let json = false;

/** Says whether `--json` was given. */
export const isJson = (): boolean => json;

export const setJson = (on: boolean): void => {
  json = on;
};

type Style = Parameters<typeof styleText>[0];

/** Colours the text where the stream is a terminal that has colours (and NO_COLOR is not set). */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** Says whether there is a person to ask. */
export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY) && !json;

// Names and errors come from outside: nothing in them may steer the terminal or turn the order of the line around.
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text from outside as it may be shown on a terminal. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s/g, ' ').replace(steering, '\ufffd');

/** An error as it is shown: line by line, since it may quote text from outside. */
export const shownError = (text: string): string =>
  paint('red', text.split('\n').map(plain).join('\n'), process.stderr);

/** Escapes every character that could steer a terminal, which JSON itself asks only of some. */
const escaped = (text: string): string =>
  text.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON on one line. */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value));

/** JSON for people, on several lines. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).split('\n').map(escaped).join('\n')}\n`;

/** A column of a table: its heading, and the cell of a row. Numbers are aligned to the right. */
export interface Column<T> {
  heading: string;
  cell: (row: T) => string | number | undefined;
  /** Colours the cell. */
  style?: (row: T) => Style | undefined;
  /** Breaks the cell into lines where the terminal is too narrow. */
  wraps?: true;
  /** Shows a plus sign before a number above 0, since it is a change. */
  signed?: true;
}

/** A number as people read it: with a comma between the thousands. Programs get plain digits. */
export const grouped = (value: number): string => value.toLocaleString('en');

const shownValue = (value: string | number | undefined, signed = false): string => {
  if (typeof value !== 'number') return plain(value ?? '-');
  return signed && value > 0 ? `+${grouped(value)}` : grouped(value);
};

const gap = '  ';
const narrowest = 10;

/**
 * Makes each column as wide as its cells. Where the terminal is too narrow, the columns that wrap share the rest of it
 * evenly. Undefined where that is too little to read.
 */
const fitWidths = <T>(columns: readonly Column<T>[], natural: readonly number[]): number[] | undefined => {
  const widths = [...natural];
  const wrapping = [...columns.keys()]
    .filter((i) => columns[i]?.wraps)
    .sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  const fixed = natural.reduce((sum, width, i) => (wrapping.includes(i) ? sum : sum + width), 0);
  const room = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  let left = room - fixed - gap.length * (columns.length - 1);
  for (const [at, i] of wrapping.entries()) {
    const wanted = natural[i] ?? 0;
    const width = Math.min(wanted, Math.floor(left / (wrapping.length - at)));
    if (width < Math.min(wanted, narrowest)) return undefined;
    widths[i] = width;
    left -= width;
  }
  return left < 0 ? undefined : widths;
};

interface Cell {
  text: string;
  style?: Style | undefined;
  toRight?: boolean;
}

/** Pads to the width on the screen, where some characters take two columns. */
const shownCell = ({ text, style, toRight }: Cell, width: number): string => {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(text)));
  const painted = style ? paint(style, text) : text;
  return toRight ? blanks + painted : painted + blanks;
};

const tableLines = (row: readonly Cell[], widths: readonly number[]): string => {
  const wrapped = row.map(({ text }, i) => wrapAnsi(text, widths[i] ?? 0, { hard: true }).split('\n'));
  const lines = Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, at) =>
    row.map((cell, i) => shownCell({ ...cell, text: wrapped[i]?.[at] ?? '' }, widths[i] ?? 0)),
  );
  return lines.map((cells) => `${cells.join(gap).trimEnd()}\n`).join('');
};

const printTable = <T>(rows: readonly T[], columns: readonly Column<T>[]): void => {
  const headings = columns.map(({ heading }): Cell => ({ text: heading.toUpperCase(), style: 'dim' }));
  const body = rows.map((row) =>
    columns.map(({ cell, style, signed }): Cell => {
      const value = cell(row);
      return { text: shownValue(value, signed), style: style?.(row), toRight: typeof value === 'number' };
    }),
  );
  const table = [headings, ...body];
  for (const line of table)
    for (const [i, cell] of line.entries()) cell.toRight = body.some((cells) => cells[i]?.toRight);
  const natural = columns.map((_, i) => Math.max(...table.map((cells) => stringWidth(cells[i]?.text ?? ''))));
  const widths = fitWidths(columns, natural);
  if (widths) return void process.stdout.write(table.map((row) => tableLines(row, widths)).join(''));
  // Too narrow for a table: each row by itself, a line for each column.
  const widest = Math.max(...headings.map(({ text }) => text.length));
  const blocks = body.map((row) =>
    row
      .map(
        (cell, i) => `${shownCell({ ...(headings[i] as Cell), toRight: false }, widest)}${gap}${shownCell(cell, 0)}\n`,
      )
      .join(''),
  );
  process.stdout.write(blocks.join('\n'));
};

/**
 * Prints one row or several: as a table of the columns, or with `--json` as an object on a line each, with all members.
 * `none` is the note where there is no row.
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

/** Prints rows as `print` does, up to a limit. One more than the limit tells that there are more. */
export const printUpTo = <T extends object>(
  limit: number,
  rows: readonly T[],
  columns: readonly Column<T>[],
  none: string,
): void => {
  print(rows.slice(0, limit), columns, none);
  if (rows.length > limit && !json) note(`There are more: see them with --limit ${limit * 10}.`);
};

/** A number of things, in words: `1 item`, `2,000 items`. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : more}`;

/**
 * Prints a line for the person at the terminal, on standard error, so that standard output holds nothing but the
 * result. The text may quote names from outside.
 */
export const note = (text: string, style?: Style): void => {
  process.stderr.write(`${style ? paint(style, plain(text), process.stderr) : plain(text)}\n`);
};

/** A time of the contract as people read it: to the minute, in UTC. */
export const shownTime = (time: string | undefined): string | undefined =>
  time && `${time.slice(0, 16).replace('T', ' ')}Z`;
