import type { Importer } from '../../../lib/operator/imports/rows.ts';
import type { AuditCheck } from './audit.ts';
import type { Column, UuidLookup, Values } from './columns.ts';
import type { PersonalItems } from './personal.ts';

/** The text of a file, piece by piece, and the number of its rows. */
export interface Lines {
  header: AsyncIterable<string> | Iterable<string>;
  rows: AsyncIterable<string>;
}

/** A file that an export writes: the rows of one kind in a store. */
export interface DataFile {
  /** The name in commands, and of the file in a whole export. */
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
  /** Rows are only added, never changed. So a column that is missing in the file means the default. */
  onlyAdded?: true;
  /** Checks conditions that span the columns of a row. */
  checkRow?: (values: Values, report: (field: string, message: string) => void) => void;
  /** The source of a row's id, if there is a column `id`. */
  id?: {
    /** The text that a row without an id gets its id from. */
    from?: (values: Values, uuidOf: UuidLookup) => string;
    /** True if rows without ids may be alike. Each of them then gets its own id. */
    repeats?: (values: Values) => boolean;
    /** The text from which `madeId` makes the id of a row that has none and that is like nothing in the store. */
    madeOf?: (values: Values) => string;
    /** Ids are texts, and are not turned into UUIDs. */
    asText?: true;
  };
  /**
   * The values, by column, that no two rows of the file may share. The first column identifies the row. By default the
   * id.
   */
  unique?: (values: Values, uuidOf: UuidLookup) => Record<string, string[]>;
  /** Sums in L$ over the whole store. An import shows them before and after it. */
  totals?: (store: string) => Promise<Record<string, number>>;
  /** A new importer for every pass over a file. */
  importer: (checksOnly: boolean) => Importer<unknown>;
}

/** One kind of data in a store: everything that the command knows about it, except for commands of its own. */
export interface Kind {
  file?: DataFile | ImportFile;
  /** Its items about an avatar, and what an erasure does with them. */
  personal?: readonly PersonalItems[];
  /** The checks of an audit. */
  audit?: readonly AuditCheck[];
}
