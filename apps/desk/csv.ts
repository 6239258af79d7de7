import { writeCell } from '../shared/cells.ts';
import { csvLine, utf8Mark } from '../shared/csv.ts';

export type CsvValue = string | number | boolean | null;

export const cellOf = (value: CsvValue): string =>
  writeCell({ form: typeof value === 'string' ? 'text' : 'number' }, value);

/** A CSV file of these lines. */
export const csvOf = (lines: readonly (readonly CsvValue[])[]): string =>
  utf8Mark + lines.map((line) => csvLine(line.map(cellOf))).join('');

/** Saves lines as a file, and adds the ending to its name. */
export const saveCsv = (name: string, lines: readonly (readonly CsvValue[])[]): void => saveText(name, csvOf(lines));

/** Saves lines whose cells are written already, as those of another file are. */
export const saveCells = (name: string, lines: readonly (readonly string[])[]): void =>
  saveText(name, utf8Mark + lines.map((cells) => csvLine(cells)).join(''));

const saveText = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
