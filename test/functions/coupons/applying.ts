import { beforeAll, beforeEach } from 'vitest';
import { createCoupon, type ImportedCoupon } from '../../../lib/catalogue/coupons.ts';
import { ada, seedResidents } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

export const hour = 3_600_000;

/** The table without the keys, whose hour of last use changes with the clock. */
export const tableWithoutKeys = async () => (await wholeTable()).filter(({ pk }) => !String(pk).startsWith('KEY#'));

/** Starts a service with a product in each store and coupons of Ada's. Each test moves the clock far ahead. */
export const startApplying = () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let productId: string;
  let otherProductId: string;
  beforeAll(async () => {
    service = await startTestService();
    await seedResidents();
    const product = { name: 'Chair', price: 10 };
    productId = (await service.call('POST', '/v1/products', product)).body.id;
    otherProductId = (await service.callOther('POST', '/v1/products', product)).body.id;
  });

  let clock = Date.parse('2026-05-01T12:00:00.000Z');
  beforeEach(() => {
    clock += 1000 * hour;
    setClock(clock);
  });

  let number = 0;
  return {
    service: () => service,
    productId: () => productId,
    otherProductId: () => otherProductId,
    clock: () => clock,
    make: (
      fields: { code?: string; active?: boolean; discount?: number } = {},
      imported?: ImportedCoupon,
      owner = ada,
    ) =>
      createCoupon(
        service.store,
        owner,
        { code: `Made${++number}`, discount: 25, ownerProfit: 5, active: true, bloggersSync: false, ...fields },
        imported,
      ),
    apply: (body: object, customer = 'bob') =>
      service.call('POST', `/v1/customers/${customer}/actions/apply-coupon`, body),
    revoke: (body: object, customer = 'bob') =>
      service.call('POST', `/v1/customers/${customer}/actions/revoke-coupon`, body),
  };
};
