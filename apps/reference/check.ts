import { basename } from 'node:path';
import { breaksBetween } from './breaks.ts';
import { lastRelease } from './last-release.ts';
import { redocly } from './redocly.ts';

/**
 * `npm run lint:openapi`: applies the linter's rules to the document, and checks that no change breaks clients of the
 * last release.
 */

const last = lastRelease();
const name = basename(last ?? '');

// A warning is printed, but does not fail the linter by itself.
const { ok, output, errors } = redocly('lint', 'docs/openapi.json', '--max-problems', '50');
const valid = ok && output.trim() === '';
if (!valid) console.error(output + errors);

const breaks = last === undefined ? [] : breaksBetween(last, 'docs/openapi.json');
for (const line of breaks) console.error(`Breaks clients of ${name}: ${line}`);

const compared =
  last === undefined ? 'there is no release to compare with' : `${breaks.length} breaking changes since ${name}`;
console.log(`The document is ${valid ? 'valid' : 'not valid'}; ${compared}`);
process.exitCode = valid && breaks.length === 0 ? 0 : 1;
