import { expect, test } from 'vitest';
import { mutants, schedulesToFind } from './mutants.ts';

/** All planted bugs take minutes: `node proof/simulation/mutants.ts`. These are among those that are found soonest. */
const some = [
  'the retry layer repeats an addition whose answer was lost',
  'a change does not depend on the version of the credit',
  'a removal takes the last lots first',
];

test.each(some)('the simulation finds a planted bug: %s', (text) => {
  const place = mutants.findIndex((mutant) => mutant.text === text);

  expect(schedulesToFind(place, 2000)).toBeGreaterThan(0);
});
