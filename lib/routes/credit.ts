import * as z from 'zod';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import { acrossFields, balances, integer, maxInteger, person } from './wire.ts';

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
  })
  .check(
    acrossFields(({ delta, expiresAt }, report) => {
      if (typeof delta === 'number' && delta < 0 && expiresAt !== undefined)
        report('expiresAt', 'must be left out when delta is negative');
    }),
  )
  .meta({
    id: 'IncrementCustomerCreditRequest',
    anyOf: [{ properties: { delta: { minimum: 0 } } }, { properties: { expiresAt: false } }],
  });

export type CustomerCredit = z.output<typeof CustomerCreditResponse>;

export const getCredit = route('GET /v1/customers/{identifier}/credit', {
  id: 'customers/get-credit',
  summary: "Read a customer's store credit",
  scope: 'credits:read',
  response: CustomerCreditResponse,
  reads: ['CUSTOMER'],
  resolves: true,
});

/** The fields that the four changes of credit share. */
const change = {
  scope: 'credits:write',
  response: CustomerCreditResponse,
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
