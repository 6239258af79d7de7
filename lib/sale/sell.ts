import { newId, now, timestamp } from '../clock.ts';
import { changeTogether, type Joined } from '../credit/change.ts';
import type { Planned } from '../credit/plan.ts';
import type { Author, Cause, CreditItem, Part } from '../credit/state.ts';
import { Problem } from '../problem.ts';
import type { Sale, SaleRequest } from '../routes/sales.ts';
import { type CouponUses, countUse, couponUsesKey } from '../store/coupon-uses.ts';
import { customerKey, customerUpsert, findCustomerItem } from '../store/customers.ts';
import { type OwnedItem, ownedKey, ownedWrite } from '../store/owned.ts';
import { takeCopy } from '../store/products.ts';
import { findResident } from '../store/residents.ts';
import { saleKey } from '../store/sale-state.ts';
import { rankedBy, type SpendItem, spendKey, spendWrite, spentMore } from '../store/spend.ts';
import { check, is, type Write } from '../table/language.ts';
import { pauseOvertaken } from '../table/retry.ts';
import type { Key } from '../table/schema.ts';
import { getMany, transact } from '../table/table.ts';
import { judgeOffer, usedUpOf } from './decide.ts';
import { findAvatars, type Parties, readOffer, wereTogether } from './facts.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openQuote } from './quote.ts';
import { noPrice, paymentOf, sharesOf, type Terms } from './rules.ts';
import { findSale, listedAs, type SaleItem, saleOf, saleWrites } from './sales.ts';
import { takenBy } from './taken.ts';
import { unsentList } from './unsent.ts';

/** Ends the attempt at a sale: it is refused, or another request has made it. */
class Ended extends Error {
  readonly sale: SaleItem;
  constructor(sale: SaleItem) {
    super('The sale has ended.');
    this.sale = sale;
  }
}

const sameSale = (sale: SaleItem, request: string): SaleItem => {
  if (sale.request === request) return sale;
  throw new Problem(422, 'This id was used for another sale: a new sale needs a new id.');
};

/** A resident by their UUID. One whom nobody can name is called by it. */
const named = async (store: string, uuid: string): Promise<{ uuid: string; username: string }> => ({
  uuid,
  username: (await findResident(store, { uuid }))?.username ?? uuid,
});

/** An item by an eventually consistent read: the transaction is refused where it has changed since. */
const findStale = async <T extends Key>(key: Key): Promise<T | undefined> => (await getMany<T>([key]))[0];

/**
 * The checks that coupons still have no use left. One coupon may be applied both for the product and to the whole
 * store.
 */
const usedUpStill = (usedUp: readonly CouponUses[]): Write[] =>
  [...new Map(usedUp.map((read) => [read.sk, read])).values()].map(({ pk, sk, uses }) =>
    check({ pk, sk }, is('uses', uses)),
  );

/** The credit that a sale takes: restricted first, so that regular has the higher number in history. */
const partsOf = ({ credit, restrictedCredit }: Terms): Part[] => [
  ...(restrictedCredit > 0
    ? [{ type: 'restricted' as const, command: { kind: 'increment' as const, delta: -restrictedCredit } }]
    : []),
  ...(credit > 0 ? [{ type: 'regular' as const, command: { kind: 'increment' as const, delta: -credit } }] : []),
];

/**
 * Sells a product: once for the id of the request, for ever. Answers the sale, completed or refused, or as it is by now
 * where it was made before. Throws 422 for an id that another request has used, and 503 where other writers do not let
 * it through.
 */
export const sell = async (store: string, body: SaleRequest, author: Author, isScript = false): Promise<Sale> => {
  const answerOf = (sale: SaleItem): Sale => saleOf(sale, isScript);
  const request = fingerprintOf(body);
  const { id, productId, paid, useCredit, reference } = body;
  const earlier = await findSale(store, id);
  if (earlier) return answerOf(sameSale(earlier, request));
  const millis = now();
  const cause: Cause = { at: timestamp(millis), ...author };
  const { at } = cause;
  const { buyer, recipient } = await findAvatars(store, body);

  /** The sale's item, as far as it is the same however it ends. */
  const itemOf = (
    { coupon, toPay, ...prices }: Terms,
    ended: Omit<SaleItem, keyof typeof prices | keyof typeof common>,
  ) => ({
    ...common,
    ...prices,
    ...ended,
  });
  const common = {
    ...saleKey(store, id),
    productId,
    buyerUuid: buyer ?? null,
    recipientUuid: recipient ?? null,
    paid,
    at,
    request,
    ...(reference && { reference }),
  };
  const refused = (refusal: NonNullable<SaleItem['refusal']>, terms: Terms): SaleItem => {
    const state = 'refused' as const;
    const listed = listedAs(store, { ...common, state });
    const money = { refund: paid, change: paid };
    return itemOf(terms, { ...listed, ...money, state, refusal, deliveryId: null, shares: [] });
  };
  /** Keeps a refused sale, so that whoever asks again is told the same. */
  const keep = async (sale: SaleItem): Promise<Sale> => {
    const answer = answerOf(sale);
    const refusals = await transact(saleWrites(store, sale), { answer });
    return refusals ? answerOf(sameSale(refusals[0]?.item as unknown as SaleItem, request)) : answer;
  };
  if (buyer === undefined || recipient === undefined) return keep(refused('unknown-resident', noPrice));

  const parties: Parties = { productId, buyer, recipient, useCredit };
  const quoted = body.quote === undefined ? 'expired' : openQuote(body.quote, store, parties, at);
  const quotedTerms = typeof quoted === 'object' ? quoted : undefined;
  const isForOneself = buyer === recipient;
  let attempt = 0;
  const join = async (reading: Promise<CreditItem>): Promise<Joined<Sale>> => {
    attempt += 1;
    const reads = [
      readOffer(store, parties, at, { reading, quoted: quotedTerms }),
      findStale<SpendItem>(spendKey(store, buyer)),
      isForOneself ? undefined : findStale<SpendItem>(spendKey(store, recipient)),
      findStale<OwnedItem>(ownedKey(store, recipient, productId)),
      attempt > 1 ? findSale(store, id) : undefined,
      reading,
    ] as const;
    const [facts, spend, recipientSpend, owned, made, customer] = await Promise.all(reads);
    if (made) throw new Ended(sameSale(made, request));
    const { product, receiver } = facts;
    const { terms, refusal, uses } = judgeOffer({ parties, at, quote: quoted, paid }, facts);
    // A refusal stays for ever, so it needs a look at one moment.
    if (refusal !== null && !(await wereTogether(store, parties, refusal, facts))) {
      await pauseOvertaken(attempt);
      return join(readItem());
    }
    if (refusal !== null || !product) throw new Ended(refused(refusal ?? 'unknown-product', terms));

    const { kept, change } = paymentOf(paid, terms, null);
    const state = 'completed' as const;
    const { message } = body;
    const receiving = isForOneself ? customer : receiver;
    const { username } = receiving ?? (await named(store, recipient));
    const sale: SaleItem = itemOf(terms, {
      ...listedAs(store, { ...common, state }),
      flags: unsentList(id),
      ...{ state, refusal: null, refund: change, change, deliveryId: newId(millis) },
      shares: sharesOf(kept, terms.coupon, product.profitShares),
      ...(terms.coupon && { coupon: terms.coupon }),
      ...{ item: product.item, recipientUsername: username, ...(message && { message }) },
    });
    const acquired = owned ? 0 : 1;
    const spent = spentMore(spend, kept > 0 ? [{ price: kept, at }] : [], isForOneself ? acquired : 0);
    const buyerName = { uuid: buyer, username: customer.username };
    const isSpending = kept > 0 || (isForOneself && acquired > 0);
    const writes = (planned: readonly Planned[]): Write[] => {
      const taken = { restricted: takenBy(planned, 'restricted'), regular: takenBy(planned, 'regular') };
      const fromLots = taken.restricted.length + taken.regular.length > 0;
      return [
        ...saleWrites(store, { ...sale, ...(fromLots && { taken }) }),
        ...(product.limited ? [takeCopy(store, product.id)] : []),
        // A refund gives a use back together with credit, and single reads may see one of them before and one after.
        ...usedUpStill(usedUpOf(facts)),
        ...(terms.coupon ? [countUse(couponUsesKey(store, buyer, terms.coupon.id), uses, 1)] : []),
        ...(isSpending ? [spendWrite(store, buyerName, spend, spent)] : []),
        ownedWrite(ownedKey(store, recipient, productId), owned, [at], at),
        ...(isForOneself
          ? []
          : [
              ...(acquired > 0
                ? [spendWrite(store, { uuid: recipient, username }, recipientSpend, spentMore(recipientSpend, [], 1))]
                : []),
              // An erasure takes the customer away together with their spend, so a recipient without any may be gone.
              ...(receiver && recipientSpend ? [] : [customerUpsert(store, { uuid: recipient, username })]),
            ]),
      ];
    };
    return {
      parts: partsOf(terms),
      read: [],
      writes,
      customer: isSpending ? rankedBy(spent.sum, buyer) : {},
      answer: () => answerOf(sale),
    };
  };
  const readItem = async (): Promise<CreditItem> =>
    (await findCustomerItem(store, buyer)) ?? { ...customerKey(store, buyer), ...(await named(store, buyer)) };
  try {
    return await changeTogether(store, buyer, cause, { kind: 'sale', saleId: id }, { join, readItem });
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return error.sale.state === 'refused' ? keep(error.sale) : answerOf(error.sale);
  }
};
