import * as fc from 'fast-check';
import { expect } from 'vitest';
import { getCustomer } from '../../../lib/avatars/customers.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { attributes, holdingOf } from '../../../lib/credit/state.ts';
import { Problem } from '../../../lib/problem.ts';
import { creditOf } from '../../support/credit-seed.ts';
import { isLinearizable, type Operation } from '../../support/linearizable.ts';
import { balanceOf, expire, increment, type ModelCustomer, set } from '../../support/model/credit.ts';
import { setClock } from '../../support/service.ts';
import { store, sweep } from './credit.ts';

/** Steps that are taken at once on one customer, and the model of both credit types that must explain their answers. */

const limit = 1_000_000_000;

export type Step =
  | { kind: 'set' | 'increment'; type: CreditType; amount: number; lives: boolean }
  | { kind: 'sweep' }
  | { kind: 'read' };

const type = fc.constantFrom<CreditType>('regular', 'regular', 'restricted');
const amounts = { set: fc.constantFrom(0, 7, 300), add: fc.integer({ min: 1, max: 40 }) };
const drained = fc.integer({ min: -60, max: -1 });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), type, amount: amounts.set, lives: fc.boolean() }),
    fc.record({ kind: fc.constant('increment' as const), type, amount: amounts.add, lives: fc.boolean() }),
    fc.record({ kind: fc.constant('increment' as const), type, amount: drained, lives: fc.constant(false) }),
    fc.constant({ kind: 'sweep' as const }),
    fc.constant({ kind: 'read' as const }),
  ),
  { minLength: 2, maxLength: 6 },
);

/** The answer, or the status of the refusal. */
export const outcomeOf = async <T>(work: Promise<T>): Promise<T | { status: number }> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem) return { status: error.status };
    throw error;
  }
};

type Books = Record<CreditType, ModelCustomer>;

/**
 * Carries out a step. Returns its effect on the model: the books after it, or undefined if its answer contradicts them.
 */
const carryOut = async (
  uuid: string,
  step: Step,
  at: number,
  end: number,
): Promise<(books: Books) => Books | undefined> => {
  if (step.kind === 'read') {
    const { credit, restrictedCredit } = await getCustomer(store, { uuid });
    return (books) =>
      balanceOf(books.regular) === credit && balanceOf(books.restricted) === restrictedCredit ? books : undefined;
  }
  if (step.kind === 'sweep') {
    const { lots, amount } = await sweep();
    return (books) => {
      const after = structuredClone(books);
      const closed = creditTypes.map((each) => expire(after[each], at));
      const sum = (name: 'lots' | 'amount') => closed.reduce((total, each) => total + each[name], 0);
      return sum('lots') <= lots && sum('amount') === amount ? after : undefined;
    };
  }
  const { kind, amount, lives } = step;
  const expiresAt = lives ? timestamp(end) : undefined;
  const command = kind === 'set' ? { kind, credit: amount, expiresAt } : { kind, delta: amount, expiresAt };
  const outcome = await outcomeOf(changeCredit(store, { uuid }, step.type, command, { by: 'test' }));
  return (books) => {
    if ('status' in outcome && outcome.status === 503) return books;
    const after = structuredClone(books);
    const accepted = (kind === 'set' ? set : increment)(after[step.type], amount, lives ? end : undefined, at, limit);
    if ('status' in outcome) return accepted ? undefined : books;
    return accepted && balanceOf(after[step.type]) === outcome[attributes[step.type].balance] ? after : undefined;
  };
};

/** The model of the stored books. Throws unless they add up. */
const modelOf = async (uuid: string): Promise<Books> => {
  const { item, lots, faults } = await creditOf(store, uuid);
  expect(faults).toEqual([]);
  const ofType = (each: CreditType): ModelCustomer => {
    const open = lots.filter(({ sk, state }) => state === 'open' && sk.startsWith(each));
    return {
      unlotted: holdingOf(item, each).unlotted,
      // Before every lot that the model makes itself.
      lots: open.map(({ expiresAt, remaining }, index) => ({
        expiresAt: Date.parse(expiresAt),
        number: index - open.length,
        remaining,
      })),
    };
  };
  return { regular: ofType('regular'), restricted: ofType('restricted') };
};

/**
 * Takes all steps at once, at the time `at`. Lots that they add live until `end`. `begin` starts a scheduler or an
 * isolation, which affects only the steps, and returns a function that ends it. The books must add up afterwards, and
 * some serial order of the steps must explain the answers and the balances at the end.
 */
export const takeAtOnce = async (
  uuid: string,
  all: readonly Step[],
  { at, end, begin }: { at: number; end: number; begin: () => () => void },
  together: (work: Promise<unknown>) => Promise<unknown> = (work) => work,
): Promise<void> => {
  const before = await modelOf(uuid);
  setClock(at);
  let clock = 0;
  const history: Operation<Books>[] = [];
  const take = async (step: Step): Promise<void> => {
    const start = clock++;
    const apply = await carryOut(uuid, step, at, end);
    history.push({ start, end: clock++, apply });
  };

  const stop = begin();
  await together(Promise.all(all.map(take))).finally(stop);

  const after = await modelOf(uuid);
  const isAfter = (books: Books): boolean =>
    creditTypes.every((each) => balanceOf(books[each]) === balanceOf(after[each]));
  expect(isLinearizable(before, history, isAfter)).toBe(true);
};
