import * as z from 'zod';
import { route } from './route.ts';
import {
  acrossFields,
  boolean,
  identifierPath,
  integer,
  listOf,
  maxInteger,
  noPath,
  noQuery,
  pageQuery,
  queryBoolean,
  queryInteger,
  text,
  timestamp,
  uuid,
} from './wire.ts';

const person = { uuid: uuid(), username: z.string() };

const CustomerResponse = z.object({
  ...person,
  credit: z.int(),
  restrictedCredit: z.int(),
  discount: z.int(),
  newsSubscriber: boolean(),
  isBanned: boolean(),
});

const CustomerCreditResponse = z.object({ ...person, credit: z.int(), restrictedCredit: z.int() });

const CustomerBanStateResponse = z.object({ ...person, isBanned: boolean() });

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

export const listCustomers = route({
  id: 'customers/list-customers',
  summary: 'List customers',
  method: 'GET',
  path: '/v1/customers',
  scope: 'customers:read',
  status: 200,
  problems: [400],
  params: noPath,
  query: z.object({
    ...pageQuery,
    newsSubscriber: queryBoolean().optional(),
    spentMoreThan: queryInteger().optional(),
  }),
  response: listOf(CustomerResponse),
  reads: ['CUSTOMER'],
  writes: [],
});

const wholePercent = integer(0, 100);

export const getCustomer = route({
  id: 'customers/get-customer',
  summary: 'Read a customer',
  method: 'GET',
  path: '/v1/customers/{identifier}',
  scope: 'customers:read',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  response: CustomerResponse,
  reads: ['CUSTOMER', 'RESIDENT', 'NAME'],
  writes: [],
});

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

export const getSpend = route({
  id: 'customers/get-spend',
  summary: "Read a customer's spend",
  method: 'GET',
  path: '/v1/customers/{identifier}/spend',
  scope: 'customers:read',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  response: z.object({ ...person, sum: z.int(), lastYearSum: z.int(), totalOwned: z.int() }),
  reads: ['SPEND', 'CUSTOMER', 'RESIDENT', 'NAME'],
  writes: [],
});

export const updateCustomer = route({
  id: 'customers/update-customer',
  summary: 'Update a customer',
  method: 'PUT',
  path: '/v1/customers/{identifier}',
  scope: 'customers:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: z.object({ discount: wholePercent.optional(), newsSubscriber: boolean().optional() }),
  response: CustomerResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER'],
});

export const setCredit = route({
  id: 'customers/set-credit',
  summary: "Set a customer's credit",
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/set-credit',
  scope: 'credits:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: SetCustomerCreditRequest,
  response: CustomerCreditResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER', 'LOT'],
});

export const setRestrictedCredit = route({
  id: 'customers/set-restricted-credit',
  summary: "Set a customer's restricted credit",
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/set-restricted-credit',
  scope: 'credits:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: SetCustomerCreditRequest,
  response: CustomerCreditResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER', 'LOT'],
});

export const incrementCredit = route({
  id: 'customers/increment-credit',
  summary: "Add to or take from a customer's credit",
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/increment-credit',
  scope: 'credits:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: IncrementCustomerCreditRequest,
  response: CustomerCreditResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER', 'LOT'],
});

export const incrementRestrictedCredit = route({
  id: 'customers/increment-restricted-credit',
  summary: "Add to or take from a customer's restricted credit",
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/increment-restricted-credit',
  scope: 'credits:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: IncrementCustomerCreditRequest,
  response: CustomerCreditResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER', 'LOT'],
});

export const banCustomer = route({
  id: 'customers/ban-customer',
  summary: 'Ban a customer',
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/ban',
  scope: 'customers:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  body: z.object({ reason: text({ min: 0, max: 1000, multiline: true }).optional() }),
  bodyOptional: true,
  response: CustomerBanStateResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER'],
});

export const unbanCustomer = route({
  id: 'customers/unban-customer',
  summary: 'Lift the ban of a customer',
  method: 'POST',
  path: '/v1/customers/{identifier}/actions/unban',
  scope: 'customers:write',
  status: 200,
  problems: [400, 404],
  params: identifierPath,
  query: noQuery,
  response: CustomerBanStateResponse,
  reads: ['RESIDENT', 'NAME'],
  writes: ['CUSTOMER'],
});
