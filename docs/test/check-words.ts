import { oldWords, readFiles } from './words.ts';

/** Part of `npm run lint`: prints each old word with its place and a better one. */

const found = oldWords();
console.log(`Words: read ${readFiles}.`);
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
