import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { source } from '../clock.ts';

/** A place in a list, and the direction in which to go on from there. */
export interface Cursor {
  /** Tells apart the lists of one endpoint: the order, or the resident whose list it is. Often "". */
  part: string;
  backward: boolean;
  /** True if a row at `position` itself belongs to the page. */
  inclusive: boolean;
  /** A row's place in the list's order; the row may be gone by now. */
  position: string;
}

const secretKey = (): Buffer => {
  const secret = process.env.CURSOR_SECRET;
  if (secret === undefined || secret.length < 32) throw new Error('CURSOR_SECRET must hold at least 32 characters.');
  return createHash('sha256').update(secret).digest();
};

const nonceBytes = 12;
const tagBytes = 16;

/**
 * The opaque text of a cursor. It is encrypted and authenticated (AES-256-GCM) under the deployment's secret together
 * with `owner`, the store and endpoint it belongs to.
 */
export const sealCursor = ({ part, backward, inclusive, position }: Cursor, owner: string): string => {
  const nonce = source.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', secretKey(), nonce).setAAD(Buffer.from(owner));
  const plain = JSON.stringify([part, Number(backward), Number(inclusive), position]);
  const sealed = Buffer.concat([nonce, cipher.update(Buffer.from(plain)), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
};

/** Opens a cursor that `sealCursor` made for the same owner; undefined for any other text. */
export const openCursor = (text: string, owner: string): Cursor | undefined => {
  const sealed = Buffer.from(text, 'base64url');
  // Base64 spells the same bytes in several ways. Only the spelling that was given out is valid.
  if (sealed.length <= nonceBytes + tagBytes || sealed.toString('base64url') !== text) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', secretKey(), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    const [part, backward, inclusive, position] = JSON.parse(plain.toString('utf8'));
    return { part, backward: backward === 1, inclusive: inclusive === 1, position };
  } catch {
    return undefined;
  }
};
