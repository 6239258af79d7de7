import { incrementCases } from './increment-credit-cases.ts';

incrementCases({ action: 'increment-restricted-credit', field: 'restrictedCredit' });
