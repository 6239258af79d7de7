import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeCell } from '../../shared/cells.ts';
import { csvLine, type Separator, utf8Mark } from '../../shared/csv.ts';
import { nested } from '../../shared/nested.ts';
import type { Column, Values } from '../kinds/columns.ts';
import type { DataFile } from '../kinds/kind.ts';
import { Failure } from '../terminal/errors.ts';
import type { Format } from './format.ts';

const valueAt = (row: Values, name: string): unknown =>
  name.split('.').reduce<unknown>((value, part) => (value as Values | undefined)?.[part], row);

const nestedRow = (columns: readonly Column[], row: Values): Values =>
  nested(columns.map(({ name }) => [name, valueAt(row, name)] as const).filter(([, value]) => value !== undefined));

/**
 * Explains why a file cannot be made. `by` is the option that names another file. Returns an unknown error as it is.
 */
const whyNotMade = (error: NodeJS.ErrnoException, path: string, by: string): Error => {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const words: Record<string, string> = {
    EEXIST: `${path} is there already. Name another file${by}, or write over it with --force.`,
    EISDIR: `${path} is a directory. Name a file in it${by}.`,
    ENOENT: `There is no directory ${dirname(path)}. Make it, or name another file${by}.`,
    ENOTDIR: `${dirname(path)} is no directory. Name another file${by}.`,
    EACCES: `${path} may not be written. Name another file${by}.`,
  };
  const known = words[isDirectory ? 'EISDIR' : (error.code ?? '')];
  return known === undefined ? error : new Failure(known);
};

/** Opens a file to write row by row. Only its owner may read it, since it holds customers' data. */
export const openFile = (path: string, { exclusive = false }: { exclusive?: boolean } = {}) => {
  const stream = createWriteStream(path, { mode: 0o600, flags: exclusive ? 'wx' : 'w' });
  // The next flush throws the error.
  let failure: unknown;
  stream.on('error', (error) => {
    failure = error;
  });
  let buffered = '';
  const flush = async (): Promise<void> => {
    if (failure) throw failure;
    const text = buffered;
    buffered = '';
    if (text !== '' && !stream.write(text)) await once(stream, 'drain');
    if (failure) throw failure;
  };
  return {
    /** Waits until the file exists. Throws if it cannot be made. */
    made: async ({ name = path, by = '' } = {}): Promise<void> => {
      try {
        if (stream.pending && !failure) await once(stream, 'open');
        if (failure) throw failure;
      } catch (error) {
        throw whyNotMade(error as NodeJS.ErrnoException, name, by);
      }
    },
    write: async (text: string): Promise<void> => {
      buffered += text;
      if (buffered.length > 65_536) await flush();
    },
    end: async (): Promise<void> => {
      await flush();
      if (!stream.closed) {
        stream.end();
        await once(stream, 'close');
      }
      if (failure) throw failure;
    },
  };
};

/** The first line of a CSV file: a byte order mark and the names of the columns. */
export const csvHeader = (names: string[], separator?: Separator): string => utf8Mark + csvLine(names, separator);

/** Makes the header and the line of each row, in a format. */
export const lineWriter = ({ columns }: Pick<DataFile, 'columns'>, format: Format, separator: Separator = 'comma') => ({
  header:
    format === 'csv'
      ? csvHeader(
          columns.map(({ name }) => name),
          separator,
        )
      : '',
  row: (row: Values): string =>
    format === 'csv'
      ? csvLine(
          columns.map((column) => writeCell(column, valueAt(row, column.name))),
          separator,
        )
      : `${JSON.stringify(nestedRow(columns, row))}\n`,
});
