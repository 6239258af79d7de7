import { readdirSync } from 'node:fs';
import { breaksBetween } from './breaks.ts';
import { redocly } from './redocly.ts';

/**
 * `npm run lint:openapi`: checks the linter's rules for the documents, and that no change breaks clients of the last
 * release.
 */

const releases = new URL('../docs/releases/', import.meta.url);
const byVersion = new Intl.Collator('en', { numeric: true });
const last = readdirSync(releases)
  .filter((name) => name.startsWith('openapi-'))
  .sort(byVersion.compare)
  .at(-1);

// A warning is printed, but does not fail the linter by itself.
const { ok, output, errors } = redocly('lint', 'docs/openapi.json', 'docs/arazzo.json', '--max-problems', '50');
const valid = ok && output.trim() === '';
if (!valid) console.error(output + errors);

const breaks = last === undefined ? [] : breaksBetween(`docs/releases/${last}`, 'docs/openapi.json');
for (const line of breaks) console.error(`Breaks clients of ${last}: ${line}`);

console.log(`The documents are ${valid ? 'valid' : 'not valid'}; ${breaks.length} breaking changes since ${last}`);
process.exitCode = valid && breaks.length === 0 ? 0 : 1;
