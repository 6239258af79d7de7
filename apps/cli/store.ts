#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=400

// The limits are for imports: with them Node frees memory sooner, and a file of 100,000 rows takes less than 300 MB
// instead of more than 400.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../../node_modules');
// This must come before the cache below, which makes the folder.
if (!existsSync(join(packages, 'commander'))) {
  console.error(`error: The packages are missing. Run this first in ${join(packages, '..')}: npm ci`);
  process.exit(1);
}
// From its second start on, the command starts in half the time. The cache is beside the packages, where not every user
// of the machine may write: its content is run.
enableCompileCache(join(packages, '.cache', 'store'));
process.env.TABLE_PATIENCE = 'long';
await import('./program/main.ts');
