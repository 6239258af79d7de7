import { now, timestamp } from '../clock.ts';
import { changeMoney, forSomeTime, type MoneyChange, writeMoney } from '../credit/change.ts';
import { type Author, type Cause, creditLimit } from '../credit/state.ts';
import { invalid } from '../problem.ts';
import type { Sale } from '../routes/sales.ts';
import { answer, type Decision, decide, readAgain } from '../table/decide.ts';
import type { Write } from '../table/language.ts';
import { type AskedRefund, readRefund } from './facts.ts';
import { judgeRefund } from './judge.ts';
import { getSale, type SaleItem, saleOf } from './sales.ts';
import { refundedSale, writesOfRefund } from './writes.ts';

/** The avatars of a sale. Throws 400 for one that was refused. */
const avatarsOf = ({ state, buyerUuid, recipientUuid }: SaleItem): Pick<AskedRefund, 'buyer' | 'recipient'> => {
  if (state === 'refused' || buyerUuid === null || recipientUuid === null)
    throw invalid('The sale was refused: there is nothing to refund.');
  return { buyer: buyerUuid, recipient: recipientUuid };
};

/** Refunds a sale as it was read. Answers undefined if an erasure gives it other avatars meanwhile. */
const refundOnce = (
  asked: AskedRefund,
  known: SaleItem,
  tell: (sale: SaleItem) => Sale,
  together: readonly Write[],
): Promise<Sale | undefined> => {
  const { store, buyer, cause } = asked;
  const occasion = { kind: 'refund', saleId: known.sk } as const;
  const change: MoneyChange = { store, uuid: buyer, cause, occasion, hasTime: forSomeTime() };
  return changeMoney(change, {
    read: (attempt) => readRefund(asked, known, attempt === 1),
    judge: (facts) => judgeRefund(facts, creditLimit()),
    conclude: (facts, outcome): Decision<Sale | undefined> => {
      switch (outcome.kind) {
        case 'overtaken':
          return answer(undefined);
        case 'redeemed':
          throw invalid('The gift card of the sale has been redeemed: there is nothing to take back.');
        case 'ended':
          return answer(tell(outcome.sale));
        case 'completed': {
          const writes = [...writesOfRefund(facts, outcome), ...together];
          return writeMoney(change, facts, outcome.plan, { answer: tell(refundedSale(facts)) }, { writes });
        }
      }
    },
  });
};

/**
 * Refunds a completed sale. Credit, stock, coupon use, ownership and spend go back in one transaction with the sale and
 * the writes of `together`, and its delivery is not made any more. With `payOut` the store owes the buyer the L$ that
 * the refund gives back. Answers the sale; if it was refunded before, as that refund left it. Throws 404 for an unknown
 * sale, 400 for a sale that was refused, and 503 if other writers, or an erasure, do not let it through.
 */
export const refundSale = async (
  store: string,
  id: string,
  author: Author,
  options: { isScript?: boolean; payOut?: boolean; together?: readonly Write[] } = {},
): Promise<Sale> => {
  const { isScript = false, payOut = false, together = [] } = options;
  const cause: Cause = { at: timestamp(now()), ...author };
  const tell = (sale: SaleItem): Sale => saleOf(sale, isScript);
  return decide(async () => {
    const sale = await getSale(store, id);
    if (sale.state === 'refunded') return answer(tell(sale));
    const refunded = await refundOnce({ ...avatarsOf(sale), store, cause, payOut }, sale, tell, together);
    return refunded ? answer(refunded) : readAgain();
  });
};
