import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';

/**
 * Bugs to plant, by file and function. Each replaces one piece of the function. Random schedules find a bug. If they
 * hardly ever do, a scene finds it: the test with this file and name, which plays everything that the bug needs. If the
 * order of two calls changed, a seed might no longer find its bug. All must be found: docs/evidence/simulation.md.
 */
type Bug = readonly [from: string, to: string] | readonly [from: string, to: string, file: string, name: string];

const bugs: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Bug>>>>>> = {
  'lib/table/retry.ts': {
    untilAnswered: {
      'the retry layer repeats an addition whose answer was lost': [
        'if (!repeatable || !isUnanswered(error)) throw error;',
        'if (!isUnanswered(error)) throw error;',
      ],
      'the retry layer says that nothing was changed where an answer is missing': [
        'if (unanswered.length >= maxUnanswered) throw error;',
        'if (unanswered.length >= maxUnanswered) throw unavailable();',
      ],
      'a conflict of transactions is given up as soon as a lack of capacity': [
        'await wait(++conflicts, forConflicts, unanswered[0]);',
        'await wait(++conflicts, forCapacity, unanswered[0]);',
        'test/lib/table/retry.test.ts',
        'a transaction that conflicts',
      ],
    },
    pauseContended: {
      'a sale whose items others hold is given up as soon as a lack of capacity': [
        'wait(attempt, { attempts: 40,',
        'wait(attempt, { attempts: 8,',
        'proof/simulation/crowd.test.ts',
        'a crowd of 64 buys a product without limit for one buyer without a sale that is answered 503',
      ],
    },
  },
  'lib/table/stamp.ts': {
    inPlace: {
      'an item whose values have come back is replaced as it was first read': [
        "stamp === '' ? all(write.when, missing('stamp')) : write.when",
        'write.when',
        'test/lib/table/late-writes.test.ts',
        'an item that was replaced, and then got its first values back, is not replaced as it was first read',
      ],
    },
  },
  'lib/table/table.ts': {
    demandOneEach: {
      'a transaction may name an item twice': [
        'if (twice !== undefined) throw',
        'if (twice === null) throw',
        'test/lib/table/language.test.ts',
        'DynamoDB: a transaction that names an item twice is a fault of the caller, and nothing is written',
      ],
    },
    transact: {
      'each sending of a transaction has a token of its own': [
        'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, token), true, mayGiveWay)',
        'untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, newId()), true, mayGiveWay)',
      ],
      'the change of a request is not recorded with its answer': [
        'const sent = recording ? [...own, recording.completion(of.answer)] : own;',
        'const sent = own;',
      ],
    },
    writeUnstamped: {
      'an item that others put too counts as the own one after a lost answer': [
        'sendAlone<T>(one, true, false)',
        'sendAlone<T>(one, true, true)',
        'apps/cli/test/person/pseudonym.test.ts',
        'an avatar has the same pseudonym each time, though no answer comes from the first write',
      ],
    },
  },
  'lib/table/idempotency.ts': {
    release: {
      'a request that failed releases its key though it may have made its change': [
        "const isOurs = all(is('owner', owner), isRunning);",
        "const isOurs = is('owner', owner);",
      ],
    },
  },
  'lib/credit/state.ts': {
    asCredited: {
      'a change depends on the number of the change before alone': [
        "all(is('creditVersion', item?.creditVersion), is('lastChange', item?.lastChange))",
        "is('creditVersion', item?.creditVersion)",
        'apps/cli/test/person/erasure-races.test.ts',
        'a sale with credit takes nothing of a customer who came back, though their changes have the same numbers',
      ],
    },
  },
  'lib/credit/writes.ts': {
    updateOf: {
      'a change does not depend on the version of the credit': ['all(asCredited(item), when)', 'when'],
    },
  },
  'lib/credit/plain.ts': {
    changePlain: {
      'a removal of plain credit does not look for lots': [': [hasNoLots, balanceAllows]', ': [balanceAllows]'],
      'an addition of plain credit does not look for what is due': ['[nothingIsDue, limitAllows]', '[limitAllows]'],
    },
  },
  'lib/credit/rules.ts': {
    isDue: {
      'a lot is due only after its time': [
        'expiresAt !== undefined && expiresAt <= at;',
        'expiresAt !== undefined && expiresAt < at;',
        'test/lib/credit/plans.test.ts',
        'a lot is due from its expiry on, and never without one',
      ],
    },
    drain: {
      'a removal takes the last lots first': [
        '  for (const lot of live) {',
        '  for (const lot of live.toReversed()) {',
      ],
    },
    refund: {
      'a refund gives lots back that are due': [
        'const added = back.filter(({ expiresAt }) => !isDue(expiresAt, at));',
        'const added = back;',
      ],
    },
    takeBack: {
      'a refund takes its bonus from whatever ends first': [
        'const taken = live.find(',
        'const taken = live[0] ?? live.find(',
      ],
      'an undo takes permanent credit that came later': [
        'const taken = Math.min(amount, most, unlotted);',
        'const taken = Math.min(amount, unlotted);',
      ],
    },
    undo: {
      'an undo of a set gives back what was spent since': ["of === 'set' ? paidFrom(took, spent) : took", 'took'],
    },
    bonus: {
      'a bonus goes beyond the limit': [
        'Math.max(0, Math.min(amount, limit - closeDue(holding, open, at).balance));',
        'amount;',
      ],
    },
  },
  'lib/credit/undo.ts': {
    toldChange: {
      'an undo takes parts that have not come and cancel out for none': [
        'return hasParts && known',
        'return known',
        'test/lib/credit/undo.test.ts',
        'a set of what was held before is not undone before the parts of its lots have come, which cancel out',
      ],
      'an undo does not wait for all of history': ['known.length > version - sequence ?', 'known.length > 0 ?'],
    },
    changeWith: {
      'an undo takes what a later set has ended': ["since.some(({ kind }) => kind === 'set')", 'since.length < 0'],
    },
    undoCreditChange: {
      'an undo of a change that does not show yet is refused': ['{ credit, seen: [] },', '{ credit },'],
      'a repeated undo answers the credit of before it': ['() => isUnchanged(credit),', 'async () => true,'],
      'an undo of a set counts what was spent of its lot by another reading of it': [
        'if (ended && ended.remaining !== told.lot?.remaining) return readAgain();',
        '',
        'test/lib/credit/late-items.test.ts',
        'an undo of a set counts what was spent of its lot, though the end of that shows late',
      ],
      'an undo where nothing is left marks a change that an erasure has moved': [
        "when: all(is('kind', of), missing('undone')) });",
        "when: missing('undone') });",
        'test/lib/credit/undo.test.ts',
        'an undo beside an erasure leaves no mark under the avatar',
      ],
    },
  },
  'apps/cli/commands/credit-give.ts': {
    giftsOf: {
      'a run of gifts that goes on is refused for a line that cannot be read any more': [
        'if (given && !earlier)',
        'if (given)',
        'apps/cli/test/commands/credit-give.test.ts',
        'hours later an undo takes what is left, and a run that was stopped gives what it can and lists the rest',
      ],
    },
  },
  'lib/events/history.ts': {
    isMovedAway: {
      'a change of one who came back is told from one that moved away by its time alone': [
        'record !== undefined && facts.record !== undefined ? record >= facts.record : erased >= facts.at',
        'erased >= facts.at',
        'test/lib/events/history.test.ts',
        'comes back: a later record, by a clock that is behind',
      ],
    },
    laterOf: {
      'the earlier of two changes with one number takes the row of a batch': [
        "(b?.record ?? '') > (a?.record ?? '') ? b : (a ?? b)",
        'a ?? b',
        'test/lib/events/history.test.ts',
        'comes back: their change counts, and so does one of before, with its number, in the same batch',
      ],
    },
    withoutErased: {
      'a part of a lot that moved away is joined to the change of one who came back': [
        '!erased.some((other) => isDeepStrictEqual(part, other))',
        'true',
        'test/lib/events/history.test.ts',
        'comes back: a part of a lot that moved away is not joined to the new change',
      ],
    },
  },
  'apps/cli/kinds/purchases.ts': {
    purchases: {
      'a carried sum moves to the pseudonym before its spend': [
        "phase: 'customer',",
        '',
        'apps/cli/test/person/erasure-races.test.ts',
        'a pass of a move, which carries their spend while their erasure runs, carries none of it twice',
      ],
    },
  },
  'apps/cli/kinds/spend.ts': {
    spend: {
      'spend that meets another part of it under the pseudonym is lost': [
        'const sum = item.sum + there.sum;',
        'const sum = there.sum;',
        'apps/cli/test/person/erasure-races.test.ts',
        'spend that comes before its customer, and the rest behind it, add up under one pseudonym',
      ],
      'an erasure moves no spend': ['find: (store, uuid) => itemAt(spendKey(store, uuid)),', 'find: async () => [],'],
    },
  },
  'apps/cli/person/pseudonym.ts': {
    findCustomer: {
      'an erasure takes the first row of an avatar who came back for a rest of their earlier books': [
        '[item] = await getTogether<CreditItem>([customerKey(store, uuid)])',
        "item = await (await import('../../../lib/table/table.ts')).get<CreditItem>(customerKey(store, uuid))",
        'apps/cli/test/person/erasure-races.test.ts',
        'an avatar back before their erasure ends, whom single reads do not see yet, gets another pseudonym',
      ],
    },
  },
  'apps/cli/person/erase.ts': {
    endCredit: {
      'an erasure does not wait for history': ['await waitForHistory(store, item, pseudonym);', ''],
    },
    erasePerson: {
      'an erasure moves the history of a change that came while it read': [
        'later?.creditVersion === version',
        'version === version',
        'apps/cli/test/person/erasure-races.test.ts',
        'credit that they get while their erasure reads keeps its history, and the erasure stops',
      ],
      'an erasure moves an avatar who came back to the pseudonym of their first books': [
        '(later === undefined) === (customer === undefined) &&',
        '',
        'apps/cli/test/person/erasure-races.test.ts',
        'an avatar who comes back while their erasure looks for rests gets another pseudonym',
      ],
    },
  },
  'lib/operator/audit-credit.ts': {
    auditCredit: {
      'an erasure that has begun to move lots is taken for a fault of the books': [
        'newest !== undefined && open.length > 0 && ',
        'newest !== undefined && ',
        'apps/cli/test/books/credit-repair.test.ts',
        'leaves a customer whose lots an erasure has begun to move',
      ],
    },
  },
  'lib/operator/history-parts.ts': {
    partsOfRow: {
      'a lot that a change added is told by what is left in it alone': [
        '[named, isOnlyRow ? untold : [], added]',
        '[named, isOnlyRow ? untold : []]',
        'apps/cli/test/books/history-backfill.test.ts',
        'writes the lot that a change added though a later change, which is lost, has taken of it',
      ],
    },
  },
  'lib/operator/repair-credit.ts': {
    planRepair: {
      'a repair of credit writes though nothing is off': [
        'auditCredit(item, lots).length === 0)',
        // If it never found an end, it would repair for ever.
        'auditCredit(item, lots).length === 0 && (item.creditVersion ?? 0) % 2 === 0)',
      ],
    },
    mayShowLater: {
      'a repair of credit takes lots that do not show yet for lost': [
        'if (isAtRest(item, Date.parse(at))) return false;',
        'if (item.sk) return false;',
      ],
    },
  },
  'lib/operator/history-gaps.ts': {
    planGaps: {
      'a repair of history takes a record that is behind for lost': [
        'gaps.some(({ at }) => at > until)',
        "gaps.some(({ at }) => at === '')",
      ],
    },
  },
  'lib/operator/prices.ts': {
    setLine: {
      'a run sets a price that somebody has typed since the preview': [
        "{ set: { ...after }, when: all(exists, is('stamp', version)) }",
        '{ set: { ...after }, when: exists }',
      ],
    },
    putBackLine: {
      'an undo of prices puts back what somebody has typed since': [
        'const isAsSet = all(exists, ...conditionsOf(line.after));',
        'const isAsSet = exists;',
      ],
      'an undo of prices takes a product that it read before the run set it for changed': [
        "return recheck(() => wereTogether(store, line, product), answer('changed'));",
        "return answer('changed');",
      ],
    },
  },
  'lib/operator/book-transfer.ts': {
    bookTransfer: {
      'a transfer is booked twice': [
        "const origin = { state: 'paid', id, reference: 'reconcile',",
        "const origin = { state: 'paid', reference: 'reconcile',",
      ],
      'a transfer is booked that is more than what is owed': [' || payee.owed < amount) return', ') return'],
    },
  },
  'lib/operator/give-credit.ts': {
    giveLine: {
      'a line is given twice': ['put(item, isNew)', 'put(item)'],
    },
  },
  'lib/credit/plan.ts': {
    planCredit: {
      'the lots of a change are not compared with their customer': [
        'needs.find(({ type }) => isTorn(facts, type));',
        'needs.find(() => false);',
      ],
    },
  },
  'lib/credit/whole-lots.ts': {
    areWhole: {
      'the lots of a change are compared by their count and their sum alone': [
        ' && (atRest || !isChecksumOff(item, type, read));',
        ';',
        'test/lib/credit/late-items.test.ts',
        'a removal is not misled by a lot that has ended and one that is missing, as many and as large',
      ],
    },
    showMillis: {
      'an addition that shows late is taken for a fault of the books': [
        'const showMillis = 60_000;',
        'const showMillis = 0;',
      ],
    },
  },
  'lib/credit/lots.ts': {
    readLots: {
      'the lots of a change are read only as far as it needs them': ['if (isLast || !mayStopEarly) continue;', ''],
    },
  },
  'lib/catalogue/coupon-uses.ts': {
    takeUseBack: {
      'a refund does not look whether a use that it could not see is there': [
        ': check(key, areAsRead(read));',
        ': check(key, { all: [] });',
        'test/lib/credit/late-items.test.ts',
        'a refund gives back the use of a coupon that shows after the sale',
      ],
    },
  },
  'lib/sale/writes.ts': {
    writesOfSale: {
      'a sale takes no copy from the stock': ['...(product.limited ? [takeCopy(store, product)] : []),', ''],
      'a sale does not check that a used-up coupon still is': [
        '...usedUpStill(usedUp),',
        '',
        'test/lib/sale/late.test.ts',
        'a sale that sees the credit of a refund sees the use that came back with it',
      ],
      'a sale that changes no spend does not check the spend of its tier': [
        '...(spent.length > 0 ? spent : spendAsRead(facts)),',
        '...spent,',
        'test/lib/sale/late.test.ts',
        'a sale for credit alone takes the tier of the moment of that credit',
      ],
    },
    writesOfRefund: {
      'a refund does not depend on the state of the sale': [
        "when: all(is('state', 'completed'), is('buyerUuid', buyer),",
        "when: all(is('buyerUuid', buyer),",
      ],
      'a refund beside an erasure does not look whether the buyer is still the one who was read': [
        `when: all(is('state', 'completed'), is('buyerUuid', buyer), is('recipientUuid', recipient)),
    }),
    ...(product ? returnCopy(store, product) : []),
    ...(sale.coupon ? [takeUseBack(couponUsesKey(store, buyer, sale.coupon.id), uses)] : []),
    ...ofBuyer,
    ...ofRecipient,
    owned ? ownedLess(owned) : check(ownedKey(store, recipient, sale.productId), isNew),`,
        `when: is('state', 'completed'),
    }),
    ...(product ? returnCopy(store, product) : []),`,
      ],
    },
    buyerAsRead: {
      'a sale that finds no credit does not look whether there is still none': [
        'return buyerItem && isSpendRead && !takesCredit',
        'return buyerItem && isSpendRead',
        'test/lib/sale/late.test.ts',
        'a sale that sees the copy of a refund takes the credit that came back with it',
      ],
    },
  },
  'lib/catalogue/stock.ts': {
    takeCopy: {
      'a sale takes a copy though none is left': [
        "when: all(is('limited', true), above('availableAmount', 0)),",
        "when: is('limited', true),",
      ],
      'a sale takes a copy of a share that is empty or gathered': [
        "update(stock.drawn[0], { add: { copies: -1 }, when: above('copies', 0) })",
        'update(stock.drawn[0], { add: { copies: -1 } })',
        'apps/cli/test/kinds/stock.test.ts',
        'whose share was emptied meanwhile takes a copy of another one',
      ],
    },
    gatherStock: {
      'shares are gathered though a copy was sold meanwhile': [
        "remove(share, is('copies', share.copies))",
        'remove(share)',
        'apps/cli/test/kinds/stock.test.ts',
        'a gathering counts a copy that is sold while it reads the shares',
      ],
      'the copies of a divided stock are gathered without those that lie in the item': [
        'add: { availableAmount: copiesIn(shares) },',
        'add: { availableAmount: copiesIn(shares) - item.availableAmount },',
      ],
    },
    divideStock: {
      'a stock is divided, and its copies stay in the item too': [
        'add: { availableAmount: -moved },',
        'add: { availableAmount: 0 },',
        'proof/simulation/crowd.test.ts',
        'a crowd buys the last copies of a divided stock, each copy once',
      ],
    },
  },
  'lib/catalogue/products.ts': {
    updateProduct: {
      'a PUT leaves the shares of a divided stock': [
        'if (found.divided !== undefined) {',
        "if (found.divided === 'never') {",
        'apps/cli/test/kinds/stock.test.ts',
        'replaces all copies, and takes the shares away',
      ],
    },
  },
  'lib/sale/quote.ts': {
    makeQuote: {
      'a quote takes the balance and the due lots from two moments': [
        'return hasLots(facts.credit) ? recheck(() => isUnchanged(facts.credit), quote) : quote;',
        'return quote;',
        'test/lib/credit/late-items.test.ts',
        'a quote counts no lot as it was before the balance that it counts',
      ],
    },
  },
  'lib/sale/sell.ts': {
    sell: {
      'a sale is refused without a look at one moment': [
        'recheck(() => wereTogether(facts, outcome.refusal), keepRefused(tell, refusedSale(asked, outcome)))',
        'keepRefused(tell, refusedSale(asked, outcome))',
      ],
    },
  },
  'lib/sale/facts.ts': {
    withCoupons: {
      'the uses of a coupon are read once for each of its applications': [
        `const ids = [...new Set(live.flatMap((each) => each?.couponId ?? []))];
  const read = await Promise.all(
    ids.map((id) => Promise.all([id, findCoupon(store, id), findCouponUses(store, customer, id)])),
  );
  return live.map((application) => {
    const [, coupon, usesRead] = read.find(([id]) => id === application?.couponId) ?? [];`,
        `const ids = live.map((each) => each?.couponId);
  const read = await Promise.all(
    ids.map((id) => Promise.all([id, id && findCoupon(store, id), id && findCouponUses(store, customer, id)])),
  );
  return live.map((application, place) => {
    const [, coupon, usesRead] = read[place] ?? [];`,
      ],
    },
    wereTogether: {
      'a refused sale does not look whether the price is of the moment of the credit': [
        "if (seen.length > 0 && !quoted && refusal === 'underpaid')",
        "if (seen.length < 0 && !quoted && refusal === 'underpaid')",
        'test/lib/sale/late.test.ts',
        'a sale is not refused for the new price beside the credit from before it',
      ],
      'a refused sale does not look whether the spend of its tier is of the same moment': [
        '  if (countedSpend) seen.push(',
        '  if (countedSpend && seen.length < 0) seen.push(',
        'test/lib/sale/late.test.ts',
        'a sale is not refused for the new price beside the spend from before it',
      ],
    },
  },
  'lib/credit/change.ts': {
    writeMoney: {
      'a refund that finds no bonus to take back does not look whether there is still none': [
        'return isUnchecked || needsLook ?',
        'return isUnchecked ?',
        'test/lib/sale/late.test.ts',
        'a refund that does not see the credit of its sale takes the bonus back',
      ],
    },
  },
  'lib/avatars/spend.ts': {
    asSpent: {
      'a sale in L$ beside an erasure does not look whether the spend is still as it was read': [
        "(spend ? is('version', spend.version) : isNew)",
        '(spend ? undefined : isNew)',
      ],
    },
    spentMore: {
      'the spend of an avatar who came back counts its changes as before their erasure': [
        '(spend?.version ?? now())',
        '(spend?.version ?? 0)',
        'apps/cli/test/person/erasure-races.test.ts',
        'a sale to a customer who came back is added to their spend, and not to that of before their erasure',
      ],
    },
  },
  'lib/operator/imports/balances.ts': {
    groupOf: {
      'a pass changes a balance that this store has changed': [
        'if (isChangedByStore(found.item)) return',
        'if (found.item === null) return',
      ],
    },
  },
  'lib/operator/imports/spend.ts': {
    readBroughtSpend: {
      'a pass takes own sales out of the sum (M2)': [
        'if (imported === true && refusal === null && buyerUuid)',
        'if (refusal === null && buyerUuid)',
      ],
    },
    spendGroup: {
      'a single row that an import brought is counted beside the carried sum': [
        'Math.max(0, told - brought[part])',
        'told',
      ],
    },
  },
  'lib/catalogue/told.ts': {
    withChangeThere: {
      'copies are set instead of moved': ['Math.max(0, here + there - told)', 'there'],
    },
    withSettings: {
      'a ban is lifted by a pass': ["=== 'take' ? as(there) : undefined", "!== 'unchanged' ? as(there) : undefined"],
      'what a pass takes is not noted as told': [
        "=== 'take' ? as(there) : undefined",
        "=== 'take' ? as(told) : undefined",
      ],
      'what was told is not written with the item': [
        'if (!stored) return { ...made, told: there };',
        'if (!stored) return made;',
      ],
    },
    decideTold: {
      'an import replaces a card that was redeemed here': [
        "return !isTouched && isDeepStrictEqual(here, told) ? 'take' : 'keep';",
        "return 'take';",
      ],
      'a row that says what it said before is refused': [
        'if (says(here) || (told !== undefined && says(told)))',
        'if (says(here))',
        'apps/cli/test/kinds/gift-cards.test.ts',
        'a card of a file is replaced by other files until this store has changed it, and keeps its owner',
      ],
    },
  },
  'apps/cli/move/copy.ts': {
    bringCustomers: {
      'a card that was redeemed there is taken after its credit has come': [
        `await bringing.things('giftcards', things);
  await bringBalances(bringing, customers, expiresAt);`,
        `await bringBalances(bringing, customers, expiresAt);
  await bringing.things('giftcards', things);`,
        'apps/cli/test/move/move.test.ts',
        'takes a card that was redeemed there before its credit comes',
      ],
    },
  },
  'lib/operator/imports/products.ts': {
    stockAfter: {
      'a file sets the copies of a limited product without being asked': [
        'if (setsStock) return',
        'if (there !== here) return',
      ],
    },
  },
  'lib/operator/imports/applied-coupons.ts': {
    isNews: {
      'an applied coupon is set back': [
        "isLapsed || (stored.couponId === couponId && stored.expiresAt !== '' && stored.expiresAt < expiresAt)",
        'isLapsed || stored.expiresAt !== expiresAt',
      ],
    },
  },
  'lib/catalogue/gift-cards.ts': {
    redeeming: {
      'a card is redeemed though it has changed since it was read': [
        `    when: unchanged(card),
`,
        '',
      ],
    },
    cardRefund: {
      'a card is taken back though it is redeemed meanwhile': [
        "when: all(exists, is('redeemed', false)),",
        'when: exists,',
      ],
    },
  },
  'lib/sale/judge.ts': {
    isFalse: {
      'a quote buys a card that it was not made for': [
        '(quoted.cardCredit ?? 0) !== cardCreditOf(product)',
        'quoted.cardCredit === null',
        'test/functions/rules/product-cards.test.ts',
        'takes no quote from before the product sold cards of so many',
      ],
    },
    judgeRefund: {
      'a refund leaves the bonus of its sale': ['[...partsBack(sale), ...bonusBack(sale)]', 'partsBack(sale)'],
    },
  },
  'lib/payout/sweep.ts': {
    giveUp: {
      'a claim that nobody reports is owed again': [
        "movedTo(before, 'unknown', {}, { at })",
        "movedTo(before, 'failed', {}, { at })",
      ],
    },
  },
  'lib/payout/payees.ts': {
    payeeWrite: {
      'two cashiers claim the same debt': [
        "put(after, before ? all(is('version', before.version), is('stamp', before.stamp)) : isNew);",
        'put(after, before ? undefined : isNew);',
      ],
    },
  },
  'lib/events/consume.ts': {
    processStore: {
      'a debt is forgotten where the consumer dies or fails over it': [
        'await metered(meter, () => countDebts(store, owing));',
        'await metered(meter, () => countDebts(store, owing)).catch(() => undefined);',
        'test/lib/payout/count.test.ts',
        'counts 100 shares once, though the consumer dies at each of its writes',
      ],
    },
    consume: {
      'days count records behind one that is still to come': [
        'isSentAgain ? [] : readable',
        'Records',
        'test/lib/events/history.test.ts',
        'reports such a record alone where the queue does not take it, and counts those behind it when it comes back',
      ],
    },
  },
  'lib/payout/claim.ts': {
    mayClaim: {
      'payouts are claimed before they have begun': ['payoutsBegunAt !== undefined && ', ''],
      'a restore lets claims go on': [' && payoutsStoppedAt === undefined', ''],
    },
    payByHand: {
      'a restore lets payments by hand go on': ['if (payoutsStoppedAt !== undefined)', "if (payoutsStoppedAt === '')"],
    },
  },
  'lib/payout/count.ts': {
    putCounted: {
      'an account that another has begun counts as the own one after a lost answer': [
        'writeUnstamped(payeeWrite(counted, before))',
        '(await import("../table/table.ts")).write(payeeWrite(counted, before))',
        'test/lib/payout/count.test.ts',
        'counts a debt where another begins the account, and the answer to its own write is lost',
      ],
    },
    countTogether: {
      'a debt is noted as counted though another writer of its account came between': [
        'return left.length === 0 ? { result: undefined } : undefined;',
        'return { result: undefined };',
        'test/lib/payout/count.test.ts',
        'counts once where two count side by side',
      ],
      'a debt is taken for counted where its sale does not show yet': [
        '&& owing.every((one) => shows(found, one))',
        '',
        'test/lib/payout/count.test.ts',
        'counts a sale that shows only after its record',
      ],
    },
    countOnce: {
      'a share is counted again where its sale does not note yet that it is': [
        'missing, needed.map(markOf), at);',
        'missing, [], at);',
      ],
      'a debt of before payouts began is owed again where it is counted late': [
        'madeAt < paidUntil',
        "madeAt < ''",
        'apps/cli/test/kinds/payees.test.ts',
        'a repair books as paid what it counts of a sale from before payouts began',
      ],
    },
    paidUntilOf: {
      'nobody looks whether a late debt was paid before payouts began': [
        'now() - lateMillis',
        'lateMillis',
        'test/lib/payout/count.test.ts',
        'looks whether a debt was paid by hand before payouts began',
      ],
    },
  },
  'lib/table/increments.ts': {
    findLast: {
      'a restored table begins with an increment, which no full export leads to': [
        "return 'other';",
        'return undefined;',
        'test/lib/table/increments.test.ts',
        'a new table begins with its own backups, and a restored one with a full export',
      ],
    },
  },
  'apps/cli/deployment/table-export.ts': {
    chainOf: {
      'changes of a restored table go into a copy of the one before': [
        'fulls.find(isOfTable(newest))',
        'fulls[0]',
        'apps/cli/test/deployment/hourly-copy.test.ts',
        'changes of a restored table are refused beside the full export of the one before',
      ],
      'changes of the table before go into a copy of the restored one': [
        'exports.filter(isOfTable(full))',
        'exports',
        'apps/cli/test/deployment/hourly-copy.test.ts',
        'with a full export of the restored table, it alone is restored',
      ],
    },
  },
  'apps/cli/commands/reconcile.ts': {
    bookThem: {
      'the change of a sale that the restored table lost is booked as a payout': [
        '(book && !payment)',
        'book',
        'apps/cli/test/commands/reconcile.test.ts',
        'tells of change and a refund of a sale that the restored table has lost',
      ],
    },
  },
  'apps/cli/books/reconcile.ts': {
    paymentBehind: {
      'a payout is not booked since its avatar has paid later': [
        'paid.at <= transfer.at && paid.amount',
        'paid.amount',
        'apps/cli/test/commands/reconcile.test.ts',
        'that the payment came after',
      ],
    },
  },
  'lib/operator/begin-payouts.ts': {
    beginPayouts: {
      'payouts begin while what sales owe is not counted': ['if (!keep) await countFirst(store);', ''],
      'what is kept to be claimed counts as paid where it is counted late': [
        '...(!keep && { payoutsPaidUntil: at })',
        'payoutsPaidUntil: at',
      ],
    },
  },
  'lib/events/days.ts': {
    countDay: {
      'a day gets its checkpoint before its sums': [
        'const outcome = await writeUnstamped<DayItem>(update(key, { add, set, when }));',
        `const outcome = await writeUnstamped<DayItem>(update(key, { set, when }));
    if (outcome.done) await writeUnstamped<DayItem>(update(key, { add }));`,
      ],
      'a day counts whatever its checkpoint is': [
        'const when = any(missing(checkpoint), below(checkpoint, first.sequence));',
        'const when = undefined;',
      ],
    },
    checkpointOf: {
      'all shards have one checkpoint': ["createHash('sha256').update(shard)", "createHash('sha256')"],
    },
  },
  'lib/events/record.ts': {
    countsOf: {
      'the consumer counts a row that a backfill made': [
        'return one.count && isOfRecord ?',
        'return one.count ?',
        'apps/cli/test/books/history-backfill.test.ts',
        'counts once a change whose record comes after all, behind the backfill',
      ],
    },
  },
  'lib/sale/sweep.ts': {
    orderMissing: {
      'the delivery of a sale is ordered by the stream alone': [
        'const open = await notBegun(sales, failed);',
        'const open = (await notBegun(sales, failed)).slice(1);',
      ],
    },
    lookAt: {
      'the sweep passes a sale whose order failed': [
        'reached: left.sort()[0] ?? stretch.to',
        'reached: stretch.to',
        'test/lib/sale/sweep.test.ts',
        'sales of two days in which the queue took nothing are all ordered when it takes messages again',
      ],
    },
    stretchesOf: {
      'the sweep does not look again at times in which sales may still appear': [
        'const shown = ago(showsMillis);',
        'const shown = ago(graceMillis);',
        'test/lib/sale/sweep.test.ts',
        'a sale that shows in the list ten minutes late is ordered within minutes',
      ],
      'the sweep does not look through the last two weeks': [
        'const isDue = begunAt !== undefined && begunAt <= ago(dayMillis);',
        'const isDue = false;',
        'test/lib/sale/sweep.test.ts',
        'a sale that shows in the list a week late is ordered within a day',
      ],
    },
  },
  'lib/delivery/deliveries.ts': {
    claimDelivery: {
      'a worker claims a delivery that another one has': [
        "all(isKnown, isOpen, atMost('leaseUntil', timestamp(now())), is('attempts', attempts))",
        'isKnown',
      ],
    },
  },
};

export const mutants = Object.entries(bugs).flatMap(([file, functions]) =>
  Object.entries(functions).flatMap(([name, ofFunction]) =>
    Object.entries(ofFunction).map(([text, [from, to, ...scene]]) => ({ text, file, name, from, to, scene })),
  ),
);

type Mutant = (typeof mutants)[number];

const root = join(import.meta.dirname, '../..');

/** Runs a Node program with the bug of this text in the code or, for '', without a bug. Answers what it prints. */
const run = (args: readonly string[], bug: string): string => {
  const NODE_OPTIONS = bug && `--import ${pathToFileURL(join(import.meta.dirname, 'plant.ts'))}`;
  // Without this a scene's vitest would write its report over the outer run's report.
  const { TEST_REPORT: _, ...around } = process.env;
  const env = { ...around, NO_COLOR: '1', NODE_OPTIONS, MUTANT: bug };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  return stdout + stderr;
};

const playSchedules = (bug: string, most: number): string =>
  run(['proof/simulation/main.ts', '--seed', '1', '--schedules', `${most}`, '--failures', '1'], bug);

const playScene = ([file = '', name = '']: readonly string[], bug: string): string =>
  run(['node_modules/vitest/vitest.mjs', 'run', file, '-t', name], bug);

const isPassed = (printed: string): boolean => /Tests +1 passed/.test(printed);

/**
 * Finds a planted bug. Answers the number of its schedule, counted from seed 1, or its scene; undefined if `most`
 * schedules do not find it. `isCompared` first shows that the scene passes without the bug.
 */
export const finderOf = ({ text, scene }: Mutant, most: number, isCompared: boolean): string | undefined => {
  if (scene.length === 0) {
    const printed = playSchedules(text, most);
    const found = /--replay (\d+)/.exec(printed)?.[1];
    if (!found && !printed.includes(`${most} schedules`)) throw new Error(`The simulation did not run: ${printed}`);
    return found;
  }
  const without = isCompared ? playScene(scene, '') : 'Tests 1 passed';
  if (!isPassed(without)) throw new Error(`The scene does not pass without the bug: ${without}`);
  const printed = playScene(scene, text);
  if (isPassed(printed)) return undefined;
  if (!/Tests +1 failed/.test(printed)) throw new Error(`The scene did not run: ${printed}`);
  return 'its scene';
};

if (import.meta.main) {
  const most = 20_000;
  new Command('node proof/simulation/mutants.ts')
    .description(
      `Plants one bug after the other, and prints a row of docs/evidence/simulation.md for each: by which schedule the ` +
        `simulation finds it, of at most ${most}. Takes 40 minutes. Exit code 1 if a bug is not found.`,
    )
    .allowExcessArguments(false)
    .parse();
  for (const mutant of mutants) {
    const found = finderOf(mutant, most, true);
    if (found === undefined) process.exitCode = 1;
    console.log(`| ${mutant.text} | \`${mutant.file}\` | ${found ?? `not in ${most}`} |`);
  }
}
