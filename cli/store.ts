#!/usr/bin/env -S node --max-semi-space-size=4

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// From its second start on the command starts in half the time. The cache lies beside the packages, not where all users
// of the machine may write: what is in it is run.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'store'));
await import('./main.ts');
