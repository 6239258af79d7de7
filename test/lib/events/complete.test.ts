import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { NotedEvent } from '../../../lib/events/events.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { injectFaults, randomFrom } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident } from '../../support/residents.ts';
import { type Call, startTestService, wholeTable } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';

/**
 * Compares the events of a store with its changes, which the test reads from the table before and after each command.
 */

const seed = Number(process.env.EVENTS_SEED ?? Date.now() % 2 ** 31);
let store: string;
let call: Call;

await startTestQueue();
const service = await startTestService();
await keepHistory();
beforeEach(async () => {
  store = (await createStore('Random')).id;
  call = service.callAs(await service.keyWith(scopes, store));
});

// biome-ignore lint/suspicious/noExplicitAny: items of all kinds are looked at member by member.
type Items = Map<string, any>;

const itemsNow = async (): Promise<Items> =>
  new Map(
    [...(await wholeTable(`${store}#`)), ...(await wholeTable(`STORE#${store}`))].map((item) => [
      `${item.pk} ${item.sk}`,
      item,
    ]),
  );

/** The changes between two states of the table, each as the event that must tell of it. */
const changesBetween = (before: Items, after: Items): string[] =>
  [...after].flatMap(([name, now]) => {
    const was = before.get(name);
    const [first, kind, part] = String(now.pk).split('#');
    if (first === 'STORE' && was && (was.open ?? true) !== (now.open ?? true))
      return [`${now.open ? 'store.opened' : 'store.closed'} ${store}`];
    if (part !== undefined) return [];
    const { sk } = now;
    if (kind === 'CUSTOMER') {
      const changes: string[] = [];
      for (let version = (was?.creditVersion ?? 0) + 1; version <= (now.creditVersion ?? 0); version++)
        changes.push(`credit.changed ${sk} ${version}`);
      const [banned, wasBanned] = [now.isBanned ?? false, was?.isBanned ?? false];
      return banned === wasBanned ? changes : [...changes, `customer.${banned ? 'banned' : 'unbanned'} ${sk}`];
    }
    if (kind === 'GIFTCARD') {
      if (!was) return [`giftcard.granted ${sk}`];
      if (now.redeemed && !was.redeemed) return [`giftcard.redeemed ${sk}`];
      return was.active && !now.active ? [`giftcard.disabled ${sk}`] : [];
    }
    // A refund ends a delivery that was not made.
    if (kind === 'DELIVERY')
      return now.state === was?.state || now.state === 'queued' ? [] : [`delivery.${now.state} ${sk}`];
    if (kind === 'SALE') return was?.state === now.state ? [] : [`sale.${now.state} ${sk}`];
    // The test sets no field of a product again.
    if (kind === 'PRODUCT' && !was) return [`product.changed ${sk}`];
    const isSoldOut = kind === 'PRODUCT' && now.limited && now.availableAmount === 0;
    return isSoldOut && was.availableAmount > 0 ? [`product.sold_out ${sk}`] : [];
  });

const told = ({ type, data }: NotedEvent): string => {
  const { id, uuid, sequence } = JSON.parse(data);
  return `${type} ${id ?? uuid}${sequence === undefined ? '' : ` ${sequence}`}`;
};

test(`there is an event of each change and of nothing else, those of one thing in its order, through faults and refusals (EVENTS_SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const people = [(await newResident()).uuid, (await newResident()).uuid];
  const fields = { name: 'Lamp', price: 10, limited: true, availableAmount: 2 };
  const products = [(await call('POST', '/v1/products', fields)).body.id];
  const cards: string[] = [];
  const sales: string[] = [];
  const credit = (action: string, delta: number) =>
    call('POST', `/v1/customers/${pick(people)}/actions/${action}`, { delta });
  const commands: (() => Promise<unknown>)[] = [
    () => credit('increment-credit', Math.floor(random() * 20) - 8),
    () => credit('increment-restricted-credit', Math.floor(random() * 20) - 8),
    () => call('POST', `/v1/customers/${pick(people)}/actions/${pick(['ban', 'unban'])}`),
    () => call('POST', `/v1/store/actions/${pick(['close', 'open', 'open'])}`),
    () => call('POST', `/v1/customers/${pick(people)}/actions/grant-gift-card`, { credit: 5, transfer: true }),
    () => call('POST', `/v1/giftcards/${pick(cards) ?? randomUUID()}/actions/disable`),
    () => call('POST', `/v1/giftcards/${pick(cards) ?? randomUUID()}/actions/redeem`, { identifier: pick(people) }),
    () => {
      const id = random() < 0.2 ? (pick(sales) ?? randomUUID()) : randomUUID();
      sales.push(id);
      return call('POST', '/v1/sales', {
        id,
        productId: pick(products),
        buyerIdentifier: pick(people),
        paid: pick([0, 10, 12]),
      });
    },
    () => call('POST', `/v1/sales/${pick(sales) ?? randomUUID()}/actions/refund`),
  ];
  const changes: string[] = [];
  const statuses = new Set<number>();

  let before: Items = new Map([...(await itemsNow())].filter(([, { pk }]) => pk !== `${store}#PRODUCT`));
  for (let count = 0; count < volume(60, 300); count++) {
    const restore = injectFaults(Math.floor(random() * 2 ** 31), 0.12);
    const { status } = (await pick(commands)()) as { status: number };
    // The consumer meets faults too, and goes on where it failed.
    if (random() < 0.3) await catchUp().catch(() => undefined);
    restore();
    statuses.add(status);
    const after = await itemsNow();
    changes.push(...changesBetween(before, after));
    for (const { pk, sk } of after.values()) if (pk === `${store}#GIFTCARD` && !cards.includes(sk)) cards.push(sk);
    before = after;
  }
  await catchUp();

  const noted = (await wholeTable(`${store}#EVENT`)) as unknown as NotedEvent[];
  const events = noted.filter(({ type }) => type !== 'key.issued');
  expect(events.map(told).toSorted()).toEqual(changes.toSorted());
  const inOrder = events.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(told);
  const ofThings = (all: readonly string[]) => Object.groupBy(all, (one) => one.split(' ')[1] ?? '');
  expect(ofThings(inOrder)).toEqual(ofThings(changes));
  expect(changes.length).toBeGreaterThan(10);
  expect([...statuses].some((status) => status >= 400)).toBe(true);
});
