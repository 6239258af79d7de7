import { expect, test } from 'vitest';
import { progressText } from '../../terminal/progress.ts';

test('shows a rate and, where the number of rows is known, the share and the time left', () => {
  expect(progressText(500, 2000, 2)).toBe('500 of 2,000 rows (25 %), 250 rows a second, 6 s left');
  expect(progressText(1000, 100_000, 2)).toBe('1,000 of 100,000 rows (1 %), 500 rows a second, 4 min left');
  expect(progressText(500, undefined, 2)).toBe('500 rows, 250 rows a second');
  expect(progressText(0, 0, 0)).toBe('0 of 0 rows (0 %)');
});
