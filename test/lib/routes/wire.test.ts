import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { routes } from '../../../lib/routes/routes.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { integer, percent, text, uuid } from '../../../lib/routes/wire.ts';

const read = (schema: z.ZodType, value: unknown): unknown => {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
};

test.each([
  ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31T12:00:00.123999Z', '2030-01-31T12:00:00.123Z'],
  ['2030-01-31T12:00:00,5Z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31t12:00z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T00:30:00+02:00', '2030-01-30T22:30:00.000Z'],
  ['2030-01-31T00:30:00+02', '2030-01-30T22:30:00.000Z'],
  ['2030-01-31T23:30:00-0230', '2030-02-01T02:00:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['2027-02-29T00:00:00Z', undefined],
  ['2100-02-29T00:00:00Z', undefined],
  ['2030-04-31T00:00:00Z', undefined],
  ['2030-13-01T00:00:00Z', undefined],
  ['2030-00-01T00:00:00Z', undefined],
  ['20300131T120000Z', '2030-01-31T12:00:00.000Z'],
  ['20300131T1200+0200', '2030-01-31T10:00:00.000Z'],
  ['2030-01-31T12Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12.1Z', '2030-01-31T12:06:00.000Z'],
  ['2030-01-31T12:30,25Z', '2030-01-31T12:30:15.000Z'],
  ['2030-01-31T24:00:00Z', '2030-02-01T00:00:00.000Z'],
  ['2030-031T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['2028366T00Z', '2028-12-31T00:00:00.000Z'],
  ['2030-W05-4T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['2026W537T00Z', '2027-01-03T00:00:00.000Z'],
  ['2025-W01-1T00:00:00Z', '2024-12-30T00:00:00.000Z'],
  ['2030-01-31T24:00:00.001Z', undefined],
  ['2030-01-31T24:01Z', undefined],
  ['2030-01-31T12:60Z', undefined],
  ['2030-01-31T120000Z', undefined],
  ['20300131T12:00:00Z', undefined],
  ['2030-0131T12:00:00Z', undefined],
  ['2030-01T12:00:00Z', undefined],
  ['2027-366T00:00:00Z', undefined],
  ['2027-000T00:00:00Z', undefined],
  ['2025-W53-1T00:00:00Z', undefined],
  ['2030-W00-1T00:00:00Z', undefined],
  ['2030-W05-8T00:00:00Z', undefined],
  ['9999-12-31T24:00:00Z', undefined],
  ['2030-01-31T23:59:60Z', undefined],
  ['2030-01-31T12:00:00', undefined],
  ['2030-01-31', undefined],
  ['2030-01-31 12:00:00Z', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0001-01-01T00:00:00+01:00', undefined],
  ['+012030-01-31T12:00:00Z', undefined],
  ['2030-01-31T12:00:00+24:00', undefined],
  [1_893_456_000_000, undefined],
])('the timestamp %j is %j', (value, expected) => {
  expect(read(timestamp(), value)).toBe(expected);
});

test.each([
  [integer(0), 0, 0],
  [integer(0), 2_147_483_647, 2_147_483_647],
  [integer(0), 2_147_483_648, undefined],
  [integer(0), -1, undefined],
  [integer(0), 1.5, undefined],
  [integer(0), '1', undefined],
  [integer(0), null, undefined],
  [percent(), 0, 0],
  [percent(), 100, 100],
  [percent(), 33.3, 33.3],
  [percent(), 1e-300, 0],
  [percent(), 100.001, undefined],
  [percent(), -0.1, undefined],
  [percent(), Number.POSITIVE_INFINITY, undefined],
  [uuid(), 'FFFFFFFF-0000-0000-0000-00000000000A', 'ffffffff-0000-0000-0000-00000000000a'],
  [uuid(), 'ffffffff00000000000000000000000a', undefined],
  [text({ min: 1, max: 3 }), '  abc ', 'abc'],
  [text({ min: 1, max: 3 }), '😀😀😀', '😀😀😀'],
  [text({ min: 1, max: 3 }), '😀😀😀😀', undefined],
  [text({ min: 1, max: 3 }), '   ', undefined],
  [text({ min: 1, max: 3 }), 'a\tb', undefined],
  [text({ min: 1, max: 3 }), 'a\u0085b', undefined],
  [text({ min: 1, max: 3 }), '\ud800', undefined],
  [text({ min: 0, max: 9, multiline: true }), 'a\tb\r\nc', 'a\tb\r\nc'],
  [text({ min: 0, max: 9, multiline: true }), 'a\u0000b', undefined],
] as const)('row %#: %j is read as %j', (schema, value, expected) => {
  expect(read(schema, value)).toEqual(expected);
});

test('no value makes a body schema throw, and each fault has a message of ours', () => {
  const bodies = routes.flatMap(({ body }) => (body ? [body] : []));

  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.anything(), (body, value) => {
      const result = body.safeParse(value, { reportInput: true });
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
      for (const { message } of result.error?.issues ?? []) expect(message).not.toMatch(/^Invalid/);
    }),
    { numRuns: 2000 },
  );
});
