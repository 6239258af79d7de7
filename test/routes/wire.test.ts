import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { integer, parseTimestamp, percent, queryInteger, text, timestamp, uuid } from '../../lib/routes/wire.ts';

describe('timestamps', () => {
  test.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31t12:00:00.5z', '2030-01-31T12:00:00.500Z'],
    ['2030-01-31T12:00:00,123456789Z', '2030-01-31T12:00:00.123Z'],
    ['2030-01-31T00:30:00+01:00', '2030-01-30T23:30:00.000Z'],
    ['2029-12-31T23:30:00-0530', '2030-01-01T05:00:00.000Z'],
    ['2030-01-31T12:00:00+14', '2030-01-30T22:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is %s', (sent, answered) => {
    expect(timestamp().parse(sent)).toBe(answered);
  });

  test.each([
    '2030-02-30T00:00:00Z',
    '2029-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-10T00:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-06-30T23:59:60Z',
    '2030-01-31T12:00:00',
    '2030-01-31',
    '2030-01-31 12:00:00Z',
    '2030-01-31T12:00:00+24:00',
    '2030-01-31T12:00:00+01:60',
    '2030-01-31T12Z',
    '+12030-01-31T12:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    ' 2030-01-31T12:00:00Z',
    '2030-01-31T12:00:00Z\n',
    '1893456000',
    '',
  ])('%j is refused', (sent) => {
    expect(timestamp().safeParse(sent).success).toBe(false);
  });

  test('every instant is read back from its own text', () => {
    const years = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
        expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  test('no text at all makes the reader throw', () => {
    const near = fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d*)?)?(Z|[+-]\d\d(:?\d\d)?)?$/);
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (sent) => {
        const result = timestamp().safeParse(sent);
        if (result.success) expect(result.data).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });
});

describe('numbers', () => {
  test.each([0, 1, 2_147_483_647, -0])('%d is a whole number', (sent) => {
    expect(integer(0).safeParse(sent).success).toBe(true);
  });

  test.each([-1, 1.5, 2_147_483_648, 1e300, Number.NaN, '1', '', null, undefined, true, [1], {}])(
    '%j is no whole number from 0',
    (sent) => {
      expect(integer(0).safeParse(sent).success).toBe(false);
    },
  );

  test.each([0, 100, 33.3, 0.1])('%d is a percentage', (sent) => {
    expect(percent().parse(sent)).toBe(sent);
  });

  test.each([-0.1, 100.1, '50', null, Number.POSITIVE_INFINITY])('%j is no percentage', (sent) => {
    expect(percent().safeParse(sent).success).toBe(false);
  });

  test('a number too small for the table counts as 0', () => {
    expect(percent().parse(1e-300)).toBe(0);
  });

  test.each(['1.0', '1e2', '', ' 1', '+1', '0x1', '2147483648', '-2147483648'])('%j is refused in a query', (sent) => {
    expect(queryInteger().safeParse(sent).success).toBe(false);
  });

  test('negative whole numbers are taken in a query', () => {
    expect(queryInteger().parse('-2147483647')).toBe(-2_147_483_647);
  });
});

describe('text', () => {
  const line = text({ min: 1, max: 5 });

  test('is trimmed, and its length is counted in code points', () => {
    expect(line.parse('  ab  ')).toBe('ab');
    expect(line.parse('😀😀😀😀😀')).toBe('😀😀😀😀😀');
    expect(line.safeParse('😀😀😀😀😀😀').success).toBe(false);
    expect(line.safeParse('abcdef').success).toBe(false);
  });

  test.each(['', '   ', '\ud800', 'a\udc00b', 'a\u0000b', 'a\tb', 'a\nb', 'a\u007fb', 'a\u0085b', 5, null])(
    '%j is refused',
    (sent) => {
      expect(line.safeParse(sent).success).toBe(false);
    },
  );

  test('of several lines holds tabs and line ends, and no other control character', () => {
    const lines = text({ min: 0, max: 10, multiline: true });

    expect(lines.parse('a\tb\r\nc')).toBe('a\tb\r\nc');
    expect(lines.parse('')).toBe('');
    expect(lines.safeParse('a\u001fb').success).toBe(false);
  });

  test('never throws, and what passes keeps the rule', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (sent) => {
        const result = line.safeParse(sent);
        if (!result.success) return;
        expect(result.data).toBe(sent.trim());
        expect(result.data.isWellFormed()).toBe(true);
        expect([...result.data].length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

test('a UUID of any case is taken in lower case', () => {
  expect(uuid().parse('A0B1C2D3-FFFF-0FFF-FFFF-ABCDEF012345')).toBe('a0b1c2d3-ffff-0fff-ffff-abcdef012345');
  expect(uuid().safeParse('a0b1c2d3ffff0fffffffabcdef012345').success).toBe(false);
});
