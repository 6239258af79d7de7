import type { OperationText } from '../operation-texts.ts';

export const dispenserTexts: Record<string, OperationText> = {
  'dispenser/put-dispenser': {
    description:
      '**An extension of this service, beyond the contract.** The script in the dispenser tells its address with it: at its start, ' +
      'after each restart of its region, and hourly. Deliveries that had been waiting are sent then. A store has one dispenser: the ' +
      'last one that registered. 400 for an address outside the virtual world, 503 while its name cannot be looked up.',
  },
};
