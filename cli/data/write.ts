import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { type Column, writeCell } from './columns.ts';
import type { Format } from './format.ts';
import type { Kind, Values } from './kinds.ts';

const valueAt = (row: Values, name: string): unknown =>
  name.split('.').reduce<unknown>((value, part) => (value as Values | undefined)?.[part], row);

/** The row as its columns nest: `a.b` is a member of a member. Only what there is a column for. */
const nest = (columns: readonly Column[], row: Values): Values => {
  const nested: Record<string, Values> = {};
  for (const { name } of columns) {
    const value = valueAt(row, name);
    if (value === undefined) continue;
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) Object.assign(nested, { [outer]: value });
    else nested[outer] = { ...nested[outer], [inner]: value };
  }
  return nested;
};

// A lone carriage return would be read as the end of a line.
const line = (cells: string[]): string => stringify([cells], { record_delimiter: '\n', quoted_match: /\r/ });

/** A file that is being written, row by row, and that only its owner may read: it holds customers' data. */
export const openFile = (path: string, { exclusive = false }: { exclusive?: boolean } = {}) => {
  const stream = createWriteStream(path, { mode: 0o600, flags: exclusive ? 'wx' : 'w' });
  // An error is thrown by the write that waits, or by the end.
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

/** The lines of a file in a format: its header, and a row of it. */
export const linesOf = ({ columns }: Pick<Kind, 'columns'>, format: Format) => ({
  header: format === 'csv' ? line(columns.map(({ name }) => name)) : '',
  row: (row: Values): string =>
    format === 'csv'
      ? line(columns.map((column) => writeCell(column, valueAt(row, column.name))))
      : `${JSON.stringify(nest(columns, row))}\n`,
});
