import * as z from 'zod';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  answerTextOrNull,
  balances,
  integer,
  listOf,
  maxInteger,
  maxLength,
  pageQuery,
  person,
  remarks,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

export const CustomerCreditResponse = z.object({ ...person, ...balances }).meta({ id: 'CustomerCreditResponse' });

export const expiresAt = () =>
  timestamp()
    .optional()
    .meta({ examples: ['2099-01-01T00:00:00Z'] });

const SetCustomerCreditRequest = z
  .object({
    credit: integer(0).describe(
      'The new balance in L$, at most the credit limit of the deployment (1,000,000,000 unless set otherwise).',
    ),
    expiresAt: expiresAt().describe(
      'When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.',
    ),
    ...remarks,
  })
  .meta({ id: 'SetCustomerCreditRequest' });

const deltaWords = `must be a whole number from ${-maxInteger} to ${maxInteger}, but not 0`;

const IncrementCustomerCreditRequest = z
  .object({
    delta: z
      .int({ error: deltaWords })
      .min(-maxInteger, { error: deltaWords })
      .max(maxInteger, { error: deltaWords })
      .refine((delta) => delta !== 0, { error: deltaWords })
      .meta({ not: { const: 0 } })
      .describe(
        'L$ to add, or to remove where negative. Not 0. The balance may not pass the credit limit (1,000,000,000 unless set otherwise), nor fall below 0.',
      ),
    expiresAt: expiresAt().describe(
      'When the added credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires. Not with a negative `delta`.',
    ),
    ...remarks,
  })
  .check(
    acrossFields(({ delta, expiresAt }, report) => {
      if (typeof delta === 'number' && delta < 0 && expiresAt !== undefined)
        report('expiresAt', 'must be left out when delta is negative');
    }),
  )
  .meta({
    id: 'IncrementCustomerCreditRequest',
    allOf: [
      {
        anyOf: [{ properties: { delta: { type: 'integer', minimum: 0 } } }, { properties: { expiresAt: { not: {} } } }],
      },
    ],
  });

const UndoCreditChangeRequest = z
  .object({
    sequence: integer(1).describe(
      'The number of the change to be undone: a `set` or an `increment`. Each change answers it in the header `Credit-Sequence`, and history lists it.',
    ),
    ...remarks,
  })
  .meta({ id: 'UndoCreditChangeRequest' });

const UndoCreditChangeResponse = z
  .object({
    sequence: z
      .int()
      .nullable()
      .describe("The number of the undo's own change. Null: nothing was left to be undone, so nothing changed."),
    amount: z.int().describe('L$ by which the undo raised the balance; negative where it took credit back.'),
    left: z.int().describe('L$ that could not be undone: spent, expired, or ended by a later set. 0 or more.'),
    credit: CustomerCreditResponse.describe('The credit as it is now.'),
  })
  .meta({ id: 'UndoCreditChangeResponse' });

export const typeOfCredit = ['regular', 'restricted'] as const;
const stateOfLot = ['open', 'drained', 'expired', 'superseded'] as const;

export const CreditLotResponse = z
  .object({
    id: uuid().describe('UUID of the lot, in lower case.'),
    type: z.enum(typeOfCredit).describe('The type of credit.'),
    amount: z.int().describe('L$ that were added.'),
    remaining: z.int().describe('L$ that are left; for a lot that has ended, L$ that were left then.'),
    state: z
      .enum(stateOfLot)
      .describe('`open`, or how it ended. A lot that has come due is `open` until the sweep or a change closes it.'),
    createdAt: time().describe('When it was added.'),
    expiresAt: time().describe('When it expires.'),
    endedAt: timeOrNull().describe('When it ended. Null: it is open.'),
  })
  .meta({ id: 'CreditLotResponse' });

export const queryType = () => z.enum(typeOfCredit, { error: 'must be regular or restricted' }).optional();

const lotFilters = {
  type: queryType().describe('Only lots of this type of credit.'),
  state: z
    .enum(stateOfLot, { error: 'must be open, drained, expired or superseded' })
    .optional()
    .describe('Only open lots, or those that ended this way.'),
};

/** The kinds of change that history knows. */
export const changeKinds = [
  'set',
  'increment',
  'expire',
  'sale',
  'refund',
  'redeem',
  'bonus',
  'undo',
  'import',
  'opening',
  'unrecorded',
] as const;

const LotPart = z
  .object({
    id: uuid()
      .nullable()
      .describe(
        'UUID of the lot, in lower case. Null: permanent credit, or the lots of a change beyond the first 200 together.',
      ),
    amount: z.int().describe('L$ that were added; negative for those that were taken, expired or were superseded.'),
    expiresAt: timeOrNull().describe('When the lot expires, or the last of several. Null: permanent credit.'),
  })
  .meta({ id: 'CreditLotPart' });

const nullableText = (max: number, words: string) => answerTextOrNull(max).describe(`${words} Null: none.`);

const CreditChangeResponse = z
  .object({
    sequence: z.int().describe("The number of the change among those of the customer's credit, from 1 on."),
    at: time().describe('When it was made.'),
    type: z.enum(typeOfCredit).describe('The type of credit that changed. The other balance stayed as it was.'),
    kind: z
      .enum(changeKinds)
      .describe(
        'The kind of change. `bonus`: a sale gave it, or its refund took back what was left. `undo`: it took back what was left of an earlier change, and gave back what that had taken. `opening`: the balance when history began. `unrecorded`: history had failed for more than a day, and the balances alone are known.',
      ),
    amount: z
      .int()
      .describe('L$ by which the change itself raised the balance of the type; negative where it lowered it.'),
    expired: z.int().describe('L$ that came due in the same change, and left the balance beside `amount`. 0 or more.'),
    credit: z.int().describe('The regular balance after it.'),
    restrictedCredit: z.int().describe('The restricted balance after it.'),
    lots: z
      .array(LotPart)
      .describe('The parts that lots and permanent credit have in it: they come to `amount` less `expired`.'),
    reason: nullableText(maxLength.reason, 'The `reason` of the request.'),
    reference: nullableText(maxLength.reference, 'The `reference` of the request.'),
    saleId: nullableText(maxLength.uuid, 'The sale that it belongs to.'),
    giftCardId: nullableText(maxLength.uuid, 'The gift card that was redeemed.'),
    requestId: nullableText(255, 'The `X-Request-Id` of the request that made it.'),
    keyId: nullableText(255, 'The id of the API key that made it.'),
    undoes: z.int().nullable().describe('Of an undo the `sequence` of the change that it undid. Null: it is none.'),
    undone: z
      .object({
        at: time().describe('When it was undone.'),
        sequence: z
          .int()
          .nullable()
          .describe('The `sequence` of the undo. Null: nothing was left to be undone, so nothing changed.'),
        amount: z.int().describe('L$ by which the undo raised the balance; negative where it took credit back.'),
      })
      .meta({ id: 'CreditUndo' })
      .nullable()
      .describe('The undo of this change. Null: it was not undone.'),
  })
  .meta({ id: 'CreditChangeResponse' });

export type CreditChange = z.output<typeof CreditChangeResponse>;
export type CreditLotRow = z.output<typeof CreditLotResponse>;
export type LotFilter = z.output<z.ZodObject<typeof lotFilters>>;
export type CustomerCredit = z.output<typeof CustomerCreditResponse>;

export const getCredit = route('GET /v1/customers/{identifier}/credit', {
  id: 'customers/get-credit',
  summary: "Read a customer's store credit",
  scope: 'credits:read',
  response: CustomerCreditResponse,
  reads: ['CUSTOMER'],
  resolves: true,
});

export const listCreditLots = route('GET /v1/customers/{identifier}/credit/lots', {
  id: 'customers/list-credit-lots',
  summary: "List a customer's credit lots",
  scope: 'credits:read',
  query: z.object({ ...pageQuery, ...lotFilters }),
  response: listOf('CreditLotListResponse', 'Credit lots', CreditLotResponse),
  reads: ['CUSTOMER', 'LOT'],
  resolves: true,
  extension: true,
});

export const listCreditHistory = route('GET /v1/customers/{identifier}/credit/history', {
  id: 'customers/list-credit-history',
  summary: "List the changes of a customer's credit",
  scope: 'credits:read',
  query: z.object({ ...pageQuery, type: queryType().describe('Only changes of this type of credit.') }),
  response: listOf('CreditChangeListResponse', 'Changes of credit', CreditChangeResponse),
  reads: ['CUSTOMER', 'HISTORY'],
  resolves: true,
  extension: true,
});

/** The fields that the four changes of credit share. */
const change = {
  scope: 'credits:write',
  response: CustomerCreditResponse,
  changesCredit: true,
  resolves: true,
  writes: ['CUSTOMER', 'LOT'],
} as const;

export const setCredit = route('POST /v1/customers/{identifier}/actions/set-credit', {
  ...change,
  id: 'customers/set-credit',
  summary: "Set a customer's credit",
  body: SetCustomerCreditRequest,
});

export const setRestrictedCredit = route('POST /v1/customers/{identifier}/actions/set-restricted-credit', {
  ...change,
  id: 'customers/set-restricted-credit',
  summary: "Set a customer's restricted credit",
  body: SetCustomerCreditRequest,
});

export const incrementCredit = route('POST /v1/customers/{identifier}/actions/increment-credit', {
  ...change,
  id: 'customers/increment-credit',
  summary: "Add to or take from a customer's credit",
  body: IncrementCustomerCreditRequest,
});

export const incrementRestrictedCredit = route('POST /v1/customers/{identifier}/actions/increment-restricted-credit', {
  ...change,
  id: 'customers/increment-restricted-credit',
  summary: "Add to or take from a customer's restricted credit",
  body: IncrementCustomerCreditRequest,
});

export const undoCreditChange = route('POST /v1/customers/{identifier}/actions/undo-credit-change', {
  id: 'customers/undo-credit-change',
  summary: "Undo a change of a customer's credit",
  scope: 'credits:write',
  body: UndoCreditChangeRequest,
  response: UndoCreditChangeResponse,
  changesCredit: true,
  reads: ['CUSTOMER', 'LOT', 'HISTORY'],
  resolves: true,
  writes: ['CUSTOMER', 'LOT', 'HISTORY'],
  extension: true,
});
