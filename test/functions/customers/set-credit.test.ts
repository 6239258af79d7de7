import { setCases } from './set-credit-cases.ts';

setCases({ action: 'set-credit', field: 'credit' });
