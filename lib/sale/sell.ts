import { divideStock, gatherStock, type StockedProduct, withOtherShare } from '../catalogue/stock.ts';
import { idAt, newId, now, timestamp } from '../clock.ts';
import { changeMoney, forSomeTime, type MoneyChange, writeMoney } from '../credit/change.ts';
import { type Author, type Cause, creditLimit } from '../credit/state.ts';
import type { Identifier } from '../identifier.ts';
import { Problem } from '../problem.ts';
import type { Sale, SaleRequest } from '../routes/sales.ts';
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
import {
  type AskedByAnybody,
  areKnown,
  findAvatars,
  readNames,
  readSale,
  type SaleFacts,
  sellsCards,
  wereTogether,
} from './facts.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type CompletedSale, judgeSale } from './judge.ts';
import { openQuote } from './quote.ts';
import { noPrice } from './rules.ts';
import { findSale, type SaleItem, saleOf, saleWrite } from './sales.ts';
import { completedSale, refusedSale, writesOfSale } from './writes.ts';

/** Makes the caller's answer from a sale. Throws 422 if another request has used the sale's id. */
type Tell = (sale: SaleItem) => Sale;

const isNamed = (identifier: Identifier | undefined): boolean => identifier?.username !== undefined;

/** Answers a new sale, or the sale that another request, or an earlier copy of this one, made with its id. */
const toldBy = (tell: Tell, sale: SaleItem) => ({
  answer: tell(sale),
  ifRefused: (refused: RefusedWrites): Decision<Sale> | undefined => {
    const made = refused.by<SaleItem>(sale)?.item;
    return made && answer(tell(made));
  },
});

/** Keeps a refused sale, so that a repeated request gets the same answer. */
const keepRefused = (tell: Tell, sale: SaleItem) => writeAll([saleWrite(sale)], toldBy(tell, sale));

/**
 * Makes a sale that nothing refuses, with the names of its avatars. If another transaction holds an item, it divides
 * the stock, if that is possible; of a divided stock it tries another share at once.
 */
const complete = async (
  change: MoneyChange,
  facts: SaleFacts,
  completed: CompletedSale,
  tell: Tell,
): Promise<Decision<Sale>> => {
  const { asked, credit } = facts;
  const names = await readNames(facts);
  const sale = completedSale(asked, completed, names, sellsCards(completed.product) ? newId() : undefined);
  const named = { credit: { ...credit, item: { ...credit.item, username: names.buyer } } };
  const takeFrom = (product: StockedProduct, ifContended: Decision<Sale>): Decision<Sale> => {
    const writes = writesOfSale(facts, { ...completed, product }, names, sale);
    return writeMoney(change, named, completed.plan, { ...toldBy(tell, sale), ifContended }, writes);
  };
  const { product } = completed;
  if (product.stock?.kind === 'divisible')
    return takeFrom(
      product,
      doFirst(() => divideStock(asked.store, product.id), 'brief'),
    );
  const other = withOtherShare(product);
  const later = readAgain('contended');
  return takeFrom(product, other ? takeFrom(other, later) : later);
};

/**
 * Sells a product, once for each id, however often the request is sent. Answers the sale, completed or refused; if it
 * was made before, as it is now. Throws 422 for an id that another request has used, and 503 if other writers do not
 * let it through.
 */
export const sell = async (store: string, body: SaleRequest, author: Author, isScript = false): Promise<Sale> => {
  const request = fingerprintOf(body);
  const tell: Tell = (sale) => {
    if (sale.request === request) return saleOf(sale, isScript);
    throw new Problem(422, 'This id was used for another sale: a new sale needs a new id.');
  };
  const findMade = async (): Promise<Sale | undefined> => {
    const sale = await findSale(store, body.id);
    return sale && tell(sale);
  };
  // If the request has a username, an earlier sale is looked for before the name is looked up. Otherwise the put finds
  // that sale.
  const repeated = [body.buyerIdentifier, body.recipientIdentifier].some(isNamed) && (await findMade());
  if (repeated) return repeated;

  const millis = now();
  const cause: Cause = { at: timestamp(millis), ...author };
  const { buyer, recipient } = await findAvatars(store, body);
  // The sweep finds the deliveries of sales by the time with which their ids begin.
  const made = { at: cause.at, inGroup: body.inGroup === true, request, deliveryId: idAt(millis) };
  const asked: AskedByAnybody = { ...body, ...made, store, buyer, recipient };
  if (!areKnown(asked))
    return decide(() => keepRefused(tell, refusedSale(asked, { refusal: 'unknown-resident', terms: noPrice })));

  const quote = openQuote(asked);
  const occasion = { kind: 'sale', saleId: asked.id } as const;
  const change: MoneyChange = { store, uuid: asked.buyer, cause, occasion, hasTime: forSomeTime() };
  return changeMoney(change, {
    read: () => readSale(asked, quote),
    judge: (facts) => judgeSale(facts, creditLimit()),
    findEarlier: findMade,
    conclude: async (facts, outcome): Promise<Decision<Sale>> => {
      if (outcome.kind === 'completed') return complete(change, facts, outcome, tell);
      // A refusal stays for ever, so all that it rests on must have been there at one moment.
      if (outcome.kind === 'refused')
        return recheck(() => wereTogether(facts, outcome.refusal), keepRefused(tell, refusedSale(asked, outcome)));
      const earlier = await findMade();
      if (earlier) return answer(earlier);
      return outcome.kind === 'low' ? doFirst(() => gatherStock(store, asked.productId), 'brief') : readAgain();
    },
  });
};
