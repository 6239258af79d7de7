import { nearestOf } from './nearest.ts';
import { plainCell } from './plain-cell.ts';

/** The rules for a CSV file's first line. The command and the desk read it by them. */

/** A row's cells up to `count`. It keeps further cells if one of them has a value: spreadsheets add empty ones. */
export const ownOf = (cells: readonly string[], count: number): string[] =>
  cells.slice(0, cells.slice(count).some((cell) => plainCell(cell) !== '') ? undefined : count);

interface NamedColumn {
  name: string;
}

/** The names of columns, for a message. */
export const namesOf = (columns: readonly NamedColumn[]): string => columns.map(({ name }) => name).join(', ');

/** Names the column that a word resembles most. */
export const meantColumn = (columns: readonly NamedColumn[], word: string): string => {
  const nearest = nearestOf(
    word,
    columns.map(({ name }) => name),
  );
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
};

/** The facts about a kind of file that the first line needs. */
interface HeaderRules<C extends NamedColumn> {
  name: string;
  columns: readonly C[];
  /** The columns of a file of rejected rows, which can be read again with them. They are ignored. */
  added: readonly NamedColumn[];
  isRequired: (column: C) => boolean;
}

/**
 * The columns of a header, or a sentence about its first fault, which lists the existing columns. Cells after the last
 * name are ignored.
 */
export const readHeader = <C extends NamedColumn>(
  { name: kind, columns, added, isRequired }: HeaderRules<C>,
  header: readonly string[],
): (C | undefined)[] | string => {
  const there = `${kind} have the columns ${namesOf(columns)}`;
  const found: (C | undefined)[] = [];
  const names = header.map(plainCell);
  for (const [index, name] of ownOf(names, names.findLastIndex((one) => one !== '') + 1).entries()) {
    const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!column && !added.some((one) => one.name === name)) {
      const shown =
        name === '' ? `column ${index + 1} has no name` : `there is no column ${JSON.stringify(name.slice(0, 60))}`;
      return `${shown}. ${meantColumn(columns, name)}Leave it out, or give it its name: ${there}.`;
    }
    found.push(column);
  }
  const twice = found.find((column, index) => column && found.indexOf(column) < index);
  if (twice) return `the column ${twice.name} is there twice. Leave one out.`;
  const missing = columns.filter((column) => isRequired(column) && !found.includes(column));
  return missing.length > 0 ? `the column ${namesOf(missing)} is missing; ${there}.` : found;
};
