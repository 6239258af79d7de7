import * as z from 'zod';
import { route } from './route.ts';
import {
  answerText,
  answerTextOrNull,
  identifier,
  integer,
  listOf,
  maxLength,
  pageQuery,
  queryBoolean,
  remarks,
  text,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

/** `unknown`: nobody knows whether the L$ have moved. It is not final. The service never pays it again by itself. */
export const payoutStates = ['claimed', 'unknown', 'paid', 'failed'] as const;
export type PayoutState = (typeof payoutStates)[number];

const username = () =>
  answerText(maxLength.username).describe('Current username of the avatar, in canonical form; their UUID without one.');

const PayeeResponse = z
  .object({
    residentUuid: uuid().describe('UUID of the avatar, in lower case.'),
    username: username(),
    owed: z
      .int()
      .describe('L$ that the store owes them. Below 0 where a sale was refunded whose share was paid out before.'),
    claimed: z.int().describe('L$ of payouts that a cashier has claimed and not reported yet.'),
    unknown: z.int().describe('L$ of payouts of which nobody knows whether they were paid.'),
    paid: z.int().describe('L$ that were paid.'),
  })
  .meta({ id: 'PayeeResponse' });

export const PayoutResponse = z
  .object({
    id: uuid().describe('UUID of the payout.'),
    residentUuid: uuid().describe('UUID of the avatar who is paid, in lower case.'),
    username: username(),
    amount: z.int().describe('The amount in L$.'),
    state: z
      .enum(payoutStates)
      .describe(
        '`claimed`: a cashier is paying it. `unknown`: nobody knows whether it was paid. `paid` and `failed`: it has ended.',
      ),
    transactionId: uuid().nullable().describe('UUID of the transfer, as the virtual world names it; null: unknown.'),
    error: answerTextOrNull(maxLength.reference).describe('Why it was not paid, or may not have been; null: no error.'),
    reference: answerTextOrNull(maxLength.reference).describe('The reference that a person gave it; null: none.'),
    createdAt: time().describe('When it was claimed, or paid by hand.'),
    endedAt: timeOrNull().describe('When it was paid or has failed; null: it has not ended.'),
  })
  .meta({ id: 'PayoutResponse' });

const ClaimPayoutRequest = z
  .object({
    minimum: integer(1).default(1).describe('Only a payee who would get so many L$ or more. Left out: 1.'),
    limit: integer(1).optional().describe('The most L$ of the payout. Left out: no limit.'),
    hold: integer(0, 30)
      .default(2)
      .describe(
        'Shares of sales of so many UTC days, today included, are left out, so that somebody sees an invented sale before its shares are paid. Left out: 2. 0: none.',
      ),
  })
  .meta({ id: 'ClaimPayoutRequest' });

const ClaimPayoutResponse = z
  .object({ payout: PayoutResponse.nullable().describe('The payout to be made now. Null: nobody is to be paid.') })
  .meta({ id: 'ClaimPayoutResponse' });

const transactionId = () => uuid().optional().describe('UUID of the transfer, as the virtual world names it.');

const ReportPayoutRequest = z
  .object({
    result: z
      .enum(['paid', 'failed', 'unknown'], { error: 'must be paid, failed or unknown' })
      .describe(
        '`failed` only where it is certain that no L$ have moved: they are owed again. `unknown` wherever there is a doubt.',
      ),
    transactionId: transactionId(),
    error: text({ min: 0, max: maxLength.reference })
      .transform((value) => value || undefined)
      .optional()
      .describe('Why it was not paid, or may not have been: at most 100 characters.'),
  })
  .meta({ id: 'ReportPayoutRequest' });

const SettlePayoutRequest = z
  .object({
    result: z
      .enum(['paid', 'failed'], { error: 'must be paid or failed' })
      .describe('`paid`: the L$ have moved. `failed`: they have not, and are owed again.'),
    transactionId: transactionId(),
    reference: remarks.reference,
  })
  .meta({ id: 'SettlePayoutRequest' });

const PayPayeeRequest = z
  .object({
    amount: integer(1).describe('L$ that were paid, from 1 to what is owed.'),
    reference: remarks.reference,
  })
  .meta({ id: 'PayPayeeRequest' });

const payeeFilters = {
  owed: queryBoolean()
    .optional()
    .describe('`true`: only avatars who are owed 1 or more. Left out or `false`: all who were ever owed or paid.'),
};

const payoutFilters = {
  state: z
    .enum(payoutStates, { error: 'must be claimed, unknown, paid or failed' })
    .optional()
    .describe('Only payouts in this state.'),
  payee: identifier()
    .optional()
    .describe('Only payouts to this avatar, by username or UUID. An unknown one gives an empty list.'),
};

export type PayeeAnswer = z.output<typeof PayeeResponse>;
export type PayoutAnswer = z.output<typeof PayoutResponse>;
export type ClaimRequest = z.output<typeof ClaimPayoutRequest>;
export type PayoutReport = z.output<typeof ReportPayoutRequest>;
export type Settlement = z.output<typeof SettlePayoutRequest>;
export type HandPayment = z.output<typeof PayPayeeRequest>;
export type PayoutFilter = z.output<z.ZodObject<typeof payoutFilters>>;

const common = { extension: true, servedBy: 'payouts' } as const;

export const listPayees = route('GET /v1/payees', {
  id: 'payouts/list-payees',
  summary: 'List payees',
  scope: 'payouts:read',
  ...common,
  query: z.object({ ...pageQuery, ...payeeFilters }),
  response: listOf('PayeeListResponse', 'Avatars that the store has owed or paid something, by UUID', PayeeResponse),
  reads: ['PAYEE'],
});

export const payPayee = route('POST /v1/payees/{identifier}/actions/pay', {
  id: 'payouts/pay-payee',
  summary: 'Note a payment by hand',
  scope: 'payouts:settle',
  ...common,
  status: 201,
  location: '/v1/payouts',
  body: PayPayeeRequest,
  response: PayoutResponse,
  reads: ['STORE'],
  writes: ['PAYEE', 'PAYOUT'],
  resolves: true,
});

export const listPayouts = route('GET /v1/payouts', {
  id: 'payouts/list-payouts',
  summary: 'List payouts',
  scope: 'payouts:read',
  ...common,
  query: z.object({ ...pageQuery, ...payoutFilters }),
  response: listOf('PayoutListResponse', 'Payouts, the newest first', PayoutResponse),
  reads: ['PAYEE', 'PAYOUT'],
  resolves: true,
});

export const claimPayout = route('POST /v1/payouts/actions/claim', {
  id: 'payouts/claim-payout',
  unsigned: true,
  summary: 'Claim the next payout',
  scope: 'payouts:pay',
  ...common,
  body: ClaimPayoutRequest,
  bodyOptional: true,
  response: ClaimPayoutResponse,
  reads: ['STORE'],
  writes: ['PAYEE', 'PAYOUT'],
});

export const getPayout = route('GET /v1/payouts/{id}', {
  id: 'payouts/get-payout',
  summary: 'Read a payout',
  scope: 'payouts:read',
  ...common,
  response: PayoutResponse,
  reads: ['PAYEE', 'PAYOUT'],
});

export const reportPayout = route('POST /v1/payouts/{id}/actions/report', {
  id: 'payouts/report-payout',
  unsigned: true,
  summary: 'Report how a payout ended',
  scope: 'payouts:pay',
  ...common,
  body: ReportPayoutRequest,
  response: PayoutResponse,
  writes: ['PAYEE', 'PAYOUT'],
});

export const settlePayout = route('POST /v1/payouts/{id}/actions/settle', {
  id: 'payouts/settle-payout',
  summary: 'Settle a payout',
  scope: 'payouts:settle',
  ...common,
  body: SettlePayoutRequest,
  response: PayoutResponse,
  writes: ['PAYEE', 'PAYOUT'],
});
