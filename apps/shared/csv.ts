/** Reads and writes CSV, for the command and the desk. This file imports nothing, since the desk needs it. */

/** The mark by which spreadsheets recognise UTF-8. Without it they show and save `Été` wrong. */
export const utf8Mark = '\ufeff';

/** The characters that may separate the cells of a CSV file. Spreadsheets of many countries write semicolons. */
export const separators = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type Separator = keyof typeof separators;
export const separatorNames = Object.keys(separators) as Separator[];

/** Writes a line of a CSV file, with the line end of RFC 4180. */
export const csvLine = (cells: readonly string[], separator: Separator = 'comma'): string => {
  const sign = separators[separator];
  const written = (cell: string): string =>
    cell.includes(sign) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return `${cells.map(written).join(sign)}\r\n`;
};

/** The separator that occurs most often in the first line, outside quotes. */
const separatorIn = (text: string): Separator => {
  const line = text.replace(/"[^"]*"?/g, '').split(/[\r\n]/, 1)[0] ?? '';
  const count = (name: Separator): number => line.split(separators[name]).length;
  return separatorNames.reduce((best, name) => (count(name) > count(best) ? name : best));
};

/** The first line in which some spreadsheets name their separator. */
const mark = /^("?)sep=([,;\t])\1[,;\t ]*(?=[\r\n]|$)/i;

/** The separator of a CSV file's text, and the text with an empty line instead of `sep=;`. */
const readMark = (text: string): { separator: Separator; text: string } => {
  const [found = '', , sign] = mark.exec(text) ?? [];
  const named = separatorNames.find((name) => separators[name] === sign);
  return { separator: named ?? separatorIn(text), text: text.slice(found.length) };
};

/** A row of a CSV file with the texts of its cells. */
export interface CsvRecord {
  /** The line where it begins, from 1. */
  line: number;
  cells: string[];
  separator: Separator;
}

/**
 * In characters. A quote that is never closed makes the rest of the file one row. The limit keeps it from filling the
 * memory.
 */
const maxRowLength = 4_000_000;

const faults = {
  open: 'has a quote that is never closed',
  long: 'is longer than 4 million characters; most likely a quote in it is never closed',
  inside: 'has a quote inside a value; put the value in quotes, and double each quote inside it',
  after: 'has text after a closing quote; double each quote inside a value',
};

/** Says why a row and the rest of its file cannot be read. */
export class CsvFault extends Error {
  constructor(fault: keyof typeof faults, line: number) {
    super(`the row that begins in line ${line} ${faults[fault]}`);
  }
}

/** A value, and the place where it ends. */
interface Cell {
  cell: string;
  end: number;
}

/** Reads the value that begins with a quote at `from`; undefined if its end is not in the text. */
const readQuoted = (text: string, from: number): Cell | undefined => {
  let cell = '';
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return undefined;
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return { cell, end: end + 1 };
    cell += '"';
    at = end + 2;
  }
};

/** Reads the value up to a character in `ends`; undefined if there is none in the text. */
const readBare = (text: string, from: number, ends: RegExp): Cell | undefined => {
  ends.lastIndex = from;
  const end = ends.exec(text)?.index;
  return end === undefined ? undefined : { cell: text.slice(from, end), end };
};

/** Reads the value at a place, or returns its fault; undefined if the value may continue after the text. */
const readCell = (text: string, at: number, ends: RegExp): Cell | keyof typeof faults | undefined => {
  const isQuoted = text[at] === '"';
  const found = isQuoted ? readQuoted(text, at) : readBare(text, at, ends);
  const next = found && text.slice(found.end, found.end + 2);
  // The next piece may begin with another quote, or with the second character of a line end.
  if (!next || next === '\r') return undefined;
  if (!isQuoted) return found.cell.includes('"') ? 'inside' : found;
  return next.search(ends) === 0 ? found : 'after';
};

const breaksIn = (cell: string): number => cell.match(/\r\n|\n|\r/g)?.length ?? 0;

/**
 * Makes a function that reads the rows of a CSV text, without empty ones. Call it with each piece of the text, and then
 * without one. It throws a CsvFault if the text is not CSV.
 */
export const csvReader = () => {
  let separator: Separator | undefined;
  /** The text after the last complete value. */
  let rest = '';
  let line = 1;
  let record: Omit<CsvRecord, 'separator'> = { line, cells: [] };
  let length = 0;
  return function* (piece?: string): Generator<CsvRecord> {
    // The end of a text ends its last row, like the end of a line.
    let text = rest + (piece ?? '\n');
    if (separator === undefined) ({ separator, text } = readMark(text));
    const sign = separators[separator];
    const ends = new RegExp(`[${sign}\r\n]`, 'g');
    let at = 0;
    for (let found = readCell(text, at, ends); found; found = readCell(text, at, ends)) {
      if (typeof found === 'string') throw new CsvFault(found, record.line);
      record.cells.push(found.cell);
      line += breaksIn(found.cell);
      length += found.end - at;
      at = found.end + (text.startsWith('\r\n', found.end) ? 2 : 1);
      if (text[found.end] === sign) continue;
      if (length > maxRowLength) break;
      if (record.cells.some((cell) => cell.trim() !== '')) yield { ...record, separator };
      line += 1;
      record = { line, cells: [] };
      length = 0;
    }
    rest = text.slice(at);
    if (length + rest.length > maxRowLength) throw new CsvFault('long', record.line);
    if (piece === undefined && rest !== '') throw new CsvFault('open', record.line);
  };
};
