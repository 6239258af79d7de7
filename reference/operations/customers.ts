import type { OperationText } from '../operation-texts.ts';

const vera = { identifier: 'vera.vendor' };

const setText = (type: string) =>
  `Sets the ${type} balance. **Destructive**: every open lot of ${type} credit is closed as superseded, in the same transaction. ` +
  'With `expiresAt` the whole new balance is one lot that expires then; without, it is permanent credit. The other type of credit ' +
  'stays as it is. 400 for a time that is past or a balance over the credit limit; nothing is changed then.';

const incrementText = (type: string) =>
  `Adds to the ${type} balance, or takes from it with a negative \`delta\`. Never closes a lot that still holds credit. What is ` +
  'added is a lot of its own with `expiresAt`, permanent credit without. What is taken comes from the lots, the ' +
  'earliest-expiring first, and from permanent credit last. 400 where more is taken than the customer can spend, where the ' +
  'balance would pass the credit limit, and for `expiresAt` with a negative `delta`.';

export const customerTexts: Record<string, OperationText> = {
  'customers/list-customers': {
    description:
      'Residents about whom the store has written something: credit, spend, a ban, a coupon, a gift card. Filters combine with AND.',
    parameters: { limit: 2, spentMoreThan: 400 },
    response: {
      data: [
        {
          uuid: '00000002-dede-4ede-8ede-000000000001',
          username: 'vera.vendor',
          credit: 950,
          restrictedCredit: 1000,
          discount: 0,
          newsSubscriber: false,
          isBanned: false,
        },
        {
          uuid: '00000002-dede-4ede-8ede-000000000002',
          username: 'nova',
          credit: 0,
          restrictedCredit: 0,
          discount: 10,
          newsSubscriber: true,
          isBanned: false,
        },
      ],
      pagination: { nextCursor: null, previousCursor: null, limit: 2 },
    },
  },
  'customers/get-customer': {
    description:
      'One customer with balances, discount and ban. A resident the store knows nothing about is a customer with zeros.',
    parameters: { identifier: 'Vera Vendor' },
    response: {
      uuid: '00000002-dede-4ede-8ede-000000000001',
      username: 'vera.vendor',
      credit: 950,
      restrictedCredit: 1000,
      discount: 0,
      newsSubscriber: false,
      isBanned: false,
    },
  },
  'customers/get-credit': {
    description:
      'The stored balances. They can be higher than what can be spent for a short while after a lot has come due, until the expiry ' +
      'sweep (each minute) or the next change of the credit closes it.',
    parameters: vera,
    response: {
      uuid: '00000002-dede-4ede-8ede-000000000001',
      username: 'vera.vendor',
      credit: 950,
      restrictedCredit: 1000,
    },
  },
  'customers/get-spend': {
    description: 'What a customer has spent in the store, and how many products they own.',
    parameters: { identifier: 'stella' },
    response: {
      uuid: '00000002-dede-4ede-8ede-000000000002',
      username: 'nova',
      sum: 1000,
      lastYearSum: 600,
      totalOwned: 4,
    },
  },
  'customers/update-customer': {
    description: 'Changes the discount, the news subscription or both. What you leave out stays as it is.',
    parameters: { identifier: 'bob.linden' },
    request: { discount: 15, newsSubscriber: true },
    response: {
      uuid: '00000001-dede-4ede-8ede-000000000006',
      username: 'bob.linden',
      credit: 0,
      restrictedCredit: 0,
      discount: 15,
      newsSubscriber: true,
      isBanned: false,
    },
    refused: { request: { discount: 12.5 }, errors: ['discount must be a whole number from 0 to 100.'] },
  },
  'customers/set-credit': {
    description: setText('regular'),
    parameters: { identifier: 'cleo' },
    request: { credit: 750, expiresAt: '2099-01-01T00:00:00Z' },
    response: {
      uuid: '00000001-dede-4ede-8ede-000000000012',
      username: 'cleo',
      credit: 750,
      restrictedCredit: 0,
    },
    refused: {
      request: { credit: 750, expiresAt: '2020-01-01T00:00:00Z' },
      errors: ['expiresAt must be in the future.'],
    },
  },
  'customers/set-restricted-credit': {
    description: setText('restricted'),
    parameters: { identifier: 'dara.moonwall' },
    request: { credit: 250 },
    response: {
      uuid: '00000001-dede-4ede-8ede-000000000015',
      username: 'dara.moonwall',
      credit: 0,
      restrictedCredit: 250,
    },
    refused: { request: { credit: '250' }, errors: ['credit must be a whole number from 0 to 2147483647.'] },
  },
  'customers/increment-credit': {
    description: incrementText('regular'),
    parameters: vera,
    request: { delta: 100, expiresAt: '2099-01-01T00:00:00+02:00' },
    response: {
      uuid: '00000002-dede-4ede-8ede-000000000001',
      username: 'vera.vendor',
      credit: 1050,
      restrictedCredit: 1000,
    },
    refused: {
      request: { delta: -5000 },
      errors: ['delta must not remove more than the customer holds, which is 950.'],
    },
  },
  'customers/increment-restricted-credit': {
    description: incrementText('restricted'),
    parameters: vera,
    request: { delta: -400 },
    response: {
      uuid: '00000002-dede-4ede-8ede-000000000001',
      username: 'vera.vendor',
      credit: 1050,
      restrictedCredit: 600,
    },
    refused: {
      request: { delta: -10, expiresAt: '2099-01-01T00:00:00Z' },
      errors: ['expiresAt must be left out when delta is negative.'],
    },
  },
  'customers/ban-customer': {
    description: 'Marks a customer as banned, with a reason if one is sent. Idempotent. The body may be left out.',
    parameters: { identifier: 'ezra.linden' },
    request: { reason: 'Resold copies of the Numbered print.' },
    response: { uuid: '00000001-dede-4ede-8ede-000000000018', username: 'ezra.linden', isBanned: true },
  },
  'customers/unban-customer': {
    description: 'Lifts a ban and deletes its reason. Idempotent.',
    parameters: { identifier: 'partner.builder' },
    response: { uuid: '00000002-dede-4ede-8ede-000000000003', username: 'partner.builder', isBanned: false },
  },
};
