import { writeFileSync } from 'node:fs';
import { importColumns } from './import-columns.ts';

/** Writes the columns of the files that the desk imports. `npm run openapi` runs it. */

const path = new URL('../../desk/import/columns.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(importColumns, null, 2)}\n`);
