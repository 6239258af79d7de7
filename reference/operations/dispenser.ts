import type { OperationText } from '../operation-text.ts';

export const dispenserTexts: Record<string, OperationText> = {
  'dispenser/put-dispenser': {
    description:
      '**An extension of this service, beyond the contract.** The script in the dispenser tells its address with it: at its start, ' +
      'after each restart of its region, and hourly. Deliveries that had been waiting are sent then. A store has one dispenser: the ' +
      'last one that registered. 400 for an address outside the virtual world, 503 while its name cannot be looked up.',
    request: {
      url: 'https://simhost-0d1c2b3a4f5e6d7c8.agni.secondlife.io:12043/cap/6f0e1c5e-8f0b-4e0c-9d51-0c2f3a7b9e42',
      region: 'Da Boom',
      items: ['Reading chair v2'],
    },
    refused: { url: 'http://example.org/dispenser' },
  },
};
