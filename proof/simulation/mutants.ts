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
    from: 'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, token), true, mayGiveWay)',
    to: 'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, newId()), true, mayGiveWay)',
  },
  {
    text: 'an item that others put too counts as the own one after a lost answer',
    file: 'lib/table/table.ts',
    from: 'sendAlone<T>(one, true, false)',
    to: 'sendAlone<T>(one, true, true)',
    scene: {
      file: 'test/cli/person/pseudonym.test.ts',
      name: 'an avatar has the same pseudonym each time, though no answer comes from the first write',
    },
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
    from: "all(is('creditVersion', item.creditVersion), when)",
    to: 'when',
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
    scene: {
      file: 'test/lib/credit/plans.test.ts',
      name: 'a lot is due from its expiry on, and never without one',
    },
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
    from: ' && (atRest || !isChecksumOff(item, type, read));',
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
    from: '...(product.limited ? [takeCopy(store, product)] : []),',
    to: '',
  },
  {
    text: 'a sale takes a copy though none is left',
    file: 'lib/store/stock.ts',
    from: "when: all(is('limited', true), above('availableAmount', 0)),",
    to: "when: is('limited', true),",
  },
  {
    text: 'a sale takes a copy of a share that is empty or gathered',
    file: 'lib/store/stock.ts',
    from: "update(stock.drawn[0], { add: { copies: -1 }, when: above('copies', 0) })",
    to: 'update(stock.drawn[0], { add: { copies: -1 } })',
    scene: {
      file: 'test/lib/store/stock.test.ts',
      name: 'whose share was emptied meanwhile takes a copy of another one',
    },
  },
  {
    text: 'shares are gathered though a copy was sold meanwhile',
    file: 'lib/store/stock.ts',
    from: "remove(share, is('copies', share.copies))",
    to: 'remove(share)',
    scene: {
      file: 'test/lib/store/stock.test.ts',
      name: 'a gathering counts a copy that is sold while it reads the shares',
    },
  },
  {
    text: 'the copies of a divided stock are gathered without those that lie in the item',
    file: 'lib/store/stock.ts',
    from: 'add: { availableAmount: copiesIn(shares) },',
    to: 'add: { availableAmount: copiesIn(shares) - item.availableAmount },',
  },
  {
    text: 'a stock is divided, and its copies stay in the item too',
    file: 'lib/store/stock.ts',
    from: 'add: { availableAmount: -moved },',
    to: 'add: { availableAmount: 0 },',
    scene: {
      file: 'test/lib/sale/crowd.test.ts',
      name: 'a crowd buys the last copies of a divided stock, each copy once',
    },
  },
  {
    text: 'a PUT leaves the shares of a divided stock',
    file: 'lib/store/products.ts',
    from: 'if (found.divided !== undefined) {',
    to: "if (found.divided === 'never') {",
    scene: {
      file: 'test/lib/store/stock.test.ts',
      name: 'replaces all copies, and takes the shares away',
    },
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
    from: 'return hasLots(facts.credit) ? look(() => isUnchanged(facts.credit), quote) : quote;',
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
    text: 'a refused sale does not look whether the spend of its tier is of the same moment',
    file: 'lib/sale/facts.ts',
    from: '  if (countedSpend) seen.push(',
    to: '  if (countedSpend && seen.length < 0) seen.push(',
    scene: {
      file: 'test/lib/sale/late.test.ts',
      name: 'a refused sale counts a tier and the uses of a coupon of one moment',
    },
  },
  {
    text: 'a sale that changes no spend does not check the spend of its tier',
    file: 'lib/sale/writes.ts',
    from: '...(spent.length > 0 ? spent : spendAsRead(store, buyer, facts)),',
    to: '...spent,',
    scene: {
      file: 'test/lib/sale/late.test.ts',
      name: 'a sale for credit alone takes the tier of the moment of that credit',
    },
  },
  {
    text: 'a refund that finds no bonus to take back does not look whether there is still none',
    file: 'lib/credit/change.ts',
    from: 'return isUnchecked || needsLook ?',
    to: 'return isUnchecked ?',
    scene: {
      file: 'test/lib/sale/late.test.ts',
      name: 'a refund that does not see the credit of its sale takes the bonus back',
    },
  },
  {
    text: 'a refund does not depend on the state of the sale',
    file: 'lib/sale/writes.ts',
    from: "when: all(is('state', 'completed'), is('buyerUuid', buyer),",
    to: "when: all(is('buyerUuid', buyer),",
  },
  {
    text: 'a refund beside an erasure does not look whether the buyer is still the one who was read',
    file: 'lib/sale/writes.ts',
    from: `when: all(is('state', 'completed'), is('buyerUuid', buyer), is('recipientUuid', recipient)),
    }),
    ...(product ? returnCopy(store, product) : []),
    ...(sale.coupon ? [takeUseBack(couponUsesKey(store, buyer, sale.coupon.id), uses)] : []),
    ...ofBuyer,
    ...ofRecipient,
    owned ? ownedLess(owned) : check(ownedKey(store, recipient, sale.productId), isNew),`,
    to: `when: is('state', 'completed'),
    }),
    ...(product ? returnCopy(store, product) : []),`,
    scene: {
      file: 'test/cli/person/erasure-races.test.ts',
      name: 'a refund of a sale in cash, which arrives after their erasure, is made anew',
    },
  },
  {
    text: 'a sale in L$ beside an erasure does not look whether the spend is still as it was read',
    file: 'lib/store/spend.ts',
    from: "(spend ? is('version', spend.version) : isNew)",
    to: '(spend ? undefined : isNew)',
    scene: {
      file: 'test/cli/person/erasure-races.test.ts',
      name: 'a sale of a second product, which arrives after their erasure, stands in books that add up',
    },
  },
  {
    text: 'a sale that finds no credit does not look whether there is still none',
    file: 'lib/sale/writes.ts',
    from: 'return buyerItem && isSpendRead && !takesCredit',
    to: 'return buyerItem && isSpendRead',
    scene: {
      file: 'test/lib/sale/late.test.ts',
      name: 'a sale that sees the copy of a refund takes the credit that came back with it',
    },
  },
  {
    text: 'an addition that shows late is taken for a fault of the books',
    file: 'lib/credit/whole-lots.ts',
    from: 'const showMillis = 60_000;',
    to: 'const showMillis = 0;',
  },
  {
    text: 'a card is redeemed though it has changed since it was read',
    file: 'lib/store/gift-cards.ts',
    from: '    when: unchanged(card),\n',
    to: '',
  },
  {
    text: 'a refund leaves the bonus of its sale',
    file: 'lib/sale/decide.ts',
    from: '[...partsBack(sale), ...bonusBack(sale)]',
    to: 'partsBack(sale)',
  },
  {
    text: 'a refund takes its bonus from whatever ends first',
    file: 'lib/credit/rules.ts',
    from: 'const taken = live.find(',
    to: 'const taken = live[0] ?? live.find(',
  },
  {
    text: 'a bonus goes beyond the limit',
    file: 'lib/credit/rules.ts',
    from: 'Math.max(0, Math.min(amount, limit - closeDue(holding, open, at).balance));',
    to: 'amount;',
  },
  {
    text: 'a card is taken back though it is redeemed meanwhile',
    file: 'lib/store/gift-cards.ts',
    from: "when: all(exists, is('redeemed', false)),",
    to: 'when: exists,',
  },
  {
    text: 'a claim that nobody reports is owed again',
    file: 'lib/payout/sweep.ts',
    from: "movedTo(before, 'unknown', {}, { at })",
    to: "movedTo(before, 'failed', {}, { at })",
  },
  {
    text: 'two cashiers claim the same debt',
    file: 'lib/payout/payees.ts',
    from: "put(after, before ? all(is('version', before.version), is('stamp', before.stamp)) : isNew);",
    to: 'put(after, before ? undefined : isNew);',
  },
  {
    text: 'a debt is forgotten where the consumer dies or fails over it',
    file: 'functions/stream-consumer.ts',
    from: 'await metered(meter, () => countDebts(store, owing));',
    to: 'await metered(meter, () => countDebts(store, owing)).catch(() => undefined);',
    scene: {
      file: 'test/lib/payout/count.test.ts',
      name: 'counts 100 shares once, though the consumer dies at each of its writes',
    },
  },
  {
    text: 'a debt is noted as counted though another writer of its account came between',
    file: 'lib/payout/count.ts',
    from: 'return left.length === 0 ? { result: undefined } : undefined;',
    to: 'return { result: undefined };',
    scene: { file: 'test/lib/payout/count.test.ts', name: 'counts once where two count side by side' },
  },
  {
    text: 'a debt is taken for counted where its sale does not show yet',
    file: 'lib/payout/count.ts',
    from: '&& owing.every((one) => shows(found, one))',
    to: '',
    scene: { file: 'test/lib/payout/count.test.ts', name: 'counts a sale that shows only after its record' },
  },
  {
    text: 'a share is counted again where its sale does not note yet that it is',
    file: 'lib/payout/count.ts',
    from: 'missing, needed.map(markOf), at);',
    to: 'missing, [], at);',
  },
  {
    text: 'a day gets its checkpoint before its sums',
    file: 'lib/events/days.ts',
    from: 'const outcome = await writeUnstamped<DayItem>(update(key, { add, set, when }));',
    to: `const outcome = await writeUnstamped<DayItem>(update(key, { set, when }));
    if (outcome.done) await writeUnstamped<DayItem>(update(key, { add }));`,
  },
  {
    text: 'a day counts whatever its checkpoint is',
    file: 'lib/events/days.ts',
    from: 'const when = any(missing(checkpoint), below(checkpoint, first.sequence));',
    to: 'const when = undefined;',
  },
  {
    text: 'all shards have one checkpoint',
    file: 'lib/events/days.ts',
    from: "createHash('sha256').update(shard)",
    to: "createHash('sha256')",
  },
  {
    text: 'days count records behind one that is still to come',
    file: 'functions/stream-consumer.ts',
    from: 'new Set(isSentAgain ? [] : readable)',
    to: 'new Set(Records)',
    scene: {
      file: 'test/lib/events/history.test.ts',
      name: 'reports such a record alone where the queue does not take it, and counts those behind it when it comes back',
    },
  },
  {
    text: 'the consumer counts a row that a backfill made',
    file: 'lib/events/record.ts',
    from: 'return one.count && isOfRecord ?',
    to: 'return one.count ?',
    scene: {
      file: 'test/cli/books/history-backfill.test.ts',
      name: 'counts once a change whose record comes after all, behind the backfill',
    },
  },
  {
    text: 'a conflict of transactions is given up as soon as a lack of capacity',
    file: 'lib/table/retry.ts',
    from: 'await wait(++conflicts, forConflicts, unanswered[0]);',
    to: 'await wait(++conflicts, forCapacity, unanswered[0]);',
    scene: {
      file: 'test/lib/table/retry.test.ts',
      name: 'a transaction that conflicts',
    },
  },
  {
    text: 'a sale whose items others hold is given up as soon as a lack of capacity',
    file: 'lib/table/retry.ts',
    from: 'wait(attempt, { attempts: 40,',
    to: 'wait(attempt, { attempts: 8,',
    scene: {
      file: 'test/lib/sale/crowd.test.ts',
      name: 'a crowd of 64 buys a product without limit for one buyer without a sale that is answered 503',
    },
  },
  {
    text: 'the delivery of a sale is ordered by the stream alone',
    file: 'lib/sale/sweep.ts',
    from: 'const open = await notBegun(sales, failed);',
    to: 'const open = (await notBegun(sales, failed)).slice(1);',
  },
  {
    text: 'the sweep passes a sale whose order failed',
    file: 'lib/sale/sweep.ts',
    from: 'reached: left.sort()[0] ?? stretch.to',
    to: 'reached: stretch.to',
    scene: {
      file: 'test/lib/sale/sweep.test.ts',
      name: 'sales of two days in which the queue took nothing are all ordered when it takes messages again',
    },
  },
  {
    text: 'the sweep does not look again at times in which sales may still appear',
    file: 'lib/sale/sweep.ts',
    from: 'const shown = ago(showsMillis);',
    to: 'const shown = ago(graceMillis);',
    scene: {
      file: 'test/lib/sale/sweep.test.ts',
      name: 'a sale that shows in the list ten minutes late is ordered within minutes',
    },
  },
  {
    text: 'the sweep does not look through the last two weeks',
    file: 'lib/sale/sweep.ts',
    from: 'const isDue = begunAt !== undefined && begunAt <= ago(dayMillis);',
    to: 'const isDue = false;',
    scene: {
      file: 'test/lib/sale/sweep.test.ts',
      name: 'a sale that shows in the list a week late is ordered within a day',
    },
  },
  {
    text: 'a worker claims a delivery that another one has',
    file: 'lib/delivery/deliveries.ts',
    from: "all(isKnown, isOpen, atMost('leaseUntil', timestamp(now())), is('attempts', attempts))",
    to: 'isKnown',
  },
];

/** The text of a file with its planted bug. */
export const planted = ({ file, from, to }: Mutant, text: string): string => {
  if (text.split(from).length !== 2) throw new Error(`${file} must have once: ${from}`);
  return text.replace(from, () => to);
};

/** Tells whether the scene of a planted bug fails, a test that passes without it, which is shown where `isCompared`. */
const failsScene = (place: number, { file, name }: NonNullable<Mutant['scene']>, isCompared: boolean): boolean => {
  const config = join(import.meta.dirname, 'scenes.config.ts');
  const root = join(import.meta.dirname, '../..');
  const runner = join(root, 'node_modules/vitest/vitest.mjs');
  const play = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [runner, 'run', '--config', config, '--root', root, file, '-t', name], {
      ...{ encoding: 'utf8', env: { ...env, NO_COLOR: '1' } },
    }).stdout;
  const without = isCompared ? play({ ...process.env, MUTANT: '' }) : '';
  if (isCompared && !/Tests +1 passed/.test(without))
    throw new Error(`The scene does not pass without the bug: ${without}`);
  return /Tests +1 failed/.test(play({ ...process.env, MUTANT: String(place) }));
};

/**
 * The schedules that the simulation needs to find a planted bug, from seed 1 on, or 1 where its scene finds it;
 * undefined where it is not found, by at most `most` schedules.
 */
export const schedulesToFind = (place: number, most: number, isCompared = true): number | undefined => {
  const scene = mutants[place]?.scene;
  if (scene) return failsScene(place, scene, isCompared) ? 1 : undefined;
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
