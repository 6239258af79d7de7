import { crc32 } from 'node:zlib';

/**
 * API Gateway holds a limit for each usage key that it knows. The stack makes a fixed number of them, and every store
 * counts against one: see docs/adr/0009-limits-that-bound-the-bill.md.
 */
export const usageKeyCount = 16;

/** How large the rate of the pages of a store's customers is, as a part of the store's rate. */
export const pagePart = 0.1;

/** The value of one usage key. `prefix` distinguishes the deployments of an account. */
export const usageKey = (prefix: string, number: number): string => `${prefix}${String(number).padStart(2, '0')}`;

export const usageKeyOf = (store: string): string =>
  usageKey(process.env.USAGE_KEY_PREFIX ?? '', crc32(store) % usageKeyCount);

/**
 * The usage key of the pages of a store's customers. As many keys as the stores have, with the numbers behind theirs,
 * share a tenth of a store's rate each. So no page slows a vendor or the desk.
 */
export const pageUsageKeyOf = (store: string): string =>
  usageKey(process.env.USAGE_KEY_PREFIX ?? '', usageKeyCount + (crc32(store) % usageKeyCount));

export const isPageUsageKey = (value: string): boolean => Number(value.slice(-2)) >= usageKeyCount;
