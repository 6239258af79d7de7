import { incrementCases } from './increment-credit-cases.ts';

incrementCases({ action: 'increment-credit', field: 'credit' });
