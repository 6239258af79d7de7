import { expect, test } from 'vitest';
import { forgetShares } from '../../../lib/http/store-share.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

/** The pages of a store's customers have shares of their own: no page slows a vendor, the desk or its own end. */

const time = Date.parse('2029-01-01T00:00:00.000Z');
setClock(time);
process.env.STORE_READ_UNITS = '20';
process.env.STORE_WRITE_UNITS = '200';
const service = await startTestService();
const { call } = service;

/** A page of an avatar with as many products that each list reads. */
const begin = async () => {
  const { uuid } = await newResident();
  const { code } = (await call('POST', `/v1/customers/${uuid}/actions/open-page`)).body;
  return service.callAs((await service.callAs(code)('POST', '/v1/me/actions/begin')).body.token);
};

test('a token in a loop of GETs gets 429 with Retry-After; sales and lists of the store never do', async () => {
  const page = await begin();
  const product = (await call('POST', '/v1/products', { name: 'Lamp', price: 0 })).body.id;
  const buyer = (await newResident()).uuid;

  const statuses = new Set<number>();
  let refused: Awaited<ReturnType<typeof page>> | undefined;
  for (let index = 0; index < 150; index++) {
    const answer = await page('GET', '/v1/me');
    statuses.add(answer.status);
    if (answer.status === 429) refused ??= answer;
    if (index % 10 !== 0) continue;
    const quote = await call('POST', '/v1/quotes', { productId: product, buyerIdentifier: buyer });
    const listed = await call('GET', '/v1/customers');
    expect([quote.status, listed.status]).toEqual([200, 200]);
  }

  expect(statuses).toEqual(new Set([200, 429]));
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused?.body.detail).toContain('pages of customers');
  // A tenth of 20 units a second is two: a page that reads five units has its turn again soon.
  setClock(time + 30_000);
  expect((await page('GET', '/v1/me')).status).toBe(200);
});

test('a store that has used up its own shares keeps no page from reading', async () => {
  forgetShares();
  setClock(time + 3_600_000);
  const page = await begin();
  let refused = 0;
  for (let index = 0; index < 400 && refused === 0; index++)
    if ((await call('GET', '/v1/customers?limit=1000')).status === 429) refused++;
  for (let index = 0; index < 400 && refused < 2; index++)
    if ((await call('GET', '/v1/products?search=x')).status === 429) refused++;

  expect(refused).toBeGreaterThan(0);
  expect((await page('GET', '/v1/me')).status).toBe(200);
});
