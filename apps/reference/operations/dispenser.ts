import type { OperationText } from '../operation-text.ts';

export const dispenserTexts: Record<string, OperationText> = {
  'dispenser/register-dispenser': {
    description:
      '**An extension of this service, beyond the contract.** The script in the dispenser tells its address with it: at its start, ' +
      'after each restart of its region, and hourly. Deliveries that had been waiting are sent then. A store has up to 10 ' +
      'boxes, each with a name, and of each name the last one that registered; deliveries ask them by `priority`, then by name. 400 for an address outside the virtual world, 503 while its name cannot be looked up.',
    request: {
      url: 'http://127.0.0.1:8080/cap/6f0e1c5e-8f0b-4e0c-9d51-0c2f3a7b9e42',
      region: 'Da Boom',
      items: ['Reading chair v2'],
    },
    refused: { url: 'http://example.org/dispenser' },
  },
  'dispenser/list-dispensers': {
    description:
      '**An extension of this service, beyond the contract.** The boxes that hand out products, in the order in which a delivery ' +
      'asks them: by `priority`, then by name. A box stays in the list when it is lost, until the operator removes it with ' +
      '`store dispenser remove`. No secrets.',
  },
};
