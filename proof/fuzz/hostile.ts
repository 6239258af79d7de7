import * as fc from 'fast-check';
import { codePoints } from '../../test/support/code-points.ts';

/** Values that often break programs, as they appear in a request. */

const words = (text: string): string[] => text.trim().split(/\s+/);

const strings = [
  ...words(`
  👩‍👩‍👧‍👦 __proto__ constructor toString null undefined NaN true 1 0x10 -1 1e3 # a#b#c STORE#x product#x
  attribute_exists(pk) {{7*7}} ../../etc/passwd <script>alert(1)</script> %s%n%00 javascript:alert(1)
  00000000-0000-0000-0000-000000000000 FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF ffffffff-ffff-ffff-ffff-fffffffffffg
  {ffffffff-ffff-4fff-8fff-ffffffffffff} 2030-02-30T00:00:00Z 2030-01-31T23:59:60Z +275760-09-13T00:00:00.001Z
  9999-12-31T23:59:59.999Z 0000-01-01T00:00:00Z http://127.0.0.1:1/ http://169.254.169.254/latest/meta-data
  https://[::ffff:10.0.0.1]/ file:///etc/passwd
  `),
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  'a\r\nX-Injected: yes',
  '\u001b[31mred',
  '\u202egnp.exe',
  '\ufeff',
  '\u200b',
  'A\u200dB',
  '\ufffd',
  'e\u0301',
  'ﬁ Å ﬀ ſ ς İ',
  '😀'.repeat(64),
  '#a = :b',
  '$set',
  "' OR '1'='1",
];

const units = fc.constantFrom('x', ' ', 'é', '😀', '#', 'ﷺ');
const times = fc.constantFrom(31, 63, 64, 65, 100, 101, 255, 256, 1024, 4096, 4097, 40_000);

/** Any text, also one that is far too long. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...strings) },
  { weight: 2, arbitrary: fc.string({ unit: codePoints, maxLength: 80 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }) },
  { weight: 1, arbitrary: fc.tuple(units, times).map(([unit, count]) => unit.repeat(count)) },
);

/** Numbers in JSON, also ones that no number type can hold. */
const numbers = words(`
  0 -0 -1 1 0.5 1.0 1e0 100 100.00001 168 169 1e-400 1e-130 5e-324 2147483647 2147483648 -2147483648 1000000000
  1000000001 4294967296 9007199254740993 1e21 1e126 1.7976931348623157e308 1e999 -1e999
  99999999999999999999999999999999999999999 0.1234567890123456789012345678901234567890
`);

const others = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"S":"x"}',
  '{"toString":1,"valueOf":2}',
  '{"length":1e9}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
];

/** The text of a JSON value of any type. */
export const anyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 3, arbitrary: fc.constantFrom(...others) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

const segments = [
  ...words(`
  %2F ..%2F.. %2e%2e .. . %252F %00 % %zz %e0%a4%a %ff %c0%ae %ed%a0%80 %20 %09 %0d%0aX-Injected:%20yes a%23b
  a;b=c a,b * {id} __proto__ constructor null -
  `),
  ...['\u00e9', '\u001b[31m', '\u0007', 'x'.repeat(300), 'x'.repeat(7000)],
];

/** Pieces of a path, as they are sent. */
export const anySegment: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...segments) },
  { weight: 1, arbitrary: anyText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 5000) || '%20') },
);
