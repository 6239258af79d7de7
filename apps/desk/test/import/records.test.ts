import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { recordsOf } from '../../import/records.ts';

/** As the command reads it (`apps/cli/data/read.ts`). */
const byCommand = (text: string, delimiter: string): string[][] =>
  parse(text, {
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
  }).filter((cells: string[]) => cells.some((cell) => cell.trim() !== ''));

const cellsOf = (text: string, delimiter: string) => {
  const found = recordsOf(text, delimiter);
  return Array.isArray(found) ? found.map(({ cells }) => cells) : found;
};

test.each([
  ['a,b\r\n1,2\r\n', ','],
  ['a,b\n1,2', ','],
  ['a;b\r1;"2;3"\r\r\n', ';'],
  ['a,b\n"x ""y"" z","two\r\nlines"\n,\n\n , \n3,\n', ','],
  ['a\tb\n"1"\t""\n', '\t'],
  ['a,b,c\n1\n1,2,3,4,\n,,,', ','],
  ['a', ','],
  ['', ','],
  ['a,b\n,"', ','],
])('reads %j as the command does', (text, delimiter) => {
  const isGood = !text.endsWith(',"');

  if (isGood) expect(cellsOf(text, delimiter)).toEqual(byCommand(text, delimiter));
  else expect(() => byCommand(text, delimiter)).toThrow();
});

test.each([
  ['a,b\n1,2\n"x,3\n4,5', { line: 3, fault: 'open' }],
  ['a,b\n1,x"y"\n', { line: 2, fault: 'inside' }],
  ['a,b\n"x\ny",1\n"x"y,2\n', { line: 4, fault: 'after' }],
])('refuses %j with the line, as the command does', (text, fault) => {
  expect(recordsOf(text, ',')).toEqual(fault);
  expect(() => byCommand(text, ',')).toThrow();
});

test('says in which line a row begins, whatever its values have', () => {
  const found = recordsOf('a,b\r\n"1\r\n2\n3",x\r\n\r\n4,5\r\n', ',');

  expect(found).toMatchObject([{ line: 1 }, { line: 2 }, { line: 6 }]);
});
