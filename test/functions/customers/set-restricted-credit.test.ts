import { setCases } from '../../support/credit-cases.ts';

setCases({ action: 'set-restricted-credit', field: 'restrictedCredit', otherAction: 'set-credit' });
