import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CreditLot, lotType } from '../../../lib/credit/lot.ts';
import { isPrerequisite, planCredit, spendableOf } from '../../../lib/credit/plan.ts';
import { type CreditCommand, isDue } from '../../../lib/credit/rules.ts';
import type { Part } from '../../../lib/credit/state.ts';
import { checksumOf } from '../../../lib/credit/whole-lots.ts';
import { trials } from '../../support/volume.ts';
import { dueOf, factsWith, itemWith, lotsOf, readOf } from './credit-facts.ts';
import { at, increment, later, latest, limit, past, reconcile, set, soon } from './holdings.ts';

/** `PLAN_SEED` replays a run. */
const seed = Number(process.env.PLAN_SEED ?? Date.now() % 2 ** 31);

const regular = (command: CreditCommand): Part[] => [{ type: 'regular', command }];
const three = lotsOf('regular', [
  [past, 5],
  [soon, 10],
  [later, 20],
]);
const item = itemWith({ regular: 7, restricted: 3 }, { regular: three });
const plan = (command: CreditCommand, lots: readonly CreditLot[] | undefined = three, of = item) =>
  planCredit(factsWith(of, lots && { regular: readOf(lots) }), regular(command), at, limit);
const many = (count: number, expiresAt: string) =>
  lotsOf(
    'regular',
    Array.from({ length: count }, (): [string, number] => [expiresAt, 1]),
  );

test('a pending change is finished before anything else is decided', () => {
  const part = { type: 'regular', epoch: 'e1', how: 'drained', through: '' } as const;
  const pending = { id: 'p', version: 4, at: past, by: 'test', ...part };

  expect(plan(increment(-1), three, { ...item, pending })).toEqual({ kind: 'finish' });
});

test.each([
  ['an addition to a type without lots', false, { type: 'restricted', command: increment(5) }],
  ['a removal from a type without lots', false, { type: 'restricted', command: increment(-1) }],
  ['a set of a type without lots', false, { type: 'restricted', command: set(5) }],
  ['an addition where a lot is due', true, { type: 'regular', command: increment(5) }],
  ['a removal', true, { type: 'regular', command: increment(-1) }],
  ['a set', true, { type: 'regular', command: set(5) }],
] as const)('%s needs lots: %s', (_, needsLots, part) => {
  const outcome = planCredit(factsWith(item), [part], at, limit);

  expect(outcome.kind === 'read' && outcome.lots).toEqual(needsLots ? [part] : false);
});

test('lots that are only those due are not enough for a change', () => {
  const facts = factsWith(item, { regular: dueOf(three, at) });

  expect(planCredit(facts, regular(increment(-1)), at, limit).kind).toBe('read');
});

test.each([
  ['the first lot does not show yet', three.slice(1)],
  ['another lot does not show yet', three.slice(0, 2)],
  ['a lot shows as it was before', [three[0], { ...three[1], remaining: 11 }, three[2]] as CreditLot[]],
  ['no lot shows yet', []],
])('nothing is decided where %s', (_, lots) => {
  expect(plan(increment(-1), lots)).toMatchObject({ kind: 'torn', type: 'regular' });
});

test('the newest of all lots must be among the first ones, unless it comes behind them', () => {
  const lots = many(300, later);
  const facts = (newest: number, count: number) => {
    const books = { ...itemWith({}, { regular: lots }), creditNewest: lots[newest]?.sk ?? '' };
    const read = readOf(lots, count);
    const seen = read.seen.filter((sk) => sk !== lots[50]?.sk);
    return factsWith(books, { regular: { ...read, seen } });
  };

  expect(planCredit(facts(50, 100), regular(increment(-10)), at, limit).kind).toBe('torn');
  expect(planCredit(facts(51, 100), regular(increment(-10)), at, limit).kind).toBe('planned');
  expect(planCredit(facts(200, 100), regular(increment(-10)), at, limit).kind).toBe('planned');
});

test('more due lots than one change closes are closed before a removal, a refund or an addition, not before a set', () => {
  const lots = many(1001, past);
  const books = itemWith({}, { regular: lots });
  const close = { kind: 'close', type: 'regular' };

  for (const command of [increment(-1), increment(1), { kind: 'refund', lots: [], unlotted: 1 } as const])
    expect(plan(command, lots, books)).toEqual(close);
  expect(plan(reconcile, lots, books).kind).toBe('planned');
  expect(planCredit(factsWith(books), regular(set(1)), at, limit)).toEqual(close);
});

test('a set of more lots than a transaction holds reads none, unless some may not show yet', () => {
  const books = itemWith({}, { regular: many(98, later) });
  const outcome = (isAtRest: boolean) => planCredit(factsWith(books, {}, isAtRest), regular(set(1)), at, limit);

  expect(outcome(true)).toMatchObject({ kind: 'planned', parts: [{ tooMany: true, plan: { closed: [] } }] });
  expect(outcome(false).kind).toBe('read');
});

test('answers why a rule refuses a change, and nothing else', () => {
  expect(plan(increment(-38))).toEqual({
    kind: 'refused',
    message: 'delta must not remove more than the customer holds, which is 37.',
  });
  expect(plan(increment(limit)).kind).toBe('refused');
});

test('plans nothing on top of books that do not add up', () => {
  const broken = { ...item, credit: -5, creditUnlotted: -40 };

  expect(plan(increment(-1), three, broken)).toMatchObject({ kind: 'torn', fault: expect.stringMatching(/cannot be/) });
});

test('a change of both types has a plan for each, and balances of both', () => {
  const parts: Part[] = [{ type: 'restricted', command: increment(-3) }, ...regular(increment(-12))];

  const outcome = planCredit(factsWith(item, { regular: readOf(three) }), parts, at, limit);

  expect(outcome).toMatchObject({
    kind: 'planned',
    parts: [{ type: 'restricted' }, { type: 'regular', plan: { closed: [{ how: 'expired' }, { how: 'drained' }] } }],
    after: { credit: 25, creditLots: 1, creditDue: later, restrictedCredit: 0 },
  });
});

test('what can be spent needs no lots where none is due', () => {
  const books = itemWith({ regular: 7 }, { regular: three.slice(1) });

  expect(spendableOf(factsWith(books), at)).toEqual({ regular: 37, restricted: 0 });
});

test('what can be spent leaves out what is due, and waits for lots that do not show', () => {
  const spendable = (lots: readonly CreditLot[], alone = false) =>
    spendableOf(factsWith(item, { regular: alone ? dueOf(lots, at) : readOf(lots) }), at, { alone });

  expect(spendableOf(factsWith(item), at)).toMatchObject({ kind: 'read', lots: [{ type: 'regular', due: 'all' }] });
  expect(spendableOf(factsWith(item), at, { alone: true })).toMatchObject({ kind: 'read', lots: [{ due: 'alone' }] });
  expect(spendable(three)).toEqual({ regular: 37, restricted: 3 });
  expect(spendable(three, true)).toEqual({ regular: 37, restricted: 3 });
  expect(spendable(three.slice(1))).toMatchObject({ kind: 'torn' });
  expect(spendable(three.slice(1), true)).toMatchObject({ kind: 'torn' });
});

test('due lots of a later version than the item are torn', () => {
  const read = { ...dueOf(three, at), touchedIn: 6 };

  expect(spendableOf(factsWith(item, { regular: read }), at, { alone: true })).toMatchObject({ kind: 'torn' });
});

test('what can be spent needs every due lot, however many there are', () => {
  const lots = lotsOf('regular', [
    ...many(1500, past).map(({ expiresAt }): [string, number] => [expiresAt, 1]),
    [latest, 5],
  ]);
  const facts = (count: number) => factsWith(itemWith({}, { regular: lots }), { regular: readOf(lots, count) });

  expect(spendableOf(facts(1100), at)).toMatchObject({ kind: 'read', lots: [{ due: 'all' }] });
  expect(spendableOf(facts(1501), at)).toEqual({ regular: 5, restricted: 0 });
});

const amounts = fc.integer({ min: 1, max: 30 });
const times = fc.constantFrom(past, at, soon, later, latest);
const books = fc
  .record({ unlotted: fc.integer({ min: 0, max: 30 }), lots: fc.array(fc.tuple(times, amounts), { maxLength: 8 }) })
  .map(({ unlotted, lots }) => ({ unlotted, lots: lotsOf('regular', lots) }));
const commands: fc.Arbitrary<CreditCommand> = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((delta) => increment(-delta)),
  amounts.map((delta) => increment(delta, later)),
  amounts.map((delta) => increment(delta)),
  amounts.map((credit) => set(credit, later)),
  fc.constant(reconcile),
  fc.record({ kind: fc.constant('refund' as const), lots: fc.constant([]), unlotted: amounts }),
);
const runs = { seed, numRuns: trials(500, 20_000) };

test(`a plan never takes more than can be spent, and refuses no less (seed ${seed})`, () => {
  fc.assert(
    fc.property(books, fc.integer({ min: 1, max: 200 }), ({ unlotted, lots }, amount) => {
      const facts = factsWith(itemWith({ regular: unlotted }, { regular: lots }), { regular: readOf(lots) });
      const spendable = spendableOf(facts, at, { most: amount });
      if (isPrerequisite(spendable)) throw new Error('The lots were read whole.');
      const outcome = planCredit(facts, regular(increment(-amount)), at, limit);
      expect(outcome.kind).toBe(amount <= spendable.regular ? 'planned' : 'refused');
      if (outcome.kind === 'planned') expect(outcome.after.credit).toBe(spendable.regular - amount);
    }),
    runs,
  );
});

test(`the first lots, if they are enough, decide as all of them do (seed ${seed})`, () => {
  fc.assert(
    fc.property(books, commands, fc.nat({ max: 8 }), ({ unlotted, lots }, command, count) => {
      const books = itemWith({ regular: unlotted }, { regular: lots });
      const of = { ...books, creditNewest: '', creditMark: checksumOf(lots) ?? '' };
      const few = planCredit(factsWith(of, { regular: readOf(lots, count) }), regular(command), at, limit);
      const whole = planCredit(factsWith(of, { regular: readOf(lots) }), regular(command), at, limit);
      if (few.kind === 'read') expect(count).toBeLessThan(lots.length);
      else expect(few).toEqual(whole);
    }),
    runs,
  );
});

test(`a plan's lots and its balance agree, and only due ones expire (seed ${seed})`, () => {
  fc.assert(
    fc.property(books, commands, ({ unlotted, lots }, command) => {
      const of = itemWith({ regular: unlotted }, { regular: lots });
      const outcome = planCredit(factsWith(of, { regular: readOf(lots) }), regular(command), at, limit);
      if (outcome.kind !== 'planned') return;
      const [{ plan: made } = { plan: undefined }] = outcome.parts;
      const ended = new Set(made?.closed.map(({ lot }) => lot.sk));
      const left = lots.filter(({ sk }) => !ended.has(sk));
      const inLots = [
        ...left.map((lot) => (lot === made?.reduced?.lot ? made.reduced.remaining : lot.remaining)),
        ...(made?.added ?? []).map(({ amount }) => amount),
      ].reduce((sum, amount) => sum + amount, 0);
      expect(outcome.after.credit).toBe((outcome.after.creditUnlotted ?? 0) + inLots);
      for (const { lot, how } of made?.closed ?? []) {
        expect(how === 'expired').toBe(isDue(lot.expiresAt, at));
        expect(lotType(lot)).toBe('regular');
      }
    }),
    runs,
  );
});
