import { expect, test } from 'vitest';
import { screenOf, withRow } from './report.ts';

test('a report is a line for each member, and a long one is cut', () => {
  const lines = screenOf({ seed: 3, sales: { completed: 2, refused: 1 }, faults: ['a', 'b'], long: 'x'.repeat(500) });

  expect(lines.split('\n')).toEqual([
    'seed: 3',
    'sales: completed 2, refused 1',
    'faults: a; b',
    `long: ${'x'.repeat(394)}…`,
  ]);
});

test('a run is a row of its page, in the place of the same run before', () => {
  const page = '# Runs\n\n| Run | Faults |\n|---|---|\n| one | 2 |\n\nThe end.\n';

  const noted = withRow(withRow(page, { Run: 'two', Faults: 0 }), { Run: 'one', Faults: 1 });

  expect(noted).toBe('# Runs\n\n| Run | Faults |\n|---|---|\n| one | 1 |\n| two | 0 |\n\nThe end.\n');
  expect(() => withRow(page, { Run: 'two', Sales: 0 })).toThrow('needs a table with the columns | Run | Sales |');
});

test('a run keeps to the columns of its page, also where one is a number', () => {
  const page = '| Run | Faults | 503 |\n|---|---|---|\n';

  expect(withRow(page, { Run: 'one', Faults: 0, '503': 4 })).toBe(`${page.trimEnd()}\n| one | 0 | 4 |\n`);
});
