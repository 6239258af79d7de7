import { type Scope, scopes } from './scopes.ts';

/** The scopes that a key for one purpose needs. */
interface Preset {
  scopes: readonly Scope[];
  /** Texts for the merchant: the purpose of such a key, and the harm that a thief could do to the store with it. */
  use: string;
  risk: string;
}

export const readScopes = scopes.filter((scope) => scope.endsWith(':read'));

const supportScopes = [
  ...readScopes,
  'products:deliver',
  'products:redeliver',
  'credits:write',
  'sales:refund',
  'pages:open',
] as const satisfies readonly Scope[];

export const presets = {
  vendor: {
    scopes: ['sales:write', 'products:read', 'vendors:register'],
    use: 'vendors inworld: quote prices, make sales, say where they stand',
    risk:
      'could make up sales that nobody paid for: they deliver products, make gift cards, which are money, give bonus ' +
      'credit, owe shares that are paid out, and spend your customers’ credit. It could also read all products, learn ' +
      'any avatar’s credit, discount and ban by quotes, and list vendors that do not exist',
  },
  terminal: {
    scopes: [
      'credits:read',
      'customers:read',
      'coupons:read',
      'coupons:apply',
      'giftcards:redeem',
      'products:redeliver',
      'pages:open',
    ],
    use:
      'terminals for customers inworld: show credit, apply coupons, redeem gift cards, send again what they own, open ' +
      'their page',
    risk:
      'could read your customers, their credit and all coupon codes, apply your coupons, redeem gift cards by their ' +
      'id, have what was bought sent again, and open any customer’s page, which shows their cards’ worth too',
  },
  dispenser: {
    scopes: ['dispenser:register'],
    use: 'the box that hands out your products',
    risk:
      'could put another box in its place, which sees who buys what, gives your customers nothing, and says who ' +
      'has a new name, so who gets gifts and credit',
  },
  cashier: {
    scopes: ['payouts:pay'],
    use: 'the object inworld that pays what your store owes',
    risk:
      'could mark as paid what nobody has paid, so that your partners wait for it; it moves no L$, and store reconcile ' +
      'finds it',
  },
  shop: {
    scopes: ['products:read', 'categories:read'],
    use: 'a web shop, or a shelf inworld, that shows your products',
    risk: 'could read all products, inactive ones and profit shares too, and change nothing',
  },
  support: {
    scopes: supportScopes,
    use: 'the people who help your customers: read everything, deliver, change credit, refund sales',
    risk:
      'could read everything your store knows about its customers, give away credit and products, and refund sales, ' +
      'so that your store owes the buyers what they paid. It could also open any customer’s page, and read the ids of ' +
      'the gift cards that anybody may redeem, which are money',
  },
  manager: {
    scopes: [
      ...supportScopes,
      'coupons:write',
      'coupons:apply',
      'customers:write',
      'giftcards:write',
      'categories:write',
      'products:write',
      'vendors:write',
      'store:write',
    ],
    use: 'the people who run your store with you: all that support may, and change products, coupons, cards and rules',
    risk:
      'could do all that a thief of a support key could, make gift cards, which are money, make and apply your coupons, ' +
      'ban customers, change prices, shares and rules, change categories and what vendors sell, and close the store',
  },
  designer: {
    scopes: ['products:read', 'products:write', 'categories:read', 'categories:write', 'vendors:read', 'vendors:write'],
    use: 'the people who make your products: products, categories, and what vendors sell',
    risk:
      'could change prices, shares, what is delivered and which products sell gift cards, which are money, change ' +
      'categories, and have your vendors sell other products or take them off the list',
  },
  all: {
    scopes,
    use: 'an owner: everything that the API can do, keys included',
    risk: 'could read everything in your store, do anything to it, and make and revoke keys',
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];

/** One line for the merchant who issues such a key. */
export const presetText = (name: PresetName): string => `${presets[name].use}. A thief ${presets[name].risk}.`;

/** True if two lists hold the same scopes. */
export const areSame = (some: readonly Scope[], others: readonly Scope[]): boolean =>
  new Set(some).size === new Set(others).size && others.every((scope) => some.includes(scope));

/** The preset whose scopes these are, none more and none less. */
export const presetOf = (some: readonly Scope[]): PresetName | undefined =>
  presetNames.find((name) => areSame(presets[name].scopes, some));
