import { nearestOf } from './nearest.ts';
import { plainCell } from './plain-cell.ts';

/** Reads the first line of a CSV file, for the command and the desk. */

/** The first `count` cells of a row; all cells if a further one has a value. Spreadsheets add empty ones. */
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

/** The facts about a kind of file that reading the first line needs. */
interface HeaderRules<C extends NamedColumn> {
  name: string;
  columns: readonly C[];
  /** Further columns of a file of rejected rows. They are ignored, so that such a file can be read again. */
  added: readonly NamedColumn[];
  isRequired: (column: C) => boolean;
}

/**
 * The columns of a header. If it has a fault, returns a sentence about the first one, which lists the existing columns.
 * Ignores cells after the last name.
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
