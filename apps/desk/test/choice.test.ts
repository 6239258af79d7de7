import { expect, test } from 'vitest';
import { choose, partOf, readAtMost } from '../choice.ts';

const keyOf = ({ id }: { id: string }): string => id;
const rows = (...ids: string[]) => ids.map((id) => ({ id }));

test('all of a page are chosen beside those of other pages, each once, and leave the choice alone', () => {
  const first = choose(choose([], rows('a'), true, keyOf), rows('a', 'b'), true, keyOf);
  const both = choose(first, rows('c', 'd'), true, keyOf);

  expect(both).toEqual(rows('a', 'b', 'c', 'd'));
  expect(choose(both, rows('a', 'b'), false, keyOf)).toEqual(rows('c', 'd'));
  expect(choose(both, rows('x'), false, keyOf)).toEqual(both);
});

test('a page is chosen whole, in part, or not at all, and one without rows is not', () => {
  const chosen = rows('a', 'b', 'x');

  expect(partOf(chosen, rows('a', 'b'), keyOf)).toBe('all');
  expect(partOf(chosen, rows('a', 'c'), keyOf)).toBe('some');
  expect(partOf(chosen, rows('c'), keyOf)).toBe('none');
  expect(partOf(chosen, [], keyOf)).toBe('none');
});

test('all of a list are read, but no further than one more than can be taken', async () => {
  let read = 0;
  async function* list(length: number) {
    for (const at of Array(length).keys()) {
      read += 1;
      yield { id: String(at) };
    }
  }

  expect(await readAtMost(list(3), 3)).toHaveLength(3);
  read = 0;
  expect(await readAtMost(list(5000), 3)).toHaveLength(4);
  expect(read).toBe(4);
});
