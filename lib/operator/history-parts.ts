import type { LotPart } from '../credit/history.ts';
import { asDecided, type CreditLot, changedIn, lotId, lotType } from '../credit/lot.ts';
import { type CreditType, creditTypes } from '../credit/rules.ts';
import type { CreditItem } from '../credit/state.ts';
import { missingParts, openAmounts, type RecordedChange } from './audit-history.ts';
import { type AddedRows, amountsBy, streamEnd } from './history-gaps.ts';

/** The parts of lots that rows of a customer's history lack because the stream has lost the lots' records. */

/** Parts of lots that a row lacks. */
export interface LostParts extends AddedRows {
  type: CreditType;
  lots: LotPart[];
}

/** A lot, and the part of it that no row has. */
interface UntoldPart {
  lot: CreditLot;
  part: LotPart;
}

/** The rest in each lot of a type, less the parts that rows have. */
const untoldParts = (
  item: CreditItem,
  changes: readonly RecordedChange[],
  lots: readonly CreditLot[],
  type: CreditType,
): UntoldPart[] => {
  const open = openAmounts(item, lots, type);
  const told = new Map<string, number>();
  for (const change of changes)
    if (change.type === type) for (const { id, amount } of change.lots) told.set(id, (told.get(id) ?? 0) + amount);
  return lots
    .filter((lot) => lotType(lot) === type)
    .map((lot) => asDecided(lot, item))
    .map((lot) => {
      const id = lotId(lot);
      return { lot, part: { id, amount: (open.get(id) ?? 0) - (told.get(id) ?? 0), expiresAt: lot.expiresAt } };
    })
    .filter(({ part }) => part.amount !== 0);
};

/** The lots that a change added, with their first amounts. A lot names the version before its change. */
const addedBy = (sequence: number, lots: readonly CreditLot[], type: CreditType): UntoldPart[] =>
  lots
    .filter((lot) => lotType(lot) === type && lot.version + 1 === sequence)
    .map((lot) => ({ lot, part: { id: lotId(lot), amount: lot.amount, expiresAt: lot.expiresAt } }));

/** The parts that one row lacks; undefined if no group of parts adds up to `amount`. */
const partsOfRow = (
  sequence: number,
  amount: number,
  { untold, added, isOnlyRow }: { untold: readonly UntoldPart[]; added: readonly UntoldPart[]; isOnlyRow: boolean },
): LotPart[] | undefined => {
  const named = untold.filter(({ lot }) => changedIn(lot) === sequence);
  const found = [named, isOnlyRow ? untold : [], added].find(
    (some) => some.reduce((sum, { part }) => sum + part.amount, 0) === amount,
  );
  return found?.map(({ part }) => part);
};

/**
 * Finds the parts that rows lack. A lot names the last change that touched it, so its untold part belongs to that row.
 * If only one row lacks parts, all untold parts belong to it. If a later change took from a lot and its record is lost
 * too, the lot still knows its first amount: that is the part of the change that added it. If none of these equals the
 * missing amount of a row, that row is a fault.
 */
export const planParts = (
  item: CreditItem,
  changes: readonly RecordedChange[],
  lots: readonly CreditLot[],
): { parts: LostParts[]; faults: string[] } => {
  const parts: LostParts[] = [];
  const faults: string[] = [];
  if (item.pending) return { parts, faults };
  const until = streamEnd();
  for (const type of creditTypes) {
    const short = changes.filter((change) => change.type === type && missingParts(change) !== 0);
    const untold = short.length === 0 ? [] : untoldParts(item, changes, lots, type);
    for (const change of short) {
      const { sequence, at } = change;
      const amount = missingParts(change);
      const added = addedBy(sequence, lots, type);
      const found = partsOfRow(sequence, amount, { untold, added, isOnlyRow: short.length === 1 });
      const amounts = amountsBy((of) => (of === type ? amount : 0));
      if (at > until)
        faults.push(`customer ${item.sk}: history lacks parts of the change ${sequence}, which may still come.`);
      else if (!found) faults.push(`customer ${item.sk}: nobody can tell which lots the change ${sequence} lacks.`);
      else parts.push({ kind: 'parts', first: sequence, last: sequence, ...amounts, type, lots: found });
    }
  }
  return { parts, faults };
};
