import { lastYearSum } from '../../lib/avatars/spend.ts';
import { divisionIn, type StockShare } from '../../lib/catalogue/stock.ts';
import type { Item } from '../../lib/table/language.ts';
import type { MemoryTable } from '../../test/lib/table/memory.ts';
import { compareThere, type There } from './there.ts';

/** The values that differ between the two sides: as the command lists them, and as a direct comparison finds them. */

type Values = Readonly<Record<string, unknown>>;

/** The values of each record there, and of the same record here. */
const valuesIn = (table: MemoryTable, store: string, there: There, now: number): [id: string, Values, Values][] => {
  const item = (kind: string, id: string): Item => table.get({ pk: `${store}#${kind}`, sk: id }) ?? {};
  const shares = [...(table.partitions.get(`${store}#STOCK`)?.values() ?? [])] as unknown as StockShare[];
  const copiesOf = (id: string): number =>
    shares.reduce((sum, { sk, copies }) => sum + (divisionIn(sk).id === id ? copies : 0), 0);
  return [
    ...Object.entries(there.customers).map(
      ([id, { regular, restricted, spend, settings }]): [string, Values, Values] => {
        const { sum = 0, days = {} } = item('SPEND', id);
        const { discount = 0, isBanned = false, newsSubscriber = false, ...customer } = item('CUSTOMER', id);
        const { credit = 0, restrictedCredit = 0 } = customer;
        return [
          id,
          {
            ...settings,
            credit: regular,
            restrictedCredit: restricted,
            sum: spend.year + spend.earlier,
            lastYearSum: spend.year,
          },
          {
            ...{ discount, isBanned, newsSubscriber, credit, restrictedCredit, sum },
            lastYearSum: lastYearSum(days as Record<string, number>, now),
          },
        ];
      },
    ),
    ...Object.entries(there.products).map(([id, { settings, copies }]): [string, Values, Values] => {
      const { price, active, availableAmount } = item('PRODUCT', id);
      const here = { price, active, availableAmount: Number(availableAmount) + copiesOf(id) };
      return [id, { ...settings, availableAmount: copies }, here];
    }),
    ...Object.entries(there.coupons).map(([id, { settings }]): [string, Values, Values] => {
      const { discount, active, usesPerCustomer } = item('COUPON', id);
      return [id, settings, { discount, active, usesPerCustomer }];
    }),
    ...Object.entries(there.cards).map(([id, { credit, isRedeemed }]): [string, Values, Values] => {
      const card = item('GIFTCARD', id);
      return [id, { credit, redeemed: isRedeemed }, { credit: card.credit, redeemed: card.redeemed }];
    }),
  ];
};

/** The differing values that the command does not list, and listed values that do not differ. */
export const unlisted = async (table: MemoryTable, store: string, there: There, now: number): Promise<string[]> => {
  const { differences } = await compareThere(store, there);
  const listed = new Set(differences.flatMap(({ id, fields }) => fields.map(({ field }) => `${field} of ${id}`)));
  return valuesIn(table, store, there, now).flatMap(([id, those, these]) =>
    Object.keys(those)
      .filter((name) => (those[name] !== these[name]) !== listed.has(`${name} of ${id}`))
      .map((name) => `The ${name} of ${id} is ${those[name]} there and ${these[name]} here, and is listed wrongly.`),
  );
};
