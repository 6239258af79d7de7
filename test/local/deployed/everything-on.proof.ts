import { join } from 'node:path';
import { test } from 'vitest';
import { everythingOn } from '../../support/stack.ts';
import { dir, expectSuitesPass, synthesise } from './suites.ts';

/**
 * Without `corsOrigins`: with it OPTIONS is answered, which the suite of the contract knows as a method that is not
 * there.
 */
const { corsOrigins: _, ...settings } = everythingOn;

test('the suites pass against the template and the bundles with all settings that are sold', {
  timeout: 900_000,
}, async () => {
  const output = join(dir, 'cdk.out');

  await expectSuitesPass(output, await synthesise(output, settings), settings);
});
