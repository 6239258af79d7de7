import { type Comparison, compareAll } from '../../apps/cli/move/compare.ts';
import { bringAll, type Written } from '../../apps/cli/move/copy.ts';
import type { OtherService, Page } from '../../apps/cli/move/other-service.ts';
import { countCustomers } from '../../apps/cli/move/read-other.ts';
import { never } from '../../lib/catalogue/coupons.ts';
import type { ModelSpend } from '../../test/support/model/told.ts';
import { productWith } from '../../test/support/rows.ts';

/** Another service from which a store moves: an object in memory, which itself sells, redeems, bans and restocks. */

export interface CustomerThere {
  regular: number;
  restricted: number;
  spend: ModelSpend;
  settings: { discount: number; isBanned: boolean; newsSubscriber: boolean };
}

export interface CardThere {
  owner: string;
  credit: number;
  transfer: boolean;
  isRedeemed: boolean;
  /** The customer who has its credit. */
  redeemedFor?: string;
}

interface ProductThere {
  name: string;
  settings: { price: number; active: boolean };
  limited: boolean;
  copies: number;
}

interface CouponThere {
  code: string;
  owner: string;
  settings: { discount: number; active: boolean; usesPerCustomer: number };
}

/** All are by id. */
export interface There {
  customers: Record<string, CustomerThere>;
  cards: Record<string, CardThere>;
  products: Record<string, ProductThere>;
  coupons: Record<string, CouponThere>;
}

/** One run of the moving command, and everything that it was told. */
export interface Pass {
  there: There;
  /** The end of all credit that it brings. */
  ends: string | undefined;
}

type Json = Record<string, unknown>;

const productRow = (id: string, { name, settings, limited, copies }: ProductThere): Json => ({
  ...productWith({ name, ...settings, limited, availableAmount: copies }),
  ...{ id, mpListing: 0 },
});

const customerRow = (uuid: string, { regular, restricted, settings }: CustomerThere): Json => ({
  ...{ uuid, username: '', credit: regular, restrictedCredit: restricted },
  ...settings,
});

const couponRow = (id: string, { code, owner, settings }: CouponThere): Json => ({
  ...{ id, code, ownerProfit: 0, bloggersSync: false, expiration: never, couponOwnerUuid: owner, ...settings },
});

const cardRow = (id: string, { owner, credit, transfer, isRedeemed }: CardThere): Json => ({
  ...{ id, credit, transfer, active: true, redeemed: isRedeemed, texture: null, purchased: false, ownerUuid: owner },
});

const rowsOf = <T>(things: Readonly<Record<string, T>>, row: (id: string, thing: T) => Json): Json[] =>
  Object.entries(things).map(([id, thing]) => row(id, thing));

const sumOf = ({ spend }: CustomerThere): number => spend.year + spend.earlier;

/** The rows of a list of the contract. */
const listIn = ({ customers, cards, products, coupons }: There, path: string): Json[] => {
  const [, owner] = /^\/v1\/customers\/([^/]+)\/giftcards$/.exec(path) ?? [];
  if (owner !== undefined)
    return rowsOf(Object.fromEntries(Object.entries(cards).filter(([, card]) => card.owner === owner)), cardRow);
  if (path === '/v1/customers') return rowsOf(customers, customerRow);
  if (path === '/v1/customers?spentMoreThan=0')
    return rowsOf(Object.fromEntries(Object.entries(customers).filter(([, one]) => sumOf(one) > 0)), customerRow);
  if (path === '/v1/products?listed=true')
    return rowsOf(
      Object.fromEntries(Object.entries(products).filter(([, { settings }]) => settings.active)),
      productRow,
    );
  return path === '/v1/coupons' ? rowsOf(coupons, couponRow) : [];
};

const otherOf = (there: There): OtherService => ({
  host: 'there',
  get: async (path) => {
    const [, kind, id = '', more] = /^\/v1\/(\w+)\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
    const product = kind === 'products' ? there.products[id] : undefined;
    if (product) return productRow(id, product);
    const customer = kind === 'customers' ? there.customers[id] : undefined;
    if (!customer) return undefined;
    return more ? { sum: sumOf(customer), lastYearSum: customer.spend.year } : customerRow(id, customer);
  },
  pages: async function* (path): AsyncGenerator<Page> {
    yield { rows: listIn(there, path), next: undefined };
  },
});

/** Runs the moving command once. */
export const runPass = async (store: string, { there, ends }: Pass): Promise<Written> => {
  const other = otherOf(there);
  return bringAll(other, store, await countCustomers(other), { creditExpires: ends });
};

/** Compares it with a store, as the command does at its end. */
export const compareThere = async (store: string, there: There): Promise<Comparison> => {
  const other = otherOf(there);
  return compareAll(other, store, await countCustomers(other));
};
