import { putRules, type StoreRules } from '../../../lib/routes/rules.ts';
import { rulesOf } from '../../../lib/store/rules.ts';
import { findStore, type Store } from '../../../lib/store/stores.ts';
import { all, exists, is, updated } from '../../../lib/table/language.ts';
import { sharedKey } from '../../../lib/table/schema.ts';
import { isSameItem } from '../../../lib/table/stamp.ts';
import { fixed, type ItemForm, readNumber } from '../../shared/cells.ts';
import { nested } from '../../shared/nested.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import type { Importer } from './rows.ts';

/** Tiers as CSV: 1000:3;10000:7.5. */
const tierForm: ItemForm<StoreRules['tiers'][number]> = {
  read: (item) => {
    const [from, percent, ...more] = item.split(':').map((part) => readNumber(part.trim()));
    return from === undefined || percent === undefined || more.length > 0 ? item : { from, percent };
  },
  write: ({ from, percent }) => `${from}:${fixed(percent)}`,
};

/** The columns of a row as rules, beside those that a store has. */
const merge = (store: Store, fields: Values): StoreRules => {
  const { bonus, ...others } = nested(Object.entries(fields)) as Partial<StoreRules>;
  const rules = rulesOf(store);
  return { ...rules, ...others, bonus: { ...rules.bonus, ...bonus } };
};

/** The rules lie in the item of the store. */
const ruleImporter: Importer<Values> = {
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

async function* rowsOfRules(id: string): AsyncGenerator<Values> {
  const store = await findStore(id);
  if (store?.rules) yield { ...store.rules };
}

const { groupDiscount, tiers, bonus } = putRules.body.shape;
const { percent, groupPercent, type, expiresInDays } = bonus.unwrap().shape;

/** The discounts and the bonus for all buyers. */
export const rules: Kind = {
  file: {
    name: 'rules',
    summary: 'the discounts for all buyers and the bonus of the store: one row, or none',
    columns: columns({
      groupDiscount: ['number', groupDiscount, 'percent off for buyers who wear the tag of the group'],
      tiers: [tierForm as ItemForm<unknown>, tiers, 'percent off by the spend of a year: L$:percent;L$:percent'],
      'bonus.percent': ['number', percent, 'percent of the L$ paid that a buyer gets as credit'],
      'bonus.groupPercent': ['number', groupPercent, 'the same for buyers who wear the tag of the group'],
      'bonus.type': ['text', type, 'regular or restricted'],
      'bonus.expiresInDays': ['integer', expiresInDays, 'days after which a bonus expires; empty: never'],
    }),
    unique: () => ({ groupDiscount: ['the row of the rules'] }),
    importer: () => ruleImporter,
    rows: rowsOfRules,
  },
};
