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
        id: answerText(12).describe('Id of the API key: the 12 characters after `sis_live_` or `sis_test_`.'),
        name: answerText(maxLength.label).describe('Name of the key.'),
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

/** The sums of a day, each with its text. */
const daySums = {
  sales: 'Sales that were completed.',
  refunds: 'Sales that were refunded.',
  paid: 'L$ that buyers paid, less what was given back at once.',
  refunded: 'L$ that were given back by refunds.',
  creditAdded: 'L$ of credit that were added, of both types, but not by refunds.',
  creditRemoved: 'L$ of credit that were taken or set lower, but not by sales.',
  creditSpent: 'L$ of credit that sales took, less what refunds gave back.',
  creditExpired: 'L$ of credit that expired.',
  giftCardsGranted: 'Gift cards that were granted.',
  giftCardsRedeemed: 'Gift cards that were redeemed.',
  delivered: 'Deliveries that reached the dispenser.',
  failed: 'Deliveries that failed for good.',
} as const;

/** The sums that the days of a vendor have too. */
type SaleSum = 'sales' | 'refunds' | 'paid' | 'refunded';
const saleSums: readonly string[] = ['sales', 'refunds', 'paid', 'refunded'] satisfies SaleSum[];

const sums = Object.fromEntries(
  Object.entries(daySums).map(([name, words]) => {
    const sum = z.int().describe(words);
    return [name, saleSums.includes(name) ? sum : sum.optional()];
  }),
) as Record<SaleSum, z.ZodInt> & Record<Exclude<keyof typeof daySums, SaleSum>, z.ZodOptional<z.ZodInt>>;

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
        'The days on which something happened, oldest first. Those of a vendor have only what its sales come to: `sales`, `refunds`, `paid` and `refunded`.',
      ),
  })
  .meta({ id: 'DaysResponse' });

const dayFilters = {
  from: queryDate().optional().describe('The first day. By default 29 days before the last.'),
  to: queryDate().optional().describe('The last day: the first one, or up to 365 days after it. By default today.'),
  vendor: objectUuid().optional().describe('Only the sales of the vendor with this UUID.'),
};

export type DayQuery = z.output<z.ZodObject<typeof dayFilters>>;
export type DaySum = keyof typeof daySums;
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
  id: 'store/end-key',
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
