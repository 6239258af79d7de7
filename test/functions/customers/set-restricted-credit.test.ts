import { setCases } from './set-credit-cases.ts';

setCases({ action: 'set-restricted-credit', field: 'restrictedCredit' });
