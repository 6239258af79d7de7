import { expect, test } from 'vitest';
import { parseKey } from '../../../lib/keys.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { issueKey, markStoreGone } from '../../../lib/store/issued-keys.ts';
import { findStore } from '../../../lib/store/stores.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();

const path = '/v1/store/rules';
const none = {
  groupDiscount: 0,
  tiers: [],
  bonus: { percent: 0, groupPercent: 0, type: 'restricted', expiresInDays: null },
};

/** A store of its own, with a key that may set its rules. */
const newStore = async () => {
  const { id } = await createStore('Corner Shop');
  const { text } = await issueKey({ store: id, name: 'desk', scopes: ['store:write'], stage: 'test' });
  const call = service.callAs(text);
  return { id, put: (body?: unknown) => call('PUT', path, body), read: async () => (await call('GET', path)).body };
};

test('200s with no rules for a store that has set none, to a key without any scope', async () => {
  const call = service.callAs(await service.keyWith([]));

  const answer = await call('GET', path);

  expect([answer.status, answer.body]).toEqual([200, none]);
});

test('replaces the rules as a whole, with the tiers by what must have been spent', async () => {
  const { put, read } = await newStore();
  const bonus = { percent: 0.0001, groupPercent: 100, type: 'regular', expiresInDays: 3650 };
  const tiers = [
    { from: 2_147_483_647, percent: 100 },
    { from: 1, percent: 12.3456 },
  ];

  const first = await put({ groupDiscount: 5.5, tiers, bonus, other: 1 });
  const whole = await read();
  const second = await put({ bonus: { percent: 2 } });
  const third = await put({});

  const rules = { groupDiscount: 5.5, tiers: tiers.toReversed(), bonus };
  expect([first.status, first.body, whole]).toEqual([200, rules, rules]);
  expect(second.body).toEqual({ ...none, bonus: { ...none.bonus, percent: 2 } });
  expect([third.body, await read()]).toEqual([none, none]);
});

test('the rules of one store are none of another', async () => {
  const [one, other] = [await newStore(), await newStore()];

  await one.put({ groupDiscount: 5 });

  expect([(await one.read()).groupDiscount, await other.read()]).toEqual([5, none]);
});

const tiersUpTo = (count: number) => Array.from({ length: count }, (_, index) => ({ from: index + 1, percent: 1 }));

const percent = 'must be a number from 0 to 100 with at most 4 decimals.';

test.each<[object, string]>([
  [{ groupDiscount: 5.00001 }, `groupDiscount ${percent}`],
  [{ groupDiscount: 101 }, 'groupDiscount must be a number from 0 to 100.'],
  [{ groupDiscount: null }, 'groupDiscount must be a number from 0 to 100, not null: leave it out.'],
  [{ groupDiscount: '5' }, 'groupDiscount must be a number from 0 to 100.'],
  [{ tiers: null }, 'tiers must be a list of at most 10 tiers, not null: leave it out.'],
  [{ tiers: tiersUpTo(11) }, 'tiers must be a list of at most 10 tiers.'],
  [{ tiers: [null] }, 'tiers[0] must be an object.'],
  [{ tiers: [{ from: 5, percent: 0 }] }, 'tiers[0].percent must be more than 0.'],
  [{ tiers: [{ from: 5, percent: 0.00004 }] }, `tiers[0].percent ${percent}`],
  [{ tiers: [{ from: 0, percent: 1 }] }, 'tiers[0].from must be a whole number from 1 to 2147483647.'],
  [{ tiers: [{ from: 5 }] }, 'tiers[0].percent is required: it must be a number from 0 to 100.'],
  [{ tiers: [{ percent: 5 }] }, 'tiers[0].from is required: it must be a whole number from 1 to 2147483647.'],
  [
    {
      tiers: [
        { from: 5, percent: 1 },
        { from: 5, percent: 2 },
      ],
    },
    'tiers must have tiers of different from.',
  ],
  [{ bonus: null }, 'bonus must be an object, not null: leave it out.'],
  [{ bonus: { percent: null } }, 'bonus.percent must be a number from 0 to 100, not null: leave it out.'],
  [{ bonus: { percent: -1 } }, 'bonus.percent must be a number from 0 to 100.'],
  [{ bonus: { groupPercent: 0.12345 } }, `bonus.groupPercent ${percent}`],
  [{ bonus: { type: 'gift' } }, 'bonus.type must be restricted or regular.'],
  [{ bonus: { type: null } }, 'bonus.type must be restricted or regular, not null: leave it out.'],
  [{ bonus: { expiresInDays: 0 } }, 'bonus.expiresInDays must be a whole number from 1 to 3650.'],
  [{ bonus: { expiresInDays: 3651 } }, 'bonus.expiresInDays must be a whole number from 1 to 3650.'],
])('400s for %j, and changes nothing', async (body, message) => {
  const { put, read } = await newStore();
  await put({ groupDiscount: 5 });

  const answer = await put(body);

  expect([answer.status, answer.body.errors]).toEqual([400, [message]]);
  expect((await read()).groupDiscount).toBe(5);
});

test('takes ten tiers, and tells all faults at once', async () => {
  const { put } = await newStore();

  const ten = await put({ tiers: tiersUpTo(10) });
  const faults = await put({ groupDiscount: -1, tiers: [{ from: 0, percent: 0 }], bonus: { percent: 101 } });

  expect(ten.status).toBe(200);
  expect(faults.body.errors).toHaveLength(4);
});

test('404s for a store that is gone, and writes none', async () => {
  const orphan = await service.keyWith(['store:write']);
  await markStoreGone(parseKey(orphan, 'test')?.id ?? '');

  const [read, put] = [
    await service.callAs(orphan)('GET', path),
    await service.callAs(orphan)('PUT', path, { groupDiscount: 5 }),
  ];

  expect([read.status, put.status]).toEqual([404, 404]);
});

test('rules change nothing else of the store', async () => {
  const { id, put } = await newStore();
  const before = await findStore(id);

  await put({ groupDiscount: 5 });
  const { rules, ...after } = (await findStore(id)) ?? { rules: undefined };

  expect(rules).toEqual({ ...none, groupDiscount: 5 });
  expect(after).toMatchObject({ ...before });
});
