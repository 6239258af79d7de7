import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { source } from './clock.ts';

/**
 * Sealed texts: clients hand them back exactly as they got them, and can neither read nor change them.
 */

const secretKey = (): Buffer => {
  const secret = process.env.CURSOR_SECRET;
  if (secret === undefined || secret.length < 32) throw new Error('CURSOR_SECRET must hold at least 32 characters.');
  return createHash('sha256').update(secret).digest();
};

const nonceBytes = 12;
const tagBytes = 16;

/**
 * A JSON value as opaque text (base64url). It is encrypted and authenticated (AES-256-GCM) under the deployment's
 * secret together with `owner`, which says what the text belongs to.
 */
export const seal = (value: unknown, owner: string): string => {
  const nonce = source.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', secretKey(), nonce).setAAD(Buffer.from(owner));
  const sealed = [nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
};

/** The value of a text that `seal` made for the same owner; undefined for any other text. */
export const unseal = (text: string, owner: string): unknown => {
  const sealed = Buffer.from(text, 'base64url');
  // Base64 spells the same bytes in several ways. Only the spelling that was given out is valid.
  if (sealed.length <= nonceBytes + tagBytes || sealed.toString('base64url') !== text) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', secretKey(), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return JSON.parse(plain.toString('utf8'));
  } catch {
    return undefined;
  }
};
