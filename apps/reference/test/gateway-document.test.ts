import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/files.ts';
import { apiOf, everySetting } from '../../../test/support/stack.ts';
import { redocly } from '../redocly.ts';

/** The document that API Gateway imports the API from. */

const directory = tempDir();

test.each([
  ['default settings', {}],
  ['every setting', everySetting],
])('is a valid OpenAPI document of version 3.0 with %s', { timeout: 60_000 }, (name, settings) => {
  const { document } = apiOf(settings);
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));

  const { ok, output, errors } = redocly('lint', file, '--extends=spec');

  // API Gateway refuses 3.1.
  expect(document.openapi).toMatch(/^3\.0\./);
  expect(ok, output + errors).toBe(true);
});
