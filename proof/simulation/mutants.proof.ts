import { expect, test } from 'vitest';
import { inTurn } from '../../test/support/volume.ts';
import { finderOf, mutants } from './mutants.ts';

/**
 * All planted bugs take minutes: `node proof/simulation/mutants.ts`. The bugs here are found soon. There is one for
 * each kind that once really happened: retries, versions, lots, late items, bonus, undo, cards, moves, stock, an
 * erasure, a queue, a consumer and payouts.
 */
const some = [
  'the retry layer repeats an addition whose answer was lost',
  'a change does not depend on the version of the credit',
  'a removal takes the last lots first',
  'an addition that shows late is taken for a fault of the books',
  'a refund takes its bonus from whatever ends first',
  'an undo does not wait for all of history',
  'an import replaces a card that was redeemed here',
  'copies are set instead of moved',
  'a pass takes own sales out of the sum (M2)',
  'all shards have one checkpoint',
  'a claim that nobody reports is owed again',
  'a share is counted again where its sale does not note yet that it is',
  'a refund beside an erasure does not look whether the buyer is still the one who was read',
  'a sale whose items others hold is given up as soon as a lack of capacity',
  'the sweep passes a sale whose order failed',
  'a debt is forgotten where the consumer dies or fails over it',
];

const due = inTurn(some);

test.each(mutants.filter(({ text }) => due.includes(text)))('a planted bug is found: $text', (mutant) => {
  // The suite runs the scenes without the bugs.
  expect(finderOf(mutant, 500, false)).toBeDefined();
});

test('each bug that is planted here is among all', () => {
  expect(some.filter((text) => !mutants.some((mutant) => mutant.text === text))).toEqual([]);
});
