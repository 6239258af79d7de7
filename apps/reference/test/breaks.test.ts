import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breaksBetween } from '../breaks.ts';

/** One document has a break of each kind, each in another place, so that one slow comparison finds all of them. */

const file = 'docs/openapi.json';
const dir = mkdtempSync(join(tmpdir(), 'openapi-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: the changes reach anywhere into the document.
type Any = any;
const without = (list: string[], name: string): string[] => list.filter((item) => item !== name);
const parameter = (operation: Any, name: string) => operation.parameters.find((one: Any) => one.name === name);

/** The kind of change, the change to schemas `s` and paths `p`, and the line that the report must contain. */
const breaks: [string, (s: Any, p: Any) => void, RegExp][] = [
  ['a path is removed', (_, p) => delete p['/v1/categories/{id}/products/{productId}'], /Path .*productId.* removed/],
  [
    'a method is removed',
    (_, p) => delete p['/v1/categories/{id}'].delete,
    /`DELETE \/v1\/categories\/{id}` was removed/,
  ],
  [
    'a field of an answer is removed',
    (s) => delete s.CouponResponse.properties.ownerProfit,
    /`ownerProfit` of .* removed/,
  ],
  [
    'a field of an answer may be absent',
    (s) => (s.CustomerResponse.required = without(s.CustomerResponse.required, 'credit')),
    /`CustomerResponse` are no longer required: `credit`/,
  ],
  [
    'a field of an answer has another type',
    (s) => (s.CustomerSpendResponse.properties.sum.type = 'string'),
    /Type of `sum`/,
  ],
  [
    'a field of an answer may be null',
    (s) => (s.GiftCardResponse.properties.credit.type = ['integer', 'null']),
    /Type of `credit`/,
  ],
  ['an answer has a new value of an enum', (s) => s.CouponScope.enum.push('shop'), /gained values: 'shop'/],
  [
    'a value of an enum is no longer accepted',
    (s) => (s.ApplyCouponRequest.properties.scope.enum = [0]),
    /lost values: '1'/,
  ],
  [
    'a field of a request is newly required',
    (s) => (s.BanCustomerRequest.required = ['reason']),
    /became required: `reason`/,
  ],
  [
    'a body is newly required',
    (_, p) => (p['/v1/customers/{identifier}/actions/ban'].post.requestBody.required = true),
    /body became required/,
  ],
  [
    'a field of a request is removed',
    (s) => delete s.UpdateCustomerRequest.properties.newsSubscriber,
    /newsSubscriber.*A field of a request was removed/,
  ],
  [
    'a field of a request has another type',
    (s) => (s.GrantGiftCardRequest.properties.transfer.type = 'string'),
    /Type of `transfer`/,
  ],
  [
    'null is no longer accepted',
    (s) => (s.UpdateGiftCardRequest.properties.texture = { type: 'string', default: null }),
    /Type of `texture`/,
  ],
  [
    'an upper bound is lowered',
    (s) => (s.ProductUpsertRequest.properties.price.maximum = 1000),
    /products\/post.*Upper bound/,
  ],
  [
    'a lower bound is raised',
    (s) => (s.SetCustomerCreditRequest.properties.credit.minimum = 1),
    /Lower bound of `credit`/,
  ],
  ['a text has to be shorter', (s) => (s.UpdateCouponRequest.properties.code.maxLength = 10), /`maxLength` of `code`/],
  [
    'a text must have another pattern',
    (s) => (s.IncrementCustomerCreditRequest.properties.expiresAt.pattern = '^2'),
    /`pattern` of `expiresAt`/,
  ],
  [
    'a default is changed',
    (s) => (s.ProductUpsertRequest.properties.listed.default = false),
    /listed default: A default was changed/,
  ],
  ['a parameter is removed', (_, p) => (p['/v1/products'].get.parameters = []), /`search` query parameter was removed/],
  [
    'a parameter is newly required',
    (_, p) => (parameter(p['/v1/coupons'].get, 'active').required = true),
    /`active` query parameter became required/,
  ],
  [
    'a parameter has narrower bounds',
    (_, p) => (parameter(p['/v1/customers'].get, 'limit').schema.maximum = 100),
    /customers\/get\/parameters.*Upper bound/,
  ],
  [
    'a status is changed',
    (_, p) => {
      const { responses } = p['/v1/coupons/{id}'].put;
      responses['202'] = responses['200'];
      delete responses['200'];
    },
    /Response `200` became `202`/,
  ],
  [
    'a header of an answer is removed',
    (_, p) => delete p['/v1/products'].post.responses['201'].headers.Location,
    /header `Location` was removed/,
  ],
  [
    'another scope is needed',
    (_, p) => (p['/v1/customers/{identifier}'].get.security = [{ ApiKey: ['credits:read'] }]),
    /requires new scopes: 'credits:read'/,
  ],
];

let found: string[];
beforeAll(() => {
  const openapi = JSON.parse(readFileSync(file, 'utf8'));
  for (const [, change] of breaks) change(openapi.components.schemas, openapi.paths);
  const changed = join(dir, 'broken.json');
  writeFileSync(changed, JSON.stringify(openapi));
  found = breaksBetween(file, changed);
});

test.each(breaks)('it is a break when %s', (_, __, message) => {
  expect(found).toContainEqual(expect.stringMatching(message));
});

test('a change that clients tolerate is no break', () => {
  const openapi = JSON.parse(readFileSync(file, 'utf8'));
  const { schemas } = openapi.components;
  schemas.CouponResponse.properties.note = { type: 'string' };
  schemas.CouponResponse.required.push('note');
  schemas.CreateCategoryRequest.properties.note = { type: 'string' };
  schemas.ProductUpsertRequest.properties.price.maximum += 1;
  schemas.ProductResponse.description = 'Other words.';
  const growing = Object.keys(schemas).filter((name) => schemas[name].description?.endsWith('may add values.'));
  for (const name of growing) schemas[name].enum.push('more');
  openapi.paths['/v1/more'] = { get: { ...openapi.paths['/v1/categories'].get, operationId: 'more' } };
  openapi.paths['/v1/categories'].get.parameters.push({ name: 'more', in: 'query', schema: { type: 'string' } });
  const changed = join(dir, 'grown.json');
  writeFileSync(changed, JSON.stringify(openapi));

  expect(growing.toSorted()).toEqual([
    ...['CreditChangeKind', 'EventType', 'JournalKind', 'JournalSubjectType', 'KeyPreset', 'KeyScope', 'Refusal'],
    'SentEventType',
  ]);
  expect(breaksBetween(file, changed)).toEqual([]);
});
