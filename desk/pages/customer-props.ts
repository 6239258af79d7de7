import type { CustomerResponse } from '../../client/client.ts';

/** A customer as the page's parts get them. After a write, `reload` reads all parts anew. */
export interface CustomerProps {
  customer: CustomerResponse;
  /** Grows with each reload. */
  round: number;
  reload: () => void;
}
