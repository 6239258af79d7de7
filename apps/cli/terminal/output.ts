import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Prints the output of the command: tables for people, JSON for programs, and notes on standard error. */

let json = false;

/** Says whether `--json` was given. */
export const isJson = (): boolean => json;

export const setJson = (on: boolean): void => {
  json = on;
};

type Style = Parameters<typeof styleText>[0];

/** Colours the text if the stream is a terminal with colours (and NO_COLOR is not set). */
export const paint = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** Says whether there is a person at a terminal to ask. */
export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY) && !json;

// Names and errors come from outside. These characters could steer the terminal or change the direction of a line.
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes a text from outside safe to show on a terminal. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replace(/\s/g, ' ').replace(steering, '\ufffd');

/** Makes the lines of an error safe to show, since it may quote text from outside. */
export const shownError = (text: string): string =>
  paint('red', text.split('\n').map(plain).join('\n'), process.stderr);

/** Escapes every character that could steer a terminal. JSON itself escapes only some of them. */
const escaped = (text: string): string =>
  text.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON on one line. */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value));

/** JSON for people, on several lines. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).split('\n').map(escaped).join('\n')}\n`;

/** A column of a table. `cell` returns the content for a row; numbers are aligned to the right. */
export interface Column<T> {
  heading: string;
  cell: (row: T) => string | number | undefined;
  /** Colours the cell. */
  style?: (row: T) => Style | undefined;
  /** Breaks the cell into lines if the terminal is too narrow. */
  wraps?: true;
  /** Shows a plus sign before a number above 0, for a change. */
  signed?: true;
}

/** A number for people, with a comma between thousands. Programs get plain digits. */
export const grouped = (value: number): string => value.toLocaleString('en');

const shownValue = (value: string | number | undefined, signed = false): string => {
  if (typeof value !== 'number') return plain(value ?? '-');
  return signed && value > 0 ? `+${grouped(value)}` : grouped(value);
};

const gap = '  ';
const narrowest = 10;

/**
 * Makes each column as wide as its cells. If the terminal is too narrow, the columns that wrap share the remaining
 * width. Undefined if that is too narrow to read.
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
  /** Its width on the screen. Some characters take two places. */
  width: number;
  style?: Style | undefined;
  toRight?: boolean;
}

const cellOf = (text: string, more: Pick<Cell, 'style' | 'toRight'>): Cell => ({
  text,
  width: stringWidth(text),
  ...more,
});

const shownCell = ({ text, style, width: own }: Cell, width: number, toRight: boolean): string => {
  const blanks = ' '.repeat(Math.max(0, width - own));
  const painted = style ? paint(style, text) : text;
  return toRight ? blanks + painted : painted + blanks;
};

/** The lines of a cell. Breaking a text is the slowest part of printing, so only texts that are too wide are broken. */
const linesOf = (cell: Cell, width: number): Cell[] =>
  cell.width <= width
    ? [cell]
    : wrapAnsi(cell.text, width, { hard: true })
        .split('\n')
        .map((text) => ({ ...cell, text, width: stringWidth(text) }));

const nothing: Cell = { text: '', width: 0 };

const tableLines = (row: readonly Cell[], widths: readonly number[], rights: readonly boolean[]): string => {
  const wrapped = row.map((cell, i) => linesOf(cell, widths[i] ?? 0));
  const height = wrapped.reduce((most, { length }) => Math.max(most, length), 0);
  const lines = Array.from({ length: height }, (_, at) =>
    wrapped.map((lines, i) => shownCell(lines[at] ?? nothing, widths[i] ?? 0, rights[i] ?? false)),
  );
  return lines.map((cells) => `${cells.join(gap).trimEnd()}\n`).join('');
};

/**
 * Writes a text for each row, some rows at a time, since one text for all rows could exceed the longest possible
 * string.
 */
const writeRows = <T>(rows: readonly T[], textOf: (row: T) => string): void => {
  const together = 1000;
  for (let at = 0; at < rows.length; at += together)
    process.stdout.write(
      rows
        .slice(at, at + together)
        .map(textOf)
        .join(''),
    );
};

const printTable = <T>(rows: readonly T[], columns: readonly Column<T>[]): void => {
  const headings = columns.map(({ heading }) => cellOf(heading.toUpperCase(), { style: 'dim' }));
  const body = rows.map((row) =>
    columns.map(({ cell, style, signed }) => {
      const value = cell(row);
      return cellOf(shownValue(value, signed), { style: style?.(row), toRight: typeof value === 'number' });
    }),
  );
  const table = [headings, ...body];
  // Computed once for each column, since a table may have many thousand rows.
  const rights = columns.map((_, i) => body.some((cells) => cells[i]?.toRight));
  const natural = columns.map((_, i) => table.reduce((most, cells) => Math.max(most, cells[i]?.width ?? 0), 0));
  const widths = fitWidths(columns, natural);
  if (widths) {
    writeRows(table, (row) => tableLines(row, widths, rights));
    return;
  }
  // Too narrow for a table: prints each row by itself, with a line for each column.
  const widest = headings.reduce((most, { width }) => Math.max(most, width), 0);
  writeRows(body, (row) => {
    const lines = row.map((cell, i) => {
      const heading = shownCell(headings[i] ?? nothing, widest, false);
      return `${heading}${gap}${shownCell(cell, 0, false)}\n`;
    });
    return `${row === body[0] ? '' : '\n'}${lines.join('')}`;
  });
};

/**
 * Prints one row or several as a table. With `--json`, prints each row as an object on a line, with all members. `none`
 * is the note if there is no row.
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

/** Prints rows as `print` does, up to a limit. If there are more rows than the limit, a note says so. */
export const printUpTo = <T extends object>(
  limit: number,
  rows: readonly T[],
  columns: readonly Column<T>[],
  none: string,
): void => {
  print(rows.slice(0, limit), columns, none);
  if (rows.length > limit && !json) note(`There are more: see them with --limit ${limit * 10}.`);
};

/** A number with its noun: `1 item`, `2,000 items`. */
export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : more}`;

/**
 * Prints a line for the person on standard error, so that standard output holds only the result. The text may quote
 * names from outside.
 */
export const note = (text: string, style?: Style): void => {
  process.stderr.write(`${style ? paint(style, plain(text), process.stderr) : plain(text)}\n`);
};

/** A time of the contract for people, to the minute, in UTC. */
export const shownTime = (time: string | undefined): string | undefined =>
  time && `${time.slice(0, 16).replace('T', ' ')}Z`;
