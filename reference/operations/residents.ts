import type { OperationText } from '../operation-texts.ts';

export const residentTexts: Record<string, OperationText> = {
  'residents/put-resident': {
    description:
      '**An extension of this service, beyond the contract.** Makes an avatar known to this store, such as a buyer whom a vendor ' +
      'has just met; no other store sees the name, and nobody becomes a customer. The operator’s word wins: a resident whom the ' +
      'operator knows is answered as known, unchanged. 400 for a name that is another resident’s for the operator. A name that ' +
      'this store has for another avatar stays there: the newcomer is known without it, and is called by the UUID if there is no ' +
      'other name.',
    parameters: { uuid: 'a1b2c3d4-0000-4000-8000-5e5e5e5e5e01' },
    request: { username: 'Wanda Walker' },
    refused: { username: 'vera.vendor' },
  },
};
