import { importFile } from '../../data/import.ts';
import { kindOf } from './kinds.ts';

/** Imports a file in a process that a test kills. Prints the number of written rows after each chunk. */

const [kind = '', store = '', path = ''] = process.argv.slice(2);

await importFile(kindOf(kind), store, path, {
  onProgress: (done, all) => {
    if (all !== undefined) process.stdout.write(`${done}\n`);
  },
});
