import { notFound } from '../problem.ts';
import type { StoreRules } from '../routes/rules.ts';
import { sharedKey } from '../table/keys.ts';
import { exists, update } from '../table/language.ts';
import { write } from '../table/table.ts';
import { findStore, type Store } from './stores.ts';

/** The rules of a store are in its item, which every quote and sale reads anyway. So having none costs nothing. */

/** The rules of a store that has set none. */
const noRules: StoreRules = {
  groupDiscount: 0,
  tiers: [],
  bonus: { percent: 0, groupPercent: 0, type: 'restricted', expiresInDays: null },
};

export const rulesOf = ({ rules = noRules }: Pick<Store, 'rules'>): StoreRules => rules;

/** Throws 404 for a store that is being deleted. */
export const getRules = async (id: string): Promise<StoreRules> => {
  const store = await findStore(id);
  if (!store) throw notFound();
  return rulesOf(store);
};

/** Replaces the rules of a store as a whole. Throws 404 for a store that is being deleted. */
export const updateRules = async (id: string, rules: StoreRules): Promise<StoreRules> => {
  const outcome = await write(update(sharedKey('STORE', id), { set: { rules }, when: exists }));
  if (!outcome.done) throw notFound();
  return rules;
};
