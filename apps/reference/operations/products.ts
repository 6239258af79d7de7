import type { OperationText } from '../operation-text.ts';

const product = {
  name: 'Reading chair',
  price: 450,
  listed: true,
  bloggable: true,
  permissions: { copy: true, modify: true, transfer: false },
  discount: { value: 20, type: 0, startDate: null, endDate: '2099-01-01T00:00:00Z' },
  item: 'Reading chair v2',
  description: 'Oak and velvet.\nSit, read, sleep.',
  profitShares: [{ username: 'partner.builder', percent: 30 }],
  demoId: '00000003-dede-4ede-8ede-000000000002',
};

export const productTexts: Record<string, OperationText> = {
  'products/list-products': {
    description:
      'Active products of the store, or with `active=false` (an extension of this service) the inactive ones. Filters combine with AND.',
    parameters: {
      limit: 1,
      listed: true,
      bloggable: false,
      category: '00000007-dede-4ede-8ede-000000000003',
      search: 'dress',
    },
  },
  'products/get-product': {
    description: 'One product, active or not.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000013' },
  },
  'products/create-product': {
    description:
      'Makes a product. Only `name` and `price` are required. `item` may be left out where the name is a legal item name. 400 for a ' +
      'user of `profitShares` who cannot be found, for shares of more than 100 percent together, and for a `demoId` that is no ' +
      'product of the store.',
    request: product,
    refused: { name: 'Chaise «Été»', price: 650, demoId: '00000003-dede-4ede-8ede-999999999999' },
  },
  'products/update-product': {
    description:
      '**Replaces** all fields of a product: a field that you leave out takes its default, not its earlier value. So send `listed` each ' +
      'time, which no answer has: `GET /v1/products?listed=false` lists the hidden products. 400 as for creating one.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000014' },
    request: { name: 'Wingback armchair', price: 500, blockCredits: true, limited: true, availableAmount: 20 },
    refused: { name: 'Wingback armchair', price: -1, discount: { value: 150, type: 0 } },
  },
  'products/deliver-product': {
    description:
      'Queues a product for delivery by the store’s inworld dispenser and answers at once. The item follows, usually within ' +
      'seconds; while no dispenser can be reached, the delivery waits for up to 14 days. 404 where the product does not exist or ' +
      'is not active, 400 for an unknown recipient. Each request without an Idempotency-Key is another delivery; all ' +
      'requests with one are the same delivery. After a 503 it may have been queued all the same.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000001' },
    request: { recipientIdentifier: 'Ada Lovelace', message: 'Enjoy! 🎁' },
    refused: { recipientIdentifier: 'nobody.here' },
  },
  'products/list-owned-products': {
    description:
      '**An extension of this service, beyond the contract.** The products that a customer has bought, as sales and imported ' +
      'purchases tell, in the order of their ids.',
    parameters: { identifier: 'nova', limit: 2 },
  },
  'products/redeliver-product': {
    description:
      '**An extension of this service, beyond the contract.** Queues a product for delivery to a customer who owns it and may ' +
      'have copies (`permissions.copy`), also where it is not sold any more. 400 within 60 seconds of a completed sale of it ' +
      'to them, of another redelivery, and of a `deliver` that has been tried. After a 503 the queue may have it: a request in the same minute orders the same delivery.',
    parameters: { identifier: 'nova', productId: '00000003-dede-4ede-8ede-000000000001' },
    request: { message: 'Here it is again.' },
    refused: { message: '\u0007' },
  },
};
