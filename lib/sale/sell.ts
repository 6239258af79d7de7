import { newId, now, timestamp } from '../clock.ts';
import { carryOut, changeMoney, forSomeTime, type MoneyChange } from '../credit/change.ts';
import { type Author, type Cause, creditLimit } from '../credit/state.ts';
import { Problem } from '../problem.ts';
import type { Refusal, Sale, SaleRequest } from '../routes/sales.ts';
import { saleKey } from '../store/sale-state.ts';
import { again, allOf, answer, type Decision, decide, look, type RefusedWrites } from '../table/decide.ts';
import { type CompletedSale, judgeSale } from './decide.ts';
import {
  findAvatars,
  type OfferAsked,
  type Parties,
  readNames,
  readSale,
  type SaleFacts,
  wereTogether,
} from './facts.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openQuote } from './quote.ts';
import { noPrice, type Terms } from './rules.ts';
import { findSale, type SaleItem, saleOf, saleWrites } from './sales.ts';
import { completedSale, refusedSale, type SaleAsked, writesOfSale } from './writes.ts';

/** A sale on its way: what its request asks for, and how it is told to the caller. */
interface Selling {
  asked: SaleAsked;
  tell: (sale: SaleItem) => Sale;
}

const sameSale = (sale: SaleItem, request: string): SaleItem => {
  if (sale.request === request) return sale;
  throw new Problem(422, 'This id was used for another sale: a new sale needs a new id.');
};

/** Tells the sale that another request has made with this id, where that was faster. */
const tellOther =
  ({ asked: { store, id }, tell }: Selling) =>
  (refused: RefusedWrites): Decision<Sale> | undefined => {
    const other = refused.by<SaleItem>(saleKey(store, id))?.item;
    return other && answer(tell(other));
  };

/** Keeps a refused sale, so that whoever asks again is told the same. */
const keepRefused = (selling: Selling, refusal: Refusal, terms: Terms): Decision<Sale> => {
  const { asked, tell } = selling;
  const sale = refusedSale(asked, refusal, terms);
  return allOf(saleWrites(asked.store, sale), { answer: tell(sale), otherwise: tellOther(selling) });
};

/** Makes a sale that nothing refuses, under the names of its avatars. */
const complete = async (
  selling: Selling,
  offer: OfferAsked,
  change: MoneyChange,
  facts: SaleFacts,
  completed: CompletedSale,
): Promise<Decision<Sale>> => {
  const names = await readNames(offer, facts);
  const sale = completedSale(selling.asked, completed, names);
  const item = { ...facts.credit.item, username: names.buyer };
  return carryOut(
    change,
    { credit: { ...facts.credit, item } },
    completed.plan,
    { answer: selling.tell(sale), otherwise: tellOther(selling) },
    writesOfSale(offer, facts, completed, names, sale),
  );
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
  const earlier = await findSale(store, id);
  if (earlier) return tell(earlier);

  const millis = now();
  const cause: Cause = { at: timestamp(millis), ...author };
  const { at } = cause;
  const { buyer, recipient } = await findAvatars(store, body);
  const asked: SaleAsked = { ...body, store, buyer, recipient, at, request, deliveryId: newId(millis) };
  const selling: Selling = { asked, tell };
  if (buyer === undefined || recipient === undefined)
    return decide(() => keepRefused(selling, 'unknown-resident', noPrice));

  const parties: Parties = { productId, buyer, recipient, useCredit };
  const quote = body.quote === undefined ? 'expired' : openQuote(body.quote, store, parties, at);
  const offer = { store, parties, at, quote, paid };
  const change = { store, uuid: buyer, cause, occasion: { kind: 'sale', saleId: id }, mayGoOn: forSomeTime() } as const;
  return changeMoney(change, {
    read: () => readSale(offer),
    judge: (facts) => judgeSale(offer, facts, creditLimit()),
    conclude: (facts, outcome): Decision<Sale> | Promise<Decision<Sale>> => {
      if (outcome.kind === 'overtaken') return again();
      if (outcome.kind === 'completed') return complete(selling, offer, change, facts, outcome);
      const { refusal, terms } = outcome;
      // A refusal stays for ever, so it needs a look at one moment.
      return look(() => wereTogether(offer, refusal, facts), keepRefused(selling, refusal, terms));
    },
  });
};
