/**
 * Says whose value counts if this store and the outside, a file or another service, tell the same value differently.
 * Each value has one authority at a time, and its item says which. The help of imports and
 * docs/adr/0062-whose-word-counts.md show these rows.
 */

/** The classes of values. */
export const classes = {
  'used up': 'others set it until this store has acted on it, and never again',
  record: 'it comes in once, and sums follow from it',
  setting: 'a file is a person’s word of now; a move keeps what was changed here',
  act: 'a customer has done it here, and nothing from outside undoes it',
  own: 'this store alone writes it',
} as const;

export interface Word {
  values: string;
  /** The file that holds the value. */
  file?: string;
  class: keyof typeof classes;
  /** Everybody who writes the value. */
  writers: string;
  /** How the item shows that this store has changed it. */
  touched: string;
  /** The effect of a file and of a move afterwards. */
  after: string;
}

export const words: readonly Word[] = [
  {
    values: 'credit: balance, lots, permanent credit',
    file: 'credit',
    class: 'used up',
    writers: 'requests, sales, refunds, gifts, sweep, import, move, erasure, repair',
    touched: '`creditVersion` is not `importedVersion`',
    after: 'nothing; a row that says otherwise is refused, a move lists both balances',
  },
  {
    values: 'gift card: credit, active, redeemed, transfer, texture',
    file: 'giftcards',
    class: 'used up',
    writers: 'requests, sales, refunds, import, move, erasure',
    touched: '`grantedAt`, `redeemedAt`, `refundedAt`, or values that are not `told`',
    after: 'nothing; a row that says otherwise is refused, a move lists both cards',
  },
  {
    values: 'copies of a limited product',
    file: 'products',
    class: 'used up',
    writers: 'requests, sales, refunds, import, move',
    touched: 'the product is there',
    after:
      'a file leaves and lists them, and sets them with `--set-stock`; a move adds what the other side’s number has changed',
  },
  {
    values: 'product: name, price, texts, discount, shares, active',
    file: 'products',
    class: 'setting',
    writers: 'requests, runs of prices, import, move, erasure',
    touched: 'the digest of these values is not `told`',
    after: 'a file replaces them, and its plan says which prices change; a move lists both values',
  },
  {
    values: 'categories of a product',
    file: 'products',
    class: 'setting',
    writers: 'requests, import, move',
    touched: 'the product is in others than `toldIn`',
    after: 'a file replaces them; a move brings and ends only those that are news there',
  },
  {
    values: 'coupon: code, percentages, limits, active',
    file: 'coupons',
    class: 'setting',
    writers: 'requests, import, move',
    touched: 'the digest of these values is not `told`',
    after: 'a file replaces them, and its plan says which limits it loosens; a move lists both values. The owner stays',
  },
  {
    values: 'customer: ban, discount, subscription',
    file: 'customers',
    class: 'setting',
    writers: 'requests, import, move, erasure',
    touched: 'the digest of these values is not `told`; without `told` they are not the defaults',
    after: 'a file replaces them, and its plan says how many bans it lifts; a move lists both values',
  },
  {
    values: 'rules of the store, category, webhook',
    file: 'rules',
    class: 'setting',
    writers: 'requests, import',
    touched: '-',
    after: 'a file replaces them; a webhook is switched off by it',
  },
  {
    values: 'applied coupon',
    file: 'applied',
    class: 'act',
    writers: 'requests, import, DynamoDB deletes it',
    touched: 'one is there that has not lapsed, or was revoked',
    after: 'only a later end of the same coupon',
  },
  {
    values: 'sale',
    file: 'sales',
    class: 'record',
    writers: 'requests, refunds, import, notes of debts, erasure',
    touched: 'it is there',
    after: 'nothing; a row with other facts or another state is refused',
  },
  {
    values: 'purchase',
    file: 'purchases',
    class: 'record',
    writers: 'import, move, erasure',
    touched: 'it is there',
    after: 'nothing, but a sum of unknown purchases may be corrected; a row with other facts is refused',
  },
  {
    values: 'spend, owned products, uses of coupons',
    class: 'record',
    writers: 'sales, refunds, import, move, erasure',
    touched: '-',
    after:
      'they are sums of records: a move carries what is told there less what imports brought in single rows, and own sales stay on top',
  },
  {
    values: 'names of avatars',
    file: 'residents',
    class: 'setting',
    writers: 'operator, stores, boxes, import, erasure',
    touched: '`source`',
    after: 'the operator’s word before that of a store ([Residents](../guides/residents.md#who-names-an-avatar))',
  },
  {
    values: 'what is owed, payouts, history, days, events, vendors, boxes, keys, log',
    class: 'own',
    writers: 'requests, consumer, begin and book, repair, erasure',
    touched: 'always',
    after: 'nothing: no import brings them',
  },
];
