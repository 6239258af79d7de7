import type { IndexName } from '../lib/table/schema.ts';

/** A function's uses of the table: DynamoDB's actions, and the indexes that it queries. */
export type TableUse =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'ConditionCheckItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | IndexName;

/**
 * Every endpoint has the code that keeps a request with an Idempotency-Key. The kinds of its row say which of this it
 * may do.
 */
const endpoint = (...more: TableUse[]): TableUse[] => [
  ...(['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] as const),
  ...more,
];

/**
 * The uses by function. A role allows no others. test/infra/bundles.test.ts compares this with the code of each bundle,
 * from which esbuild leaves out what the function never calls: so a role holds what a path that no test takes needs
 * too.
 */
export const tableUses: Readonly<Record<string, readonly TableUse[]>> = {
  'categories/add-product': endpoint('BatchGetItem', 'ConditionCheckItem'),
  'categories/create-category': endpoint(),
  'categories/delete-category': endpoint('ConditionCheckItem'),
  'categories/get-category': endpoint(),
  'categories/list-categories': endpoint(),
  'categories/remove-product': endpoint('ConditionCheckItem'),
  'categories/update-category': endpoint(),
  'coupons/apply-coupon': endpoint('BatchGetItem', 'byRank'),
  'coupons/create-coupon': endpoint('BatchGetItem'),
  'coupons/get-coupon': endpoint(),
  'coupons/list-coupons': endpoint('BatchGetItem', 'byFlags'),
  'coupons/list-customer-coupons': endpoint('BatchGetItem'),
  'coupons/list-owner-coupons': endpoint('BatchGetItem', 'byRank'),
  'coupons/revoke-coupon': endpoint('BatchGetItem', 'byRank'),
  'coupons/update-coupon': endpoint(),
  'customers/ban-customer': endpoint('BatchGetItem'),
  'customers/get-credit': endpoint('BatchGetItem'),
  'customers/get-customer': endpoint('BatchGetItem'),
  'customers/get-spend': endpoint('BatchGetItem'),
  'customers/increment-credit': endpoint('BatchGetItem'),
  'customers/increment-restricted-credit': endpoint('BatchGetItem'),
  'customers/list-credit-history': endpoint('BatchGetItem'),
  'customers/list-credit-lots': endpoint('BatchGetItem'),
  'customers/list-customers': endpoint('BatchGetItem', 'byFlags', 'byRank'),
  'customers/set-credit': endpoint('BatchGetItem'),
  'customers/set-restricted-credit': endpoint('BatchGetItem'),
  'customers/unban-customer': endpoint('BatchGetItem'),
  'customers/update-customer': endpoint('BatchGetItem'),
  'deliveries/get-delivery': endpoint(),
  'deliveries/list-deliveries': endpoint('BatchGetItem', 'byFlags', 'byRank'),
  'deliveries/retry-delivery': endpoint(),
  'delivery-worker': [
    'GetItem',
    'BatchGetItem',
    'Query',
    'ConditionCheckItem',
    'PutItem',
    'UpdateItem',
    'BatchWriteItem',
    'byDue',
  ],
  'dispenser/put-dispenser': endpoint(),
  'events/list-events': endpoint('BatchGetItem', 'byRank'),
  'expiry-sweep': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'byFlags', 'byRank', 'byDue'],
  'gift-cards/disable-gift-card': endpoint(),
  'gift-cards/get-gift-card': endpoint(),
  'gift-cards/grant-gift-card': endpoint('BatchGetItem'),
  'gift-cards/list-gift-cards': endpoint('BatchGetItem', 'byRank'),
  'gift-cards/redeem-gift-card': endpoint('BatchGetItem'),
  'gift-cards/update-gift-card': endpoint(),
  'products/create-product': endpoint('BatchGetItem'),
  'products/deliver-product': endpoint('BatchGetItem'),
  'products/get-product': endpoint(),
  'products/list-owned-products': endpoint('BatchGetItem'),
  'products/list-products': endpoint('BatchGetItem', 'byFlags', 'byText'),
  'products/redeliver-product': endpoint('BatchGetItem', 'byFlags'),
  'products/update-product': endpoint('BatchGetItem', 'ConditionCheckItem'),
  'resident-lookup': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],
  'residents/put-resident': endpoint('BatchGetItem'),
  'sales/create-quote': endpoint('BatchGetItem'),
  'sales/create-sale': endpoint('BatchGetItem', 'ConditionCheckItem'),
  'sales/get-sale': endpoint(),
  'sales/list-sales': endpoint('BatchGetItem', 'byRank', 'byDue'),
  'sales/refund-sale': endpoint('BatchGetItem', 'ConditionCheckItem'),
  'store/close-store': endpoint(),
  'store/end-key': endpoint(),
  'store/get-days': endpoint(),
  'store/get-store': endpoint(),
  'store/open-store': endpoint(),
  'stream-consumer': ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],
  webhooks: endpoint('BatchGetItem', 'byFlags'),
};

/** The uses of a function. Throws for one that has no line: without it a role would allow all actions. */
export const usedBy = (entry: string): readonly TableUse[] => {
  const uses = tableUses[entry];
  if (uses) return uses;
  throw new Error(
    `infra/table-uses.ts has no line for ${entry}. Add '${entry}': endpoint(), and what test/infra/bundles.test.ts then names.`,
  );
};
