import { divideStock, gatherStock, type StockedProduct, withOtherShare } from '../catalogue/stock.ts';
import { idAt, newId, now, timestamp } from '../clock.ts';
import { changeMoney, forSomeTime, type MoneyChange, writeMoney } from '../credit/change.ts';
import { type Author, type Cause, creditLimit } from '../credit/state.ts';
import type { Identifier } from '../identifier.ts';
import { Problem } from '../problem.ts';
import type { Refusal, Sale, SaleRequest } from '../routes/sales.ts';
import {
  answer,
  type Decision,
  decide,
  doFirst,
  type RefusedWrites,
  readAgain,
  recheck,
  writeAll,
} from '../table/decide.ts';
import { saleKey } from '../table/keys.ts';
import { type CompletedSale, judgeSale } from './decide.ts';
import {
  findAvatars,
  type Parties,
  type RequestedOffer,
  readNames,
  readSale,
  type SaleFacts,
  sellsCards,
  wereTogether,
} from './facts.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openQuote } from './quote.ts';
import { noPrice, type Terms } from './rules.ts';
import { findSale, type SaleItem, saleOf, saleWrite } from './sales.ts';
import { completedSale, type RequestedSale, refusedSale, writesOfSale } from './writes.ts';

/** A sale on its way: what its request asks for, and how it is told to the caller. */
interface SaleAttempt {
  asked: RequestedSale;
  tell: (sale: SaleItem) => Sale;
}

const sameSale = (sale: SaleItem, request: string): SaleItem => {
  if (sale.request === request) return sale;
  throw new Problem(422, 'This id was used for another sale: a new sale needs a new id.');
};

/** Tells the sale that was made with this id before: by another request, or by this one, which is sent again. */
const tellOther =
  ({ asked: { store, id }, tell }: SaleAttempt) =>
  (refused: RefusedWrites): Decision<Sale> | undefined => {
    const other = refused.by<SaleItem>(saleKey(store, id))?.item;
    return other && answer(tell(other));
  };

const isNamed = (identifier: Identifier | undefined): boolean => identifier?.username !== undefined;

/** Keeps a refused sale, so that whoever asks again is told the same. */
const keepRefused = (selling: SaleAttempt, refusal: Refusal, terms: Terms) => {
  const { asked, tell } = selling;
  const sale = refusedSale(asked, refusal, terms);
  return writeAll([saleWrite(sale)], { answer: tell(sale), ifRefused: tellOther(selling) });
};

/**
 * Makes a sale that nothing refuses, under the names of its avatars. Where another transaction holds an item, a stock
 * that can be divided is divided, and of one that is, another share is tried at once.
 */
const complete = async (
  selling: SaleAttempt,
  offer: RequestedOffer,
  change: MoneyChange,
  facts: SaleFacts,
  completed: CompletedSale,
): Promise<Decision<Sale>> => {
  const names = await readNames(offer, facts);
  const sale = completedSale(selling.asked, completed, names, sellsCards(completed.product) ? newId() : undefined);
  const credit = { ...facts.credit, item: { ...facts.credit.item, username: names.buyer } };
  const given = { answer: selling.tell(sale), ifRefused: tellOther(selling) };
  const madeWith = (product: StockedProduct, ifContended: Decision<Sale>): Decision<Sale> => {
    const writes = writesOfSale(offer, facts, { ...completed, product }, names, sale);
    return writeMoney(change, { credit }, completed.plan, { ...given, ifContended }, writes);
  };
  const { product } = completed;
  if (product.stock?.kind === 'divisible')
    return madeWith(
      product,
      doFirst(() => divideStock(offer.store, product.id), 'brief'),
    );
  const other = withOtherShare(product);
  return madeWith(product, other ? madeWith(other, readAgain('contended')) : readAgain('contended'));
};

/**
 * Sells a product: once for the id of the request, for ever. Answers the sale, completed or refused, or as it is by now
 * where it was made before. Throws 422 for an id that another request has used, and 503 where other writers do not let
 * it through.
 */
export const sell = async (store: string, body: SaleRequest, author: Author, isScript = false): Promise<Sale> => {
  const request = fingerprintOf(body);
  const tell = (sale: SaleItem): Sale => saleOf(sameSale(sale, request), isScript);
  const { id, productId, paid, useCredit } = body;
  const findEarlier = async (): Promise<Sale | undefined> => {
    const sale = await findSale(store, id);
    return sale && tell(sale);
  };
  // The put of the sale answers a repeat, which without a name has nothing to look up.
  const named = [body.buyerIdentifier, body.recipientIdentifier].some(isNamed);
  const earlier = named && (await findEarlier());
  if (earlier) return earlier;

  const millis = now();
  const cause: Cause = { at: timestamp(millis), ...author };
  const { at } = cause;
  const { buyer, recipient } = await findAvatars(store, body);
  // The sweep finds the deliveries of sales by the time with which their ids begin.
  const deliveryId = idAt(millis);
  const asked: RequestedSale = { ...body, store, buyer, recipient, at, request, deliveryId };
  const selling: SaleAttempt = { asked, tell };
  if (buyer === undefined || recipient === undefined)
    return decide(() => keepRefused(selling, 'unknown-resident', noPrice));

  const parties: Parties = { productId, buyer, recipient, useCredit };
  const quote = body.quote === undefined ? 'expired' : openQuote(body.quote, store, parties, at);
  const offer = { store, parties, inGroup: body.inGroup === true, at, quote, paid, deliveryId: asked.deliveryId };
  const change = { store, uuid: buyer, cause, occasion: { kind: 'sale', saleId: id }, hasTime: forSomeTime() } as const;
  return changeMoney(change, {
    read: () => readSale(offer),
    judge: (facts) => judgeSale(offer, facts, creditLimit()),
    findEarlier,
    conclude: async (facts, outcome): Promise<Decision<Sale>> => {
      if (outcome.kind === 'overtaken' || outcome.kind === 'low') {
        const made = await findEarlier();
        if (made) return answer(made);
        return outcome.kind === 'low' ? doFirst(() => gatherStock(store, productId), 'brief') : readAgain();
      }
      if (outcome.kind === 'completed') return complete(selling, offer, change, facts, outcome);
      const { refusal, terms } = outcome;
      // A refusal stays for ever, so it needs a look at one moment.
      return recheck(() => wereTogether(offer, refusal, facts), keepRefused(selling, refusal, terms));
    },
  });
};
