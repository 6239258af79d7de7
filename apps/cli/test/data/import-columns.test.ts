import { expect, test } from 'vitest';
import columns from '../../../desk/import/columns.json' with { type: 'json' };
import { importColumns } from '../../data/import-columns.ts';

test('the desk has the columns of the command: if not, run npm run openapi', () => {
  expect(columns).toEqual(JSON.parse(JSON.stringify(importColumns)));
  expect(columns.products.length).toBeGreaterThan(20);
});
