import { beforeAll, expect, test } from 'vitest';
import { putGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { renameInStore } from '../../../lib/store/renames.ts';
import { ada, cleo, seedResidents, unknownUuid } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
  await seedResidents();
});

const grant = (body: unknown, customer = 'bob') =>
  service.call('POST', `/v1/customers/${customer}/actions/grant-gift-card`, body);
const put = (id: string, body: unknown) => service.call('PUT', `/v1/giftcards/${id}`, body);
const disable = (id: string) => service.call('POST', `/v1/giftcards/${id}/actions/disable`);
const read = async (id: string) => (await service.call('GET', `/v1/giftcards/${id}`)).body;

test('grant: keeps the time, reason and reference, through a PUT, and no answer shows them', async () => {
  const granted = await grant({ credit: 1, reason: ' Sorry for the wait ', reference: '' });
  const { id } = granted.body;
  const answers = [
    granted,
    await put(id, { credit: 2 }),
    await disable(id),
    await service.call('GET', `/v1/giftcards/${id}`),
  ];

  const stored = (await wholeTable()).find(({ sk }) => sk === id);
  const fields = Object.keys(answers[0]?.body).sort();
  expect(answers.map(({ body }) => Object.keys(body).sort())).toEqual(Array(4).fill(fields));
  expect(fields).not.toContain('reason');
  expect(stored).toMatchObject({ reason: 'Sorry for the wait', grantedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(stored).not.toHaveProperty('reference');
});

test.each<[object, string[]]>([
  [
    { credit: 1.5, texture: 'x', transfer: 'yes' },
    [
      'credit must be a whole number from 1 to 2147483647.',
      'texture must be a UUID.',
      'transfer must be true or false.',
    ],
  ],
  [
    { credit: 5, reason: 'x'.repeat(201), reference: 'a\nb' },
    [
      'reason must be text of at most 200 characters without control characters.',
      'reference must be text of at most 100 characters without control characters.',
    ],
  ],
])('grant: 400s for %j and writes nothing', async (body, errors) => {
  const before = await wholeTable();

  const answer = await grant(body, cleo.uuid);

  expect([answer.status, answer.body.errors]).toEqual([400, errors]);
  expect(await wholeTable()).toEqual(before);
});

test('replace: 400s with one message for each fault and writes nothing', async () => {
  const { id } = (await grant({ credit: 5 })).body;

  const { status, body } = await put(id, { credit: -1, texture: 7, transfer: null, active: 'no' });

  expect([status, body.errors]).toEqual([
    400,
    [
      'credit must be a whole number from 0 to 2147483647.',
      'texture must be a UUID.',
      'transfer must be true or false, not null: leave it out.',
      'active must be true or false.',
    ],
  ]);
  expect((await read(id)).credit).toBe(5);
});

test('moves a card between the lists of active and inactive ones when it is disabled and replaced', async () => {
  const { id } = (await grant({ credit: 9 })).body;
  const listed = async () => {
    const pages = [true, false].map((active) => service.call('GET', `/v1/customers/bob/giftcards?active=${active}`));
    return (await Promise.all(pages)).map(({ body }) => body.data.some((card: { id: string }) => card.id === id));
  };

  const granted = await listed();
  await disable(id);
  const disabled = await listed();
  await put(id, {});
  const replaced = await listed();

  expect({ granted, disabled, replaced }).toEqual({
    granted: [true, false],
    disabled: [false, true],
    replaced: [true, false],
  });
});

test('404s for a card that does not exist, and writes nothing', async () => {
  const before = await wholeTable();

  const statuses = [
    (await service.call('GET', `/v1/giftcards/${unknownUuid}`)).status,
    (await put(unknownUuid, {})).status,
    (await disable(unknownUuid)).status,
  ];

  expect(statuses).toEqual([404, 404, 404]);
  expect(await wholeTable()).toEqual(before);
});

test.each([
  '',
  'active=true',
  'active=false',
  'redeemed=true',
  'redeemed=false',
  'active=true&redeemed=true',
  'active=true&redeemed=false',
  'active=false&redeemed=true',
  'active=false&redeemed=false',
])('list: 200s with every card that passes the filter "%s" once, forward and back', async (filter) => {
  const cards = Array.from({ length: 12 }, (_, index) => ({
    id: `00000000-7e57-0000-cafe-0000000000${10 + index}`,
    active: index % 2 === 0,
    redeemed: index % 3 === 0,
  }));
  for (const { id, active, redeemed } of cards)
    await putGiftCard(service.store, cleo, { credit: 1, texture: null, transfer: false, active }, { id, redeemed });
  const wanted = new URLSearchParams(filter);
  const expected = cards
    .filter((card) => !wanted.has('active') || String(card.active) === wanted.get('active'))
    .filter((card) => !wanted.has('redeemed') || String(card.redeemed) === wanted.get('redeemed'))
    .map(({ id }) => id);

  const walked = await walkList<{ id: string }>(service.call, `/v1/customers/cleo/giftcards?${filter}`, 2);

  expect(walked.map(({ id }) => id)).toEqual(expected);
});

test('shows the owner’s new name on every card after a rename', async () => {
  await grant({ credit: 3 }, 'ada.lovelace');

  await renameInStore(service.store, { uuid: ada.uuid, username: 'ada.byron' });

  const { data } = (await service.call('GET', `/v1/customers/${ada.uuid}/giftcards`)).body;
  expect(new Set(data.map((card: { ownerUsername: string }) => card.ownerUsername))).toEqual(new Set(['ada.byron']));
});
