import { expect, test } from 'vitest';
import { type ClientOptions, StoreProblem, storeClient } from '../client.ts';

const secret = 'sis_test_0a1B2c3D4e5F_secret';
const increment = '/v1/customers/{identifier}/actions/increment-credit';
const path = { identifier: 'ada' };

/** A client whose service gives this answer; `asked` lists the requested addresses. */
const startWith = (answer: () => Response | Promise<Response>, options: Partial<ClientOptions> = {}) => {
  const asked: string[] = [];
  const answering: typeof fetch = async (address) => {
    asked.push(String(address));
    return answer();
  };
  return {
    asked,
    store: storeClient({ baseUrl: 'http://127.0.0.1:1', apiKey: secret, fetch: answering, ...options }),
  };
};

const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('It did not fail.'),
    (error: Error) => error,
  );

test.each([
  ['a page', '<html>Sign in</html>'],
  ['nothing', ''],
])('a 200 with %s in place of JSON is a StoreProblem, for calls and for rows', async (_, text) => {
  const { asked, store } = startWith(() => new Response(text, { headers: { 'X-Request-Id': 'r-1' } }));

  const failures = [
    await failureOf(store.get('/v1/products')),
    await failureOf(store.rows('/v1/products').next()),
    await failureOf(store.post(increment, { path, body: { delta: 1 } })),
  ];

  for (const failure of failures) {
    expect(failure).toBeInstanceOf(StoreProblem);
    expect(failure).toMatchObject({ status: 200, title: 'Not JSON', requestId: 'r-1' });
    expect(failure.message).toMatch(/^200 \/v1\/.*: The answer is not JSON\. Check that baseUrl leads to the service/);
  }
  expect(asked).toHaveLength(3);
});

test.each(['127.0.0.1:4000', 'localhost:4000', '', 'ftp://example.org', 'https://me:word@example.org', 'http://'])(
  'an invalid base URL is refused at once: %s',
  async (baseUrl) => {
    const { asked, store } = startWith(() => Response.json({}), { baseUrl });

    const failure = await failureOf(store.get('/v1/products'));

    expect(failure).toBeInstanceOf(TypeError);
    expect(failure.message).toMatch(/^baseUrl must begin with http:\/\/ or https:\/\//);
    expect(failure.message).not.toContain('word@');
    expect(asked).toEqual([]);
  },
);

test('a key with a character that no header may hold is refused without another try, and never quoted', async () => {
  for (const apiKey of [`${secret}\nX: y`, `${secret}\u0000`, `${secret}…`]) {
    let tries = 0;
    const counted: typeof fetch = (...args) => {
      tries += 1;
      return fetch(...args);
    };
    const { store } = startWith(() => Response.json({}), { apiKey, fetch: counted });

    const failure = await failureOf(store.get('/v1/products'));

    expect(failure.message).toBe('apiKey has a character that the header X-API-Key must not have.');
    expect(`${failure.stack} ${failure.cause}`).not.toContain(secret);
    expect(tries).toBeLessThanOrEqual(1);
  }
});

test('a body that is no JSON, and an Idempotency-Key that no header may hold, are refused at once', async () => {
  const { asked, store } = startWith(() => Response.json({}));
  const circle: { delta: number; self?: object } = { delta: 1 };
  circle.self = circle;

  const body = await failureOf(store.post(increment, { path, body: circle }));
  const key = await failureOf(store.post(increment, { path, body: { delta: 1 }, idempotencyKey: 'order\n1' }));

  expect(body.message).toMatch(/circular/);
  expect(key.message).toBe('idempotencyKey has a character that the header Idempotency-Key must not have.');
  expect(asked).toEqual([]);
});
