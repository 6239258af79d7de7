import { crc32 } from 'node:zlib';

/**
 * API Gateway holds a limit for each usage key that it knows. The stack makes a fixed number of them, and every store
 * counts against one: see docs/adr/0009-limits-that-bound-the-bill.md.
 */
export const usageKeyCount = 16;

/** The part of a store's rate that all pages of its customers may use together. */
const pagePart = 0.1;

/** How many calls at once pages with one usage key may make: a visit with ten acts. */
const pageBurst = 100;

/** The value of one usage key. `prefix` distinguishes the deployments of an account. */
export const usageKey = (prefix: string, number: number): string => `${prefix}${String(number).padStart(2, '0')}`;

export const usageKeyOf = (store: string): string =>
  usageKey(process.env.USAGE_KEY_PREFIX ?? '', crc32(store) % usageKeyCount);

/**
 * The usage key of a customer's page. Pages have as many keys as stores have, with the numbers behind theirs. The keys
 * share a tenth of a store's rate. So no page slows a vendor or the desk, and one that calls without end slows only
 * the pages whose id leads to the same key.
 */
export const pageUsageKeyOf = (page: string): string =>
  usageKey(process.env.USAGE_KEY_PREFIX ?? '', usageKeyCount + (crc32(page) % usageKeyCount));

/** The limit of the calls with one usage key of pages. `storeRate` is the rate of a store, in calls a second. */
export const pageLimitOf = (storeRate: number): { rate: number; burst: number } => ({
  rate: (storeRate * pagePart) / usageKeyCount,
  burst: pageBurst,
});

export const isPageUsageKey = (value: string): boolean => Number(value.slice(-2)) >= usageKeyCount;
