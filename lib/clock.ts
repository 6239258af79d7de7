import { randomBytes } from 'node:crypto';
import { ofProcess } from './process.ts';

/**
 * The only source of time, ids and randomness, so that tests and the local service can steer all three.
 */
export const source = {
  now: (): number => Date.now(),
  /** Cryptographically strong bytes. */
  bytes: (count: number): Uint8Array => randomBytes(count),
  /** A number from 0 up to 1 for jitter, never for a secret. */
  random: (): number => Math.random(),
};

/** Milliseconds since 1970. */
export const now = (): number => source.now();

/** A timestamp of the contract: UTC with milliseconds and Z. Its text sorts by time. */
export const timestamp = (millis: number): string => new Date(millis).toISOString();

/** A new UUIDv7 of a time, now by default: rows listed by id are in the order of their creation. */
export const newId = (millis = now()): string => {
  const bytes = source.bytes(16);
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(millis / 2 ** (40 - 8 * i)) % 256;
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** The milliseconds since 1970 with which a UUIDv7 begins. */
export const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const later = (id: string, than: string): string => (id > than ? id : newId(millisOf(than) + 1));

const newest = ofProcess(() => ({ id: '' }));

/** A new UUIDv7 that sorts behind all others that this process has made so, and behind `than`. */
export const nextId = (than = ''): string => {
  const own = newest();
  own.id = later(newId(), own.id);
  return later(own.id, than);
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random characters of 0-9A-Za-z, each equally likely. */
export const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. Larger values would favour the first letters.
    for (const byte of source.bytes(length)) if (byte < 248 && text.length < length) text += alphabet[byte % 62];
  }
  return text;
};

/** A whole number in base 62, padded to `length`. */
export const base62 = (value: number, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text;
  return text;
};
