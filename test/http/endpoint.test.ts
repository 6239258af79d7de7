import { beforeAll, describe, expect, test } from 'vitest';
import { logLines, startTestService, wholeTable } from '../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

const members = ['detail', 'errors', 'instance', 'status', 'title'];
const bodyOf = (bytes: number): string => {
  const rest = bytes - JSON.stringify({ name: 'x', padding: '' }).length;
  return JSON.stringify({ name: 'x', padding: 'p'.repeat(rest) });
};

test.each(['{', '[]', '[{"name":"x"}]', '5', '"x"', 'null', '', ' '])(
  '400s for the body %j and writes nothing',
  async (body) => {
    const before = await wholeTable();

    const answer = await service.call('POST', '/v1/categories', body);

    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(Object.keys(answer.body).sort()).toEqual(members);
    expect(answer.body.errors).toEqual(['The body must be a JSON object.']);
    expect(await wholeTable()).toEqual(before);
  },
);

test('takes a body of 256 KiB, and 400s for one byte more and for 300 KiB', async () => {
  const statuses = [];
  for (const bytes of [262_144, 262_145, 307_200])
    statuses.push((await service.call('POST', '/v1/categories', bodyOf(bytes))).status);

  expect(statuses).toEqual([201, 400, 400]);
});

test('takes JSON whatever the Content-Type says', async () => {
  const { status } = await service.call('POST', '/v1/categories', { name: 'x' }, { 'Content-Type': 'text/xml' });

  expect(status).toBe(201);
});

describe('400s with the contract’s message', () => {
  const limit = 'Limit must be between 1 and 1000.';
  test.each([
    ['limit=0', [limit]],
    ['limit=1001', [limit]],
    ['limit=1e2', [limit]],
    ['limit=', [limit]],
    ['limit=-1', [limit]],
    ['cursor=x', ['Cursor is invalid.']],
    ['cursor=', ['Cursor is invalid.']],
    [`cursor=${'x'.repeat(1024)}`, ['Cursor is invalid.']],
    [`cursor=${'x'.repeat(1025)}`, ['Cursor is too long.']],
    [`cursor=${'x'.repeat(2000)}`, ['Cursor is too long.']],
    ['limit=0&cursor=x', [limit, 'Cursor is invalid.']],
    ['limit=5&limit=5', ['limit must be given once.']],
  ])('for %s', async (query, errors) => {
    const { status, body } = await service.call('GET', `/v1/categories?${query}`);

    expect(status).toBe(400);
    expect(body.errors).toEqual(errors);
    expect(body.detail).toBe(errors.join(' '));
  });
});

test('takes limits of 1 and 1000, and ignores parameters it does not know', async () => {
  for (const query of ['limit=1', 'limit=1000', 'colour=red&colour=blue'])
    expect((await service.call('GET', `/v1/categories?${query}`)).status).toBe(200);
});

test('reports the faults of path and body at once', async () => {
  const { body } = await service.call('PUT', '/v1/categories/x', { name: 5 });

  expect(body.errors.length).toBe(2);
  expect(body.errors[0]).toBe('id must be a UUID.');
});

test.each<[string, string, number]>([
  ['GET', '/v1/categories/%zz', 400],
  ['PUT', '/v1/categories/%zz', 400],
  ['GET', '/v1/categories/x', 404],
  ['GET', '/v1/categories/00000000-0000-0000-0000-000000000000', 404],
  ['GET', '/v1/categories/a%2Fb', 404],
  ['GET', '/v1/nothing', 404],
  ['PATCH', '/v1/categories', 404],
  ['DELETE', '/v1/categories', 404],
])('%s %s answers %d as problem+json', async (method, path, expected) => {
  const { status, headers, body } = await service.call(method, path, method === 'PUT' ? { name: 'x' } : undefined);

  expect(status).toBe(expected);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(body).toMatchObject({ status: expected, instance: path });
});

test('logs one line with exactly the documented fields, and nothing of the request', async () => {
  const { headers } = await service.call('POST', '/v1/categories', { name: 'Very private' });
  const lines = logLines.filter(({ requestId }) => requestId === headers.get('x-request-id'));

  expect(lines.length).toBe(1);
  expect(Object.keys(lines[0] ?? {}).sort()).toEqual(
    ['calls', 'keyId', 'level', 'milliseconds', 'requestId', 'route', 'status', 'steps', 'store', 'units'].sort(),
  );
  expect(JSON.stringify(logLines)).not.toContain('private');
  expect(JSON.stringify(logLines)).not.toContain(service.key);
});
