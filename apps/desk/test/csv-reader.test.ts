import { CsvError, parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { CsvFault, type CsvRecord, csvLine, csvReader, type Separator, separators } from '../../shared/csv.ts';

const codes: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  INVALID_OPENING_QUOTE: 'has a quote inside a value',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote',
};

/** The rows that a library reads, or the words of its fault here. */
const byLibrary = (text: string, delimiter = ','): string[][] | string => {
  try {
    const rows = parse(text, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return rows.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    if (error instanceof CsvError) return codes[error.code] ?? error.code;
    throw error;
  }
};

const recordsOf = (...pieces: string[]): CsvRecord[] => {
  const read = csvReader();
  return [...pieces.flatMap((piece) => [...read(piece)]), ...read()];
};

const readHere = (...pieces: string[]): string[][] | string => {
  try {
    return recordsOf(...pieces).map(({ cells }) => cells);
  } catch (error) {
    if (error instanceof CsvFault) return Object.values(codes).find((words) => error.message.includes(words)) ?? '';
    throw error;
  }
};

/** Every text made of some characters, up to a length. */
const textsOf = (signs: readonly string[], length: number): string[] =>
  length === 0 ? [''] : ['', ...textsOf(signs, length - 1).flatMap((text) => signs.map((sign) => sign + text))];

test('reads every short text as a library does, in one piece and sign by sign', () => {
  const texts = [...new Set(textsOf(['a', ',', '"', '\r', '\n'], 5))];
  const differing = texts.filter((text) => {
    const wanted = JSON.stringify(byLibrary(text));
    return JSON.stringify(readHere(text)) !== wanted || JSON.stringify(readHere(...text)) !== wanted;
  });

  expect(texts).toHaveLength(3906);
  expect(differing).toEqual([]);
});

test.each([
  ['a;b\r1;"2;3"\r\r\n', 'semicolon'],
  ['a,b\n"x ""y"" z","two\r\nlines"\n,\n\n , \n3,\n', 'comma'],
  ['a\tb\n"1"\t""\n', 'tab'],
  ['a,b,c\n1\n1,2,3,4,\n,,,', 'comma'],
] as const)('reads %j as a library does, in pieces of each length', (text, separator) => {
  const wanted = byLibrary(text, separators[separator]);

  for (let length = 4; length <= text.length; length++) {
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    expect(recordsOf(...pieces)).toEqual(recordsOf(text));
  }
  expect(recordsOf(text).map(({ cells }) => cells)).toEqual(wanted);
  expect(new Set(recordsOf(text).map((record) => record.separator))).toEqual(new Set([separator]));
});

test.each([
  ['a,b\n1,2\n"x,3\n4,5', 'the row that begins in line 3 has a quote that is never closed'],
  ['a,b\n1,x"y"\n', 'the row that begins in line 2 has a quote inside a value'],
  ['a,b\n"x\ny",1\n"x"y,2\n', 'the row that begins in line 4 has text after a closing quote'],
  [`a\n"${'x'.repeat(4_000_000)}"\n`, 'the row that begins in line 2 is longer than 4 million characters'],
  [`a\n"${'x'.repeat(4_000_000)}`, 'the row that begins in line 2 is longer than 4 million characters'],
])('refuses %.20j with the line', (text, fault) => {
  expect(() => recordsOf(text)).toThrow(fault);
});

test('says in which line a row begins, whatever its values have', () => {
  expect(recordsOf('a,b\r\n"1\r\n2\n3",x\r\n\r\n4,5\r\n')).toMatchObject([{ line: 1 }, { line: 2 }, { line: 6 }]);
});

test.each(Object.keys(separators) as Separator[])('a library reads what is written with %s', (separator) => {
  const cells = ['', 'a', ' b ', 'c,d', 'e;f', 'g\th', '"', 'i"j', '\r', 'k\nl', 'm\r\nn', "'=1"];

  const line = csvLine(cells, separator);

  expect(byLibrary(line, separators[separator])).toEqual([cells]);
  expect(line.endsWith('\r\n')).toBe(true);
  expect(recordsOf(csvLine(['x', 'y'], separator), line)[1]?.cells).toEqual(cells);
});
