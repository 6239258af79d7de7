import * as fc from 'fast-check';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { bytesOf, type FuzzRequest, type Mutation, validRequests } from '../../test/support/requests.ts';
import { bodyMutations, framingMutations } from './body-mutations.ts';
import { headerMutations } from './header-mutations.ts';
import { anySegment, anyText } from './hostile.ts';

const queryMutations = (row: Route): Mutation[] => {
  const names = [...Object.keys(row.query.shape), 'unknown', '__proto__', 'constructor', ''];
  const values = fc.oneof(
    anyText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6000)),
    fc.constantFrom('%', '%ff', '%zz', '%c3', '%e2%80%8b', '+', 'a=b', '1&limit=1', '1;limit=1'),
  );
  return [
    fc.tuple(fc.constantFrom(...names), values).map(([name, value]) => ({ request: { target } }) => ({
      mutation: `query ${name}`,
      target: `${target}${target.includes('?') ? '&' : '?'}${name}=${value}`,
    })),
    fc
      .constantFrom('?', '?&', '?=', '??limit=1', '?limit', '?limit[]=1', '?LIMIT=1', '?limit=1#f')
      .map((query) => ({ request }) => ({
        mutation: `query ${query}`,
        target: `${request.target.split('?')[0]}${query}`,
      })),
  ];
};

const pathMutations = (row: Route): Mutation[] => {
  const refused = [400, 404];
  const places = row.path.split('/').flatMap((segment, index) => (segment.startsWith('{') ? [index] : []));
  const replaced: Mutation = fc
    .tuple(fc.constantFrom(...places, -1), anySegment)
    .map(([place, segment]) => ({ request }) => {
      const [path = '', query = ''] = request.target.split(/(?=\?)/);
      const bytes = bytesOf(segment);
      if (place < 0) return { mutation: 'a segment more', target: `${path}/${bytes}${query}`, expect: refused };
      const segments = path.split('/').with(place, bytes);
      return { mutation: `path ${segment.slice(0, 40)}`, target: segments.join('/') + query };
    });
  const bent: [string, (path: string) => string][] = [
    ['a slash at the end', (path) => `${path}/`],
    ['two slashes', (path) => `/${path}`],
    ['capitals', (path) => path.replace('/v1', '/V1')],
    ['another version', (path) => path.replace('/v1', '/v2')],
    ['an encoded slash', (path) => path.replace('/v1/', '/v1%2F')],
    ['dots', (path) => `/v1/..${path}`],
    ['encoded dots', (path) => path.replace('/v1/', '/v1/%2e%2e/v1/')],
    ['an encoded letter', (path) => path.replace('/v1/', '/%76%31/')],
    ['a whole URL', (path) => `http://127.0.0.1${path}`],
    ['a very long path', (path) => `${path}${'/x'.repeat(9000)}`],
    ['an asterisk', () => '*'],
    ['nothing', () => '/'],
  ];
  return [
    replaced,
    fc.constantFrom(...bent).map(([mutation, bend]) => ({ request }) => ({
      mutation,
      target: request.target.replace(/^[^?]*/, bend),
      expect: refused,
    })),
    fc
      .constantFrom('PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'DELETE', 'get', 'BREW', 'GET\0', 'POST POST')
      .filter((method) => method !== row.method)
      .map((method) => () => ({ mutation: `method ${method}`, method, expect: [...refused, 200, 204] })),
  ];
};

/** Requests to a row: a third of them valid, the others with one fault. */
const requestsTo = (row: Route): fc.Arbitrary<FuzzRequest> => {
  const mutations = [
    ...bodyMutations(row),
    ...bodyMutations(row),
    ...queryMutations(row),
    ...pathMutations(row),
    ...headerMutations,
    ...framingMutations(row),
  ];
  const none: Mutation = fc.constant(() => ({ mutation: '' }));
  const mutation = fc.oneof(
    { weight: mutations.length, arbitrary: none },
    ...mutations.map((arbitrary) => ({ weight: 2, arbitrary })),
  );
  return fc.tuple(validRequests(row), mutation).map(([valid, mutate]) => ({ ...valid.request, ...mutate(valid) }));
};

/** Requests to any row, each as likely as the others. */
export const requests: fc.Arbitrary<FuzzRequest> = fc.oneof(...routes.map(requestsTo));
