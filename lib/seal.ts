import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { source } from './clock.ts';

/** Sealed texts: clients return them exactly as they got them, and can neither read nor change them. */

const secretKey = (): Buffer => {
  const secret = process.env.CURSOR_SECRET;
  if (secret === undefined || secret.length < 32) throw new Error('CURSOR_SECRET must hold at least 32 characters.');
  return createHash('sha256').update(secret).digest();
};

/**
 * The words of a quote, which take hardly any room in a sealed text: a script in the virtual world holds a quote four
 * times at once. A text that was sealed with another dictionary cannot be opened any more.
 */
const dictionary = Buffer.from(
  '"cardCredit":"inGroup":true"coupon":{"id":"couponOwnerUuid":"ownerProfit":"usesPerCustomer":null' +
    '{"terms":{"base":,"discount":{"source":"customer","tier","group","coupon","percent":,"couponId":"' +
    '{"terms":{"base":100,"discount":{"source":"none","percent":0,"couponId":null},"total":100,' +
    '"credit":0,"restrictedCredit":0,"toPay":100},"expiresAt":":00.000Z"}',
);

/** A window just large enough for the dictionary and a text: a larger one takes longer to set up. */
const packing = { dictionary, windowBits: 11, memLevel: 2 };

const nonceBytes = 12;
const tagBytes = 16;

/**
 * A JSON value as opaque text (base64url). It is encrypted and authenticated (AES-256-GCM) with the deployment's secret
 * and `owner`, which says what the text belongs to.
 */
export const seal = (value: unknown, owner: string): string => {
  const nonce = source.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', secretKey(), nonce).setAAD(Buffer.from(owner));
  const plain = deflateRawSync(JSON.stringify(value), packing);
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
};

/** The value of a text that `seal` made for the same owner; undefined for any other text. */
export const unseal = (text: string, owner: string): unknown => {
  const sealed = Buffer.from(text, 'base64url');
  // Base64 can spell the same bytes in several ways. Only the spelling that was given out is valid.
  if (sealed.length <= nonceBytes + tagBytes || sealed.toString('base64url') !== text) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', secretKey(), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(-tagBytes));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return JSON.parse(inflateRawSync(plain, packing).toString('utf8'));
  } catch {
    return undefined;
  }
};
