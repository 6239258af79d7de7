import * as fc from 'fast-check';
import { bytesOf, type Mutation } from '../../test/support/requests.ts';

/** More than the gateway accepts for all headers together. */
const long = 'x'.repeat(270_000);

/** Headers to add or replace, and the allowed statuses. By default the statuses of the request without the header. */
const headers: [header: [string, string], expect?: number[]][] = [
  [['X-API-Key', 'x'], [401]],
  [['X-API-Key', '~key~'], [401]],
  [['X-API-Key', ''], [401]],
  [['x-api-key', '~otherkey~'], [401]],
  [['X-Api-Key ', '~key~'], [400]],
  [['Evil', 'a\r\nX-Injected: yes']],
  [['Evil', 'a\nX-Injected: yes'], [400]],
  [['Evil', 'a\rb'], [400]],
  [['Evil', 'a\0b'], [400]],
  [['Evil', '\xff\xfe\x80']],
  [['Evil', long], [400]],
  [['Ev il', 'x'], [400]],
  [['', 'x'], [400]],
  [['__proto__', 'x']],
  [['constructor', 'x']],
  [['Host', 'evil.example']],
  [['X-Forwarded-Host', 'evil.example']],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['Content-Type', 'application/xml; charset=utf-16']],
  [['Content-Type', '\x80']],
  [['Content-Encoding', 'gzip']],
  [['Accept', 'text/html']],
  [['Accept-Encoding', 'gzip;q=1e999']],
  [['Range', 'bytes=0-0']],
  [['If-None-Match', '*']],
  [['Expect', '100-continue']],
  [['Expect', '999-impossible']],
  [['Upgrade', 'h2c']],
  [['Cookie', long.slice(0, 4000)]],
  [['X-Amz-Invocation-Type', 'Event']],
  [['Idempotency-Key', '']],
  [['Idempotency-Key', 'a b']],
  [['Idempotency-Key', '\xe9']],
  [['Idempotency-Key', 'x'.repeat(256)]],
  [['Idempotency-Key', 'a#b']],
  [['Idempotency-Key', '"quoted"']],
];

const problemTypes: [accept: string, type: string][] = [
  ['text/*, application/json', 'application/json'],
  ['Application/JSON ; a="*/*, x" , */* ; q=0', 'application/json'],
  ['application/json;q=0', 'application/problem+json'],
  ['application/json, */*;q=0.1', 'application/problem+json'],
  ['"', 'application/problem+json'],
];

const brokenKeys = ['', 'x', 'sis_test_', '~key~x', '~key~, ~key~', 'é', 'x'.repeat(5000)];

const ifMatches = [
  '*',
  ' * ',
  '"a"',
  'W/"a"',
  '""',
  '"a", W/"b,c" ,,"d"',
  '"\xe9"',
  '"a b"',
  `${'"a",'.repeat(500)}"b"`,
];
const ifMatchParts = ['"', '"', '"a"', 'W/', 'w/', ',', ', ', ' ', '\t', '*', 'a', '\xe9', "'", '\\'];

/** Values of If-Match, most of them not lists of ETags. No tag in them is current. */
const ifMatch = fc.oneof(
  fc.constantFrom(...ifMatches),
  fc.array(fc.constantFrom(...ifMatchParts), { maxLength: 8 }).map((parts) => parts.join('')),
);

/** The faults that the headers of a request can have. */
export const headerMutations: Mutation[] = [
  fc.array(ifMatch, { minLength: 1, maxLength: 2 }).map((values) => ({ request }) => ({
    mutation: `If-Match ${values.join(' and ').slice(0, 60)}`,
    headers: [...request.headers, ...values.map((value): [string, string] => ['If-Match', value])],
  })),
  fc.constantFrom(...headers).map(([header, expect]) => ({ request }) => ({
    mutation: `header ${header.join(': ').slice(0, 60)}`,
    headers: [...request.headers, header],
    expect,
  })),
  fc.constantFrom(...problemTypes).map(([accept, problemType]) => ({ request }) => ({
    mutation: `a script that accepts ${accept}`,
    headers: [...request.headers, ['X-SecondLife-Shard', 'Production'], ['Accept', accept]],
    problemType,
  })),
  fc.constantFrom<[string, number]>(['X-API-Key', 401], ['Host', 400]).map(([gone, status]) => ({ request }) => ({
    mutation: `no ${gone}`,
    headers: request.headers.filter(([name]) => name !== gone),
    expect: [status],
  })),
  fc.constantFrom(...brokenKeys, '~othercasekey~', '~unknownkey~').map((key) => ({ request }) => ({
    mutation: `key ${key.slice(0, 30)}`,
    headers: request.headers.map(([name, value]) => [name, name === 'X-API-Key' ? bytesOf(key) : value]),
    expect: [401],
  })),
];
