import type { Importer } from '../../../lib/operator/imports/rows.ts';
import type { AuditCheck } from './audit.ts';
import type { Column, UuidLookup, Values } from './columns.ts';
import type { PersonalItems } from './personal.ts';

/** The text of a file, piece by piece: the rows are counted. */
export interface Lines {
  header: AsyncIterable<string> | Iterable<string>;
  rows: AsyncIterable<string>;
}

/** A file that an export writes: the rows of a store that are of one kind. */
export interface DataFile {
  /** As commands name it, and the file of a whole export. */
  name: string;
  /** Its contents, in one line. */
  summary: string;
  columns: readonly Column[];
  /** The rows of a store, in a fixed order. */
  rows: (store: string) => AsyncGenerator<Values>;
  /** Writes the rows as a journal of plain-text accounting, if they can be. */
  journal?: (store: string) => Lines;
}

/** A file that an import reads, too. */
export interface ImportFile extends DataFile {
  /** Rows are added and never changed, so a column that the file lacks means the default. */
  onlyAdded?: true;
  /** Checks conditions that span the columns of a row. */
  checkRow?: (values: Values, report: (field: string, message: string) => void) => void;
  /** The source of a row's id, if there is a column `id`. */
  id?: {
    /** The text that a row without an id gets its id from. */
    from?: (values: Values, uuidOf: UuidLookup) => string;
    /** True if rows without ids may be alike. Each of them then gets its own id. */
    repeats?: (values: Values) => boolean;
    /** The text that `madeId` is made of: the id of a row without one that nothing in the store is like. */
    madeOf?: (values: Values) => string;
    /** Ids are texts, and are not turned into UUIDs. */
    asText?: true;
  };
  /**
   * The values, by column, that no other row of the file may have. The first column identifies the row. Unless given:
   * the id.
   */
  unique?: (values: Values, uuidOf: UuidLookup) => Record<string, string[]>;
  /** Sums in L$ over the whole store, which an import shows as they were before it and as they are after it. */
  totals?: (store: string) => Promise<Record<string, number>>;
  /** A new importer for every pass over a file. */
  importer: (checksOnly: boolean) => Importer<unknown>;
}

/** One kind of a store's data: all that the command knows of it, but for commands of its own. */
export interface Kind {
  file?: DataFile | ImportFile;
  /** Its items about an avatar, and what an erasure makes of them. */
  personal?: readonly PersonalItems[];
  /** The checks of an audit. */
  audit?: readonly AuditCheck[];
}
