import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomText } from './clock.ts';

/**
 * API keys: `sis_live_<id>_<secret><checksum>`, 12, 43 and 6 characters of 0-9A-Za-z; `sis_test_` on the local service.
 * The id finds the key in the table, the secret holds 256 bits, and the checksum (CRC-32 of all before it) refuses a
 * mistyped key without a read. Only a SHA-256 of the secret is stored: a random secret needs no slow hash.
 */
const pattern = /^(sis_(?:live|test)_)([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export type Stage = 'live' | 'test';

/** The stage of the keys that this deployment accepts. */
export const keyStage = (): Stage => (process.env.KEY_STAGE === 'test' ? 'test' : 'live');

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * A new key, or the code of a new invitation; with `id`, another secret for one that exists. `text` is shown once and
 * never stored.
 */
export const newKey = (stage: Stage, id = randomText(12)): { id: string; hash: string; text: string } => {
  const secret = randomText(43);
  const body = `sis_${stage}_${id}_${secret}`;
  return { id, hash: hashSecret(secret), text: `${body}${base62(crc32(body), 6)}` };
};

/** Parses a key of this stage; undefined if its form or checksum is wrong. */
export const parseKey = (text: string, stage: Stage): { id: string; secret: string } | undefined => {
  const match = pattern.exec(text);
  const [, prefix, id, secret, checksum] = match ?? [];
  if (prefix !== `sis_${stage}_` || !id || !secret) return undefined;
  const body = text.slice(0, -6);
  return base62(crc32(body), 6) === checksum ? { id, secret } : undefined;
};

/** Compares a secret with a stored hash, in constant time. None matches where no hash is stored. */
export const secretMatches = (secret: string, hash: string | undefined): boolean =>
  hash !== undefined && timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
