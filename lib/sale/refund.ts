import { now, timestamp } from '../clock.ts';
import { changeMoney, forSomeTime, writeMoney } from '../credit/change.ts';
import { type Author, type Cause, creditLimit } from '../credit/state.ts';
import { invalid } from '../problem.ts';
import type { Sale } from '../routes/sales.ts';
import { answer, type Decision, decide, readAgain } from '../table/decide.ts';
import type { Write } from '../table/language.ts';
import { type Avatars, readRefund } from './facts.ts';
import { judgeRefund } from './judge.ts';
import { getSale, type SaleItem, saleOf } from './sales.ts';
import { refundedSale, writesOfRefund } from './writes.ts';

/** The avatars of a sale. Throws 400 for one that was refused. */
const avatarsOf = ({ state, buyerUuid, recipientUuid }: SaleItem): Avatars => {
  if (state === 'refused' || buyerUuid === null || recipientUuid === null)
    throw invalid('The sale was refused: there is nothing to refund.');
  return { buyer: buyerUuid, recipient: recipientUuid };
};

interface Refund {
  store: string;
  cause: Cause;
  isScript: boolean;
  payOut: boolean;
  together: readonly Write[];
}

/** Refunds a sale as it was read. Answers undefined where an erasure gives it other avatars meanwhile. */
const refundOnce = (
  { store, cause, isScript, payOut, together }: Refund,
  known: SaleItem,
): Promise<Sale | undefined> => {
  const avatars = avatarsOf(known);
  const occasion = { kind: 'refund' as const, saleId: known.sk };
  const change = { store, uuid: avatars.buyer, cause, occasion, hasTime: forSomeTime() };
  return changeMoney(change, {
    read: (attempt) => readRefund(store, known, avatars, attempt === 1),
    judge: (facts) => judgeRefund(facts, cause.at, creditLimit()),
    conclude: (facts, outcome): Decision<Sale | undefined> => {
      if (outcome.kind === 'overtaken') return answer(undefined);
      if (outcome.kind === 'redeemed')
        throw invalid('The gift card of the sale has been redeemed: there is nothing to take back.');
      if (outcome.kind === 'ended') return answer(saleOf(outcome.sale, isScript));
      const writes = writesOfRefund(store, cause, facts, outcome, payOut);
      const refunded = saleOf(refundedSale(facts.sale, cause, payOut), isScript);
      return writeMoney(change, facts, outcome.plan, { answer: refunded }, { writes: [...writes, ...together] });
    },
  });
};

/**
 * Refunds a completed sale: credit, stock, coupon use, ownership and spend go back in one transaction with it and the
 * writes of `together`, and its delivery is not made any more. With `payOut` the store owes the buyer the L$ that are
 * to be given back. Answers the sale; one that was refunded before as it is since the first time. Throws 404 for an
 * unknown sale, 400 for one that was refused, and 503 where other writers, or an erasure, do not let it through.
 */
export const refundSale = async (
  store: string,
  id: string,
  author: Author,
  { isScript = false, payOut = false, together = [] }: Partial<Pick<Refund, 'isScript' | 'payOut' | 'together'>> = {},
): Promise<Sale> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  return decide(async () => {
    const sale = await getSale(store, id);
    if (sale.state === 'refunded') return answer(saleOf(sale, isScript));
    const refunded = await refundOnce({ store, cause, isScript, payOut, together }, sale);
    return refunded ? answer(refunded) : readAgain();
  });
};
