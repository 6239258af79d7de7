import { expect, test } from 'vitest';
import { deskTimes } from './desk.ts';

test('the benchmark of the desk finds each page that it measures', async () => {
  const rows = await deskTimes({ rounds: 1, customers: 100, sales: 100 });

  expect(rows).toHaveLength(22);
  for (const { page, demo, large } of rows) expect(Math.min(demo, large), page).toBeGreaterThan(0);
});
