import type { CustomerCredit } from '../../lib/routes/credit.ts';
import { balanceOf } from '../../test/support/model/credit.ts';
import { avatarOf } from '../../test/support/model/sales.ts';
import type { State } from './world.ts';

/** True if an answer has a customer's balances, or if there is no answer. */
export const hasBalances = (model: State, uuid: string, answer: unknown): boolean => {
  const { regular, restricted } = avatarOf(model, uuid).credit;
  const { credit, restrictedCredit } = (answer ?? {}) as Partial<CustomerCredit>;
  return answer === undefined || (balanceOf(regular) === credit && balanceOf(restricted) === restrictedCredit);
};
