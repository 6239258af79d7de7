import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { claimDelivery, failDelivery, findDelivery } from '../../../../lib/delivery/deliveries.ts';
import { putResident } from '../../../../lib/operator/residents.ts';
import { getSale } from '../../../../lib/sale/sales.ts';
import { sendUnsent } from '../../../../lib/sale/sweep.ts';
import { orderOf } from '../../../../lib/sale/unsent.ts';
import { logOf, logPartition, noteInLog } from '../../../../lib/store/operator-log.ts';
import { actedBy } from '../../../../lib/table/actor.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { newCustomer } from '../../../../test/support/credit-seed.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { setClock, startTestService, wholeTable } from '../../../../test/support/service.ts';
import { erasePerson } from '../../person/erase.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeEach(async () => {
  service = await startTestService();
  await keepHistory();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** As the command does it. */
const erase = (uuid: string) => actedBy({ type: 'operator' }, () => erasePerson(service.store, uuid, false, () => []));

test('a sale whose delivery has not begun forbids an erasure, and none is ordered for an avatar who was erased', async () => {
  const start = Date.parse('2028-02-29T12:00:00.000Z');
  const hour = 3_600_000;
  const send = vi.spyOn(SQSClient.prototype, 'send');
  setClock(start);
  const sale = await buy(service.store, {
    productId: await newProduct(service.store),
    buyer: await newCustomer(),
    paid: 1000,
  });
  const uuid = sale.recipientUuid ?? '';

  await expect(erase(uuid)).rejects.toThrow(`The delivery of the sale ${sale.id} has not begun yet.`);
  const { delivery } = await claimDelivery(orderOf(await getSale(service.store, sale.id)), 0);
  await failDelivery(delivery, 'The box is empty.');
  const pseudonym = await erase(uuid);
  for (const hours of [1, 9, 17, 25, 33, 41]) {
    setClock(start + hours * hour);
    await sendUnsent();
  }

  expect(await getSale(service.store, sale.id)).toMatchObject({ state: 'completed', recipientUuid: pseudonym });
  expect(await findDelivery(service.store, delivery.id)).toBeUndefined();
  expect(send).not.toHaveBeenCalled();
});

test('an order that fails again after an erasure leaves both times of failure', async () => {
  const start = Date.parse('2028-02-29T12:00:00.000Z');
  setClock(start);
  const sale = await buy(service.store, {
    productId: await newProduct(service.store),
    buyer: await newCustomer(),
    paid: 1000,
  });
  const order = orderOf(await getSale(service.store, sale.id));
  const failOnce = async () => {
    const { delivery } = await claimDelivery(order, 0);
    await failDelivery(delivery, 'The box is empty.');
    await erase(sale.recipientUuid ?? '');
  };

  await failOnce();
  setClock(start + 60_000);
  await failOnce();

  const [mark] = await wholeTable(`${service.store}#MARK`);
  expect(mark).toMatchObject({ failures: ['2028-02-29T12:00:00.000Z', '2028-02-29T12:01:00.000Z'] });
});

test('an erasure takes the names out of the search', async () => {
  const uuid = randomUUID();
  await putResident({ uuid, username: 'gone.person' }, ['went.before']);
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  await catchUp();
  const names = async () => (await wholeTable(`${service.store}#CUSTOMER_NAME`)).length;
  expect(await names()).toBe(2);

  await erase(uuid);
  await catchUp();

  expect(await names()).toBe(0);
});

test('the journal forgets an avatar and their things, and has the pseudonym in rows about others', async () => {
  const uuid = randomUUID();
  await putResident({ uuid, username: 'gone.person' }, []);
  const send = async (method: string, path: string, body?: object) => (await service.call(method, path, body)).body;
  await send('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  const card = await send('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5 });
  await send('PUT', `/v1/giftcards/${card.id}`, { credit: 0 });
  await send('POST', `/v1/giftcards/${card.id}/actions/disable`);
  const shared = { name: 'Chair', price: 9, profitShares: [{ userUuid: uuid, percent: 5 }] };
  const product = await send('POST', '/v1/products', shared);
  await send('PUT', `/v1/products/${product.id}`, { name: 'Chair', price: 9 });
  const coupon = await send('POST', '/v1/coupons', { code: 'HERS', ownerIdentifier: uuid });
  await catchUp();

  const pseudonym = await erase(uuid);
  await catchUp();

  const { data } = await send('GET', '/v1/journal?limit=1000');
  const about = (id: string) => data.filter(({ subject }: { subject: { id: string } }) => subject.id === id);
  const events = JSON.stringify(await wholeTable(`${service.store}#EVENT`));
  expect([...about(uuid), ...about(card.id)]).toEqual([]);
  expect(about(product.id).map(({ changes }: { changes: object[] }) => changes.at(-1))).toMatchObject([
    { field: 'profitShares', before: [{ userUuid: pseudonym, percent: 5 }], after: [] },
    { field: 'profitShares', before: null, after: [{ userUuid: pseudonym, percent: 5 }] },
  ]);
  expect(about(coupon.id)).toHaveLength(1);
  expect(events).not.toContain(uuid);
  expect(events).not.toContain('gone.person');
  expect(await wholeTable(`${service.store}#REMOVED`)).toEqual([]);
});

test('takes a row of their card that the consumer notes after an earlier pass has moved the card', async () => {
  const uuid = randomUUID();
  await putResident({ uuid, username: 'noted.late' }, []);
  const reason = 'A present for noted.late.';
  const grant = await service.call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5, reason });
  await service.call('PUT', `/v1/giftcards/${grant.body.id}`, { credit: 0 });

  await erase(uuid);
  await catchUp();
  const noted = JSON.stringify(await wholeTable(`${service.store}#EVENT`));
  await erase(uuid);

  const left = JSON.stringify(await wholeTable(`${service.store}#EVENT`));
  expect(noted).toContain('noted.late');
  for (const text of [uuid, 'noted.late']) expect(left).not.toContain(text);
});

test('ends though rows of the journal and of the log hold the UUID within a text of the store', async () => {
  const uuid = randomUUID();
  await putResident({ uuid, username: 'in.code' }, []);
  const coupon = { code: `OF-${uuid}`, ownerIdentifier: uuid };
  const { id } = (await service.call('POST', '/v1/coupons', coupon)).body;
  const named = { key: 'a', name: `box of ${uuid}` };
  await noteInLog(logOf('test')('key.issued', service.store, named));
  await catchUp();

  const pseudonym = await erase(uuid);

  const [row] = (await service.call('GET', `/v1/journal?subject=${id}`)).body.data;
  const of = { couponOwnerUuid: pseudonym, couponOwnerUsername: pseudonym, code: coupon.code };
  expect(row).toMatchObject({ kind: 'coupon.created', subject: { name: coupon.code } });
  expect((await wholeTable(`${service.store}#EVENT`)).map(({ data }) => JSON.parse(String(data)))).toContainEqual(
    expect.objectContaining(of),
  );
  expect(await wholeTable(logPartition(service.store))).toMatchObject([{ details: named }]);
});
