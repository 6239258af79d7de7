import { type Key, partition } from '../table/schema.ts';

/** The key of the account of an avatar whom a store has owed or paid something: see lib/payout/payees.ts. */
export const payeeKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'PAYEE'), sk: uuid });
