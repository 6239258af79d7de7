import type { JsonSchema } from '../schemas.ts';
import { type FieldText, type FieldTexts, list, uuidOf } from './common.ts';

const person = {
  uuid: uuidOf('the avatar'),
  username: 'Current username in canonical form: `ada.lovelace`, or `ada` without a last name.',
};

const balances = {
  credit: 'Regular store credit in L$, as it is stored: unlotted credit and open lots together.',
  restrictedCredit: 'Restricted store credit in L$, as it is stored: unlotted credit and open lots together.',
};

const expiresAt: FieldText = {
  description:
    'When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.',
  examples: ['2099-01-01T00:00:00Z'],
};

export const customerFields: FieldTexts = {
  CustomerResponse: {
    ...person,
    ...balances,
    discount: 'Discount of this customer, in whole percent.',
    newsSubscriber: 'Whether the customer is subscribed to the news kiosk.',
    isBanned: 'Whether the store has banned the customer. A ban blocks no call of this API.',
  },
  CustomerListResponse: list('Customers'),
  UpdateCustomerRequest: {
    discount: 'Discount of this customer, in whole percent. Left out: stays as it is.',
    newsSubscriber: 'Subscription to the news kiosk. Left out: stays as it is.',
  },
  CustomerCreditResponse: { ...person, ...balances },
  SetCustomerCreditRequest: {
    credit: 'The new balance in L$, at most the credit limit of the deployment (1,000,000,000 unless set otherwise).',
    expiresAt,
  },
  IncrementCustomerCreditRequest: {
    delta: {
      description:
        'L$ to add, or to remove where negative. Not 0. The balance may not pass the credit limit (1,000,000,000 unless set otherwise), nor fall below 0.',
      not: { const: 0 },
    },
    expiresAt: {
      ...(expiresAt as JsonSchema),
      description:
        'When the added credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires. Not with a negative `delta`.',
    },
  },
  CustomerSpendResponse: {
    ...person,
    sum: { description: 'Lifetime spend in L$.', format: 'int64' },
    lastYearSum: { description: 'Spend of the 365 UTC days that end today, in L$.', format: 'int64' },
    totalOwned: 'Number of distinct products owned.',
  },
  BanCustomerRequest: {
    reason:
      'Why, for the store’s own records. A second ban with a reason replaces it, one without keeps it; lifting the ban deletes it.',
  },
  CustomerBanStateResponse: { ...person, isBanned: 'Whether the store has banned the customer, after this request.' },
};
