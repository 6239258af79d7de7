import * as z from 'zod';
import { route } from './route.ts';
import { balances, boolean, integer, listOf, pageQuery, person, queryBoolean, queryInteger, text } from './wire.ts';

const CustomerResponse = z
  .object({
    ...person,
    ...balances,
    discount: z.int().describe('Discount of this customer, in whole percent.'),
    newsSubscriber: boolean().describe('True if the customer is subscribed to the news kiosk.'),
    isBanned: boolean().describe('True while the store bans the customer. A ban blocks no call of this API.'),
  })
  .meta({ id: 'CustomerResponse' });

const CustomerSpendResponse = z
  .object({
    ...person,
    sum: z.int().describe('Lifetime spend in L$.').meta({ format: 'int64' }),
    lastYearSum: z.int().describe('Spend of the 365 UTC days that end today, in L$.').meta({ format: 'int64' }),
    totalOwned: z.int().describe('Number of distinct products owned.'),
  })
  .meta({ id: 'CustomerSpendResponse' });

const UpdateCustomerRequest = z
  .object({
    discount: integer(0, 100)
      .optional()
      .describe('Discount of this customer, in whole percent. Left out: stays as it is.'),
    newsSubscriber: boolean().optional().describe('Subscription to the news kiosk. Left out: stays as it is.'),
  })
  .meta({ id: 'UpdateCustomerRequest' });

const BanCustomerRequest = z
  .object({
    reason: text({ min: 0, max: 1000, multiline: true })
      .optional()
      .describe(
        'Why, for the store’s own records: at most 1,000 characters. A second ban with a reason replaces it, one without keeps it; lifting the ban deletes it.',
      ),
  })
  .meta({ id: 'BanCustomerRequest' });

export const CustomerBanStateResponse = z
  .object({
    ...person,
    isBanned: boolean().describe('True if the store bans the customer after this request.'),
  })
  .meta({ id: 'CustomerBanStateResponse' });

const filters = {
  newsSubscriber: queryBoolean()
    .optional()
    .describe('Only customers who are (true) or are not (false) subscribed to the news kiosk.'),
  spentMoreThan: queryInteger()
    .optional()
    .describe(
      'Only customers whose lifetime spend is strictly more than this many L$. Without any recorded spend it counts as 0.',
    ),
};

export type Customer = z.output<typeof CustomerResponse>;
export type CustomerFilter = z.output<z.ZodObject<typeof filters>>;

export const listCustomers = route('GET /v1/customers', {
  id: 'customers/list-customers',
  summary: 'List customers',
  scope: 'customers:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('CustomerListResponse', 'Customers', CustomerResponse),
  reads: ['CUSTOMER', 'SPEND'],
});

export const getCustomer = route('GET /v1/customers/{identifier}', {
  id: 'customers/get-customer',
  summary: 'Read a customer',
  scope: 'customers:read',
  response: CustomerResponse,
  tagged: CustomerResponse,
  reads: ['CUSTOMER'],
  resolves: true,
});

export const getSpend = route('GET /v1/customers/{identifier}/spend', {
  id: 'customers/get-spend',
  summary: "Read a customer's spend",
  scope: 'customers:read',
  response: CustomerSpendResponse,
  reads: ['SPEND', 'CUSTOMER'],
  resolves: true,
});

export const updateCustomer = route('PUT /v1/customers/{identifier}', {
  id: 'customers/update-customer',
  summary: 'Update a customer',
  scope: 'customers:write',
  body: UpdateCustomerRequest,
  response: CustomerResponse,
  tagged: CustomerResponse,
  resolves: true,
  writes: ['CUSTOMER', 'SPEND'],
});

export const banCustomer = route('POST /v1/customers/{identifier}/actions/ban', {
  id: 'customers/ban-customer',
  summary: 'Ban a customer',
  scope: 'customers:write',
  body: BanCustomerRequest,
  bodyOptional: true,
  response: CustomerBanStateResponse,
  resolves: true,
  writes: ['CUSTOMER'],
});

export const unbanCustomer = route('POST /v1/customers/{identifier}/actions/unban', {
  id: 'customers/unban-customer',
  summary: 'Lift the ban of a customer',
  scope: 'customers:write',
  response: CustomerBanStateResponse,
  resolves: true,
  writes: ['CUSTOMER'],
});
