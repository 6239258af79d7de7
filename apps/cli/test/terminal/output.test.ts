import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { type Column, print, setJson } from '../../terminal/output.ts';

/** Tables, as they are printed. */

interface Row {
  who: string;
  amount: number | undefined;
}

const columns: Column<Row>[] = [
  { heading: 'who', cell: ({ who }) => who, wraps: true },
  { heading: 'L$', cell: ({ amount }) => amount },
];

afterEach(() => {
  vi.restoreAllMocks();
});

/** The lines in a table of rows. `width` is the terminal's width; without it there is no terminal. */
const printed = (rows: Row[], width?: number): string[] => {
  const texts: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    texts.push(stripVTControlCharacters(String(text)));
    return true;
  });
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(
    Object.assign(Object.create(process.stdout), { isTTY: width !== undefined, columns: width }),
  );
  // Commands of other files may have asked for JSON.
  setJson(false);
  print(rows, columns);
  vi.restoreAllMocks();
  return texts.join('').split('\n').slice(0, -1);
};

test('a column of numbers goes to the right, its heading and its empty cells too', () => {
  const rows = [
    { who: 'ada', amount: 1200 },
    { who: '漢字.resident', amount: undefined },
  ];

  expect(printed(rows)).toEqual(['WHO               L$', 'ada            1,200', '漢字.resident      -']);
});

test('a cell that is too wide for the terminal is broken into lines, and a narrow one has a line for each column', () => {
  const rows = [{ who: 'ada lovelace of the harbour', amount: 5 }];

  expect(printed(rows, 20)).toEqual(['WHO               L$', 'ada lovelace of    5', 'the harbour']);
  expect(printed(rows, 9)).toEqual(['WHO  ada lovelace of the harbour', 'L$   5']);
});

test('a table of 150,000 rows is printed', () => {
  const rows = Array.from({ length: 150_000 }, (_, amount) => ({ who: 'avatar.resident', amount }));

  expect(printed(rows)).toHaveLength(150_001);
});
