export const contractScopes = [
  'coupons:read',
  'coupons:write',
  'coupons:apply',
  'customers:read',
  'customers:write',
  'credits:read',
  'credits:write',
  'giftcards:read',
  'giftcards:write',
  'products:read',
  'products:write',
  'products:deliver',
  'categories:read',
  'categories:write',
] as const;

/** Every scope that a key may hold: the contract's scopes, and then the scopes of endpoints beyond it. */
export const scopes = [
  ...contractScopes,
  'store:write',
  'residents:write',
  'dispenser:register',
  'deliveries:read',
  'giftcards:redeem',
  'products:redeliver',
  'sales:read',
  'sales:write',
  'sales:refund',
  'events:read',
  'webhooks:write',
  'payouts:read',
  'payouts:pay',
  'payouts:settle',
  'vendors:read',
  'vendors:register',
  'vendors:write',
  'keys:read',
  'keys:write',
  'journal:read',
  'pages:open',
] as const;

export type Scope = (typeof scopes)[number];

/** The scope of the token of a customer's page. No key holds it, and no request may ask for it. */
export const pageScope = 'self';
