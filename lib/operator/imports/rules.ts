import type { StoreRules } from '../../routes/rules.ts';
import { rulesOf } from '../../store/rules.ts';
import { findStore, type Store } from '../../store/stores.ts';
import { sharedKey } from '../../table/keys.ts';
import { all, exists, is, updated } from '../../table/language.ts';
import { isSameItem } from '../../table/stamp.ts';
import type { Importer } from './rows.ts';

export type RuleFields = Partial<Omit<StoreRules, 'bonus'>> & { bonus?: Partial<StoreRules['bonus']> };

/** The rules of a row, and the store's own rules for the rest. */
const merge = (store: Store, { bonus, ...others }: RuleFields): StoreRules => {
  const rules = rulesOf(store);
  return { ...rules, ...others, bonus: { ...rules.bonus, ...bonus } };
};

/** The rules are part of the store's item. */
export const ruleImporter: Importer<RuleFields> = {
  plan: async (rows, { store }) => {
    const stored = await findStore(store);
    return rows.map((row) => {
      if (!stored)
        return { rows: [row], outcome: { field: 'the row', message: 'cannot be imported: the store is gone' } };
      const rules = merge(stored, row.fields);
      if (isSameItem(rulesOf(stored), rules)) return { rows: [row], outcome: 'unchanged' };
      const found = { ...stored, ...sharedKey('STORE', store) };
      const change = updated(found, { set: { rules }, when: all(exists, is('rules', stored.rules)) });
      return { rows: [row], outcome: 'changed', writes: [change] };
    });
  },
};
