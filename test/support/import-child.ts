import { importFile } from '../../cli/data/import.ts';
import { kindOf } from './kinds.ts';

/** A process that imports a file, to be killed: says how many rows are written whenever some are. */

const [kind = '', store = '', path = ''] = process.argv.slice(2);

await importFile(kindOf(kind), store, path, {
  onProgress: (done, all) => {
    if (all !== undefined) process.stdout.write(`${done}\n`);
  },
});
