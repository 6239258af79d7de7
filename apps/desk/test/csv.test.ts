import { expect, test } from 'vitest';
import * as z from 'zod';
import { columns } from '../../cli/kinds/columns.ts';
import { writeCell } from '../../shared/cells.ts';
import { csvOf } from '../csv.ts';

const [column] = columns({ text: ['text', z.unknown(), 'any text'] });

/** The desk's file of one cell, without its mark, line end and quotes. */
const deskCell = (text: string): string =>
  csvOf([[text]])
    .replace(/^\ufeff|\r\n$/g, '')
    .replace(/^"(.*)"$/s, (_, quoted) => quoted.replaceAll('""', '"'));

test('marks what a spreadsheet would run exactly as the exports of the command do, full-width signs too', () => {
  const signs = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const texts = signs.flatMap((sign) => [`${sign}1+1`, `'${sign}1`, `''${sign}`, `x${sign}`]);

  const marked = texts.filter((text) => deskCell(text) !== text);

  expect(marked.filter((text) => !text.startsWith("'"))).toEqual(
    ['\t', '\r', '+', '-', '=', '@', '＋', '－', '＝', '＠'].map((sign) => `${sign}1+1`),
  );
  expect(column && marked).toEqual(column && texts.filter((text) => writeCell(column, text) !== text));
  for (const text of marked) expect(deskCell(text)).toBe(`'${text}`);
});

test('quotes what would break a line, and leaves numbers as they are', () => {
  expect(
    csvOf([
      ['a,b', 'c"d', 'e\nf'],
      [-5, true, null],
    ]),
  ).toBe('\ufeff"a,b","c""d","e\nf"\r\n-5,true,\r\n');
});
