import { beforeAll, expect, test } from 'vitest';
import { putGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../../lib/clock.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { creditOf, customerWithLots, statesOf } from '../../support/credit-seed.ts';
import { ada, bob, newResident, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const soon = timestamp(start + 60_000);
beforeAll(async () => {
  setClock(start);
  service = await startTestService();
  await seedResidents();
});

const grant = async (owner: string, fields: object = {}): Promise<string> =>
  (await service.call('POST', `/v1/customers/${owner}/actions/grant-gift-card`, { credit: 300, ...fields })).body.id;
const redeem = (id: string, body: unknown, headers = {}) =>
  service.call('POST', `/v1/giftcards/${id}/actions/redeem`, body, headers);
const put = (id: string, body: object, headers = {}) => service.call('PUT', `/v1/giftcards/${id}`, body, headers);
const disable = (id: string) => service.call('POST', `/v1/giftcards/${id}/actions/disable`);
const read = async (id: string) => (await service.call('GET', `/v1/giftcards/${id}`)).body;

test('200s with the redeemed card and both balances: its credit has become permanent regular credit', async () => {
  const owner = await newResident();
  await service.call('POST', `/v1/customers/${owner.uuid}/actions/set-restricted-credit`, { credit: 7 });
  const id = await grant(owner.username, { texture: unknownUuid });
  const before = await read(id);

  const { status, body } = await redeem(id, { identifier: owner.username, reason: 'Till 2', reference: 'R 17' });

  const credit = { uuid: owner.uuid, username: owner.username, credit: 300, restrictedCredit: 7 };
  expect([status, body]).toEqual([200, { giftCard: { ...before, redeemed: true, credit: 0 }, credit }]);
  expect(before).toMatchObject({ active: true, redeemed: false, credit: 300 });
  expect(await read(id)).toEqual(body.giftCard);
  expect((await service.call('GET', `/v1/customers/${owner.uuid}/credit`)).body).toEqual(credit);
  expect(await listLots(service.store, owner.uuid)).toEqual([]);
});

test('with expiresAt the amount is one lot that expires then', async () => {
  const { uuid } = await newResident();
  const id = await grant(uuid);

  const { body } = await redeem(id, { identifier: uuid, expiresAt: soon });

  expect(body.credit.credit).toBe(300);
  expect(await listLots(service.store, uuid)).toMatchObject([
    { amount: 300, remaining: 300, expiresAt: soon, state: 'open' },
  ]);
});

test('closes lots that have come due in the same change', async () => {
  const { uuid } = await newResident();
  const add = (delta: number, expiresAt?: string) =>
    service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta, expiresAt });
  await add(50, soon);
  await add(20);
  const id = await grant(uuid);

  setClock(start + 60_000);
  const { body } = await redeem(id, { identifier: uuid });
  setClock(start);

  expect(body.credit.credit).toBe(320);
  expect(await listLots(service.store, uuid)).toMatchObject([{ remaining: 50, state: 'expired' }]);
});

test('a redeemed card moves to the list of redeemed ones', async () => {
  const { uuid } = await newResident();
  const [id, other] = [await grant(uuid), await grant(uuid)];
  const listed = async (query: string) =>
    (await service.call('GET', `/v1/customers/${uuid}/giftcards?${query}`)).body.data.map((card: { id: string }) => [
      card.id,
    ]);

  await redeem(id, { identifier: uuid });

  expect(await listed('redeemed=true&active=true')).toEqual([[id]]);
  expect(await listed('redeemed=false')).toEqual([[other]]);
});

test('anybody may redeem a card with transfer, and the owner stays', async () => {
  const [owner, other] = [await newResident(), await newResident()];
  const id = await grant(owner.uuid, { transfer: true });

  const { body } = await redeem(id, { identifier: other.uuid });

  expect(body.giftCard.ownerUuid).toBe(owner.uuid);
  expect(body.credit).toMatchObject({ uuid: other.uuid, credit: 300 });
  expect((await service.call('GET', `/v1/customers/${owner.uuid}/credit`)).body.credit).toBe(0);
});

const refusals: [why: string, make: () => Promise<string>, error: string][] = [
  [
    'of somebody else without transfer',
    () => grant(bob.uuid),
    'identifier must name the owner of the card, since the card has no transfer.',
  ],
  [
    'that is inactive',
    async () => {
      const id = await grant(ada.uuid);
      await disable(id);
      return id;
    },
    'The card is inactive: a PUT with active true enables it.',
  ],
  [
    'that is empty',
    async () => {
      const id = await grant(ada.uuid);
      await put(id, {});
      return id;
    },
    'The card has no credit: a PUT with credit gives it some.',
  ],
  [
    'that was redeemed',
    async () => {
      const id = await grant(ada.uuid);
      await redeem(id, { identifier: ada.uuid });
      return id;
    },
    'The card has been redeemed already.',
  ],
  [
    'that was imported as redeemed',
    async () => {
      const fields = { credit: 5, texture: null, transfer: false, active: true };
      return (await putGiftCard(service.store, ada, fields, { redeemed: true })).id;
    },
    'The card has been redeemed already.',
  ],
  [
    'that would take the balance above the credit limit',
    () => grant(ada.uuid, { credit: 1_000_000_001 }),
    'The card must not take the balance above the credit limit of 1000000000.',
  ],
];

test.each(refusals)('400s for a card %s, and writes nothing', async (_, make, error) => {
  const id = await make();
  const before = await wholeTable();

  const answers = [await redeem(id, { identifier: ada.uuid }), await redeem(id, { identifier: 'Ada Lovelace' })];

  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [400, [error]],
    [400, [error]],
  ]);
  expect(await wholeTable()).toEqual(before);
});

test('404s for a card that the store does not have, whoever is named, and 400s for an unknown resident', async () => {
  const id = await grant(ada.uuid);
  const theirs = (await service.callOther('POST', `/v1/customers/${ada.uuid}/actions/grant-gift-card`, { credit: 1 }))
    .body.id;

  const answers = [
    await redeem(unknownUuid, { identifier: ada.uuid }),
    await redeem(unknownUuid, { identifier: unknownUuid }),
    await redeem(theirs, { identifier: ada.uuid }),
    await redeem(id, { identifier: 'nobody' }),
    await redeem(id, { identifier: unknownUuid }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400, 400]);
  expect(answers[3]?.body.errors).toEqual(['identifier names a resident who does not exist.']);
});

test('400s with one message for each fault of the body', async () => {
  const id = await grant(ada.uuid);
  const faulty = { expiresAt: timestamp(start), reason: 'a\u0007', reference: 'x'.repeat(101) };

  const answers = [
    await redeem(id, faulty),
    await redeem(id, { identifier: ada.uuid, expiresAt: timestamp(start) }),
    await redeem(id, { identifier: 'a..b', reason: 'x'.repeat(201) }),
  ];

  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [
      400,
      [
        'identifier is required: it must be a username (first, first.last or first last) or an avatar UUID.',
        'reason must be text of at most 200 characters without control characters.',
        'reference must be text of at most 100 characters without control characters.',
        'expiresAt must be in the future.',
      ],
    ],
    [400, ['expiresAt must be in the future.']],
    [
      400,
      [
        'identifier must be a username (first, first.last or first last) or an avatar UUID.',
        'reason must be text of at most 200 characters without control characters.',
      ],
    ],
  ]);
  expect((await read(id)).redeemed).toBe(false);
});

test('takes reason and reference of full length, empty ones, and none', async () => {
  for (const texts of [{ reason: 'é'.repeat(200), reference: '🎁'.repeat(100) }, { reason: '', reference: ' ' }, {}])
    expect((await redeem(await grant(ada.uuid), { identifier: ada.uuid, ...texts })).status).toBe(200);
});

test('a card that was redeemed here takes no PUT, with or without If-Match, and no disable', async () => {
  const id = await grant(ada.uuid);
  await redeem(id, { identifier: ada.uuid });
  const before = await wholeTable();

  const answers = [
    await put(id, { credit: 500 }),
    await put(id, { credit: 500 }, { 'If-Match': '*' }),
    await put(id, { credit: 500 }, { 'If-Match': '"another"' }),
    await disable(id),
  ];

  const refused = [400, ['The card has been redeemed, and cannot be changed any more.']];
  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([refused, refused, refused, refused]);
  expect(await wholeTable()).toEqual(before);
});

test('a card that was imported as redeemed takes PUT and disable', async () => {
  const fields = { credit: 5, texture: null, transfer: false, active: true };
  const { id } = await putGiftCard(service.store, ada, fields, { redeemed: true });

  const answers = [await put(id, { credit: 9 }), await disable(id)];

  expect(answers.map(({ status, body }) => [status, body.credit, body.redeemed, body.active])).toEqual([
    [200, 9, true, true],
    [200, 9, true, false],
  ]);
});

test('a repeat under the same Idempotency-Key gets the first answer, and a new key a refusal', async () => {
  const { uuid } = await newResident();
  const id = await grant(uuid);
  const body = { identifier: uuid, expiresAt: soon };

  const first = await redeem(id, body, { 'Idempotency-Key': 'redeem' });
  setClock(start + 120_000);
  const again = await redeem(id, body, { 'Idempotency-Key': 'redeem' });
  const other = await redeem(id, { identifier: uuid }, { 'Idempotency-Key': 'another' });
  setClock(start);

  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(other.status).toBe(400);
  expect(await listLots(service.store, uuid)).toHaveLength(1);
});

test.each([95, 96, 97])('with an Idempotency-Key closes %i due lots and adds one more', async (count) => {
  const lots = Array.from({ length: count }, () => ({ amount: 1, expiresAt: timestamp(start - 1) }));
  const uuid = await customerWithLots(service.store, lots);
  const id = await grant(uuid);

  const { status, body } = await redeem(
    id,
    { identifier: uuid, expiresAt: soon },
    { 'Idempotency-Key': `due-${count}` },
  );

  expect([status, body.credit.credit]).toEqual([200, 300]);
  const { lots: left, faults } = await creditOf(service.store, uuid);
  expect([statesOf(left), faults]).toEqual([{ expired: count, open: 1 }, []]);
});
