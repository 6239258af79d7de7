import type { Route } from '../../lib/routes/route.ts';
import type { Scope } from '../../lib/routes/scopes.ts';

/** Texts that hold for all operations. */

/** The examples of messages to webhooks are signed with it. */
export const exampleSecret = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`;

export const introduction = `The HTTP/JSON interface to the data of one store.

**Calls.** Paths are relative to the base URL. Bodies and answers are JSON; the service ignores fields that it does
not know. Every call carries an API key in the header \`X-API-Key\`. The key implies the store.

**Versions.** Nothing that works under \`/v1\` stops working in a later version. Pass over fields that you do not know, and be
ready for new values of an enumeration whose text says that later versions may add some.

**Residents.** \`{identifier}\` is a username (\`ada.lovelace\`, \`Ada Lovelace\`, \`ada\`) or an avatar UUID. Case
and surrounding blanks are ignored, a missing last name means \`Resident\`, and former names still work. UUIDs are
taken in any case, without a check of their version, and answered in lower case.

**Numbers and times.** Money is whole L$, at most 2,147,483,647. Percentages are numbers from 0 to 100. A time is sent
as an ISO 8601 date-time with an offset (ordinal and week dates too) and answered in UTC with milliseconds:
\`2030-01-31T12:00:00.000Z\`. The end of a time is no part of it: a coupon that expires at noon cannot be applied at
noon.

**Lists** answer \`data\` and \`pagination\`. Send \`nextCursor\` as \`cursor\`, with the same filters, until it is
null. Cursors are opaque. Rows come in a fixed order.

**Problems** are RFC 9457 \`application/problem+json\`. Rely on the status; show \`detail\` to people.
A script in the virtual world (a request with \`X-SecondLife-Shard\`) whose \`Accept\` takes \`application/json\` but none of
\`application/problem+json\`, \`application/*\` and \`*/*\` gets an endpoint's problem, with the same body, as \`application/json\`.

**Conditional requests.** An answer with one coupon, product, gift card, category or customer has an \`ETag\`. A PUT
or DELETE that sends it as \`If-Match\` changes that state and no later one: 412 where somebody else was faster.

**Retries.** After 429 and 503 wait \`Retry-After\` seconds. Give every POST an \`Idempotency-Key\`, and send the same
request with the same key whenever an answer was lost: the service makes the change once.

**Webhooks** get each event as a POST, signed as [Standard Webhooks 1.0](https://www.standardwebhooks.com) have it. An
event arrives at least once, in no promised order: remember the ids that you have handled. Answer any 2xx within ten
seconds. Anything else is tried again after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours, or later
where \`Retry-After\` asks for it; 410 disables the webhook, as do five days of failure. Before you trust a message,
compare one of the signatures in \`webhook-signature\` with your own, in constant time. Each is \`v1,\` and the Base64
of the HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\`, with the body as it was received. The key is the
Base64-decoded rest of the secret after \`whsec_\`. The examples are written without blanks and signed with
\`${exampleSecret}\`.`;

export const tagTexts = {
  Coupons: 'Codes that give customers a discount and their owner a commission, and their application to customers.',
  Customers:
    'Residents as this store sees them. Each resident is a customer, with zeros where the store knows nothing yet.',
  Credit:
    'Store credit in L$, regular and restricted. Credit with an expiry lies in lots; what expires first is taken first, credit ' +
    'without expiry last.',
  'Gift cards': 'Cards with a balance, granted to customers.',
  Products: 'The goods of the store, and their delivery to residents.',
  Categories: 'Named groups of products.',
  Sales: 'Quotes, and sales with discount, coupon, credit, stock and shares. Extensions of this service.',
  Payouts: 'What the store owes to those who share in its sales, and how it is paid. Extensions of this service.',
  Vendors: 'The inworld objects that sell: where they are, and what they sell. Extensions of this service.',
  'Customer’s page':
    'What the store holds for one avatar, who opens it from a terminal without a password. Extensions of this service.',
  Keys: 'The API keys of the store: who has one, what it may do, and until when. Invitations for people. Extensions of this service.',
  Store:
    'The store itself: its name, its rules, whether it sells, and the key of the request. Extensions of this service.',
  Deliveries: 'Items on their way to residents. Extensions of this service.',
  Events: 'What has happened in the store: a log to read. Extensions of this service.',
  Journal: 'Who changed what, with the values before and after. An extension of this service.',
  Webhooks: 'Addresses that events are sent to, signed as Standard Webhooks have it. Extensions of this service.',
  Dispenser: 'The inworld object that hands out products. An extension of this service.',
} as const;

type Tag = keyof typeof tagTexts;

const tags: Record<string, Tag> = {
  coupons: 'Coupons',
  customers: 'Customers',
  credits: 'Credit',
  giftcards: 'Gift cards',
  products: 'Products',
  categories: 'Categories',
};

const tagsOfFolders: Record<string, Tag> = {
  deliveries: 'Deliveries',
  dispenser: 'Dispenser',
  sales: 'Sales',
  payouts: 'Payouts',
  products: 'Products',
  vendors: 'Vendors',
  store: 'Store',
  keys: 'Keys',
  'own-key': 'Keys',
  rules: 'Store',
  events: 'Events',
  journal: 'Journal',
  webhooks: 'Webhooks',
  me: 'Customer’s page',
  'me-acts': 'Customer’s page',
};

/** The group of an operation, taken from its scope: the paths of credit and gift cards begin like the customers'. */
export const tagOf = ({ id, scope }: Route): Tag =>
  tagsOfFolders[id.split('/')[0] ?? ''] ?? tags[scope?.split(':')[0] ?? ''] ?? 'Customers';

export const scopeTexts: Record<Scope, string> = {
  'coupons:read': 'read coupons',
  'coupons:write': 'create and replace coupons',
  'coupons:apply': 'apply coupons to customers, and revoke them',
  'customers:read': 'read customers and their spend',
  'customers:write': 'update, ban and unban customers',
  'credits:read': 'read store credit',
  'credits:write': 'change store credit',
  'giftcards:read': 'read gift cards',
  'giftcards:write': 'grant, replace and disable gift cards',
  'products:read': 'read products',
  'products:write': 'create and replace products',
  'products:deliver': 'deliver products',
  'categories:read': 'read categories',
  'categories:write': 'create, rename and delete categories, and change what is in them',
  'store:write': 'close and open the store, and set its rules',
  'residents:write': 'tell the store names of residents',
  'dispenser:register': 'register the address of the dispenser',
  'deliveries:read': 'read deliveries',
  'giftcards:redeem': 'turn gift cards into credit',
  'products:redeliver': 'deliver again what a customer owns',
  'sales:read': 'read sales, and the sums of each day',
  'sales:write': 'quote prices and make sales',
  'sales:refund': 'refund sales',
  'events:read': 'read events',
  'webhooks:write': 'create, read, replace and delete webhooks',
  'payouts:read': 'read who is owed how much, and payouts',
  'payouts:pay': 'claim payouts, and report how they ended',
  'payouts:settle': 'settle payouts, and note payments by hand',
  'vendors:read': 'read vendors',
  'vendors:register': 'register vendors',
  'vendors:write': 'set what vendors sell, and delete vendors',
  'keys:read': 'read API keys, without their texts',
  'keys:write': 'issue, rename, rotate and revoke API keys that may do no more than itself',
  'journal:read': 'read who changed what, as far as the key may read the things themselves',
  'pages:open': 'open the page of any customer',
};
