import { now, timestamp } from '../clock.ts';
import { notFound } from '../problem.ts';
import type { Quote, QuoteRequest } from '../routes/sales.ts';
import { seal, unseal } from '../seal.ts';
import { refuseUnknown } from '../store/residents.ts';
import { judgeOffer } from './decide.ts';
import { findAvatars, type Parties, readOffer } from './facts.ts';
import type { Terms } from './rules.ts';

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
export const makeQuote = async (store: string, { productId, useCredit, ...named }: QuoteRequest): Promise<Quote> => {
  const millis = now();
  const at = timestamp(millis);
  const { buyer, recipient } = await findAvatars(store, named);
  const isGift = named.recipientIdentifier !== undefined;
  refuseUnknown({ buyerIdentifier: buyer, ...(isGift && { recipientIdentifier: recipient }) });
  if (buyer === undefined || recipient === undefined) throw notFound();
  const parties = { productId, buyer, recipient, useCredit };
  const facts = await readOffer(store, parties, at);
  if (!facts.product) throw notFound();
  const { terms, refusal } = judgeOffer({ parties, at }, facts);
  const { coupon, ...prices } = terms;
  const quoted: Quoted = { terms, expiresAt: timestamp(millis + quoteMillis) };
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
