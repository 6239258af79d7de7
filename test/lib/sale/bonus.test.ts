import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CreditPlan, isPrerequisite, planCredit } from '../../../lib/credit/plan.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import { holdingOf, type Part } from '../../../lib/credit/state.ts';
import { checksumOf } from '../../../lib/credit/whole-lots.ts';
import { writesOf } from '../../../lib/credit/writes.ts';
import { trials } from '../../support/volume.ts';
import { factsWith, itemWith, lotsOf, readOf } from '../credit/credit-facts.ts';
import { at, later, past, soon } from '../credit/holdings.ts';

/**
 * The change of credit of a sale with a bonus, and of its refund, against a second implementation: a list of coins,
 * each of L$ 1, of one type, with an end or none. `PLAN_SEED` replays a run.
 */

const seed = Number(process.env.PLAN_SEED ?? Date.now() % 2 ** 31);
const never = '9999';
const ends = [past, soon, later];
const types = ['restricted', 'regular'] as const;
const delivery = '01960f2e-8c00-7a31-9d4e-5b1f0c2a7e63';

interface Coin {
  end: string;
  /** It is of the bonus that the refund takes back. */
  isBonus?: boolean;
}

type Purse = Record<CreditType, Coin[]>;

const live = (coins: readonly Coin[]): Coin[] =>
  coins.filter(({ end }) => end > at).toSorted((a, b) => (a.end < b.end ? -1 : Number(a.end > b.end)));

const coins = (count: number, end: string, isBonus = false): Coin[] =>
  Array.from({ length: count }, () => ({ end, isBonus }));

/** Its L$ by end; `never` for permanent credit. */
const sums = (held: readonly Coin[]): Record<string, number> => {
  const all: Record<string, number> = {};
  for (const { end } of held) all[end] = (all[end] ?? 0) + 1;
  return all;
};

const amount = fc.nat(6);
const holding = fc.record({
  unlotted: amount,
  lots: fc.array(fc.tuple(fc.constantFrom(...ends), fc.integer({ min: 1, max: 5 })), { maxLength: 4 }),
});
const holdings = fc.record({ restricted: holding, regular: holding });
type Held = { unlotted: number; lots: [string, number][] };

const factsOf = (held: Record<CreditType, Held>) => {
  const lots = {
    regular: lotsOf('regular', held.regular.lots),
    restricted: lotsOf('restricted', held.restricted.lots),
  };
  const item = itemWith({ regular: held.regular.unlotted, restricted: held.restricted.unlotted }, lots);
  return factsWith(item, { regular: readOf(lots.regular), restricted: readOf(lots.restricted) });
};

const purseOf = (held: Record<CreditType, Held>): Purse => {
  const of = ({ unlotted, lots }: Held): Coin[] => [
    ...coins(unlotted, never),
    ...lots.flatMap(([end, count]) => coins(count, end)),
  ];
  return { regular: of(held.regular), restricted: of(held.restricted) };
};

const planned = (outcome: ReturnType<typeof planCredit>): CreditPlan => {
  if (isPrerequisite(outcome) || outcome.kind !== 'planned') throw new Error(outcome.kind);
  return outcome;
};

/** Balance, permanent part, number of open lots and the first end, as the item must have them after a change. */
const heldBy = (purse: readonly Coin[], lotCount: number) => {
  const first = purse.map(({ end }) => end).toSorted()[0];
  return {
    balance: purse.length,
    unlotted: sums(purse)[never] ?? 0,
    lots: lotCount,
    ...(first !== undefined && first !== never && { due: first }),
  };
};

const parameters = { seed, numRuns: trials(1_000, 100_000) };

test(`a sale takes its credit and gives its bonus as coins would (seed ${seed})`, () => {
  const cases = fc.record({
    held: holdings,
    takes: fc.record({ restricted: amount, regular: amount }),
    promised: amount,
    type: fc.constantFrom(...types),
    end: fc.constantFrom(soon, later, undefined),
    limit: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(cases, ({ held, takes, promised, type, end, limit }) => {
      const purse = purseOf(held);
      const parts: Part[] = [];
      const expected: Record<CreditType, Coin[]> = { regular: purse.regular, restricted: purse.restricted };
      for (const each of types) {
        const taken = Math.min(takes[each], live(purse[each]).length);
        if (taken === 0) continue;
        parts.push({ type: each, command: { kind: 'increment', delta: -taken } });
        expected[each] = live(purse[each]).slice(taken);
      }
      const sold = parts.length;
      if (promised > 0)
        parts.push({ type, command: { kind: 'bonus', amount: promised, expiresAt: end, id: delivery } });
      const given = promised === 0 ? 0 : Math.max(0, Math.min(promised, limit - live(expected[type]).length));
      if (given > 0) expected[type] = [...live(expected[type]), ...coins(given, end ?? never)];

      const plan = planned(planCredit(factsOf(held), parts, at, limit));

      expect(plan.parts.map(({ plan: { bonus } }) => bonus)).toEqual([
        ...Array(sold).fill(undefined),
        ...(given > 0 ? [given] : []),
      ]);
      for (const each of types) {
        const { balance, unlotted, due } = holdingOf(plan.after, each);
        const { balance: coinsHeld, unlotted: permanent, due: first } = heldBy(expected[each], 0);
        expect([balance, unlotted, due]).toEqual([coinsHeld, permanent, first]);
      }
    }),
    parameters,
  );
});

test(`a refund brings back what was taken and takes the rest of the bonus back, as coins would (seed ${seed})`, () => {
  const cases = fc.record({
    held: holdings,
    back: fc.record({
      restricted: fc.record({ lot: amount, unlotted: amount }),
      regular: fc.record({ lot: amount, unlotted: amount }),
    }),
    backEnd: fc.constantFrom(...ends),
    given: fc.integer({ min: 1, max: 6 }),
    type: fc.constantFrom(...types),
    place: fc.option(fc.nat(3), { nil: undefined }),
  });
  fc.assert(
    fc.property(cases, ({ held, back, backEnd, given, type, place }) => {
      const facts = factsOf(held);
      const lot = place === undefined ? undefined : facts.lots[type]?.open[place];
      const purse = purseOf(held);
      const expected: Purse = { regular: purse.regular, restricted: purse.restricted };
      const parts: Part[] = [];
      for (const each of types) {
        const { lot: inLot, unlotted } = back[each];
        if (inLot + unlotted === 0) continue;
        const lots = inLot > 0 ? [{ expiresAt: backEnd, amount: inLot }] : [];
        parts.push({ type: each, command: { kind: 'refund', lots, unlotted } });
        expected[each] = [...live(purse[each]), ...live(coins(inLot, backEnd)), ...coins(unlotted, never)];
      }
      const id = lot?.sk.slice(lot.sk.lastIndexOf('#') + 1) ?? 'gone';
      const bonusLot = place === undefined ? undefined : { id, expiresAt: lot?.expiresAt ?? later };
      parts.push({ type, command: { kind: 'bonus-back', amount: given, lot: bonusLot } });
      const isLive = lot !== undefined && lot.expiresAt > at;
      const permanent = sums(expected[type])[never] ?? 0;
      const taken = bonusLot ? (isLive ? lot.remaining : 0) : Math.min(given, permanent);
      if (taken > 0) {
        const of = bonusLot?.expiresAt ?? never;
        const all = live(expected[type]);
        const index = all.findIndex(({ end }) => end === of);
        expected[type] = [...all.slice(0, index), ...all.slice(index + taken)];
      }

      const plan = planned(planCredit(facts, parts, at, 0));

      expect(plan.parts.reduce((sum, { plan: { bonus = 0 } }) => sum + bonus, 0)).toBe(0 - taken);
      for (const each of types) {
        const { balance, unlotted, due } = holdingOf(plan.after, each);
        const { balance: coinsHeld, unlotted: left, due: first } = heldBy(expected[each], 0);
        expect([balance, unlotted, due]).toEqual([coinsHeld, left, first]);
      }
      // The written checksum equals the checksum of the lots that are open afterwards.
      const { writes } = writesOf({ store: 'store', uuid: 'ada', cause: { at, by: 'test' } }, facts.item, plan.parts);
      const added = writes.flatMap((write) => (write.kind === 'put' ? [write.item as never] : []));
      const ended = new Set(
        plan.parts.flatMap((part) => [...part.plan.closed.map((each) => each.lot.sk), part.plan.taken?.sk]),
      );
      for (const each of types) {
        if (!plan.parts.some((part) => part.type === each)) continue;
        const open = [
          ...(facts.lots[each]?.open ?? []).filter(({ sk }) => !ended.has(sk)),
          ...added.filter(({ sk }: { sk: string }) => sk.startsWith(`${each}#`)),
        ];
        const set = writes.map(
          (write) => (write.kind === 'update' ? (write.change.set ?? {}) : {}) as Record<string, unknown>,
        );
        const name = each === 'regular' ? 'creditMark' : 'restrictedMark';
        expect(set.find((one) => name in one)?.[name]).toBe(checksumOf(open));
      }
    }),
    parameters,
  );
});
