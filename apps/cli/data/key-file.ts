import { keys } from '../kinds/keys.ts';
import type { DataFile, ImportFile } from '../kinds/kind.ts';
import { readLines } from './read-lines.ts';

/** A key of an exported store that is to be issued again. */
interface NamedKey {
  name: string;
  scopes: string[];
}

const keyFile: ImportFile = {
  ...(keys.file as DataFile),
  // Two keys may have one name.
  unique: () => ({}),
  importer: () => ({ plan: async () => [] }),
};

/** Reads an exported file of keys. */
export const readKeyFile = async (store: string, path: string): Promise<NamedKey[]> =>
  (await readLines<NamedKey, NamedKey>(keyFile, store, path, undefined, ({ name, scopes }) => ({ name, scopes })))
    .lines;
