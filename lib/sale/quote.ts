import { now, timestamp } from '../clock.ts';
import { notFound } from '../problem.ts';
import type { Quote, QuoteRequest } from '../routes/sales.ts';
import { seal, unseal } from '../seal.ts';
import { findUuid, refuseUnknown } from '../store/residents.ts';
import { type Parties, readOffer } from './offer.ts';
import { refusalOf, type Terms } from './rules.ts';

/** The time for which a quote fixes its terms. */
const quoteMillis = 120_000;

/** The terms of a quote, and when it ends. */
interface Quoted {
  terms: Terms;
  expiresAt: string;
}

/** The sale that a quote is for: it is false for every other. */
const ownerOf = (store: string, { productId, buyer, recipient, useCredit }: Parties): string =>
  JSON.stringify(['quote', store, productId, buyer, recipient, useCredit]);

/**
 * The terms of a quote. One that was changed, or that was made for another sale, is false, and stays so after its end.
 */
export const openQuote = (text: string, store: string, parties: Parties, at: string): Terms | 'false' | 'expired' => {
  const quoted = unseal(text, ownerOf(store, parties)) as Quoted | undefined;
  if (!quoted) return 'false';
  return at < quoted.expiresAt ? quoted.terms : 'expired';
};

/**
 * Quotes the price of a sale, and whether it would be refused now. Writes nothing. Throws 400 with every name that
 * nobody has, 404 for an unknown product.
 */
export const makeQuote = async (
  store: string,
  { productId, buyerIdentifier, recipientIdentifier, useCredit }: QuoteRequest,
): Promise<Quote> => {
  const millis = now();
  const [buyer, other] = await Promise.all([
    findUuid(store, buyerIdentifier),
    recipientIdentifier && findUuid(store, recipientIdentifier),
  ]);
  const recipient = recipientIdentifier ? other : buyer;
  refuseUnknown({ buyerIdentifier: buyer, ...(recipientIdentifier && { recipientIdentifier: recipient }) });
  if (buyer === undefined || recipient === undefined) throw notFound();
  const parties = { productId, buyer, recipient, useCredit };
  const facts = await readOffer(store, parties, timestamp(millis));
  if (!facts.product) throw notFound();
  const { coupon, ...prices } = facts.terms;
  const refusal = refusalOf({ ...facts, isQuoteFalse: false, paid: prices.toPay });
  const quoted: Quoted = { terms: facts.terms, expiresAt: timestamp(millis + quoteMillis) };
  return {
    productId,
    buyerUuid: buyer,
    recipientUuid: recipient,
    ...prices,
    refusal,
    ...(refusal === null
      ? { quote: seal(quoted, ownerOf(store, parties)), expiresAt: quoted.expiresAt }
      : { quote: null, expiresAt: null }),
  };
};
