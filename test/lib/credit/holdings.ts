import { expect } from 'vitest';
import { type CreditCommand, type Holding, type Lot, type Plan, planCommand } from '../../../lib/credit/rules.ts';
import { invalid } from '../../../lib/problem.ts';

export const at = '2027-03-01T00:00:00.000Z';
export const past = '2027-02-01T00:00:00.000Z';
export const soon = '2027-04-01T00:00:00.000Z';
export const later = '2027-05-01T00:00:00.000Z';
export const latest = '2027-06-01T00:00:00.000Z';
export const limit = 1000;

export const lot = (expiresAt: string, remaining: number): Lot => ({ sk: expiresAt, expiresAt, remaining });

/** The holding of a customer with these open lots. */
export const holding = (unlotted: number, open: readonly Lot[] = []): Holding => ({
  balance: open.reduce((sum, { remaining }) => sum + remaining, unlotted),
  unlotted,
  lots: open.length,
  ...(open[0] && { due: open[0].expiresAt }),
});

export const increment = (delta: number, expiresAt?: string): CreditCommand => ({
  kind: 'increment',
  delta,
  expiresAt,
});
export const set = (credit: number, expiresAt?: string): CreditCommand => ({ kind: 'set', credit, expiresAt });
export const reconcile: CreditCommand = { kind: 'reconcile' };

/** The plan of a command. Throws 400 where a rule refuses it. */
export const decide = (
  books: Holding,
  open: readonly Lot[],
  command: CreditCommand,
  time: string,
  most: number,
): Plan => {
  const plan = planCommand(books, open, command, time, most);
  if ('refused' in plan) throw invalid(plan.refused);
  return plan;
};

export const planOf = (unlotted: number, open: readonly Lot[], command: CreditCommand, most = limit): Plan =>
  decide(holding(unlotted, open), open, command, at, most);

/** The messages of the refusal. */
export const faultsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
  } catch (error) {
    const { status, errors } = error as { status: number; errors: string[] };
    expect(status).toBe(400);
    return errors;
  }
  return [];
};
