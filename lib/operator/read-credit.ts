import type { CreditLot } from '../credit/lot.ts';
import { listLots } from '../credit/lots.ts';
import { type CreditItem, isSameCredit } from '../credit/state.ts';
import { customerKey } from '../table/keys.ts';
import { getTogether } from '../table/table.ts';

/**
 * The reason that history gives for a repair. The parts of its row need not add up to its amount, since the books were
 * wrong.
 */
export const repairReason = 'The balance was made to agree with the lots (store credit repair).';

/** A customer's item, if there is one, and all their lots, open and closed. */
export interface StoredCredit {
  item: CreditItem | undefined;
  lots: CreditLot[];
}

/**
 * Reads a customer's credit as of one moment. Undefined if it changed meanwhile. A transactional read waits for the end
 * of a change. So one such read before the lots and one after them show that no change was under way.
 */
export const readCredit = async (store: string, uuid: string): Promise<StoredCredit | undefined> => {
  const readItem = async (): Promise<CreditItem | undefined> =>
    (await getTogether<CreditItem>([customerKey(store, uuid)]))[0];
  const before = await readItem();
  const lots = await listLots(store, uuid);
  const item = await readItem();
  // If a large change ends during the read, the version stays the same, but some lots that were read as open are
  // closed.
  const isSame = isSameCredit(before, item) && before?.pending?.id === item?.pending?.id;
  return isSame ? { item, lots } : undefined;
};
