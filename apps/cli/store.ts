#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=400

// The two limits make Node free memory sooner. With them an import of 100,000 rows takes less than 300 MB instead of
// more than 400.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../../node_modules');
// Checks this before it enables the cache, which would make the folder.
if (!existsSync(join(packages, 'commander'))) {
  console.error(`error: The packages are missing. Run this first in ${join(packages, '..')}: npm ci`);
  process.exit(1);
}
// The cache halves the time of every start after the first. Node runs its content, so it is beside the packages, where
// not every user of the machine may write.
enableCompileCache(join(packages, '.cache', 'store'));
process.env.TABLE_PATIENCE = 'long';
await import('./program/main.ts');
