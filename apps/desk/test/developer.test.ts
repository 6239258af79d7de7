import { expect, test } from 'vitest';
import { scopeCount } from '../../desk/developer.ts';
import { scopes } from '../../lib/routes/route.ts';

test('the pages for developers open to a key of every scope that there is', () => {
  expect(scopeCount).toBe(scopes.length);
});
