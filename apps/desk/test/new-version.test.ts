import { expect, test } from 'vitest';
import {
  countsOf,
  firstOrderedAt,
  type NewVersion,
  type Owner,
  ownersOf,
  type Sender,
  sendVersion,
  type VersionDelivery,
  withNames,
} from '../../shared/new-version.ts';

const since = '2026-11-29T12:00:00.000Z';
const version: NewVersion = { productId: 'chair', item: 'Chair', since };
const before = '2026-11-29T11:00:00.000Z';
const after = '2026-11-29T13:00:00.000Z';

const sale = (name: string, state = 'completed', uuid: string | null = `${name}-uuid`) => ({
  state,
  recipientUuid: uuid,
});

const delivery = (name: string, fields: Partial<VersionDelivery>): VersionDelivery => ({
  id: `to ${name}`,
  state: 'delivered',
  productId: 'chair',
  item: 'Chair',
  recipientUuid: `${name}-uuid`,
  createdAt: before,
  endedAt: after,
  lastError: null,
  ...fields,
});

const nameOf = (uuid: string): string => uuid.replace('-uuid', '');

test('lists each recipient of a completed sale once, by name, with how far the version came', () => {
  const sales = ['wanda', 'bo', 'ada', 'cy', 'dee', 'eve', 'ada'].map((name) => sale(name));
  const others = [sale('ned', 'refunded'), sale('nobody', 'completed', null)];
  const deliveries = [
    delivery('ada', { endedAt: before }),
    delivery('bo', {}),
    delivery('cy', { state: 'waiting', endedAt: null }),
    delivery('dee', { state: 'failed', lastError: 'The box has no Chair.' }),
    delivery('eve', { item: 'Old chair' }),
    delivery('wanda', { productId: 'lamp' }),
  ];

  expect(withNames(ownersOf(version, [...sales, ...others], deliveries), nameOf)).toEqual([
    { uuid: 'ada-uuid', name: 'ada', reach: 'missing' },
    { uuid: 'bo-uuid', name: 'bo', reach: 'has', deliveryId: 'to bo' },
    { uuid: 'cy-uuid', name: 'cy', reach: 'coming', deliveryId: 'to cy', waits: true },
    { uuid: 'dee-uuid', name: 'dee', reach: 'failed', deliveryId: 'to dee', why: 'The box has no Chair.' },
    { uuid: 'eve-uuid', name: 'eve', reach: 'missing' },
    { uuid: 'wanda-uuid', name: 'wanda', reach: 'missing' },
  ]);
});

test('of several deliveries to one owner the one that brought them furthest counts, in any order', () => {
  const deliveries = [delivery('ada', { id: '1', state: 'failed' }), delivery('ada', { id: '2' })];
  for (const order of [deliveries, deliveries.toReversed()])
    expect(ownersOf(version, [sale('ada')], order)).toMatchObject([{ reach: 'has', deliveryId: '2' }]);
});

test('leaves out erased avatars', () => {
  const pseudonym = '3041a1ca-a17f-8eb7-ad13-b26662c32a2c';
  expect(ownersOf(version, [sale('gone', 'completed', pseudonym)], [])).toEqual([]);
});

test('a delivery goes on for 14 days, so that older ones do not count', () => {
  expect(firstOrderedAt(version)).toBe('2026-11-15T12:00:00.000Z');
});

const owners = (count: number): Owner[] =>
  ownersOf(
    version,
    Array.from({ length: count }, (_, n) => sale(`owner${n}`)),
    [],
  );

/** A box that gives at most this many items between two looks; undefined: it is away. Orders outlive a run. */
const boxOf = (perLook: number | undefined) => {
  const orders = new Map<string, VersionDelivery>();
  let most = 0;
  const open = () => [...orders.values()].filter(({ endedAt }) => endedAt === null);
  const sender: Sender = {
    order: async ({ uuid }) => {
      const id = `to ${uuid}`;
      if (!orders.has(id))
        orders.set(id, delivery('', { id, recipientUuid: uuid, state: 'queued', endedAt: null, createdAt: after }));
      most = Math.max(most, open().length);
      return { deliveryId: id };
    },
    look: async (owners) => owners.flatMap(({ uuid }) => orders.get(`to ${uuid}`) ?? []),
    pause: async () => {
      for (const one of open().slice(0, perLook ?? 0)) Object.assign(one, { state: 'delivered', endedAt: after });
      if (perLook === undefined) for (const one of open()) one.state = 'waiting';
    },
    onChange: () => undefined,
    isStopped: () => false,
  };
  return { sender, orders, most: () => most };
};

test('sends to all, at most ten deliveries on their way', async () => {
  const all = owners(57);
  const { sender, orders, most } = boxOf(3);

  await sendVersion(version, all, sender);

  expect(countsOf(all)).toEqual({ has: 57, coming: 0, failed: 0, missing: 0 });
  expect([orders.size, most()]).toEqual([57, 10]);
});

test('ends when the box is away, with ten that wait for it', async () => {
  const all = owners(57);
  const { sender, orders } = boxOf(undefined);

  await sendVersion(version, all, sender);

  expect(countsOf(all)).toEqual({ has: 0, coming: 10, failed: 0, missing: 47 });
  expect(orders.size).toBe(10);
});

test('a run that dies anywhere goes on from the deliveries, and orders nothing twice', async () => {
  const { sender, orders } = boxOf(2);
  const sales = Array.from({ length: 57 }, (_, n) => sale(`owner${n}`));
  let ordered = 0;
  for (const diesAt of [13, 29]) {
    const order: Sender['order'] = async (owner) => {
      const answer = await sender.order(owner);
      if (++ordered === diesAt) throw new Error('dead');
      return answer;
    };
    const dying = sendVersion(version, ownersOf(version, sales, orders.values()), { ...sender, order });
    await expect(dying).rejects.toThrow('dead');
  }
  const all = ownersOf(version, sales, orders.values());

  await sendVersion(version, all, sender);

  expect(countsOf(all)).toEqual({ has: 57, coming: 0, failed: 0, missing: 0 });
  expect(orders.size).toBe(57);
});

test('one whose order is refused stays missing with the reason, and the others get theirs', async () => {
  const all = owners(3);
  const { sender } = boxOf(1);
  const refusing: Sender = {
    ...sender,
    order: (owner) => (nameOf(owner.uuid) === 'owner1' ? Promise.resolve({ why: 'No.' }) : sender.order(owner)),
  };

  await sendVersion(version, all, refusing);

  expect(all.map(({ reach, why }) => [reach, why])).toEqual([
    ['has', undefined],
    ['missing', 'No.'],
    ['has', undefined],
  ]);
});

test('stops when it is told to', async () => {
  const all = owners(57);
  const { sender, orders } = boxOf(1);

  await sendVersion(version, all, { ...sender, isStopped: () => orders.size >= 7 });

  expect(countsOf(all)).toMatchObject({ missing: 50 });
});
