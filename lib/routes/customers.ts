import * as z from 'zod';
import { route } from './route.ts';
import {
  boolean,
  identifierPath,
  integer,
  listOf,
  noPath,
  noQuery,
  pageQuery,
  person,
  queryBoolean,
  queryInteger,
  text,
} from './wire.ts';

const CustomerResponse = z.object({
  ...person,
  credit: z.int(),
  restrictedCredit: z.int(),
  discount: z.int(),
  newsSubscriber: boolean(),
  isBanned: boolean(),
});

const CustomerBanStateResponse = z.object({ ...person, isBanned: boolean() });

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
