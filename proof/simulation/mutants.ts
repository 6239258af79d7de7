import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Bugs to plant: each replaces one piece of a file. The simulation must find all of them: docs/evidence/simulation.md.
 */

interface Mutant {
  text: string;
  file: string;
  from: string;
  to: string;
  /**
   * The test that plays what the bug needs, for one that random schedules hardly ever show. Another order of two calls
   * would take the bug away from a seed.
   */
  scene?: { file: string; name: string };
}

export const mutants: readonly Mutant[] = [
  {
    text: 'the retry layer repeats an addition whose answer was lost',
    file: 'lib/table/retry.ts',
    from: 'if (!repeatable || !isUnanswered(error)) throw error;',
    to: 'if (!isUnanswered(error)) throw error;',
  },
  {
    text: 'the retry layer says that nothing was changed where an answer is missing',
    file: 'lib/table/retry.ts',
    from: 'if (unanswered.length >= maxUnanswered) throw error;',
    to: 'if (unanswered.length >= maxUnanswered) throw unavailable();',
  },
  {
    text: 'each sending of a transaction has a token of its own',
    file: 'lib/table/table.ts',
    from: 'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, token), true)',
    to: 'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, newId()), true)',
  },
  {
    text: 'the change of a request is not recorded with its answer',
    file: 'lib/table/table.ts',
    from: 'const sent = recording ? [...own, recording.completion(of.answer)] : own;',
    to: 'const sent = own;',
  },
  {
    text: 'a request that failed releases its key though it may have made its change',
    file: 'lib/table/idempotency.ts',
    from: "const isOurs = all(is('owner', owner), isRunning);",
    to: "const isOurs = is('owner', owner);",
  },
  {
    text: 'a change does not depend on the version of the credit',
    file: 'lib/credit/writes.ts',
    from: "      when: is('creditVersion', item.creditVersion),\n    },",
    to: '    },',
  },
  {
    text: 'a removal on the fast path does not look for lots',
    file: 'lib/credit/writes.ts',
    from: ': [hasNoLots, balanceAllows]',
    to: ': [balanceAllows]',
  },
  {
    text: 'an addition on the fast path does not look for what is due',
    file: 'lib/credit/writes.ts',
    from: '[nothingIsDue, limitAllows]',
    to: '[limitAllows]',
  },
  {
    text: 'a lot is due only after its time',
    file: 'lib/credit/rules.ts',
    from: 'expiresAt !== undefined && expiresAt <= at;',
    to: 'expiresAt !== undefined && expiresAt < at;',
  },
  {
    text: 'a removal takes the last lots first',
    file: 'lib/credit/rules.ts',
    from: '  for (const lot of live) {',
    to: '  for (const lot of live.toReversed()) {',
  },
  {
    text: 'a refund gives lots back that are due',
    file: 'lib/credit/rules.ts',
    from: 'const added = back.filter(({ expiresAt }) => !isDue(expiresAt, at));',
    to: 'const added = back;',
  },
  {
    text: 'the lots of a change are not compared with their customer',
    file: 'lib/credit/plan.ts',
    from: 'needs.find(({ type }) => isTorn(facts, type));',
    to: 'needs.find(() => false);',
  },
  {
    text: 'the lots of a change are compared by their count and their sum alone',
    file: 'lib/credit/whole-lots.ts',
    from: ' && (atRest || !isMarkOff(item, type, read));',
    to: ';',
    scene: {
      file: 'test/lib/credit/late-items.test.ts',
      name: 'a removal is not misled by a lot that has ended and one that is missing, as many and as large',
    },
  },
  {
    text: 'the lots of a change are read only as far as it needs them',
    file: 'lib/credit/lots.ts',
    from: 'if (isLast || !mayStopEarly) continue;',
    to: '',
  },
  {
    text: 'a refund does not look whether a use that it could not see is there',
    file: 'lib/store/coupon-uses.ts',
    from: ': check(key, areAsRead(read));',
    to: ': check(key, { all: [] });',
    scene: {
      file: 'test/lib/credit/late-items.test.ts',
      name: 'a refund gives back the use of a coupon that shows after the sale',
    },
  },
  {
    text: 'a sale takes no copy from the stock',
    file: 'lib/sale/writes.ts',
    from: '...(product.limited ? [takeCopy(store, product.id)] : []),',
    to: '',
  },
  {
    text: 'a sale takes a copy though none is left',
    file: 'lib/store/products.ts',
    from: "when: all(is('limited', true), above('availableAmount', 0)),",
    to: "when: is('limited', true),",
  },
  {
    text: 'a sale does not check that a used-up coupon still is',
    file: 'lib/sale/writes.ts',
    from: '...usedUpStill(usedUp),',
    to: '',
    scene: {
      file: 'test/lib/sale/late.test.ts',
      name: 'a sale that sees the credit of a refund sees the use that came back with it',
    },
  },
  {
    text: 'a quote takes the balance and the due lots from two moments',
    file: 'lib/sale/quote.ts',
    from: 'return hasLots(facts.credit) ? look(() => isCurrent(facts.credit), quote) : quote;',
    to: 'return quote;',
    scene: {
      file: 'test/lib/credit/late-items.test.ts',
      name: 'a quote counts no lot as it was before the balance that it counts',
    },
  },
  {
    text: 'a sale is refused without a look at one moment',
    file: 'lib/sale/sell.ts',
    from: 'look(() => wereTogether(offer, refusal, facts), keepRefused(selling, refusal, terms))',
    to: 'keepRefused(selling, refusal, terms)',
  },
  {
    text: 'a refund does not depend on the state of the sale',
    file: 'lib/sale/writes.ts',
    from: "when: all(is('state', 'completed'), is('buyerUuid', buyer),",
    to: "when: all(is('buyerUuid', buyer),",
  },
  {
    text: 'a card is redeemed though it has changed since it was read',
    file: 'lib/store/gift-cards.ts',
    from: '    when: unchanged(card),\n',
    to: '',
  },
  {
    text: 'the consumer writes rows of history that are there already',
    file: 'lib/events/history.ts',
    from: "facts && all(missing('kind'), is('erased', found?.erased)),",
    to: '',
  },
  {
    text: 'the delivery of a sale is ordered by the stream alone',
    file: 'lib/sale/unsent.ts',
    from: 'const open = await notBegun(piece, failed);',
    to: 'const open = (await notBegun(piece, failed)).slice(1);',
  },
  {
    text: 'a worker claims a delivery that another one has',
    file: 'lib/delivery/deliveries.ts',
    from: 'when: any(isNew, all(isKnown, isOpen, leaseIsOver)),',
    to: '',
  },
];

/** The text of a file with its planted bug. */
export const planted = ({ file, from, to }: Mutant, text: string): string => {
  if (text.split(from).length !== 2) throw new Error(`${file} must have once: ${from}`);
  return text.replace(from, () => to);
};

/** Tells whether the scene of a planted bug, a test that passes without it, fails. */
const failsScene = (place: number, { file, name }: NonNullable<Mutant['scene']>): boolean => {
  const config = join(import.meta.dirname, 'scenes.config.ts');
  const root = join(import.meta.dirname, '../..');
  const runner = join(root, 'node_modules/vitest/vitest.mjs');
  const play = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [runner, 'run', '--config', config, '--root', root, file, '-t', name], {
      ...{ encoding: 'utf8', env: { ...env, NO_COLOR: '1' } },
    }).stdout;
  const [without, withBug] = [play({ ...process.env, MUTANT: '' }), play({ ...process.env, MUTANT: String(place) })];
  if (!/Tests +1 passed/.test(without)) throw new Error(`The scene does not pass without the bug: ${without}`);
  return /Tests +1 failed/.test(withBug);
};

/**
 * The schedules that the simulation needs to find a planted bug, from seed 1 on, or 1 where its scene finds it;
 * undefined where it is not found, by at most `most` schedules.
 */
export const schedulesToFind = (place: number, most: number): number | undefined => {
  const scene = mutants[place]?.scene;
  if (scene) return failsScene(place, scene) ? 1 : undefined;
  const [hook, main] = ['mutant-hook.ts', 'main.ts'].map((name) => join(import.meta.dirname, name)) as [string, string];
  const args = ['--import', hook, main, '--schedules', String(most), '--seed', '1', '--failures', '1'];
  const env = { ...process.env, MUTANT: String(place) };
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  const counted = /^(\d+) schedules, \d+ events, (\d+) failed/m.exec(stdout);
  if (!counted) throw new Error(`The simulation did not run: ${stderr}${stdout}`);
  return counted[2] === '0' ? undefined : Number(counted[1]);
};

if (import.meta.main) {
  const most = 20_000;
  let survived = 0;
  for (const [place, { file, text, scene }] of mutants.entries()) {
    const schedules = schedulesToFind(place, most);
    if (schedules === undefined) survived += 1;
    const found = scene ? 'its scene' : schedules;
    console.log(`| ${text} | \`${file}\` | ${schedules === undefined ? `not in ${most}` : found} |`);
  }
  process.exitCode = survived > 0 ? 1 : 0;
}
