import type { CustomerResponse } from '../../client/client.ts';

/** The credit that a customer holds, as a change of it answers it. */
export type Balances = Pick<CustomerResponse, 'credit' | 'restrictedCredit'>;

/** A customer as the page's parts get them. */
export interface CustomerProps {
  customer: CustomerResponse;
  /** Grows with each reload. */
  round: number;
  /** Reads all parts anew after a write. Until they are there, `known` is shown. */
  reload: (known?: Balances) => void;
}
