import * as z from 'zod';
import { route } from './route.ts';
import { boolean, identifier, maxCursorLength, timeOrNull, uuid } from './wire.ts';

/** The reasons for which a sale is refused, in the order in which they are judged. */
export const refusals = [
  'unknown-resident',
  'unknown-product',
  'quote',
  'closed',
  'banned',
  'inactive',
  'sold-out',
  'credit-changed',
  'coupon-used',
  'underpaid',
] as const;
export type Refusal = (typeof refusals)[number];

const SaleDiscount = z
  .object({
    source: z
      .enum(['none', 'customer', 'coupon'])
      .describe('Whose percentage counts: the customer’s, or that of a coupon applied for them.'),
    percent: z.number().describe('The percentage; 0 for `none`.'),
    couponId: uuid().nullable().describe('UUID of the coupon; null unless `source` is `coupon`.'),
  })
  .meta({ id: 'SaleDiscount' });

/** The parties of a sale, in a request. */
const parties = {
  productId: uuid().describe('The product that is sold.'),
  buyerIdentifier: identifier().describe(
    'The avatar who pays, by username or UUID. A UUID that nobody can name is taken too.',
  ),
  recipientIdentifier: identifier()
    .optional()
    .describe('The avatar who gets the product, by username or UUID. Left out: the buyer.'),
  useCredit: boolean().default(false).describe('True if the buyer’s store credit pays first. Left out: false.'),
};

/** The prices of a sale, in an answer. */
const prices = {
  base: z.int().describe('The active price of the product in L$.'),
  discount: SaleDiscount.describe('The one percentage that is taken off the base.'),
  total: z.int().describe('The base less the discount, in L$, rounded half up.'),
  credit: z.int().describe('Regular store credit that pays, in L$.'),
  restrictedCredit: z
    .int()
    .describe('Restricted store credit that pays, in L$. It pays only where buyer and recipient are the same avatar.'),
};

const CreateQuoteRequest = z.object(parties).meta({ id: 'CreateQuoteRequest' });

const QuoteResponse = z
  .object({
    productId: uuid().describe('UUID of the product, in lower case.'),
    buyerUuid: uuid().describe('UUID of the buyer, in lower case.'),
    recipientUuid: uuid().describe('UUID of the recipient, in lower case.'),
    ...prices,
    toPay: z.int().describe('L$ that are left to be paid inworld.'),
    refusal: z
      .enum(refusals)
      .nullable()
      .describe('Why a sale would be refused now: `closed`, `banned`, `inactive` or `sold-out`. Null: it would not.'),
    quote: z
      .string()
      .nullable()
      .describe('Send it with the sale: it fixes these prices for two minutes. Null where the sale would be refused.')
      .meta({ maxLength: maxCursorLength }),
    expiresAt: timeOrNull().describe('When the quote ends: it counts before this time. Null without a quote.'),
  })
  .meta({ id: 'QuoteResponse' });

export type QuoteRequest = z.output<typeof CreateQuoteRequest>;
export type Quote = z.input<typeof QuoteResponse>;

export const createQuote = route('POST /v1/quotes', {
  id: 'sales/create-quote',
  summary: 'Quote the price of a sale',
  scope: 'sales:write',
  body: CreateQuoteRequest,
  response: QuoteResponse,
  reads: ['STORE', 'PRODUCT', 'CUSTOMER', 'LOT', 'APPLIED', 'COUPON', 'USE'],
  resolves: true,
  quotes: true,
  extension: true,
});
