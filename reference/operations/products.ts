import type { OperationText } from '../operation-texts.ts';

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
    description: 'Active products of the store. Filters combine with AND.',
    parameters: {
      limit: 1,
      listed: true,
      bloggable: false,
      category: '00000007-dede-4ede-8ede-000000000003',
      search: 'dress',
    },
    response: {
      data: [
        {
          id: '00000003-dede-4ede-8ede-000000000003',
          name: 'Summer dress',
          price: 333,
          activePrice: 167,
          image: '00000000-0000-0000-0000-000000000000',
          bloggable: false,
          active: true,
          blockCredits: false,
          item: 'Summer dress',
          limited: false,
          availableAmount: 0,
          permissions: { copy: true, modify: false, transfer: false },
          discount: { value: 50, type: 0, startDate: '2026-11-14T12:00:00.000Z', endDate: '2026-11-28T12:00:00.000Z' },
          description: '',
          demoId: null,
          mpListing: 7000003,
          profitShares: [],
        },
      ],
      pagination: { nextCursor: null, previousCursor: null, limit: 1 },
    },
  },
  'products/get-product': {
    description: 'One product, active or not.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000013' },
    response: {
      id: '00000003-dede-4ede-8ede-000000000013',
      name: 'Duet bench',
      price: 800,
      activePrice: 800,
      image: '00000000-0000-0000-0000-000000000000',
      bloggable: false,
      active: true,
      blockCredits: false,
      item: 'Duet bench',
      limited: false,
      availableAmount: 0,
      permissions: { copy: true, modify: false, transfer: false },
      discount: { value: 0, type: 0, startDate: null, endDate: null },
      description: 'Made together.\nProfit is shared.',
      demoId: null,
      mpListing: 0,
      profitShares: [
        { userUuid: '00000002-dede-4ede-8ede-000000000001', percent: 60 },
        { userUuid: '00000002-dede-4ede-8ede-000000000003', percent: 40 },
      ],
    },
  },
  'products/create-product': {
    description:
      'Makes a product. Only `name` and `price` are required. `item` may be left out where the name is a legal item name. 400 for a ' +
      'user of `profitShares` who cannot be found, for shares of more than 100 percent together, and for a `demoId` that is no ' +
      'product of the store.',
    request: product,
    response: {
      id: '01a1fe7f-eba3-7d9d-ab09-60709411663a',
      name: 'Reading chair',
      price: 450,
      activePrice: 360,
      image: '00000000-0000-0000-0000-000000000000',
      bloggable: true,
      active: true,
      blockCredits: false,
      item: 'Reading chair v2',
      limited: false,
      availableAmount: 0,
      permissions: { copy: true, modify: true, transfer: false },
      discount: { value: 20, type: 0, startDate: null, endDate: '2099-01-01T00:00:00.000Z' },
      description: 'Oak and velvet.\nSit, read, sleep.',
      demoId: '00000003-dede-4ede-8ede-000000000002',
      mpListing: 0,
      profitShares: [{ userUuid: '00000002-dede-4ede-8ede-000000000003', percent: 30 }],
    },
    refused: {
      request: { name: 'Chaise «Été»', price: 650, demoId: '00000003-dede-4ede-8ede-999999999999' },
      errors: [
        'item is required here, since the name is no legal item name: it must be 1 to 63 printable ASCII characters without |.',
      ],
    },
  },
  'products/update-product': {
    description:
      '**Replaces** all fields of a product: what you leave out takes its default, not its earlier value. 400 as for creating one.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000014' },
    request: { name: 'Full armchair', price: 500, blockCredits: true, limited: true, availableAmount: 20 },
    response: {
      id: '00000003-dede-4ede-8ede-000000000014',
      name: 'Full armchair',
      price: 500,
      activePrice: 500,
      image: '00000000-0000-0000-0000-000000000000',
      bloggable: false,
      active: true,
      blockCredits: true,
      item: 'Full armchair',
      limited: true,
      availableAmount: 20,
      permissions: { copy: true, modify: false, transfer: false },
      discount: { value: 0, type: 0, startDate: null, endDate: null },
      description: '',
      demoId: null,
      mpListing: 0,
      profitShares: [],
    },
    refused: {
      request: { name: 'Full armchair', price: -1, discount: { value: 150, type: 0 } },
      errors: [
        'price must be a whole number from 0 to 2147483647.',
        'discount.value must be a number from 0 to 100 for type 0, or a whole number of L$ from 0 to 2147483647 for types 1 and 2.',
      ],
    },
  },
  'products/deliver-product': {
    description:
      'Queues a product for delivery by the store’s inworld dispenser and answers at once. The item follows, usually within ' +
      'seconds; while no dispenser can be reached, the delivery waits for up to 14 days. 404 where the product does not exist or ' +
      'is not active, 400 for an unknown recipient. Each request without an Idempotency-Key is another delivery. After a 503 the ' +
      'delivery may have been queued all the same.',
    parameters: { id: '00000003-dede-4ede-8ede-000000000001' },
    request: { recipientIdentifier: 'Ada Lovelace', message: 'Enjoy! 🎁' },
    response: {
      productId: '00000003-dede-4ede-8ede-000000000001',
      recipientUuid: '00000001-dede-4ede-8ede-000000000001',
      recipientUsername: 'ada.lovelace',
      queued: true,
      message: 'Enjoy! 🎁',
    },
    refused: {
      request: { recipientIdentifier: 'nobody.here' },
      errors: ['recipientIdentifier names a resident who does not exist.'],
    },
  },
};
