import { beforeEach, expect, test } from 'vitest';
import { idAt, millisOf, newId, source } from '../../lib/clock.ts';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const start = Date.parse('2026-11-21T12:00:00.000Z');

beforeEach(() => {
  const ofFreshProcess = { millis: 0, counter: 0 };
  source.newestId = () => ofFreshProcess;
});

/** The ids of a process whose clock shows these times, one for each id. */
const idsAt = (times: readonly number[]): string[] =>
  times.map((time) => {
    source.now = () => time;
    return newId();
  });

test.each<[string, (place: number) => number]>([
  ['stands still', () => start],
  ['shows parts of a millisecond', (place) => start + place / 1000],
  ['goes on', (place) => start + place],
  ['was set back by an hour', (place) => start - (place < 5000 ? 0 : 3_600_000)],
  ['jumps to and fro', (place) => start + ((place * 7) % 11) - 5],
  ['stands before 1970', () => -1],
])('ids of one process grow while its clock %s', (_, timeOf) => {
  const ids = idsAt(Array.from({ length: 20_000 }, (_, place) => timeOf(place)));

  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !uuidv7.test(id))).toEqual([]);
});

test('an id begins with the time of its making, and with the next milliseconds once thousands were made in one', () => {
  expect(idsAt([start, start + 1, start + 2.9]).map(millisOf)).toEqual([start, start + 1, start + 2]);

  const millis = idsAt(Array.from({ length: 10_000 }, () => start + 10)).map(millisOf);

  // The counter has 12 bits, and the first id begins in its lower half.
  expect(millis.indexOf(start + 11)).toBeGreaterThanOrEqual(2048);
  expect(millis.at(-1)).toBeLessThan(start + 10 + 10_000 / 2048);
});

test('an id of another time leaves the order of the others as it is', () => {
  const [before = ''] = idsAt([start]);

  const other = idAt(start + 3_600_000);

  expect(millisOf(other)).toBe(start + 3_600_000);
  const [after = ''] = idsAt([start]);
  expect([before, after, other]).toEqual([before, after, other].toSorted());
});
