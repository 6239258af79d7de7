import * as z from 'zod';
import { route } from './route.ts';
import { timestamp } from './timestamp.ts';
import { acrossFields, identifierPath, integer, maxInteger, noQuery, person } from './wire.ts';

const CustomerCreditResponse = z.object({ ...person, credit: z.int(), restrictedCredit: z.int() });

const SetCustomerCreditRequest = z.object({ credit: integer(0), expiresAt: timestamp().optional() });

const deltaWords = `must be a whole number from ${-maxInteger} to ${maxInteger}, but not 0`;

const IncrementCustomerCreditRequest = z
  .object({
    delta: z
      .int({ error: deltaWords })
      .min(-maxInteger, { error: deltaWords })
      .max(maxInteger, { error: deltaWords })
      .refine((delta) => delta !== 0, { error: deltaWords }),
    expiresAt: timestamp().optional(),
  })
  .check(
    acrossFields(({ delta, expiresAt }, report) => {
      if (typeof delta === 'number' && delta < 0 && expiresAt !== undefined)
        report('expiresAt', 'must be left out when delta is negative');
    }),
  );

export const getCredit = route({
  id: 'customers/get-credit',
  summary: "Read a customer's store credit",
  method: 'GET',
  path: '/v1/customers/{identifier}/credit',
  scope: 'credits:read',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  response: CustomerCreditResponse,
  reads: ['CUSTOMER', 'RESIDENT', 'NAME'],
  writes: [],
});

/** What the four changes of credit have in common. */
const change = {
  method: 'POST',
  scope: 'credits:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  response: CustomerCreditResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER', 'LOT'],
} as const;

export const setCredit = route({
  ...change,
  id: 'customers/set-credit',
  summary: "Set a customer's credit",
  path: '/v1/customers/{identifier}/actions/set-credit',
  body: SetCustomerCreditRequest,
});

export const setRestrictedCredit = route({
  ...change,
  id: 'customers/set-restricted-credit',
  summary: "Set a customer's restricted credit",
  path: '/v1/customers/{identifier}/actions/set-restricted-credit',
  body: SetCustomerCreditRequest,
});

export const incrementCredit = route({
  ...change,
  id: 'customers/increment-credit',
  summary: "Add to or take from a customer's credit",
  path: '/v1/customers/{identifier}/actions/increment-credit',
  body: IncrementCustomerCreditRequest,
});

export const incrementRestrictedCredit = route({
  ...change,
  id: 'customers/increment-restricted-credit',
  summary: "Add to or take from a customer's restricted credit",
  path: '/v1/customers/{identifier}/actions/increment-restricted-credit',
  body: IncrementCustomerCreditRequest,
});
