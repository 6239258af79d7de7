import { now, timestamp } from '../../../lib/clock.ts';
import { changeMoney, forSomeTime, type MoneyChange, refuseIfCurrent, writeMoney } from '../../../lib/credit/change.ts';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import { listLots, withoutLots } from '../../../lib/credit/lots.ts';
import { type CreditFacts, type CreditPlan, planCredit, type RefusedPlan } from '../../../lib/credit/plan.ts';
import { type CreditCommand, checkCommand, isDue } from '../../../lib/credit/rules.ts';
import { type Cause, type CreditItem, creditLimit, holdingOf } from '../../../lib/credit/state.ts';
import { getCustomerItem } from '../../../lib/store/customers.ts';
import { again, answer, one } from '../../../lib/table/decide.ts';
import { isNew, missing, put, update, type Write } from '../../../lib/table/language.ts';
import { get } from '../../../lib/table/table.ts';
import { type GivenLine, givenKey, giverOf } from '../kinds/giving.ts';

/**
 * Gives credit by the lines of a file, each at most once. The item of a line is written in the transaction of its
 * credit: where an answer is lost, or a run goes on after days, the item tells whether the credit was given.
 */

/** A line that is given or taken back. */
export interface Line extends Pick<GivenLine, 'uuid' | 'type' | 'amount'> {
  number: number;
  expiresAt?: string | undefined;
}

/** Where a line is given: its run, and the run's reason. */
export interface Giving {
  store: string;
  reference: string;
  reason: string;
}

/** `none`: there is nothing to give or to take. */
type LineOutcome = RefusedPlan | CreditPlan | { kind: 'none' };

interface LineFacts {
  credit: CreditFacts;
  given: GivenLine | undefined;
  lots: readonly CreditLot[];
}

const changeOf = ({ store, reference, reason }: Giving, { uuid, number }: Line): MoneyChange => {
  const cause: Cause = { at: timestamp(now()), by: giverOf(reference, number), reference, reason };
  return { store, uuid, cause, mayGoOn: forSomeTime() };
};

const readLine = ({ store, reference }: Giving, { number }: Line): Promise<GivenLine | undefined> =>
  get<GivenLine>(givenKey(store, reference, number));

/**
 * Gives the credit of a line unless it was given before. Answers what was given, then or now. Throws 400 where it would
 * pass the credit limit, and 503 where other writers do not let it through; nothing is given then.
 */
export const giveLine = async (giving: Giving, line: Line): Promise<GivenLine> => {
  const { store, reference } = giving;
  const { uuid, type, amount, expiresAt, number } = line;
  const before = await readLine(giving, line);
  if (before) return before;
  const change = changeOf(giving, line);
  const { at } = change.cause;
  const command: CreditCommand = { kind: 'increment', delta: amount, ...(expiresAt !== undefined && { expiresAt }) };
  checkCommand(command, at, creditLimit());
  const item: GivenLine = {
    ...givenKey(store, reference, number),
    uuid,
    type,
    amount,
    at,
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return changeMoney<LineFacts, LineOutcome, GivenLine>(change, {
    read: async () => {
      const given = await readLine(giving, line);
      return { credit: withoutLots(await getCustomerItem(store, uuid)), given, lots: [] };
    },
    judge: ({ credit, given }) =>
      given ? { kind: 'none' } : planCredit(credit, [{ type, command }], at, creditLimit()),
    findEarlier: () => readLine(giving, line),
    conclude: (facts, outcome) => {
      if (facts.given) return answer(facts.given);
      if (outcome.kind === 'none') return again();
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      return writeMoney(change, facts, outcome, { answer: item }, { writes: [put(item, isNew)] });
    },
  });
};

/** The credit that is left of a line: of its lot, or of permanent credit at most as much as it gave. */
const leftOf = ({ type, amount, expiresAt }: GivenLine, item: CreditItem, lots: readonly CreditLot[], at: string) => {
  if (expiresAt === undefined) return Math.min(amount, holdingOf(item, type).unlotted);
  return lots.reduce((sum, lot) => sum + (lot.state === 'open' && !isDue(lot.expiresAt, at) ? lot.remaining : 0), 0);
};

/**
 * Takes back what is left of a line's credit, unless that was done before. Answers the line; undefined where it was
 * never given. Throws 503 where other writers do not let it through.
 */
export const takeBackLine = async (giving: Giving, line: Line): Promise<GivenLine | undefined> => {
  const { store, reference } = giving;
  const found = await readLine(giving, line);
  if (!found || found.takenBack !== undefined) return found;
  const { uuid, type } = found;
  const change = changeOf(giving, { ...line, uuid });
  const { at, by } = change.cause;
  const key = givenKey(store, reference, line.number);
  const taking = (takenBack: number): Write =>
    update(key, { set: { takenBack, takenBackAt: at }, when: missing('takenBack') });
  const told = (given: GivenLine, takenBack: number): GivenLine => ({ ...given, takenBack, takenBackAt: at });
  const amountOf = ({ given, credit, lots }: LineFacts): number => (given ? leftOf(given, credit.item, lots, at) : 0);
  return changeMoney<LineFacts, LineOutcome, GivenLine | undefined>(change, {
    read: async () => {
      const given = await readLine(giving, line);
      const item = await getCustomerItem(store, uuid);
      const lots = found.expiresAt === undefined ? [] : await listLots(store, uuid);
      return { credit: withoutLots(item), given, lots: lots.filter(({ createdBy }) => createdBy === by) };
    },
    judge: (facts) => {
      const taken = amountOf(facts);
      if (facts.given?.takenBack !== undefined || taken === 0) return { kind: 'none' };
      const command: CreditCommand = { kind: 'increment', delta: -taken };
      return planCredit(facts.credit, [{ type, command }], at, creditLimit());
    },
    conclude: (facts, outcome) => {
      const { given } = facts;
      if (!given || given.takenBack !== undefined) return answer(given);
      if (outcome.kind === 'none') return one(taking(0), { result: () => told(given, 0) });
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const taken = amountOf(facts);
      return writeMoney(change, facts, outcome, { result: told(given, taken) }, { writes: [taking(taken)] });
    },
  });
};
