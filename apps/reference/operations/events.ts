import type { OperationText } from '../operation-text.ts';

export const eventTexts: Record<string, OperationText> = {
  'events/list-events': {
    description:
      '**An extension of this service, beyond the contract.** Events of the last 30 days, in the order in which they were noted, ' +
      'usually within a second of the change; those of one customer, card, sale, delivery or store in the order of its changes. The list ends 10 seconds ago: who goes on `after` the last event misses none. An ' +
      'event that comes again has the same `id`. Events that the key may not read are left out: `sale.completed` asks for `sales:read` too, ' +
      '`credit.changed` for `credits:read`, and so on; `store.*` for no more. A `type` that it may not read is 403. `data` is the answer of the API about the thing as it was after the change.',
    parameters: { limit: 1, type: 'credit.changed' },
  },
  'journal/list-journal': {
    description:
      '**An extension of this service, beyond the contract.** Who changed products, prices, coupons, categories, customers, credit, gift cards, ' +
      'rules, keys and more, with the values before and after, usually within two seconds of the change; the rows of one thing are in the ' +
      'order of its changes. Sales, deliveries, quotes and applied coupons have lists of their own. Rows of kinds that the key may not read are ' +
      'left out, so a page may be short or empty: `nextCursor` alone says whether more follow. A page looks at no more than 1,000 rows. No row ' +
      'has a secret, an address, a note, a reference or a reason, except the reason for which the store was closed.',
    parameters: { limit: 1, kind: 'product.changed' },
  },
};
