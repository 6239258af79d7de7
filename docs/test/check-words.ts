import { allTurns, readCode } from './comments.ts';
import { oldWords, readFiles } from './words.ts';

/** Part of `npm run lint`: prints each old word, and each turn of a comment, with its place and a better one. */

const found = [...oldWords(), ...allTurns()];
console.log(`Words: read ${readFiles}.`);
console.log(`Comments: read ${readCode}.`);
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
