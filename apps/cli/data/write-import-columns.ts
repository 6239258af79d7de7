import { writeFileSync } from 'node:fs';
import { importColumns } from './import-columns.ts';

/** A part of `npm run openapi`: writes the columns of the files that the desk imports. */

const path = new URL('../../desk/import/columns.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(importColumns, null, 2)}\n`);
