import { type SpendItem, spendKey } from '../../lib/store/spend.ts';
import type { Kind } from './kind.ts';
import { itemAt, personal } from './personal.ts';

/** What buyers have spent, and how many products they own. */
export const spend: Kind = {
  personal: [
    personal<SpendItem>({
      words: ['record of spend', 'records of spend'],
      effect: 'pseudonym',
      phase: 'customer',
      find: (store, uuid) => itemAt(spendKey(store, uuid)),
      kept: (item, { store, pseudonym, owned }) => ({
        ...item,
        ...spendKey(store, pseudonym),
        username: pseudonym,
        totalOwned: owned,
      }),
    }),
  ],
};
