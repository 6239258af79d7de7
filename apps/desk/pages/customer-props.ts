import type { CustomerResponse } from '../../client/client.ts';

/** The credit that a customer holds, in the form of the answer to its change. */
export type Balances = Pick<CustomerResponse, 'credit' | 'restrictedCredit'>;

/** A customer in the form that the page's parts get. */
export interface CustomerProps {
  customer: CustomerResponse;
  /** Grows with each reload. */
  round: number;
  /** Reads all parts again after a write. Until then, `known` is shown. */
  reload: (known?: Balances) => void;
}

/** A customer in the form that a dialog gets. */
export interface DialogProps extends CustomerProps {
  /** The part of the address by which the customer was read. */
  identifier: string;
  onClose: () => void;
}
