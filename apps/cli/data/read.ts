import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Fault } from '../../../lib/operator/imports/rows.ts';
import { readCell } from '../../shared/cells.ts';
import { CsvFault, type CsvRecord, csvReader, type Separator } from '../../shared/csv.ts';
import { meantColumn, namesOf, ownOf, readHeader } from '../../shared/csv-header.ts';
import { otherForm } from '../../shared/file-form.ts';
import { type Column, isRequired, rejectColumns, type Values } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { Failure } from '../terminal/errors.ts';
import type { Format } from './format.ts';

/** A row of a file before its values are checked. */
export interface RawRow {
  /** The line where it begins, from 1. */
  line: number;
  /** Values by column. A missing column has no member. The value of an empty cell is undefined. */
  values: Values;
  /** The faults of the row as a whole. */
  faults: Fault[];
  /** The row as the file has it: CSV's cells, NDJSON's object, or the text of a line that is no object. */
  source: readonly string[] | Values | string;
  /** The sign between cells, for CSV. */
  separator?: Separator;
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** Reads a file's text piece by piece, without a byte order mark. Throws if it is not UTF-8. */
async function* readText(path: string): AsyncGenerator<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new Failure(`There is no file ${path}. Check the path.`);
  if (info.isDirectory()) throw new Failure(`${path} is a directory. Name a file in it.`);
  if (info.size === 0) throw new Failure(`${path} is empty. A file begins with a row that names its columns.`);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  /** Decodes some bytes, or, without any, the rest at the end of the file. */
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const good = new TextDecoder('utf-8').decode(bytes);
      const near = line + newlines(good.slice(0, Math.max(good.indexOf('\ufffd'), 0)));
      throw new Failure(`${path} is not UTF-8: line ${near} has an invalid byte. Save it as UTF-8, and give that.`);
    }
  };
  let isFirst = true;
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    const other = isFirst ? otherForm(bytes) : undefined;
    if (other !== undefined) throw new Failure(`${path} ${other}, and give that.`);
    isFirst = false;
    const text = decode(bytes);
    line += newlines(text);
    yield text;
  }
  yield decode();
}

/**
 * In characters. A quote that is never closed makes the rest of the file one row. The limit keeps it from filling the
 * memory.
 */
const maxRowLength = 4_000_000;

/** The columns of a header. If it has an unknown column, throws and lists the known ones. */
const headerColumns = (kind: ImportFile, header: readonly string[], path: string): (Column | undefined)[] => {
  const found = readHeader({ ...kind, added: rejectColumns, isRequired }, header);
  if (typeof found === 'string') throw new Failure(`${path}, line 1: ${found}`);
  return found;
};

/** A row's cells without the cells of `rejectColumns`. Those are the last cells, even in a row of the wrong length. */
const ownCells = (columns: readonly (Column | undefined)[], record: readonly string[]): string[] => {
  const own = columns.filter((column) => column !== undefined).length;
  const added = columns.length - own;
  const areLast = columns.slice(own).every((column) => column === undefined);
  if (areLast) return record.slice(0, record.length > added ? record.length - added : undefined);
  return record.filter((_, i) => i >= columns.length || columns[i] !== undefined);
};

/** Reads the rows of a CSV file, including the first and without empty ones. Throws if the file is not CSV. */
export async function* readRecords(path: string): AsyncGenerator<CsvRecord> {
  const read = csvReader();
  try {
    for await (const text of readText(path)) yield* read(text);
    yield* read();
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    throw new Failure(`${path}: ${error.message}. The rest of the file cannot be read.`);
  }
}

async function* readCsv(kind: ImportFile, path: string): AsyncGenerator<RawRow> {
  let columns: (Column | undefined)[] | undefined;
  for await (const { line, cells: all, separator } of readRecords(path)) {
    if (!columns) {
      columns = headerColumns(kind, all, path);
      continue;
    }
    const cells = ownOf(all, columns.length);
    const message = `must have ${columns.length} values, as the first line has: it has ${cells.length}`;
    yield {
      line,
      values: Object.fromEntries(
        columns.flatMap((column, i) => (column ? [[column.name, readCell(column, cells[i] ?? '')]] : [])),
      ),
      faults: cells.length === columns.length ? [] : [{ field: 'the row', message }],
      source: ownCells(columns, cells),
      separator,
    };
  }
  if (!columns) throw new Failure(`${path} is empty. A file begins with a row that names its columns.`);
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of an object by column. The column `a.b` is the member `b` of the member `a`. */
const flattened = (kind: ImportFile, object: Values, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    const path = prefix + name;
    const inner = kind.columns.filter((column) => column.name.startsWith(`${path}.`));
    if (inner.length > 0 && isObject(value)) return flattened(kind, value, `${path}.`);
    // Null means the default of each inner column.
    if (inner.length > 0 && value === null) return inner.map((column) => [column.name, undefined]);
    return [[path, value ?? undefined]];
  });

const readObject = (kind: ImportFile, text: string, line: number): RawRow => {
  const bad = (message: string): RawRow => ({
    line,
    values: {},
    faults: [{ field: 'the row', value: text, message }],
    source: text,
  });
  let object: unknown;
  try {
    object = JSON.parse(text);
  } catch {
    return bad('must be a JSON object on one line');
  }
  if (!isObject(object)) return bad('must be a JSON object on one line');
  const members = flattened(kind, object);
  const strange = members.filter(
    ([name]) => ![...kind.columns, ...rejectColumns].some((column) => column.name === name),
  );
  const there = (name: string): string =>
    `is no member of ${kind.name}. ${meantColumn(kind.columns, name)}There are ${namesOf(kind.columns)}`;
  return {
    line,
    values: Object.fromEntries(members),
    faults: strange.map(([name, value]) => ({ field: name, value, message: there(name) })),
    source: object,
  };
};

async function* readNdjson(kind: ImportFile, path: string): AsyncGenerator<RawRow> {
  let rest = '';
  let line = 0;
  for await (const piece of readText(path)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxRowLength)
      throw new Failure(
        `${path}: line ${line + lines.length + 1} is longer than 4 million characters. Write each row on a line of its own.`,
      );
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield readObject(kind, text, line);
    }
  }
  if (rest.trim() !== '') yield readObject(kind, rest, line + 1);
}

/** Reads the rows of a file one by one. Throws if the file cannot be read or its header is wrong. */
export const readRows = (kind: ImportFile, path: string, format: Format): AsyncGenerator<RawRow> =>
  format === 'csv' ? readCsv(kind, path) : readNdjson(kind, path);
