import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recordPurchase } from '../../lib/avatars/spend.ts';
import { now, timestamp } from '../../lib/clock.ts';
import { unitsOf } from '../support/budgets-whole.ts';
import { catchUp, keepHistory } from '../support/history.ts';
import { newResident } from '../support/residents.ts';
import { setClock, startTestService } from '../support/service.ts';

setClock(Date.parse('2027-06-15T12:00:00.000Z'));
const service = await startTestService();
await keepHistory();
const { store, call } = service;

/** A good customer: ten sales paid with credit, three lots, ten products, three cards and two coupons. */
const goodCustomer = async (): Promise<string> => {
  const buyer = await newResident();
  const of = (rest: string, body: object) => call('POST', `/v1/customers/${buyer.uuid}/actions/${rest}`, body);
  for (let hours = 1; hours <= 3; hours++)
    await of('increment-credit', { delta: 300, expiresAt: timestamp(now() + hours * 3_600_000) });
  for (let index = 0; index < 10; index++) {
    const { id } = (await call('POST', '/v1/products', { name: `Chair ${index}`, price: 20 })).body;
    const sale = { id: randomUUID(), productId: id, buyerIdentifier: buyer.uuid, paid: 0, useCredit: true };
    expect((await call('POST', '/v1/sales', sale)).body.state).toBe('completed');
    await recordPurchase(store, { id: randomUUID(), buyer, productId: id, price: 20, at: timestamp(now()) });
  }
  for (let card = 1; card <= 3; card++) await of('grant-gift-card', { credit: card });
  for (const code of [`A ${buyer.uuid}`, `B ${buyer.uuid}`]) {
    await call('POST', '/v1/coupons', { code, discount: 5, ownerIdentifier: buyer.uuid });
    const product = (await call('GET', `/v1/customers/${buyer.uuid}/products?limit=1`)).body.data[0].productId;
    await of('apply-coupon', code.startsWith('A') ? { code, scope: 0 } : { code, scope: 1, productId: product });
  }
  await catchUp();
  return buyer.uuid;
};

/** All that a visit asks for: the page is opened, begun, shown whole, and ended. */
const visit = async (uuid: string): Promise<void> => {
  const { code } = (await call('POST', `/v1/customers/${uuid}/actions/open-page`)).body;
  const { token } = (await service.callAs(code)('POST', '/v1/me/actions/begin')).body;
  const page = service.callAs(token);
  for (const path of ['', '/credit/lots', '/credit/history?limit=20', '/products?limit=20', '/giftcards?limit=20'])
    expect((await page('GET', `/v1/me${path}`)).status, path).toBe(200);
  expect((await page('POST', '/v1/me/actions/end')).status).toBe(204);
};

test('a visit takes 9 write and 42 read units, the authorizer included, of at most 10 and 60', async () => {
  const uuid = await goodCustomer();
  await visit(uuid);

  const units = await unitsOf(() => visit(uuid));

  expect(units).toEqual({ writes: 9, reads: 42 });
  const page = readFileSync(new URL('../../docs/operate/costs.md', import.meta.url), 'utf8');
  expect(page).toContain(`${units.writes} write and ${units.reads} read units`);
});
