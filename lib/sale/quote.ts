import { refuseUnknown } from '../avatars/residents.ts';
import { now, timestamp } from '../clock.ts';
import { isUnchanged } from '../credit/lots.ts';
import { hasLots } from '../credit/plan.ts';
import { creditLimit } from '../credit/state.ts';
import { notFound } from '../problem.ts';
import type { Quote, QuoteRequest } from '../routes/sales.ts';
import { seal, unseal } from '../seal.ts';
import { answer, decide, readAgain, recheck } from '../table/decide.ts';
import { type AskedOffer, type AskedSale, findAvatars, type OfferFacts, readOffer } from './facts.ts';
import { judgeQuote, type Offer } from './judge.ts';
import type { OpenedQuote, Terms } from './rules.ts';

/** A quote fixes its terms for this time. */
const quoteMillis = 120_000;

/** The terms of a quote, and when it ends. */
interface QuoteContents {
  terms: Terms;
  expiresAt: string;
}

/** The sale that a quote is for, as the owner of the sealed text: for every other sale the quote is false. */
const sealPurpose = ({ store, productId, buyer, recipient, useCredit }: AskedOffer): string =>
  JSON.stringify(['quote', store, productId, buyer, recipient, useCredit]);

/**
 * The terms of the quote that was sent with a sale, if any. A quote that was changed, or that was made for another
 * sale, is false, and stays so after its end.
 */
export const openQuote = (asked: AskedOffer & Pick<AskedSale, 'quote'>): OpenedQuote => {
  if (asked.quote === undefined) return 'expired';
  const quoted = unseal(asked.quote, sealPurpose(asked)) as QuoteContents | undefined;
  if (!quoted) return 'false';
  return asked.at < quoted.expiresAt ? quoted.terms : 'expired';
};

/** The quote of an offer. If the sale would be refused, there is no text to be sent with it. */
const quoteOf = ({ asked }: OfferFacts, { terms, refusal, bonus }: Offer): Quote => {
  const { coupon, inGroup, cardCredit, ...prices } = terms;
  const expiresAt = timestamp(Date.parse(asked.at) + quoteMillis);
  const quoted: QuoteContents = { terms, expiresAt };
  return {
    productId: asked.productId,
    buyerUuid: asked.buyer,
    recipientUuid: asked.recipient,
    ...prices,
    bonus,
    refusal,
    ...(refusal === null ? { quote: seal(quoted, sealPurpose(asked)), expiresAt } : { quote: null, expiresAt: null }),
  };
};

/**
 * Quotes the price of a sale, and whether it would be refused now. Writes nothing. Throws 400 with every name that
 * nobody has, 404 for an unknown product.
 */
export const makeQuote = async (
  store: string,
  { productId, useCredit, inGroup, ...named }: QuoteRequest,
): Promise<Quote> => {
  const at = timestamp(now());
  const { buyer, recipient } = await findAvatars(store, named);
  const isGift = named.recipientIdentifier !== undefined;
  refuseUnknown({ buyerIdentifier: buyer, ...(isGift && { recipientIdentifier: recipient }) });
  if (buyer === undefined || recipient === undefined) throw notFound();
  const asked: AskedOffer = { store, productId, buyer, recipient, useCredit, inGroup: inGroup === true, at };
  return decide(async () => {
    const facts = await readOffer(asked, { isEstimate: true });
    if (!facts.product) throw notFound();
    const offer = judgeQuote(facts, creditLimit());
    if (offer.kind !== 'offer') return readAgain();
    const quote = answer(quoteOf(facts, offer));
    // The balance and the lots that have come due must be of one moment.
    return hasLots(facts.credit) ? recheck(() => isUnchanged(facts.credit), quote) : quote;
  });
};
