import type { StoreCommand } from '../terminal/command.ts';
import { addCreditBackfill } from './credit-backfill.ts';
import { addCreditGive } from './credit-give.ts';
import { addCreditRepair } from './credit-repair.ts';
import { addGroup } from './endpoints.ts';

/** Adds the commands of endpoints, and three that no endpoint has. */
export const addCredit = (program: StoreCommand): void => {
  const credit = addGroup(program, 'credit');
  addCreditGive(credit);
  addCreditRepair(credit);
  addCreditBackfill(credit);
};
