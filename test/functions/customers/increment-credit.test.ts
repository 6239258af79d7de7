import { incrementCases } from '../../support/credit-cases.ts';

incrementCases({ action: 'increment-credit', field: 'credit', otherAction: 'increment-restricted-credit' });
