import * as z from 'zod';
import { CreditLotResponse, changeKinds, queryType, typeOfCredit } from './credit.ts';
import { RedeemedCardsResponse } from './gift-cards.ts';
import { OwnedProduct } from './products.ts';
import { route } from './route.ts';
import { pageScope } from './scopes.ts';
import {
  answerText,
  answerTextOrNull,
  balances,
  boolean,
  listOf,
  maxLength,
  mostCoupons,
  pageQuery,
  person,
  text,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

/** The customer's page: what a store holds for one avatar, for whoever has the page's code and then its token. */

/** The longest text of a code or token. */
const pageKeyLength = 74;

const OpenPageResponse = z
  .object({
    code: answerText(pageKeyLength).describe(
      'The code that begins the page, once. No other answer has it. The page’s address ends with `/me#code=` and the code.',
    ),
    expiresAt: time().describe('Until when the code begins the page: 10 minutes.'),
  })
  .meta({ id: 'OpenPageResponse' });

const BeginPageResponse = z
  .object({
    token: answerText(pageKeyLength).describe('The token of the page, sent as `X-API-Key`. No other answer has it.'),
    expiresAt: time().describe('When the page ends: 60 minutes after it began. Nothing prolongs it.'),
    ...person,
  })
  .meta({ id: 'BeginPageResponse' });

const ProductName = z
  .object({
    id: uuid().describe('UUID of the product, in lower case.'),
    name: answerText(maxLength.name).describe('Name of the product.'),
  })
  .meta({ id: 'ProductName' });

const OwnCoupon = z
  .object({
    code: answerText(maxLength.code).describe('Code of the coupon, as it was written.'),
    discount: z.number().describe('Discount that the coupon gives, in percent.'),
    scope: z.enum(['store', 'product']).describe('`store`: it counts for all products.'),
    product: ProductName.nullable().describe('The product that it counts for. Null: all, or one that is no more.'),
    expiresAt: time().describe('When it lapses.'),
  })
  .meta({ id: 'OwnCouponResponse' });

const newsSubscriber = () => boolean().describe('True if the customer is subscribed to the news kiosk.');

const MeResponse = z
  .object({
    ...person,
    store: z
      .object({
        name: answerText(maxLength.label).describe('Name of the store.'),
        open: boolean().describe('True while the store sells.'),
      })
      .meta({ id: 'StoreOfPage' })
      .describe('The store whose page it is.'),
    ...balances,
    discount: z.int().describe('Discount of this customer, in whole percent.'),
    newsSubscriber: newsSubscriber(),
    coupons: z.array(OwnCoupon).describe(`The coupons that count for the customer now, at most ${mostCoupons}.`),
    expiresAt: time().describe('When the page ends.'),
  })
  .meta({ id: 'MeResponse' });

const UpdateMeRequest = z.object({ newsSubscriber: newsSubscriber() }).meta({ id: 'UpdateMeRequest' });

const creditType = () => z.enum(typeOfCredit).describe('The type of credit.');

const OwnLot = CreditLotResponse.pick({ type: true, amount: true, remaining: true, createdAt: true, expiresAt: true })
  .extend({ remaining: z.int().describe('L$ that are left.') })
  .meta({ id: 'OwnLotResponse' });

const OwnChange = z
  .object({
    sequence: z.int().describe("The number of the change among those of the customer's credit, from 1 on."),
    at: time().describe('When it was made.'),
    type: creditType(),
    kind: z.enum(changeKinds).describe('The kind of change.'),
    amount: z.int().describe('L$ by which the change itself raised the balance; negative where it lowered it.'),
    expired: z.int().describe('L$ that came due in the same change, and left the balance beside `amount`. 0 or more.'),
    credit: z.int().describe('The regular balance after it.'),
    restrictedCredit: z.int().describe('The restricted balance after it.'),
    lots: z
      .array(
        z
          .object({
            amount: z.int().describe('L$ that were added; negative for those that left.'),
            expiresAt: timeOrNull().describe('When they expire. Null: permanent credit.'),
          })
          .meta({ id: 'OwnLotPart' }),
      )
      .describe('The parts that lots and permanent credit have in it.'),
    saleId: answerTextOrNull(maxLength.uuid).describe('The sale that it belongs to. Null: none.'),
    product: ProductName.nullable().describe(
      'The product of that sale. Null: it is of no sale, or the product is no more.',
    ),
  })
  .meta({ id: 'OwnChangeResponse' });

const OwnProduct = OwnedProduct.extend({
  canRedeliver: boolean().describe('True if it can be sent to the customer again, since copies of it may be made.'),
}).meta({ id: 'OwnProductResponse' });

const RedeliverOwnResponse = z
  .object({
    productId: uuid().describe('UUID of the product, in lower case.'),
    queued: boolean().describe('Always true: the queue has the delivery. The item follows.'),
  })
  .meta({ id: 'RedeliverOwnResponse' });

/** The longest sealed text of a card. */
const maxCard = 300;

const OwnCard = z
  .object({
    card: answerText(maxCard).describe(
      'Names the card in this avatar’s requests to redeem it, and nowhere else. It may differ each time.',
    ),
    credit: z.int().describe('Balance of the card in L$.'),
    transfer: boolean().describe('True if the owner may give the card away.'),
    texture: uuid().nullable().describe('UUID of the texture that the card shows inworld; null: none.'),
    purchased: boolean().describe('True if the card was bought. A granted card was not.'),
  })
  .meta({ id: 'OwnCardResponse' });

const RedeemOwnCardRequest = z
  .object({
    card: text({ min: 1, max: maxCard })
      .optional()
      .describe('The `card` of one of the own cards, as it was answered. Left out: up to 20 of them.'),
  })
  .meta({ id: 'RedeemOwnCardRequest' });

export type OpenedPage = z.output<typeof OpenPageResponse>;
export type BegunPage = z.output<typeof BeginPageResponse>;
export type Me = z.output<typeof MeResponse>;
export type NamedProduct = z.output<typeof ProductName>;

export const openPage = route('POST /v1/customers/{identifier}/actions/open-page', {
  id: 'customers/open-page',
  summary: "Open a customer's page",
  scope: 'pages:open',
  response: OpenPageResponse,
  reads: ['STORE'],
  writes: ['PAGE'],
  makes: ['PAGE', 'PAGES'],
  resolves: true,
  showsSecret: true,
  extension: true,
});

export const beginPage = route('POST /v1/me/actions/begin', {
  id: 'me-acts/begin-page',
  summary: 'Begin the page whose code asks',
  servedBy: 'me-acts',
  scope: null,
  byPageCode: true,
  share: 'pages',
  problems: [400],
  response: BeginPageResponse,
  writes: ['PAGE'],
  showsSecret: true,
  extension: true,
});

/** The rows of a token look at the page's own record, and count in it. */
const own = { scope: pageScope, share: 'pages', extension: true } as const;

export const endPage = route('POST /v1/me/actions/end', {
  ...own,
  id: 'me-acts/end-page',
  summary: 'End the page whose token asks',
  servedBy: 'me-acts',
  problems: [400],
  writes: ['PAGE'],
});

/** These reads write nothing but the page's own count. */
const reading = { ...own, servedBy: 'me', writes: ['PAGE'] } as const;
const kindsOfMe = ['STORE', 'CUSTOMER', 'APPLIED', 'COUPON', 'PRODUCT'] as const;

export const getMe = route('GET /v1/me', {
  ...reading,
  id: 'me/get-me',
  summary: 'Read what the store holds for the customer',
  problems: [],
  response: MeResponse,
  reads: kindsOfMe,
});

export const listOwnLots = route('GET /v1/me/credit/lots', {
  ...reading,
  id: 'me/list-own-lots',
  summary: "List the customer's own credit that ends",
  query: z.object({ ...pageQuery, type: queryType().describe('Only lots of this type of credit.') }),
  response: listOf('OwnLotListResponse', 'Open credit lots', OwnLot),
  reads: ['CUSTOMER', 'LOT'],
});

export const listOwnHistory = route('GET /v1/me/credit/history', {
  ...reading,
  id: 'me/list-own-history',
  summary: "List the changes of the customer's own credit",
  query: z.object({ ...pageQuery, type: queryType().describe('Only changes of this type of credit.') }),
  response: listOf('OwnChangeListResponse', 'Changes of credit', OwnChange),
  reads: ['HISTORY', 'SALE', 'PRODUCT'],
});

export const listOwnProducts = route('GET /v1/me/products', {
  ...reading,
  id: 'me/list-own-products',
  summary: 'List what the customer has bought',
  query: z.object(pageQuery),
  response: listOf('OwnProductListResponse', 'Owned products', OwnProduct),
  reads: ['OWNED', 'PRODUCT'],
});

export const listOwnCards = route('GET /v1/me/giftcards', {
  ...reading,
  id: 'me/list-own-cards',
  summary: 'List the own gift cards that can be redeemed',
  query: z.object(pageQuery),
  response: listOf('OwnCardListResponse', 'Gift cards', OwnCard),
  reads: ['GIFTCARD'],
});

/** The acts of a page do what the rows of customers do. */
const acting = { ...own, servedBy: 'me-acts', resolves: true } as const;

export const updateMe = route('PUT /v1/me', {
  ...acting,
  id: 'me-acts/update-me',
  summary: 'Switch the own subscription to news',
  problems: [400],
  body: UpdateMeRequest,
  response: MeResponse,
  reads: kindsOfMe,
  writes: ['PAGE', 'CUSTOMER', 'SPEND'],
});

export const redeliverOwn = route('POST /v1/me/products/{productId}/actions/redeliver', {
  ...acting,
  id: 'me-acts/redeliver-own',
  summary: 'Have an own product sent again',
  response: RedeliverOwnResponse,
  reads: ['PRODUCT', 'DELIVERY'],
  writes: ['PAGE', 'OWNED'],
  queue: true,
});

export const redeemOwn = route('POST /v1/me/giftcards/actions/redeem', {
  ...acting,
  id: 'me-acts/redeem-own',
  summary: 'Redeem own gift cards for own credit',
  problems: [400],
  body: RedeemOwnCardRequest,
  bodyOptional: true,
  response: RedeemedCardsResponse,
  writes: ['PAGE', 'GIFTCARD', 'CUSTOMER', 'LOT'],
});
