import { refuseUnknown } from '../avatars/residents.ts';
import { now, timestamp } from '../clock.ts';
import { isUnchanged } from '../credit/lots.ts';
import { hasLots } from '../credit/plan.ts';
import { creditLimit } from '../credit/state.ts';
import { notFound } from '../problem.ts';
import type { Quote, QuoteRequest } from '../routes/sales.ts';
import { seal, unseal } from '../seal.ts';
import { answer, decide, readAgain, recheck } from '../table/decide.ts';
import { judgeOffer, type Offer } from './decide.ts';
import { findAvatars, type Parties, type RequestedOffer, readOffer } from './facts.ts';
import type { OpenedQuote, Terms } from './rules.ts';

/** The time for which a quote fixes its terms. */
const quoteMillis = 120_000;

/** The terms of a quote, and when it ends. */
interface QuoteContents {
  terms: Terms;
  expiresAt: string;
}

/** The sale that a quote is for: it is false for every other. */
const sealPurpose = (store: string, { productId, buyer, recipient, useCredit }: Parties): string =>
  JSON.stringify(['quote', store, productId, buyer, recipient, useCredit]);

/**
 * The terms of a quote. One that was changed, or that was made for another sale, is false, and stays so after its end.
 */
export const openQuote = (text: string, store: string, parties: Parties, at: string): OpenedQuote => {
  const quoted = unseal(text, sealPurpose(store, parties)) as QuoteContents | undefined;
  if (!quoted) return 'false';
  return at < quoted.expiresAt ? quoted.terms : 'expired';
};

/** The quote of an offer. One that would be refused has no text to be sent with a sale. */
const quoteOf = ({ store, parties, at }: RequestedOffer, { terms, refusal, bonus }: Offer): Quote => {
  const { productId, buyer, recipient } = parties;
  const { coupon, inGroup, cardCredit, ...prices } = terms;
  const expiresAt = timestamp(Date.parse(at) + quoteMillis);
  const quoted: QuoteContents = { terms, expiresAt };
  return {
    productId,
    buyerUuid: buyer,
    recipientUuid: recipient,
    ...prices,
    bonus,
    refusal,
    ...(refusal === null
      ? { quote: seal(quoted, sealPurpose(store, parties)), expiresAt }
      : { quote: null, expiresAt: null }),
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
  const parties = { productId, buyer, recipient, useCredit };
  const asked: RequestedOffer = { store, parties, inGroup: inGroup === true, at, isEstimate: true };
  return decide(async () => {
    const facts = await readOffer(asked);
    if (!facts.product) throw notFound();
    const offer = judgeOffer(asked, facts, creditLimit());
    if (offer.kind !== 'offer') return readAgain();
    const quote = answer(quoteOf(asked, offer));
    // The balance and what has come due of it must be of one moment.
    return hasLots(facts.credit) ? recheck(() => isUnchanged(facts.credit), quote) : quote;
  });
};
