import { ruleImporter } from '../../../lib/operator/imports/rules.ts';
import { type StoreRules, updateRules } from '../../../lib/routes/rules.ts';
import { findStore } from '../../../lib/store/stores.ts';
import { fixed, type ItemForm, readNumber } from '../../shared/cells.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';

/** Tiers as CSV: 1000:3;10000:7.5. */
const tierForm: ItemForm<StoreRules['tiers'][number]> = {
  read: (item) => {
    const [from, percent, ...more] = item.split(':').map((part) => readNumber(part.trim()));
    return from === undefined || percent === undefined || more.length > 0 ? item : { from, percent };
  },
  write: ({ from, percent }) => `${from}:${fixed(percent)}`,
};

async function* rowsOfRules(id: string): AsyncGenerator<Values> {
  const store = await findStore(id);
  if (store?.rules) yield { ...store.rules };
}

const { groupDiscount, tiers, bonus } = updateRules.body.shape;
const { percent, groupPercent, type, expiresInDays } = bonus.unwrap().shape;

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
