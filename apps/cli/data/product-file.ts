import { columns, foreignId, idHelp } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import type { Format } from './format.ts';
import { type LinesOfFile, readLines } from './read-lines.ts';

/** A file that names products by the ids that the imported file of products has. */
const productFile: ImportFile = {
  name: 'products',
  summary: 'products, a row each',
  columns: columns({ id: ['text', foreignId(), idHelp] }),
  id: {},
  importer: () => ({ plan: async () => [] }),
  rows: async function* () {},
};

/** Reads the ids of a file of products. Throws if it cannot be read. */
export const readProductFile = (store: string, path: string, asked?: Format): Promise<LinesOfFile<string>> =>
  readLines<{ id: string }, string>(productFile, store, path, asked, ({ id }) => id);
