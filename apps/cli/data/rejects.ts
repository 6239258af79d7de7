import { rm } from 'node:fs/promises';
import type { Fault } from '../../../lib/operator/imports/rows.ts';
import { readCell, writeCell } from '../../shared/cells.ts';
import { csvLine } from '../../shared/csv.ts';
import { rejectColumns, type Values } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { Failure } from '../terminal/errors.ts';
import { explainFault } from './check.ts';
import type { Format } from './format.ts';
import type { RawRow } from './read.ts';
import { csvHeader, openFile } from './write.ts';

interface Options {
  path: string;
  format: Format;
  /** Writes over an existing file. Without it an existing file stays, since it may hold corrected rows. */
  force: boolean;
}

/** The columns of the kind that a CSV file has, in the file's order. */
const rowColumns = (kind: ImportFile, { values }: RawRow) =>
  Object.keys(values).flatMap((name) => kind.columns.find((column) => column.name === name) ?? []);

/** Makes ids for rejected rows without one, if the kind allows equal rows. */
const idsFor = (kind: ImportFile, idOf: (text: string) => string) => {
  const seen = new Map<string, number>();
  return ({ values, source }: RawRow, planned: unknown): string | undefined => {
    if (typeof source === 'string' || values.id !== undefined || !kind.id?.repeats?.(values)) return undefined;
    // It is the same id as in the imported file. So either of two equal rows may be imported first.
    if (planned !== undefined) return String(planned);
    const text = `rejected ${JSON.stringify(source)}`;
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return idOf(`${text} ${count}`);
  };
};

/**
 * Writes the file of rejected rows: each row unchanged, with its line and the reason. It has only the columns of the
 * imported file, since an empty cell in another column would mean the default. If the kind allows equal rows, a row
 * without an id gets one from `idOf`. Without it, an import could take the corrected row for an equal row that is in
 * the store.
 */
export const rejectsFile = (kind: ImportFile, idOf: (text: string) => string, { path, format, force }: Options) => {
  const idFor = idsFor(kind, idOf);
  let file: ReturnType<typeof openFile> | undefined;
  let hasHeader = false;

  const open = async (then: string): Promise<ReturnType<typeof openFile>> => {
    const opened = openFile(path, { exclusive: !force });
    await opened.made({ by: ' with --rejects' }).catch((error: unknown) => {
      throw error instanceof Failure ? new Failure(`${error.message} ${then}`) : error;
    });
    file = opened;
    return opened;
  };

  const csvRow = (raw: RawRow, cells: readonly string[], id: string | undefined, end: string[]): string => {
    const columns = rowColumns(kind, raw);
    const idAt = columns.findIndex(({ name }) => name === 'id');
    const own = Array.from({ length: Math.max(cells.length, columns.length) }, (_, i) => {
      const [column, cell = ''] = [columns[i], cells[i]];
      if (i === idAt && cell === '') return id ?? '';
      // A text that looks like a formula is escaped, as in an export. Other cells stay as they are.
      return column?.form === 'text' || column?.form === 'person' ? writeCell(column, readCell(column, cell)) : cell;
    });
    return csvLine([...own, ...(addsId(idAt) ? [id ?? ''] : []), ...end], raw.separator);
  };

  const addsId = (idAt: number): boolean => idAt < 0 && kind.id?.repeats !== undefined;

  const header = (raw: RawRow): string => {
    const names = rowColumns(kind, raw).map(({ name }) => name);
    const added = addsId(names.indexOf('id')) ? ['id'] : [];
    return csvHeader([...names, ...added, ...rejectColumns.map(({ name }) => name)], raw.separator);
  };

  const textOf = (raw: RawRow, reason: string, id: string | undefined): string => {
    const { source, line } = raw;
    // A line that is no JSON object stays as it is, since no member can be added to it.
    if (typeof source === 'string') return `${source.trim()}\n`;
    if (!Array.isArray(source))
      return `${JSON.stringify({ ...(source as Values), ...(id !== undefined && { id }), line, reason })}\n`;
    const end = rejectColumns.map((column) => writeCell(column, column.name === 'line' ? line : reason));
    return csvRow(raw, source, id, end);
  };

  return {
    /** Makes the file. Throws if that fails, with `then` at the end of the message. */
    open,
    /**
     * Writes a row. Makes the file before the first one. `planned` is the id with which the row would have been
     * imported.
     */
    write: async (raw: RawRow, faults: readonly Fault[], planned: unknown): Promise<void> => {
      const to = file ?? (await open('Then import the file again: it goes on.'));
      if (!hasHeader && format === 'csv') await to.write(header(raw));
      hasHeader = true;
      await to.write(textOf(raw, faults.map(explainFault).join('; '), idFor(raw, planned)));
    },
    /** Returns the path of the file if there is one. */
    end: async (): Promise<string | undefined> => {
      await file?.end();
      return file && path;
    },
    /** Removes the file of an import that failed and that somebody will repeat. */
    abandon: async (): Promise<void> => {
      if (!file) return;
      await file.end().catch(() => {});
      await rm(path, { force: true });
    },
  };
};
