import { expect, test } from 'vitest';
import { decideTold } from '../../../lib/catalogue/told.ts';

test.each([
  ['makes what is not here', undefined, undefined, 'new', 'create'],
  ['says what is here', 'a', 'b', 'b', 'unchanged'],
  ['says what it said before, though it is another here', 'a', 'b', 'a', 'unchanged'],
  ['brings news of what this store has left alone', 'a', 'a', 'b', 'take'],
  ['brings news of what this store has changed', 'a', 'b', 'c', 'keep'],
  ['tells otherwise of what was made here', undefined, 'b', 'c', 'keep'],
])('a row that %s', (_, told, here, row, decided) => {
  expect(decideTold({ told, here, says: (value) => value === row })).toBe(decided);
});

test('an act that leaves no trace in the values counts as one', () => {
  expect(decideTold({ told: 'a', here: 'a', isTouched: true, says: (value) => value === 'b' })).toBe('keep');
});
