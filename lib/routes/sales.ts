import * as z from 'zod';
import { message } from './product-request.ts';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import {
  answerTextOrNull,
  boolean,
  identifier,
  integer,
  listOf,
  maxLength,
  objectUuid,
  pageQuery,
  remarks,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

/** The reasons why a sale is refused, in the order in which they are checked. */
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

/** The sources of a sale's percentage. If several are equal, the first counts. */
export const discountSources = ['none', 'coupon', 'customer', 'tier', 'group'] as const;
export type DiscountSource = (typeof discountSources)[number];

const SaleDiscount = z
  .object({
    source: z
      .enum(discountSources)
      .describe(
        'Whose percentage counts: that of a coupon applied for the customer, the customer’s own, or one of the store’s rules, for their spend (`tier`) or for the tag of its group.',
      ),
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
  vendorUuid: objectUuid()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .describe('The object that sells, for the sums of its days. Null or left out: none. A quote does not fix it.'),
  inGroup: boolean()
    .nullish()
    .describe(
      'True if the buyer wears the tag of the store’s group, as the vendor sees it. Left out or null: false. In a sale it counts without a valid quote only, since a quote fixes it.',
    ),
};

const bonus = () =>
  z
    .int()
    .describe(
      'Store credit in L$ that the sale gives to the buyer, by the rules of the store. A refund leaves it here.',
    );

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
    bonus: bonus(),
    refusal: z
      .enum(refusals)
      .nullable()
      .describe('Why a sale would be refused now: `closed`, `banned`, `inactive` or `sold-out`. Null: it would not.'),
    quote: answerTextOrNull(maxLength.cursor).describe(
      'Send it with the sale: it fixes these prices for two minutes. Null where the sale would be refused.',
    ),
    expiresAt: timeOrNull().describe('When the quote ends: it counts before this time. Null without a quote.'),
  })
  .meta({ id: 'QuoteResponse' });

const CreateSaleRequest = z
  .object({
    id: uuid().describe(
      'The id of the sale: a UUID that the caller makes. The same request under it makes no second sale, however late it comes.',
    ),
    ...parties,
    paid: integer(0).describe('L$ that the buyer has paid inworld.'),
    quote: z
      .string({ error: 'must be the text of a quote' })
      .max(maxLength.cursor, { error: 'must be the text of a quote' })
      .optional()
      .describe('The `quote` of a quote, exactly as received. Left out, or over: the prices of now.'),
    message: message(),
    reference: remarks.reference,
  })
  .meta({ id: 'CreateSaleRequest' });

const RefundSaleRequest = z
  .object({
    reason: remarks.reason,
    reference: remarks.reference,
    payOut: boolean()
      .default(false)
      .describe(
        'True if the store owes the buyer what is still to be given back, as a payout. Left out: somebody gives it by hand.',
      ),
  })
  .meta({ id: 'RefundSaleRequest' });

const ReportChangeRequest = z
  .object({
    transactionId: uuid().describe('UUID of the transfer, as the virtual world names it.'),
    amount: integer(1).describe('L$ that were given back: at most the `change` of the sale.'),
  })
  .meta({ id: 'ReportChangeRequest' });

const ChangePaid = z
  .object({
    transactionId: uuid().describe('UUID of the transfer, as the virtual world names it.'),
    amount: z.int().describe('L$ that were given back.'),
    at: time().describe('When the service heard of it.'),
  })
  .meta({ id: 'ChangePaid' });

export const saleStates = ['completed', 'refused', 'refunded'] as const;
export type SaleState = (typeof saleStates)[number];

const SaleShare = z
  .object({
    residentUuid: uuid().describe('UUID of the avatar who is owed it, in lower case.'),
    kind: z
      .enum(['commission', 'share'])
      .describe('The commission of the coupon’s owner, or a profit share of the product.'),
    percent: z.number().describe('The percentage of the L$ that were paid and kept.'),
    amount: z.int().describe('The amount in L$, rounded down.'),
  })
  .meta({ id: 'SaleShare' });

export const SaleResponse = z
  .object({
    id: uuid().describe('UUID of the sale, in lower case.'),
    state: z.enum(saleStates).describe('`completed`, `refused`, or `refunded` once it was completed.'),
    refusal: z.enum(refusals).nullable().describe('Why it was refused. Null: it was not.'),
    productId: uuid().describe('UUID of the product, in lower case.'),
    buyerUuid: uuid().nullable().describe('UUID of the buyer; null where nobody has the name.'),
    recipientUuid: uuid().nullable().describe('UUID of the recipient; null where nobody has the name.'),
    ...prices,
    paid: z.int().describe('L$ that the caller said were paid.'),
    refund: z
      .int()
      .describe(
        'L$ that the buyer gets back in all. Of a refunded sale all that was paid: now due is `refund` less `change`.',
      ),
    change: z
      .int()
      .describe('The part of `refund` that was due when the sale was answered. The caller gives it back inworld.'),
    changePaid: ChangePaid.nullable().describe(
      'How the caller gave the change back, as it has reported. Null: nobody has reported that.',
    ),
    bonus: bonus(),
    deliveryId: uuid().nullable().describe('UUID of its delivery; null for a refused sale.'),
    shares: z
      .array(SaleShare)
      .describe(
        'The parts of the kept L$ that are owed to others; the rest is the merchant’s. Empty for scripts and refused sales.',
      ),
    at: time().describe('When it was made.'),
    refundedAt: timeOrNull().describe('When it was refunded. Null: it was not.'),
    refundReference: answerTextOrNull(maxLength.reference).describe('The reference of its refund; null: none.'),
    payOut: z
      .boolean()
      .describe(
        'True if its refund left what is to be given back to be paid out: then nobody gives it back by hand. False before a refund.',
      ),
    reference: answerTextOrNull(maxLength.reference).describe('The reference of the request; null: none.'),
    vendorUuid: uuid().nullable().describe('The object that sold it, as the request told; null: none.'),
  })
  .meta({ id: 'SaleResponse' });

const filters = {
  buyer: identifier()
    .optional()
    .describe('Only sales to this buyer, by username or UUID. An unknown one gives an empty list.'),
  product: uuid().optional().describe('Only sales of the product with this UUID.'),
  state: z
    .enum(saleStates, { error: 'must be completed, refused or refunded' })
    .optional()
    .describe('Only sales in this state.'),
  from: timestamp().optional().describe('Only sales made at this time or later: an ISO 8601 date-time with an offset.'),
  to: timestamp().optional().describe('Only sales made before this time. Not before `from`.'),
};

export type SaleRequest = z.output<typeof CreateSaleRequest>;
export type Sale = z.input<typeof SaleResponse>;
export type ChangeReport = z.output<typeof ReportChangeRequest>;
export type SaleFilter = z.output<z.ZodObject<typeof filters>>;
export type QuoteRequest = z.output<typeof CreateQuoteRequest>;
export type Quote = z.input<typeof QuoteResponse>;

export const createQuote = route('POST /v1/quotes', {
  id: 'sales/create-quote',
  summary: 'Quote the price of a sale',
  scope: 'sales:write',
  body: CreateQuoteRequest,
  response: QuoteResponse,
  reads: ['STORE', 'PRODUCT', 'STOCK', 'CUSTOMER', 'LOT', 'SPEND', 'APPLIED', 'COUPON', 'USE'],
  resolves: true,
  quotes: true,
  extension: true,
});

export const createSale = route('POST /v1/sales', {
  id: 'sales/create-sale',
  unsigned: true,
  summary: 'Sell a product',
  scope: 'sales:write',
  status: 201,
  problems: [400],
  body: CreateSaleRequest,
  response: SaleResponse,
  reads: ['STORE', 'APPLIED', 'COUPON'],
  writes: ['SALE', 'CUSTOMER', 'LOT', 'PRODUCT', 'STOCK', 'USE', 'SPEND', 'OWNED', 'GIFTCARD'],
  resolves: true,
  quotes: true,
  extension: true,
});

export const reportChange = route('POST /v1/sales/{id}/actions/change-paid', {
  id: 'sales/report-change',
  summary: 'Report that the change of a sale was paid',
  scope: 'sales:write',
  body: ReportChangeRequest,
  response: SaleResponse,
  writes: ['SALE'],
  extension: true,
});

export const refundSale = route('POST /v1/sales/{id}/actions/refund', {
  id: 'sales/refund-sale',
  summary: 'Refund a sale',
  scope: 'sales:refund',
  body: RefundSaleRequest,
  bodyOptional: true,
  response: SaleResponse,
  writes: ['SALE', 'CUSTOMER', 'LOT', 'PRODUCT', 'USE', 'SPEND', 'OWNED', 'DELIVERY', 'GIFTCARD'],
  extension: true,
});

export const listSales = route('GET /v1/sales', {
  id: 'sales/list-sales',
  summary: 'List sales',
  scope: 'sales:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('SaleListResponse', 'Sales', SaleResponse),
  reads: ['SALE'],
  resolves: true,
  extension: true,
});

export const getSale = route('GET /v1/sales/{id}', {
  id: 'sales/get-sale',
  summary: 'Read a sale',
  scope: 'sales:read',
  response: SaleResponse,
  reads: ['SALE'],
  extension: true,
});
