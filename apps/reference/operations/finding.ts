import type { OperationText } from '../operation-text.ts';

export const findingTexts: Record<string, OperationText> = {
  'finding/list-names': {
    description:
      '**An extension of this service, beyond the contract.** Names of the store’s customers that begin with a text, by name: for a box ' +
      'in which somebody types. A customer who had other names is found by each of them. A new customer is found within seconds.',
    parameters: { prefix: 'vera v', limit: 10 },
  },
  'finding/limit-coupon': {
    description:
      '**An extension of this service, beyond the contract.** **Replaces** the last day of a coupon and its number of uses; everything ' +
      'else stays. A time that is over ends the coupon now. Sales that were made before count as uses.',
    parameters: { id: '00000004-dede-4ede-8ede-000000000003' },
    request: { expiration: '2030-12-24T18:00:00Z', usesPerCustomer: 1 },
    refused: { expiration: 'Christmas', usesPerCustomer: 1 },
  },
};
