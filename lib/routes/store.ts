import * as z from 'zod';
import { route } from './route.ts';
import { answerText, boolean, maxLength, objectUuid, queryDate, text, timeOrNull } from './wire.ts';

export const StoreResponse = z
  .object({
    id: answerText(64).describe('Id of the store.'),
    name: answerText(maxLength.label).describe('Name of the store.'),
    open: boolean().describe(
      'True while the store sells. While it is closed, quotes and sales are refused, and nothing else.',
    ),
    key: z
      .object({
        id: answerText(maxLength.keyId).describe(
          'Id of the API key: the 12 characters after `sis_live_` or `sis_test_`.',
        ),
        name: answerText(maxLength.name).describe('Name of the key.'),
        scopes: z.array(answerText(64)).describe('The scopes that the key has.'),
        expiresAt: timeOrNull().describe('When the key ends. Null: it does not.'),
      })
      .meta({ id: 'StoreKey' })
      .describe('The API key of this request.'),
  })
  .meta({ id: 'StoreResponse' });

const StoreStateRequest = z
  .object({
    reason: text({ min: 0, max: maxLength.reason })
      .optional()
      .describe(`Why, for the store’s own records: at most ${maxLength.reason} characters.`),
  })
  .meta({ id: 'StoreStateRequest' });

/** The sums that a vendor's days have too. */
const saleSums = {
  sales: z.int().describe('Sales that were completed.'),
  refunds: z.int().describe('Sales that were refunded.'),
  paid: z.int().describe('L$ that buyers paid, less what was given back at once.'),
  refunded: z.int().describe('L$ that were given back by refunds.'),
  shares: z
    .int()
    .describe(
      'L$ of the sales that go to others as shares of the profit, less those of the sales that were refunded: it may be below 0.',
    ),
  commissions: z
    .int()
    .describe(
      'L$ of the sales that go to the owners of coupons, less those of the sales that were refunded. The store’s own is `paid` - `refunded` - `shares` - `commissions`.',
    ),
};

/** The sums of a day. */
const sums = {
  ...saleSums,
  creditAdded: z.int().describe('L$ of credit that were added, of both types, but not by refunds.').optional(),
  creditRemoved: z.int().describe('L$ of credit that were taken or set lower, but not by sales.').optional(),
  creditSpent: z.int().describe('L$ of credit that sales took, less what refunds gave back.').optional(),
  creditExpired: z.int().describe('L$ of credit that expired.').optional(),
  giftCardsGranted: z.int().describe('Gift cards that were granted.').optional(),
  giftCardsRedeemed: z.int().describe('Gift cards that were redeemed.').optional(),
  delivered: z.int().describe('Deliveries that reached the dispenser.').optional(),
  failed: z.int().describe('Deliveries that failed for good.').optional(),
};

const DaysResponse = z
  .object({
    data: z
      .array(
        z
          .object({
            day: z.string().describe('The day, in UTC.').meta({ format: 'date', maxLength: 10 }),
            ...sums,
            credit: z.int().optional().describe('Regular credit in L$ that all customers held at the end of the day.'),
            restrictedCredit: z
              .int()
              .optional()
              .describe('Restricted credit in L$ that all customers held at the end of the day.'),
          })
          .meta({ id: 'StoreDay' }),
      )
      .describe(
        'The days on which something happened, oldest first. Those of a vendor have only what its sales come to: `sales`, `refunds`, `paid`, `refunded`, `shares` and `commissions`.',
      ),
  })
  .meta({ id: 'DaysResponse' });

const dayFilters = {
  from: queryDate().optional().describe('The first day. By default 29 days before the last.'),
  to: queryDate().optional().describe('The last day: the first one, or up to 365 days after it. By default today.'),
  vendor: objectUuid().optional().describe('Only the sales of the vendor with this UUID.'),
};

export type DayQuery = z.output<z.ZodObject<typeof dayFilters>>;
export type DaySum = keyof typeof sums;
export type Days = z.output<typeof DaysResponse>;
export type Store = z.output<typeof StoreResponse>;

export const getStore = route('GET /v1/store', {
  id: 'store/get-store',
  summary: 'Read the store and the key of the request',
  scope: null,
  problems: [],
  response: StoreResponse,
  reads: ['STORE', 'KEY'],
  extension: true,
});

export const endKey = route('POST /v1/store/key/actions/end', {
  id: 'own-key/end-key',
  servedBy: 'own-key',
  summary: 'End the key of the request',
  scope: null,
  problems: [400],
  writes: ['KEY', 'LOG'],
  extension: true,
});

export const getDays = route('GET /v1/store/days', {
  id: 'store/get-days',
  summary: "Read a store's days",
  scope: 'sales:read',
  query: z.object(dayFilters),
  response: DaysResponse,
  reads: ['DAY'],
  extension: true,
});

const switched = {
  scope: 'store:write',
  problems: [400],
  body: StoreStateRequest,
  bodyOptional: true,
  response: StoreResponse,
  reads: ['KEY'],
  writes: ['STORE'],
  extension: true,
} as const;

export const closeStore = route('POST /v1/store/actions/close', {
  id: 'store/close-store',
  summary: 'Close the store',
  ...switched,
});

export const openStore = route('POST /v1/store/actions/open', {
  id: 'store/open-store',
  summary: 'Open the store',
  ...switched,
});
