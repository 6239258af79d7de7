import { getCustomerItem } from '../avatars/customers.ts';
import { now, timestamp } from '../clock.ts';
import { changeMoney, forSomeTime, type MoneyChange, refuseIfCurrent, writeMoney } from '../credit/change.ts';
import { withoutLots } from '../credit/lots.ts';
import { type CreditFacts, type CreditPlan, planCredit, type RefusedPlan } from '../credit/plan.ts';
import { type CreditCommand, type CreditType, checkCommand } from '../credit/rules.ts';
import { type Author, creditLimit } from '../credit/state.ts';
import { type UndoneChange, undoCreditChange } from '../credit/undo.ts';
import { answer, readAgain } from '../table/decide.ts';
import { partition } from '../table/keys.ts';
import { isNew, put } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf } from '../table/table.ts';

/**
 * Gives credit by the lines of a file, each at most once. One transaction writes the credit and the item of its line.
 * So if an answer is lost, or a run continues after days, the item tells whether the credit was given.
 */

/** A line of a file that gives credit. */
export interface GiftLine {
  /** Its number among the lines of its file, from 1 on. */
  number: number;
  uuid: string;
  type: CreditType;
  /** In L$. */
  amount: number;
  expiresAt?: string | undefined;
}

/** A line that was given, with the number of the customer's change of credit. It is kept for ever. */
export interface GivenLine extends GiftLine, Key {
  at: string;
  sequence: number;
}

/** A run that gives credit by a file. */
export interface Giving {
  store: string;
  reference: string;
  reason: string;
}

const digits = 9;

const givenKey = (store: string, reference: string, number: number): Key => ({
  pk: partition(store, 'GIVEN'),
  sk: `${reference}#${String(number).padStart(digits, '0')}`,
});

/** The lines that a store's runs have given. */
export const listGiven = (store: string) => rowsOf<GivenLine>({ partition: partition(store, 'GIVEN') });

/** The lines that a run has given, in their order. */
export const givenLines = async (store: string, reference: string): Promise<GivenLine[]> => {
  const [first, last] = [givenKey(store, reference, 0).sk, `${reference}#~`];
  const lines = await rowsOf<GivenLine>({ partition: partition(store, 'GIVEN'), first, last })({ descending: false });
  // Another reference may begin with this one and a # of its own.
  return lines.filter(({ sk }) => sk.length === first.length);
};

/** A line of a run, if it was given. */
export const readGiven = ({ store, reference }: Giving, number: number): Promise<GivenLine | undefined> =>
  get<GivenLine>(givenKey(store, reference, number));

const authorOf = ({ reference, reason }: Giving, number: number): Author => ({
  by: `give ${reference} ${number}`,
  reference,
  reason,
});

/** `none`: the line was given before. */
type LineOutcome = RefusedPlan | CreditPlan | { kind: 'none' };

interface LineFacts {
  credit: CreditFacts;
  given: GivenLine | undefined;
}

/**
 * Gives the credit of a line unless it was given before. Answers what was given, now or before. Throws 400 if the
 * credit would pass the limit or its end is past, and 503 if other writers keep it from writing. Then nothing is given.
 */
export const giveLine = async (giving: Giving, line: GiftLine): Promise<GivenLine> => {
  const { store, reference } = giving;
  const { uuid, type, amount, expiresAt, number } = line;
  const before = await readGiven(giving, number);
  if (before) return before;
  const at = timestamp(now());
  const change: MoneyChange = { store, uuid, cause: { at, ...authorOf(giving, number) }, hasTime: forSomeTime() };
  const command: CreditCommand = { kind: 'increment', delta: amount, ...(expiresAt !== undefined && { expiresAt }) };
  checkCommand(command, at, creditLimit());
  return changeMoney<LineFacts, LineOutcome, GivenLine>(change, {
    read: async () => {
      const given = await readGiven(giving, number);
      return { credit: withoutLots(await getCustomerItem(store, uuid)), given };
    },
    judge: ({ credit, given }) =>
      given ? { kind: 'none' } : planCredit(credit, [{ type, command }], at, creditLimit()),
    findEarlier: () => readGiven(giving, number),
    conclude: (facts, outcome) => {
      if (facts.given) return answer(facts.given);
      if (outcome.kind === 'none') return readAgain();
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const { creditVersion: sequence = 0 } = outcome.after;
      const item: GivenLine = {
        ...givenKey(store, reference, number),
        number,
        uuid,
        type,
        amount,
        at,
        sequence,
        ...(expiresAt !== undefined && { expiresAt }),
      };
      return writeMoney(change, facts, outcome, { answer: item }, { writes: [put(item, isNew)] });
    },
  });
};

/**
 * Takes back what is left of the credit that a line gave. This is the undo of the change. If the change was undone
 * before, that undo counts. Throws like `undoCreditChange`.
 */
export const takeBackLine = (giving: Giving, { uuid, sequence, number }: GivenLine): Promise<UndoneChange> =>
  undoCreditChange(giving.store, { uuid }, sequence, authorOf(giving, number));
