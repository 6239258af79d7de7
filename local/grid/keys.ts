import { source } from '../../lib/clock.ts';

/** A new random key of a thing in the world: a version 4 UUID. */
export const newKey = (): string => {
  const bytes = source.bytes(16);
  bytes[6] = 0x40 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
