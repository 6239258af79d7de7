import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { StoreResponse } from '../client/client.ts';
import type { Client } from './api.ts';

/** The key of the tab, and what it may do. */

const name = 'desk.key';

/** Takes a key from the address, and out of it at once, so that it stays in no history. */
const keyOfAddress = (): string | undefined => {
  const [, key] = /^#key=(.+)$/.exec(location.hash) ?? [];
  if (key === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  return decodeURIComponent(key);
};

export const savedKey = (): string | undefined => {
  const key = keyOfAddress();
  if (key !== undefined) forgetKey();
  return key ?? sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? undefined;
};

/** Keeps a key for this tab, or for all later ones where the person asks for it. */
export const saveKey = (key: string, remember: boolean): void => {
  sessionStorage.setItem(name, key);
  if (remember) localStorage.setItem(name, key);
};

const forgetKey = (): void => {
  sessionStorage.clear();
  localStorage.removeItem(name);
};

/** Opens the desk with another key. Loading the page anew drops what it has in memory of the store before. */
export const openWithKey = (key: string, hash: string): void => {
  sessionStorage.clear();
  sessionStorage.setItem(name, key);
  history.replaceState(null, '', `${location.pathname}${hash}`);
  location.reload();
};

/** Leaves nothing behind: loading the page anew also drops what it has in memory. */
export const signOut = (): void => {
  forgetKey();
  history.replaceState(null, '', location.pathname);
  location.reload();
};

/** The scopes that the desk asks about. */
export type Scope =
  | 'categories:read'
  | 'categories:write'
  | 'coupons:apply'
  | 'coupons:read'
  | 'coupons:write'
  | 'credits:read'
  | 'credits:write'
  | 'customers:read'
  | 'customers:write'
  | 'deliveries:read'
  | 'events:read'
  | 'giftcards:read'
  | 'giftcards:redeem'
  | 'giftcards:write'
  | 'products:deliver'
  | 'products:read'
  | 'products:redeliver'
  | 'products:write'
  | 'sales:read'
  | 'sales:refund'
  | 'sales:write'
  | 'store:write';

export interface Session {
  client: Client;
  store: StoreResponse;
  /** True if the key has all of these scopes: a door that would not open is not shown. */
  can: (...scopes: Scope[]) => boolean;
  /** Reads the store anew. */
  refresh: () => Promise<void>;
}

/** The scope that the events of a thing ask for beside `events:read`. */
const scopeOfEvents: Partial<Record<string, Scope>> = {
  credit: 'credits:read',
  giftcard: 'giftcards:read',
  sale: 'sales:read',
  delivery: 'deliveries:read',
  dispenser: 'deliveries:read',
  coupon: 'coupons:read',
  customer: 'customers:read',
  product: 'products:read',
};

/** True if the key may read events of a type. */
export const canRead = ({ can }: Session, type: string): boolean => {
  const scope = scopeOfEvents[type.split('.')[0] ?? ''];
  return can('events:read', ...(scope ? [scope] : []));
};

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of a page, which is only shown to somebody signed in. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is signed in.');
  return session;
};
