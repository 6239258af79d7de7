import type { OperationText } from '../operation-texts.ts';

export const eventTexts: Record<string, OperationText> = {
  'events/list-events': {
    description:
      '**An extension of this service, beyond the contract.** Events of the last 30 days, in the order in which they were noted, ' +
      'usually within a second of the change; those of one customer, card, sale, delivery or store in the order of its changes. The list ends 10 seconds ago: who goes on `after` the last event misses none. An ' +
      'event that comes again has the same `id`. `data` is the answer of the API about the thing as it was after the change.',
    parameters: { limit: 1, type: 'credit.changed' },
  },
};
