import { expect, test } from 'vitest';
import { importColumns } from '../../../cli/data/import-columns.ts';
import columns from '../../../desk/import/columns.json' with { type: 'json' };

test('the desk has the columns of the command: if not, run npm run openapi', () => {
  expect(columns).toEqual(JSON.parse(JSON.stringify(importColumns)));
  expect(columns.products.length).toBeGreaterThan(20);
});
