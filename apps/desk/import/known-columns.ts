import columns from './columns.json' with { type: 'json' };
import type { ImportColumns } from './rows.ts';

/** The columns of the files that can be imported. `npm run openapi` writes them, from the command's columns. */
export const importColumns = columns as ImportColumns;
