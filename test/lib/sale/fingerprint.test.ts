import { expect, test } from 'vitest';
import * as z from 'zod';
import { createSale, type SaleRequest } from '../../../lib/routes/sales.ts';
import { fingerprintOf } from '../../../lib/sale/fingerprint.ts';

const schema = createSale.body as z.ZodObject;
const sale = { id: '11111111-1111-4111-8111-111111111111', productId: '22222222-2222-4222-8222-22222222222A' };
const [buyer, recipient] = ['33333333-3333-4333-8333-33333333333A', '33333333-3333-4333-8333-33333333333b'];

/**
 * Requests of version 0.1.0 with the fingerprints that it kept in their sales. No version may change one of these
 * texts.
 */
const kept: { fingerprint: string; body: object }[] = [
  { fingerprint: 'Q1AksvQB--9gNMz4hBUNGn', body: { ...sale, buyerIdentifier: 'Ada Lovelace', paid: 100 } },
  {
    fingerprint: 'Q1AksvQB--9gNMz4hBUNGn',
    body: { paid: 100, useCredit: false, message: ' ', reference: '', buyerIdentifier: 'ada.lovelace', ...sale },
  },
  {
    fingerprint: 'ug1wJaxFH5yThlgOBdRSjY',
    body: {
      ...{ reference: 'Till 1', message: 'Enjoy!\nAda', quote: 'abc.def', paid: 0, useCredit: true },
      ...{ recipientIdentifier: recipient, buyerIdentifier: buyer, ...sale },
    },
  },
  {
    fingerprint: 'CX4pyFQJTOf5XQ-RuT1Z19',
    body: { ...sale, buyerIdentifier: 'ada', recipientIdentifier: 'bob resident', paid: 2_147_483_647 },
  },
];

const fingerprintBy = (by: z.ZodObject, body: object): string => fingerprintOf(by.parse(body) as SaleRequest);

test.each(kept)('a sale of an earlier version answers its repeats: $fingerprint', ({ fingerprint, body }) => {
  expect(fingerprintBy(schema, body)).toBe(fingerprint);
});

test('the order of the schema and fields that later versions add with a default change no fingerprint', () => {
  const reversed = z.object(Object.fromEntries(Object.entries(schema.shape).toReversed()));
  const later = z.object({ first: z.boolean().default(false), ...reversed.shape, last: z.string().optional() });

  for (const { fingerprint, body } of kept) {
    expect(fingerprintBy(reversed, body)).toBe(fingerprint);
    expect(fingerprintBy(later, body)).toBe(fingerprint);
  }
});

test('the tag of the group counts where it is worn: left out, false and null are one request', () => {
  for (const { fingerprint, body } of kept) {
    expect(fingerprintBy(schema, { ...body, inGroup: false })).toBe(fingerprint);
    expect(fingerprintBy(schema, { ...body, inGroup: null })).toBe(fingerprint);
    expect(fingerprintBy(schema, { ...body, inGroup: true })).not.toBe(fingerprint);
  }
});

test('each field but the id counts', () => {
  const { body } = kept[2] as { body: Record<string, unknown> };
  const other: Record<string, unknown> = {
    ...{ id: recipient, productId: buyer, buyerIdentifier: recipient, recipientIdentifier: buyer },
    ...{ useCredit: false, paid: 1, quote: 'other', message: 'other', reference: 'other', inGroup: true },
    vendorUuid: recipient,
  };

  const fingerprints = Object.keys(schema.shape).map((name) => fingerprintBy(schema, { ...body, [name]: other[name] }));

  expect(Object.keys(other).toSorted()).toEqual(Object.keys(schema.shape).toSorted());
  expect(new Set(fingerprints).size).toBe(fingerprints.length);
  expect(fingerprints[0]).toBe(kept[2]?.fingerprint);
});
