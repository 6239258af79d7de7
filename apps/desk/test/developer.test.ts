import { expect, test } from 'vitest';
import { scopes } from '../../../lib/routes/scopes.ts';
import { scopeCount } from '../developer.ts';

test('the pages for developers open to a key of every scope that there is', () => {
  expect(scopeCount).toBe(scopes.length);
});
