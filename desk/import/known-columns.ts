import type { ImportColumns } from './rows.ts';

// An object that is defined for the bundle would go into the first view; a text goes where it is used.
export const importColumns: ImportColumns = JSON.parse(importColumnsJson);
