import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomText } from './clock.ts';

/**
 * API keys: `sis_live_<id>_<secret><checksum>`, 12, 43 and 6 characters of 0-9A-Za-z; `sis_test_` on the local service.
 * Codes and tokens of customers' pages begin with `sis_me_live_` or `sis_me_test_`, and have the same form. The id
 * finds the key in the table, the secret holds 256 bits, and the checksum (CRC-32 of all before it) refuses a mistyped
 * key without a read. Only a SHA-256 of the secret is stored: a random secret needs no slow hash.
 */
const pattern = /^sis_(me_)?(live|test)_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export type Stage = 'live' | 'test';

/** The stage of the keys that this deployment accepts. */
export const keyStage = (): Stage => (process.env.KEY_STAGE === 'test' ? 'test' : 'live');

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * A new key, or the code of a new invitation; with `id`, another secret for one that exists. `text` is shown once and
 * never stored.
 */
export const newKey = (stage: Stage, id = randomText(12)): NewSecret => newText(`sis_${stage}_`, id);

/** A new code of a customer's page; with `id`, the token of a page that exists. */
export const newPageKey = (stage: Stage, id = randomText(12)): NewSecret => newText(`sis_me_${stage}_`, id);

/** `text` is shown once and never stored. */
interface NewSecret {
  id: string;
  hash: string;
  text: string;
}

const newText = (prefix: string, id: string): NewSecret => {
  const secret = randomText(43);
  const body = `${prefix}${id}_${secret}`;
  return { id, hash: hashSecret(secret), text: `${body}${base62(crc32(body), 6)}` };
};

export interface ParsedKey {
  id: string;
  secret: string;
  /** It is the code or the token of a customer's page. */
  isOfPage: boolean;
}

/** Parses a key of this stage; undefined if its form or checksum is wrong. */
export const parseKey = (text: string, stage: Stage): ParsedKey | undefined => {
  const [, me, ofStage, id, secret, checksum] = pattern.exec(text) ?? [];
  if (ofStage !== stage || !id || !secret) return undefined;
  const body = text.slice(0, -6);
  return base62(crc32(body), 6) === checksum ? { id, secret, isOfPage: me !== undefined } : undefined;
};

/** Compares a secret with a stored hash, in constant time. None matches where no hash is stored. */
export const secretMatches = (secret: string, hash: string | undefined): boolean =>
  hash !== undefined && timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
