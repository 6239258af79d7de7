import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { lastRelease } from '../last-release.ts';

/** The parameters of some paths with their places, such as `/v1/coupons/{}` and `id`. */
const placesOf = (paths: readonly string[]): [string, string][] =>
  paths.flatMap((path) =>
    [...path.matchAll(/\{([^}]*)\}/g)].map(({ 0: text, 1: name = '', index }): [string, string] => [
      path.slice(0, index + text.length).replaceAll(/\{[^}]*\}/g, '{}'),
      name,
    ]),
  );

/**
 * The places whose parameter has changed its name, or has two names. API Gateway refuses a second parameter in a place,
 * even before CloudFormation has removed the first.
 */
const renamed = (before: readonly string[], after: readonly string[]): string[] => {
  const old = new Map(placesOf([...after, ...before]));
  return placesOf(after).flatMap(([place, name]) => (old.get(place) !== name ? place : []));
};

test('no parameter of a path has another name than in the last release', () => {
  const last = lastRelease();
  const { paths = {} } = last === undefined ? {} : JSON.parse(readFileSync(last, 'utf8'));
  const now = routes.map(({ path }) => path);

  expect(renamed(Object.keys(paths), now)).toEqual([]);
  expect(renamed([...now, '/v1/coupons/{planted}'], now)).toContain('/v1/coupons/{}');
  expect(renamed(['/v1/coupons/{id}/x'], ['/v1/coupons/{couponId}', '/v1/sales/{saleId}'])).toEqual(['/v1/coupons/{}']);
  expect(renamed([], ['/v1/coupons/{id}', '/v1/coupons/{code}/x'])).toEqual(['/v1/coupons/{}']);
});
