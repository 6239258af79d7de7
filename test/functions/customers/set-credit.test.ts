import { setCases } from '../../support/credit-cases.ts';

setCases({ action: 'set-credit', field: 'credit', otherAction: 'set-restricted-credit' });
