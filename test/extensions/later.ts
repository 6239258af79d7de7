import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, expect, test } from 'vitest';
import { strangers } from '../../local/grid/grid.ts';
import { startDispenser } from '../../local/start/dispenser.ts';
import { act, createProduct, target } from '../contract/target.ts';
import { atEnd } from '../support/at-end.ts';
import { eventually, loopbackUrl, pass, read, send, startOnLoopback, sweepNow } from './client.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
type Row = Record<string, any>;

const eventTypes = ['sale.completed', 'delivery.delivered', 'credit.changed'];
const nobody = { uuid: '', username: '' };
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** A receiver that answers with these statuses, and then repeats the last one. */
const startReceiver = async (...statuses: number[]) => {
  const got: { body: string; headers: Record<string, string> }[] = [];
  const url = await startOnLoopback(async (request, response) => {
    got.push({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200).end();
  });
  return { url, got };
};

const sell = async (productId: string, buyerIdentifier: string) =>
  (await send('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier, paid: 100, message: 'Enjoy' })).body;

const isDelivered = (id: string) =>
  eventually(
    () => read(`/v1/deliveries/${id}`),
    ({ state }) => state === 'delivered',
    60,
  );

const historyOf = (uuid: string) => () => read(`/v1/customers/${uuid}/credit/history`);

/** Requests whose effects come after their answer, by stream, queues, worker and sweep. */
export const testLater = (): void => {
  const [waiter = nobody, buyer = nobody, named = nobody, saver = nobody] = strangers(
    4,
    Math.floor(Math.random() * 1e6),
  );
  let dispenser: Awaited<ReturnType<typeof startDispenser>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let webhook: Row;
  let product: Row;
  let early: Row;
  let sale: Row;

  /** The id under which the webhook got the event of a type about the sale. */
  const eventOf = (type: string): string | undefined =>
    receiver.got.find(({ body }) => {
      const sent = JSON.parse(body);
      return sent.type === type && [sale.id, sale.deliveryId].includes(sent.data.id);
    })?.headers['webhook-id'];
  const giftsOf = (uuid: string) => dispenser.inbox().filter(({ recipient }) => recipient === uuid);

  beforeAll(async () => {
    product = await createProduct({ item: 'Lamp' });
    receiver = await startReceiver(500, 200);
    webhook = (await send('POST', '/v1/webhooks', { url: receiver.url, events: eventTypes })).body;
    const gone = await startOnLoopback((_, response) => response.writeHead(404).end());
    await send('PUT', '/v1/dispenser', { url: gone });
    early = await sell(product.id, waiter.uuid);
    await eventually(
      () => read(`/v1/deliveries/${early.deliveryId}`),
      ({ state }) => state === 'waiting',
    );
    dispenser = await startDispenser(async (address) => {
      const { port, pathname } = new URL(address);
      return (await send('PUT', '/v1/dispenser', { url: loopbackUrl(port) + pathname })).body.secret;
    });
    atEnd(dispenser.stop);
    await dispenser.registerAgain();
    sale = await sell(product.id, buyer.uuid);
  });

  test('a delivery that waited is given once a dispenser registers', async () => {
    await isDelivered(early.deliveryId);

    expect(giftsOf(waiter.uuid)).toMatchObject([{ item: 'Lamp', message: 'Enjoy' }]);
  });

  test('a sale is given once, is shown so, and takes no retry', async () => {
    await isDelivered(sale.deliveryId);

    const { status } = await send('POST', `/v1/deliveries/${sale.deliveryId}/actions/retry`);
    const listed = await read(`/v1/deliveries?state=delivered&recipient=${buyer.uuid}`);
    const owned = await read(`/v1/customers/${buyer.uuid}/products`);
    expect([status, giftsOf(buyer.uuid).length]).toEqual([400, 1]);
    expect(listed.data).toMatchObject([{ id: sale.deliveryId, saleId: sale.id, productId: product.id }]);
    expect(owned.data).toMatchObject([{ productId: product.id, quantity: 1, lastDeliveredAt: expect.any(String) }]);
  });

  test('an avatar whom nobody imported is asked of the dispenser, by name and by UUID', async () => {
    const byName = await act(named.username, 'increment-credit', { delta: 5 });
    const byUuid = await act(saver.uuid, 'increment-credit', { delta: 5 });

    expect([byName.body, byUuid.body]).toMatchObject([named, saver]);
  });

  test('history has each change in its order, with its reason', async () => {
    await act(saver.uuid, 'increment-credit', { delta: 7, expiresAt: inSeconds(4), reason: 'Gift' });
    await act(saver.uuid, 'increment-restricted-credit', { delta: 3, reference: 'R 1' });

    const { data } = await eventually(historyOf(saver.uuid), (list) => list.data.length >= 3);

    expect(data.map((row: Row) => [row.sequence, row.type, row.amount, row.credit, row.restrictedCredit])).toEqual([
      [3, 'restricted', 3, 12, 3],
      [2, 'regular', 7, 12, 0],
      [1, 'regular', 5, 5, 0],
    ]);
    expect([data[0].reference, data[1].reason]).toEqual(['R 1', 'Gift']);
  });

  test('the day counts the sales and what was given', async () => {
    const { data } = await eventually(
      () => read('/v1/store/days'),
      (list) => list.data.at(-1)?.delivered >= 2,
    );

    expect(data.at(-1).sales).toBeGreaterThanOrEqual(2);
    expect(data.at(-1).paid).toBeGreaterThanOrEqual(200);
  });

  test('a webhook gets each event signed, and one that it refused once more under the same id', async () => {
    await send('POST', `/v1/webhooks/${webhook.id}/actions/test`);
    const isAll = (list: { data: Row[] }) => {
      const done = list.data.filter(({ state }) => state === 'delivered').map(({ type }) => type);
      return [...eventTypes, 'webhook.ping'].every((type) => done.includes(type)) && done.length === list.data.length;
    };

    const { data } = await eventually(() => read(`/v1/webhooks/${webhook.id}/deliveries`), isAll, 60);

    const [refused] = receiver.got;
    const verifier = new Verifier(String(webhook.secret));
    const sent = receiver.got.map(({ body, headers }) => verifier.verify(body, headers) as Row);
    const ids = receiver.got.map(({ headers }) => headers['webhook-id']);
    expect(sent.map(({ type }) => type)).toEqual(expect.arrayContaining([...eventTypes, 'webhook.ping']));
    expect(ids.filter((id) => id === refused?.headers['webhook-id'])).toHaveLength(2);
    expect(data.filter(({ attempts }: Row) => attempts !== 1)).toMatchObject([{ eventId: ids[0], attempts: 2 }]);
    expect(new Set(ids).size).toBe(ids.length - 1);
  });

  test('the list of events has what a webhook was sent, under its id, and goes on after each', async () => {
    // It ends ten seconds before now.
    await pass(target.local ? 11 : 0);
    const { data } = await eventually(
      () => read(`/v1/events?type=delivery.delivered&after=${eventOf('sale.completed')}`),
      (list) => list.data?.some((event: Row) => event.data.id === sale.deliveryId),
    );

    expect(data.map(({ id }: Row) => id)).toContain(eventOf('delivery.delivered'));
  });

  test('the sweep closes a lot that has come due', async () => {
    await sweepNow();

    const { data } = await eventually(historyOf(saver.uuid), (list) => list.data[0].kind === 'expire', 120);

    expect(data[0]).toMatchObject({ sequence: 4, amount: 0, expired: 7, credit: 5, restrictedCredit: 3 });
    expect((await read(`/v1/customers/${saver.uuid}/credit/lots`)).data).toMatchObject([
      { state: 'expired', remaining: 7 },
    ]);
  });
};
