import type { CreditLot, LotsRead } from '../../../lib/credit/lot.ts';
import type { CreditFacts } from '../../../lib/credit/plan.ts';
import { type CreditType, isDue } from '../../../lib/credit/rules.ts';
import { attributes, type CreditItem } from '../../../lib/credit/state.ts';

/** Facts of a customer's credit as a change reads them, without a table. */

const epoch = 'e1';

const number = (index: number): string => String(index).padStart(6, '0');

/** Open lots, in the order of their ends. */
export const lotsOf = (type: CreditType, parts: readonly [expiresAt: string, remaining: number][]): CreditLot[] =>
  parts
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([expiresAt, remaining], index) => ({
      ...{ pk: 'store#LOT#ada', sk: `${type}#${epoch}#${expiresAt}#${number(index)}` },
      ...{ expiresAt, remaining, amount: remaining, state: 'open', version: 0 },
      ...{ createdAt: '2027-01-01T00:00:00.000Z', createdBy: 'test' },
    }));

/** A customer's item that agrees with these lots. */
export const itemWith = (
  unlotted: Partial<Record<CreditType, number>>,
  lots: Partial<Record<CreditType, readonly CreditLot[]>>,
): CreditItem => {
  const held = (['regular', 'restricted'] as const).map((type) => {
    const names = attributes[type];
    const open = lots[type] ?? [];
    const outside = unlotted[type] ?? 0;
    return {
      [names.balance]: open.reduce((sum, { remaining }) => sum + remaining, outside),
      [names.unlotted]: outside,
      [names.lots]: open.length,
      ...(open[0] && { [names.due]: open[0].expiresAt, [names.epoch]: epoch, [names.newest]: open[0].sk }),
    };
  });
  return Object.assign({ pk: 'store#CUSTOMER', sk: 'ada', username: 'ada', creditVersion: 5 }, ...held);
};

/** Lots as they are read to the end of their epoch, or only the first ones. */
export const readOf = (lots: readonly CreditLot[], count = lots.length): LotsRead => {
  const open = lots.slice(0, count);
  return {
    open,
    first: open[0],
    seen: open.map(({ sk }) => sk),
    touchedIn: 1,
    reach: count >= lots.length ? 'end' : 'enough',
    through: open.at(-1)?.sk ?? '',
  };
};

/** The lots that are due, as an estimate reads them. */
export const dueOf = (lots: readonly CreditLot[], at: string): LotsRead => {
  const due = lots.filter(({ expiresAt }) => isDue(expiresAt, at));
  return { ...readOf(due), reach: 'due', through: `${lots[0]?.sk.split('#').slice(0, 2).join('#')}#${at}~` };
};

export const factsWith = (item: CreditItem, lots: CreditFacts['lots'] = {}, isAtRest = true): CreditFacts => ({
  item,
  isAtRest,
  lots,
});
