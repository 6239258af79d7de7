import { utf8Mark } from '../shared/csv.ts';

export type CsvValue = string | number | boolean | null;

/**
 * A cell of a CSV file. A text that a spreadsheet would run as a formula gets a mark before it, full-width signs too.
 * So does a text that is marked already, so that the mark can be taken off again: `store export` does the same.
 */
const cell = (value: CsvValue): string => {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** A CSV file of these lines, with the mark by which spreadsheets know UTF-8. */
export const csvOf = (lines: readonly (readonly CsvValue[])[]): string =>
  `${utf8Mark}${lines.map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;

/** Saves lines as a file, whose name gets its ending here. */
export const saveCsv = (name: string, lines: readonly (readonly CsvValue[])[]): void => {
  const address = URL.createObjectURL(new Blob([csvOf(lines)], { type: 'text/csv;charset=utf-8' }));
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
