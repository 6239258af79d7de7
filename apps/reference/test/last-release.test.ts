import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/files.ts';
import { lastRelease } from '../last-release.ts';

test('the last release is that of the highest version, and there may be none', () => {
  const folder = tempDir();
  expect(lastRelease(folder)).toBeUndefined();

  for (const name of ['.gitkeep', 'openapi-0.9.0.json', 'openapi-0.10.0.json', 'openapi-0.2.1.json'])
    writeFileSync(join(folder, name), '{}');

  expect(basename(lastRelease(folder) ?? '')).toBe('openapi-0.10.0.json');
});
