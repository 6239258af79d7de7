import { randomBytes } from 'node:crypto';
import { perProcess } from './process.ts';

/**
 * The only source of time, ids and randomness, so that tests and the local service can steer all three.
 */
export const source = {
  now: (): number => Date.now(),
  /** Cryptographically strong bytes. */
  bytes: (count: number): Uint8Array => randomBytes(count),
  /** A number from 0 up to 1 for jitter, never for a secret. */
  random: (): number => Math.random(),
  /** The time and the counter of the newest id of this process. */
  newestId: perProcess(() => ({ millis: 0, counter: 0 })),
};

/** Milliseconds since 1970. */
export const now = (): number => source.now();

/** A timestamp of the contract: UTC with milliseconds and Z. Its text sorts by time. */
export const timestamp = (millis: number): string => new Date(millis).toISOString();

/** The last moment of a timestamp with four digits for its year. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/** The time `millis` from now, at the latest the last one. */
export const timeAfter = (millis: number): string => timestamp(Math.min(now() + millis, lastTime));

/** A UUIDv7 (RFC 9562, 5.7) of a time in milliseconds. `counter` fills the 12 bits after the time. */
const uuidOf = (millis: number, counter: number, bytes: Uint8Array): string => {
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(millis / 2 ** (40 - 8 * i)) % 256;
  bytes[6] = 0x70 | (counter >> 8);
  bytes[7] = counter & 0xff;
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const largestCounter = 0xfff;

/** A random number in the lower half of the counter, so that at least 2,048 ids follow within the millisecond. */
const firstCounter = (bytes: Uint8Array): number => Buffer.from(bytes).readUInt16BE(6) % 0x800;

/**
 * A new UUIDv7 of the present time. It sorts after all others that this process has made, even if many are made in one
 * millisecond or the clock was set back (RFC 9562, 6.2, method 1). So rows listed by id are in the order in which a
 * process created them. The order is random among rows that several processes create in one millisecond.
 */
export const newId = (): string => {
  const newest = source.newestId();
  const bytes = source.bytes(16);
  const millis = Math.floor(now());
  if (millis > newest.millis) Object.assign(newest, { millis, counter: firstCounter(bytes) });
  else if (newest.counter < largestCounter) newest.counter++;
  else Object.assign(newest, { millis: newest.millis + 1, counter: firstCounter(bytes) });
  return uuidOf(newest.millis, newest.counter, bytes);
};

/** A new UUIDv7 of a given time. Within a millisecond such ids have no order. */
export const idAt = (millis: number): string => {
  const bytes = source.bytes(16);
  return uuidOf(millis, Buffer.from(bytes).readUInt16BE(6) & largestCounter, bytes);
};

/** The milliseconds since 1970 with which a UUIDv7 begins. */
export const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

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
