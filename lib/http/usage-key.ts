import { crc32 } from 'node:zlib';

/**
 * API Gateway holds a limit for each usage key that it knows. The stack makes a fixed number of them, and every store
 * counts against one: see docs/adr/0009-limits-that-bound-the-bill.md.
 */
export const usageKeyCount = 16;

/** The value of one usage key. `prefix` distinguishes the deployments of an account. */
export const usageKey = (prefix: string, number: number): string => `${prefix}${String(number).padStart(2, '0')}`;

export const usageKeyOf = (store: string): string =>
  usageKey(process.env.USAGE_KEY_PREFIX ?? '', crc32(store) % usageKeyCount);
