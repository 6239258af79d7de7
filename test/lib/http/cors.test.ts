import { afterEach, beforeAll, expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => {
  delete process.env.CORS_ORIGINS;
});

const [one, two] = ['https://shop.example.com', 'http://localhost:3000'];
const exposed = 'ETag, X-Request-Id, Location, Idempotent-Replayed, Retry-After, Delivery-Id, Credit-Sequence';

/**
 * The headers of CORS in the answer to a page of this origin: of a good request, and of one that an endpoint refuses.
 */
const seenBy = async (origin: string | undefined) => {
  const headers = origin === undefined ? {} : { Origin: origin };
  const answers = [
    await service.call('GET', '/v1/products', undefined, headers),
    await service.call('GET', '/v1/products?limit=0', undefined, headers),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  const [good, bad] = answers.map(({ headers: sent }) => ({
    origin: sent.get('access-control-allow-origin'),
    exposed: sent.get('access-control-expose-headers'),
    vary: sent.get('vary'),
  }));
  expect({ ...bad, vary: null }).toEqual({ ...good, vary: null });
  return { ...good, varyOfProblem: bad?.vary };
};

const byType = 'Accept, X-SecondLife-Shard';

test('without the setting no answer has a header of CORS', async () => {
  expect(await seenBy(one)).toEqual({ origin: null, exposed: null, vary: null, varyOfProblem: byType });
});

test.each(['*', one])('with %s every answer allows it, whoever asks', async (origins) => {
  process.env.CORS_ORIGINS = origins;

  for (const origin of [one, 'https://evil.example.com', undefined])
    expect(await seenBy(origin)).toEqual({ origin: origins, exposed, vary: null, varyOfProblem: byType });
});

test('with several, an answer allows the request’s own if it is one of them, and says that it depends on it', async () => {
  process.env.CORS_ORIGINS = `${one},${two}`;
  const varies = { vary: 'Origin', varyOfProblem: `${byType}, Origin` };

  for (const origin of [one, two]) expect(await seenBy(origin)).toEqual({ origin, exposed, ...varies });
  for (const origin of ['https://evil.example.com', `${one},${two}`, 'null', '*', undefined])
    expect(await seenBy(origin), origin).toEqual({ origin: null, exposed: null, ...varies });
});

test('the kept answer of an Idempotency-Key allows the origin of the request that repeats it', async () => {
  process.env.CORS_ORIGINS = `${one},${two}`;
  const make = (origin: string) =>
    service.call('POST', '/v1/categories', { name: 'Chairs' }, { Origin: origin, 'Idempotency-Key': 'once' });

  const [first, second] = [await make(one), await make(two)];

  expect(second.body).toEqual(first.body);
  expect([first, second].map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([one, two]);
});
