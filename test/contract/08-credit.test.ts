import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, get, hasResidents, inHours, resident, target } from './target.ts';

/**
 * The credit rules, for both types of credit. 22-time.test.ts shows how lots expire.
 * Residents 36 and 37.
 */

const types = [
  { name: 'credit', field: 'credit', otherName: 'restricted-credit', other: 'restrictedCredit' },
  { name: 'restricted-credit', field: 'restrictedCredit', otherName: 'credit', other: 'credit' },
] as const;

describe.runIf(hasResidents).each(types)(
  '$name, with residents (CONTRACT_RESIDENTS)',
  ({ name, field, otherName, other }) => {
    const customer = resident(36 + types.findIndex((type) => type.name === name)).uuid;
    const path = (action: string) => `/v1/customers/${customer}/actions/${action}-${name}`;
    const set = (body: object) => act(customer, `set-${name}`, body);
    const increment = (body: object) => act(customer, `increment-${name}`, body);
    const balance = async () => (await get(`/v1/customers/${customer}/credit`)).body[field];

    test('credit rule 1: the endpoints take a key with credits:*, and the grant one with giftcards:write', async ({
      skip,
    }) => {
      const { scopeKeys } = target;
      if (!scopeKeys) return skip('it needs keys with single scopes, as the local service has them');

      const credits = await act(customer, `set-${name}`, { credit: 1 }, { key: scopeKeys['credits:write'] });
      const grant = await act(customer, 'grant-gift-card', { credit: 1 }, { key: scopeKeys['credits:write'] });
      const gift = await act(customer, 'grant-gift-card', { credit: 1 }, { key: scopeKeys['giftcards:write'] });

      expect([credits.status, grant.status, gift.status]).toEqual([200, 403, 200]);
    });

    test('credit rule 2: set closes every open lot and rewrites the balance', async () => {
      for (const hours of [1, 2, 3]) await increment({ delta: 100, expiresAt: inHours(hours) });

      const { body } = await set({ credit: 40 });

      expect(body[field]).toBe(40);
      expect(Object.keys(body).sort()).toEqual(['credit', 'restrictedCredit', 'username', 'uuid']);
      expect(await balance()).toBe(40);
      expect((await increment({ delta: -41 })).status).toBe(400);
    });

    test('credit rule 3: set with expiresAt makes the whole new balance expire', async () => {
      expect((await set({ credit: 60, expiresAt: inHours(1) })).body[field]).toBe(60);
      expect((await increment({ delta: -60 })).body[field]).toBe(0);
    });

    test('credit rule 4: set without expiresAt makes the balance permanent', async () => {
      await set({ credit: 60, expiresAt: inHours(1) });

      expect((await set({ credit: 60 })).body[field]).toBe(60);
    });

    test.each(['2020-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
      'credit rule 5, credit 6: set with expiresAt %s is 400 and leaves the balance',
      async (expiresAt) => {
        await set({ credit: 11 });

        expectProblem(await set({ credit: 99, expiresAt }), 400, path('set'), [expect.stringContaining('expiresAt')]);
        expectProblem(await set({ credit: 0, expiresAt }), 400, path('set'));
        expect(await balance()).toBe(11);
      },
    );

    test('credit 6: increment with expiresAt in the past is 400 and leaves the balance', async () => {
      await set({ credit: 11 });

      expectProblem(await increment({ delta: 5, expiresAt: '2020-01-01T00:00:00Z' }), 400, path('increment'));
      expect(await balance()).toBe(11);
    });

    test('credit rule 6: one type of credit never touches the other', async () => {
      await act(customer, `set-${otherName}`, { credit: 10 });
      await act(customer, `increment-${otherName}`, { delta: 20, expiresAt: inHours(1) });

      const answers = [
        await set({ credit: 5, expiresAt: inHours(1) }),
        await increment({ delta: 7 }),
        await increment({ delta: -6 }),
        await set({ credit: 0 }),
        // The second set finds no lots to close, which is another write than the first.
        await set({ credit: 4 }),
      ];

      expect(answers.map(({ body }) => body[other])).toEqual([30, 30, 30, 30, 30]);
      expect((await act(customer, `increment-${otherName}`, { delta: -30 })).body[other]).toBe(0);
    });

    test('credit rule 7, credit rule 8, credit rule 9: increments add to the balance, with an expiry or without', async () => {
      await set({ credit: 10, expiresAt: inHours(2) });

      const lot = await increment({ delta: 20, expiresAt: inHours(1) });
      const unlotted = await increment({ delta: 30 });

      expect([lot.body[field], unlotted.body[field]]).toEqual([30, 60]);
      expect((await increment({ delta: -60 })).body[field]).toBe(0);
    });

    test('credit rule 10: a negative delta takes from lots and from unlotted credit alike, to the last L$', async () => {
      await set({ credit: 5 });
      await increment({ delta: 5, expiresAt: inHours(2) });
      await increment({ delta: 5, expiresAt: inHours(1) });

      const left = [];
      for (const delta of [-4, -4, -4, -3]) left.push((await increment({ delta })).body[field]);

      expect(left).toEqual([11, 7, 3, 0]);
    });

    test('credit rule 11: a negative delta with expiresAt is 400 and changes nothing', async () => {
      await set({ credit: 10 });

      expectProblem(await increment({ delta: -1, expiresAt: inHours(1) }), 400, path('increment'), [
        'expiresAt must be left out when delta is negative.',
      ]);
      expect(await balance()).toBe(10);
    });

    test('credit rule 12: removing more than the customer holds is 400 and changes nothing', async () => {
      await set({ credit: 10 });
      await increment({ delta: 5, expiresAt: inHours(1) });

      expectProblem(await increment({ delta: -16 }), 400, path('increment'), [expect.any(String)]);
      expect(await balance()).toBe(15);
      expect((await increment({ delta: -15 })).status).toBe(200);
    });

    describe.runIf(target.local)('on the local service, whose credit limit is that of a new deployment', () => {
      const limit = 1_000_000_000;

      test('credit rule 12, credit 4: an increment above the credit limit is 400 and changes nothing', async () => {
        await set({ credit: limit - 1 });

        expectProblem(await increment({ delta: 2 }), 400, path('increment'), [expect.any(String)]);
        expectProblem(await increment({ delta: 2, expiresAt: inHours(1) }), 400, path('increment'));
        expectProblem(await increment({ delta: 2_147_483_647 }), 400, path('increment'));
        expect(await balance()).toBe(limit - 1);
        expect((await increment({ delta: 1 })).body[field]).toBe(limit);
      });

      test('credit 4: a set above the credit limit is 400 and changes nothing', async () => {
        await set({ credit: 3 });

        expectProblem(await set({ credit: limit + 1 }), 400, path('set'), [expect.any(String)]);
        expect(await balance()).toBe(3);
        expect((await set({ credit: limit })).body[field]).toBe(limit);
      });
    });

    test.each([-1, 1.5, '5', null, 2_147_483_648, undefined, true])('defaults 4: set to %j is 400', async (credit) => {
      expectProblem(await set({ credit }), 400, path('set'), [
        expect.stringMatching(/^credit .*must be a whole number from 0 to 2147483647\.$/),
      ]);
    });

    test.each([0, 1.5, '5', null, 2_147_483_648, -2_147_483_648, undefined])(
      'defaults 5: an increment by %j is 400',
      async (delta) => {
        expectProblem(await increment({ delta }), 400, path('increment'), [expect.stringMatching(/^delta /)]);
      },
    );

    test('credit 5: set to 0 with expiresAt leaves no credit and no lot', async () => {
      await set({ credit: 9 });

      expect((await set({ credit: 0, expiresAt: inHours(1) })).body[field]).toBe(0);
      expect((await increment({ delta: -1 })).status).toBe(400);
    });

    test('credit 1: 20 concurrent changes add up to the balance', async () => {
      await set({ credit: 100 });
      const deltas = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 7 : -3));

      const answers = await Promise.all(
        deltas.map((delta, index) =>
          increment({ delta, ...(delta > 0 && index % 4 === 0 && { expiresAt: inHours(index + 1) }) }),
        ),
      );

      // A deployment may answer 503 under contention. Only changes with a 200 count in the balance.
      const made = deltas.filter((_, index) => answers[index]?.status === 200);
      expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      expect(await balance()).toBe(100 + made.reduce((sum, delta) => sum + delta, 0));
    });

    test('credit 8: drains and supersedes more open lots than a transaction takes', async () => {
      await set({ credit: 0 });
      for (let i = 1; i <= 110; i++) await increment({ delta: 2, expiresAt: inHours(i) });

      expect((await increment({ delta: -219 })).body[field]).toBe(1);
      for (let i = 1; i <= 5; i++) await increment({ delta: 2, expiresAt: inHours(i) });
      expect((await set({ credit: 4 })).body[field]).toBe(4);
    });
  },
);
