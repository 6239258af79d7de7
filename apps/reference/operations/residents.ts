import type { OperationText } from '../operation-text.ts';

export const residentTexts: Record<string, OperationText> = {
  'residents/update-resident': {
    description:
      '**An extension of this service, beyond the contract.** Makes an avatar known to this store, such as a buyer that a vendor ' +
      'has just met; no other store sees the name, and nobody becomes a customer. The operator’s word wins: a resident that the ' +
      'operator knows is answered as known, unchanged. 400 for a name that is another resident’s for the operator. A name that ' +
      'this store has for another avatar stays there: the newcomer is known without it, and is called by the UUID if there is no ' +
      'other name. Before a name is taken that the store has not met, its dispenser is asked for the UUID: its answer counts, not ' +
      'the request’s, and 400 says that it is nobody’s. Without an answer the avatar is known without the name. A store without a ' +
      'dispenser, or with one too old to be asked, believes the request. `names` say what was taken.',
    parameters: { uuid: '67726964-0000-4000-8000-000000236066' },
    request: { username: 'Olga23 Bay6' },
    refused: { username: 'vera.vendor' },
  },
};
