import { memberOf } from '../../../lib/catalogue/memberships.ts';
import type { Book, RowKind } from '../book.ts';
import { fieldFaults, onceEach } from '../faults.ts';
import { partOf, type Table } from '../table.ts';

/**
 * Rows: products, coupons with their codes, cards, categories, memberships and applications are the acknowledged ones.
 */

const kinds: readonly Exclude<RowKind, 'CUSTOMER'>[] = ['PRODUCT', 'COUPON', 'GIFTCARD', 'CATEGORY'];

const acknowledgedFaults = (table: Table, { rows }: Book): string[] =>
  kinds.flatMap((kind) => [
    ...onceEach(
      kind,
      rows[kind].keys(),
      table.of(kind).map(({ sk }) => sk),
    ),
    ...table.of(kind).flatMap((item) => fieldFaults(`${kind} ${item.sk}`, item, rows[kind].get(item.sk)?.fields ?? {})),
  ]);

const codeFaults = (table: Table, { wins }: Book): string[] => [
  ...onceEach(
    'CODE',
    table.of('COUPON').map(({ folded, id }) => `${folded} of ${id}`),
    table.of('CODE').map(({ sk, id }) => `${sk} of ${id}`),
  ),
  ...[...wins].filter(([, count]) => count > 1).map(([code, count]) => `code ${code} was won ${count} times`),
];

const categoryFaults = (table: Table, { members }: Book): string[] => {
  const inCategories = table.of('MEMBER').filter((item) => members.has(partOf(item)));
  return [
    ...onceEach(
      'MEMBER',
      [...members].flatMap(([id, products]) => [...products].map((product) => `${id} ${product}`)),
      inCategories.map((item) => `${partOf(item)} ${memberOf({ sk: item.sk })}`),
    ),
    ...table.of('CATEGORY').flatMap(({ sk, productCount }) => {
      const count = inCategories.filter((item) => partOf(item) === sk).length;
      return count === productCount ? [] : [`category ${sk} counts ${productCount} products, but has ${count}`];
    }),
  ];
};

const applicationFaults = (table: Table, { applied }: Book): string[] =>
  onceEach(
    'APPLIED',
    [...applied].map(([place, coupon]) => `${place}: ${coupon}`),
    table.of('APPLIED').map((item) => `${partOf(item)} ${item.sk}: ${item.couponId}`),
  );

export const rowFaults = (table: Table, book: Book): string[] => [
  ...acknowledgedFaults(table, book),
  ...codeFaults(table, book),
  ...categoryFaults(table, book),
  ...applicationFaults(table, book),
];
