import type { Importer } from '../../../lib/operator/imports/rows.ts';
import type { AuditCheck } from './audit.ts';
import type { Column, UuidLookup, Values } from './columns.ts';
import type { PersonalItems } from './personal.ts';

/** The text of a file, piece by piece. Each piece of `rows` is one row. */
export interface Lines {
  header: AsyncIterable<string> | Iterable<string>;
  rows: AsyncIterable<string>;
}

/** A file that an export writes: the rows of one kind in a store. */
export interface DataFile {
  /** The name in commands, and of the file in a whole export. */
  name: string;
  /** Says in one line what the file contains. */
  summary: string;
  columns: readonly Column[];
  /** The rows of a store, in a fixed order. */
  rows: (store: string) => AsyncGenerator<Values>;
  /** Writes the rows as a journal of plain-text accounting. Only history has one. */
  journal?: (store: string) => Lines;
}

/** A file that an import can read. */
export interface ImportFile extends DataFile {
  /** An import only adds rows and never changes one. So a column that the file lacks means the default. */
  onlyAdded?: true;
  /** Checks conditions that span the columns of a row. */
  checkRow?: (values: Values, report: (field: string, message: string) => void) => void;
  /** The source of a row's id, if there is a column `id`. */
  id?: {
    /** Returns the text from which a row without an id gets one. */
    from?: (values: Values, uuidOf: UuidLookup) => string;
    /** True if a file may have several equal rows without ids. Each gets an id of its own. */
    repeats?: (values: Values) => boolean;
    /**
     * Returns the text from which `madeId` makes an id, for a row that has none and that equals nothing in the store.
     */
    madeOf?: (values: Values) => string;
    /** Ids stay texts. Otherwise `idFrom` makes UUIDs of them. */
    asText?: true;
  };
  /**
   * Returns values by column that no two rows of a file may share. The first column identifies the row. By default, the
   * id does.
   */
  unique?: (values: Values, uuidOf: UuidLookup) => Record<string, string[]>;
  /** Returns sums in L$ over the whole store. An import shows them before and after. */
  totals?: (store: string) => Promise<Record<string, number>>;
  /** Makes the importer for one pass over a file. */
  importer: (checksOnly: boolean) => Importer<unknown>;
}

/** Everything that the command knows about one kind of data in a store, except for its own commands. */
export interface Kind {
  file?: DataFile | ImportFile;
  /** The items that are about an avatar, and what an erasure does with them. */
  personal?: readonly PersonalItems[];
  /** The checks of an audit. */
  audit?: readonly AuditCheck[];
}
