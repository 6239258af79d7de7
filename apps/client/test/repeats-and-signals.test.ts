import { afterAll, expect, test } from 'vitest';
import { startForTests } from '../../../test/support/local-service.ts';
import { type ClientOptions, NoAnswer, StoreProblem, storeClient } from '../client.ts';
import { pauseMillis } from '../retry.ts';
import { answering, startScript } from './script.ts';

const service = await startForTests({ demo: false });
afterAll(() => service.stop());

const client = (options: Partial<ClientOptions> = {}) =>
  storeClient({ baseUrl: service.baseUrl, apiKey: service.keys.all, ...options });

const incrementCredit = '/v1/customers/{identifier}/actions/increment-credit';
const unusedResident = (): string => service.residents[0]?.username ?? '';
const credit = async (): Promise<number> =>
  (await client().get('/v1/customers/{identifier}/credit', { path: { identifier: unusedResident() } })).credit;

test('retries transient failures, a POST with the same Idempotency-Key', async () => {
  const { asked, at, close } = await startScript(
    {},
    answering(503, {}, { 'Retry-After': '0' }),
    (response) => response.destroy(),
    answering(429, {}, { 'Retry-After': '1' }),
    answering(500, {}),
    answering(200, { credit: 5 }),
  );
  const started = performance.now();

  const answer = await at.post(incrementCredit, { path: { identifier: 'ada' }, body: { delta: 5 } });
  close();

  expect(answer).toEqual({ credit: 5 });
  expect(asked).toHaveLength(5);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  // Retry-After asks for a second, so the pause is no shorter on a slow machine either.
  expect(performance.now() - started).toBeGreaterThanOrEqual(1000);
});

test.each([408, 409, 429, 500, 502, 503, 504])('retries after a %d', async (status) => {
  const { asked, at, close } = await startScript({}, answering(status), answering(200, { credit: 5 }));

  const answer = await at.post(incrementCredit, { path: { identifier: 'ada' }, body: { delta: 5 } });
  close();

  expect(answer).toEqual({ credit: 5 });
  expect(asked).toEqual([asked[0], asked[0]]);
});

test('does not retry other failures, nor if the service asks for a pause of more than a minute', async () => {
  for (const answer of [answering(400), answering(401), answering(501), answering(503, {}, { 'Retry-After': '61' })]) {
    const { asked, at, close } = await startScript({}, answer);

    await expect(at.get('/v1/products')).rejects.toBeInstanceOf(StoreProblem);
    close();

    expect(asked).toEqual([{ method: 'GET', key: undefined }]);
  }
});

test('gives up after the last attempt, with its problem or with the error of fetch', async () => {
  const busy = await startScript({ attempts: 2 }, answering(503));
  const gone = await startScript({ attempts: 2 }, (response) => response.destroy());

  await expect(busy.at.get('/v1/products')).rejects.toMatchObject({ status: 503 });
  await expect(gone.at.get('/v1/products')).rejects.toThrow('fetch failed');
  busy.close();
  gone.close();

  expect([busy.asked.length, gone.asked.length]).toEqual([2, 2]);
});

test('changes credit once even if the answer is lost', async () => {
  let lost = 0;
  const losing: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    if (init?.method !== 'POST' || lost++ > 0) return response;
    await response.text();
    throw new TypeError('terminated');
  };
  const before = await credit();

  const answer = await client({ fetch: losing }).post(incrementCredit, {
    path: { identifier: unusedResident() },
    body: { delta: 7 },
  });

  expect(lost).toBe(2);
  expect(answer.credit).toBe(before + 7);
  expect(await credit()).toBe(before + 7);
});

test('after a 500 and after no answer, a call with the key of the error changes credit only once', async () => {
  const answeredLast = [() => new Response(null, { status: 500 }), () => Promise.reject(new TypeError('terminated'))];
  for (const answerLast of answeredLast) {
    const losing: typeof fetch = async (address, init) => {
      await (await fetch(address, init)).text();
      return answerLast();
    };
    const give = { path: { identifier: unusedResident() }, body: { delta: 7 } };
    const before = await credit();

    const failure: unknown = await client({ fetch: losing, attempts: 1 })
      .post(incrementCredit, give)
      .catch((error: unknown) => error);
    const { idempotencyKey = '' } = failure as NoAnswer | StoreProblem;
    await client().post(incrementCredit, { ...give, idempotencyKey });

    expect(await credit()).toBe(before + 7);
  }
});

test('every error of a POST carries its Idempotency-Key, and one of a GET has none', async () => {
  const scripts = [
    await startScript({}, answering(400)),
    await startScript({ attempts: 1 }, answering(500)),
    await startScript({ attempts: 1 }, (response) => response.destroy()),
    await startScript({ attempts: 1, timeoutMillis: 200 }, () => {}),
    await startScript({}, answering(200)),
  ];
  for (const { asked, at, close } of scripts) {
    const read = await at.get('/v1/products').catch((error: unknown) => error);
    const write = await at
      .post(incrementCredit, { path: { identifier: 'ada' }, body: { delta: 5 } })
      .catch((error: unknown) => error);
    close();

    expect(asked[1]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(write).toMatchObject({ idempotencyKey: asked[1]?.key });
    expect(read).toMatchObject({ idempotencyKey: undefined });
  }
});

test('two calls are two changes, unless the caller gives both one key', async () => {
  const give = { path: { identifier: unusedResident() }, body: { delta: 3 } };
  const before = await credit();

  await client().post(incrementCredit, give);
  await client().post(incrementCredit, give);
  await client().post(incrementCredit, { ...give, idempotencyKey: 'order-1' });
  await client().post(incrementCredit, { ...give, idempotencyKey: 'order-1' });

  expect(await credit()).toBe(before + 9);
});

test('a signal ends a running call, also during a pause', async () => {
  const hanging = await startScript({}, () => {});
  const busy = await startScript({}, answering(503, {}, { 'Retry-After': '60' }));
  const reason = new Error('enough');
  const failures = await Promise.all(
    [hanging, busy].map(async ({ at }) => {
      const abort = new AbortController();
      const failure = at
        .post(incrementCredit, { path: { identifier: 'ada' }, body: { delta: 5 }, signal: abort.signal })
        .catch((error: unknown) => error);
      setTimeout(() => abort.abort(reason), 100);
      return failure;
    }),
  );
  hanging.close();
  busy.close();

  // One signal may end several calls, so each has an error of its own around the reason.
  for (const [index, { asked }] of [hanging, busy].entries()) {
    expect(failures[index]).toBeInstanceOf(NoAnswer);
    expect(failures[index]).toMatchObject({ name: 'Error', message: 'enough', idempotencyKey: asked[0]?.key });
    expect((failures[index] as NoAnswer).cause).toBe(reason);
  }
  expect(reason).not.toHaveProperty('idempotencyKey');
  expect([hanging.asked.length, busy.asked.length]).toEqual([1, 1]);
});

test('an attempt that times out is retried', async () => {
  const { asked, at, close } = await startScript({ timeoutMillis: 200 }, () => {}, answering(200, { credit: 1 }));

  const answer = await at.get('/v1/customers/{identifier}/credit', { path: { identifier: 'ada' } });
  close();

  expect(answer).toEqual({ credit: 1 });
  expect(asked).toHaveLength(2);
});

test('pauses grow, have jitter, and are never shorter than Retry-After', () => {
  const at = Date.parse('2027-01-01T00:00:00Z');
  const pauses = [1, 2, 3, 4].map((attempt) => pauseMillis(attempt, null, at) ?? 0);

  for (const [index, millis] of pauses.entries()) {
    expect(millis).toBeGreaterThanOrEqual(125 * 2 ** index);
    expect(millis).toBeLessThan(250 * 2 ** index);
  }
  expect(pauseMillis(1, '3', at)).toBe(3000);
  expect(pauseMillis(1, 'Fri, 01 Jan 2027 00:00:05 GMT', at)).toBe(5000);
  expect(pauseMillis(1, 'Fri, 01 Jan 2021 00:00:05 GMT', at)).toBeLessThan(250);
  expect(pauseMillis(1, 'soon', at)).toBeLessThan(250);
  expect(pauseMillis(30, '60', at)).toBe(60_000);
  expect(pauseMillis(1, '61', at)).toBeUndefined();
});
