import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { areWhole, checksumAfter, checksumOf, storedChecksum } from '../../../lib/credit/whole-lots.ts';
import { trials } from '../../support/volume.ts';
import { itemWith, lotsOf, readOf } from './credit-facts.ts';
import { later, latest, past, soon } from './holdings.ts';

/** `MARK_SEED` replays a run. */
const seed = Number(process.env.MARK_SEED ?? Date.now() % 2 ** 31);
const runs = { seed, numRuns: trials(300, 10_000) };

const times = fc.constantFrom(past, soon, later, latest);
const some = fc
  .array(fc.tuple(times, fc.integer({ min: 1, max: 100 })), { maxLength: 12 })
  .map((parts) => lotsOf('regular', parts));

test(`a mark is that of its lots, in whatever order they come and go (seed ${seed})`, () => {
  fc.assert(
    fc.property(some, fc.infiniteStream(fc.boolean()), (lots, choices) => {
      const isEnded = lots.map(() => choices.next().value === true);
      const [ended, left] = [true, false].map((which) => lots.filter((_, index) => isEnded[index] === which));
      const whole = checksumAfter(checksumOf([]), true, { ended: [], added: lots.toReversed() });
      expect(whole).toBe(checksumOf(lots));
      expect(checksumAfter(whole, lots.length === 0, { ended: ended ?? [], added: [] })).toBe(checksumOf(left ?? []));
    }),
    runs,
  );
});

test(`lots are whole if they are those of the item, and no other ones are (seed ${seed})`, () => {
  fc.assert(
    fc.property(some, some, (lots, others) => {
      const item = { ...itemWith({ regular: 5 }, { regular: lots }), creditMark: checksumOf(lots) ?? '' };
      const isSame = JSON.stringify(lots) === JSON.stringify(others);
      expect(areWhole(item, 'regular', readOf(lots), false)).toBe(true);
      expect(areWhole(item, 'regular', readOf(others), false)).toBe(isSame);
    }),
    runs,
  );
});

test('as many other lots of the same sum are told by the mark alone', () => {
  const [lots, others] = [later, latest].map((time) =>
    lotsOf('regular', [
      [soon, 10],
      [time, 20],
    ]),
  );
  const item = itemWith({}, { regular: lots ?? [] });
  const marked = { ...item, creditMark: checksumOf(lots ?? []) ?? '' };

  expect(areWhole(item, 'regular', readOf(others ?? []), false)).toBe(true);
  expect(areWhole(marked, 'regular', readOf(others ?? []), false)).toBe(false);
});

test.each(creditTypes)(
  'a mark of %s credit counts with the count and the sum that it was made for',
  (type: CreditType) => {
    const lots = lotsOf(type, [
      [soon, 10],
      [later, 20],
    ]);
    const name = type === 'regular' ? 'creditMark' : 'restrictedMark';
    const mark = checksumOf(lots) ?? '';
    const item = itemWith({ [type]: 7 }, { [type]: lots });

    expect(storedChecksum({ ...item, [name]: mark }, type)).toBe(mark);
    for (const other of [undefined, mark.replace('2 ', '3 '), mark.replace(' 30', ' 31'), `1${mark}`])
      expect(storedChecksum({ ...item, [name]: other } as typeof item, type)).toBeUndefined();
  },
);

test('where a mark is not known, the one after a change is not either, until no lot was open', () => {
  const lots = lotsOf('regular', [[soon, 10]]);

  expect(checksumAfter(undefined, false, { ended: [], added: lots })).toBeUndefined();
  expect(checksumAfter(undefined, true, { ended: [], added: lots })).toBe(checksumOf(lots));
  expect(checksumOf([])).toBeUndefined();
});
