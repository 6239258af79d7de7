import { expect, test } from 'vitest';
import type { JournalRowResponse } from '../../client/client.ts';
import { csvOf } from '../csv.ts';
import { date } from '../format.ts';
import { beginning, byDay, csvRows, isAtEnd, type JournalReader, kindsOf, readMore, tell } from '../journal.ts';
import type { Session } from '../session.ts';
import { journalWords } from '../words/journal.ts';

const rosa = { type: 'key', id: 'rosaKey12345', name: 'Rosa' } as const;

const session = {
  store: { key: { id: 'ownKey123456' } },
  can: () => true,
  client: {
    get: async (path: string) => {
      if (path === '/v1/products/{id}') return { name: 'Garden bench', image: '' };
      return { username: 'mina.frostwood' };
    },
  },
} as unknown as Session;

type Change = JournalRowResponse['changes'][number];
const changed = (field: string, before: Change['before'], after: Change['after']): Change => ({
  field,
  before,
  after,
  hidden: false,
});

const row = (
  kind: JournalRowResponse['kind'],
  subject: JournalRowResponse['subject'],
  changes: Change[],
  by: JournalRowResponse['by'] = rosa,
): JournalRowResponse => ({
  ...{ id: '1', at: '2026-11-30T10:00:00.000Z', kind, subject, by, requestId: null, changes },
});

const bench = { type: 'product', id: 'b', name: 'Garden bench' } as const;
const mina = { type: 'customer', id: 'm', name: 'mina.frostwood' } as const;
const card = { type: 'giftcard', id: '0dd0cafe-1111-4222-8333-444455556666', name: null } as const;

/** A row in one line: who did what, and each field with its values. */
const said = async (one: JournalRowResponse): Promise<string> => {
  const { by, did, amount, note, fields } = await tell(session, one);
  const told = fields.map(({ label, before, after }) => [label, before, after].filter((part) => part !== undefined));
  return [[by.name, did.join('')].join(' '), amount, note, ...told.map((part) => part.join(': '))]
    .filter(Boolean)
    .join(' | ');
};

test('every kind has a sentence whose words hold no field, kind or name of the API', async () => {
  const kinds = Object.keys(journalWords.kinds) as JournalRowResponse['kind'][];
  for (const kind of kinds) {
    const sentence = await said(row(kind, { type: 'webhook', id: null, name: null }, []));
    expect(sentence, kind).not.toMatch(/[{}_]|\b[a-z]+[A-Z]|\w\.\w/);
  }
  expect(kinds).toHaveLength(38);
});

test.each([
  [
    row('product.changed', bench, [changed('price', 100, 1200)]),
    'Rosa changed the price of Garden bench | Price: L$ 100: L$ 1,200',
  ],
  [row('product.changed', bench, [changed('listed', true, false)]), 'Rosa changed Garden bench | Listed: yes: no'],
  [
    row('product.changed', bench, [
      changed('price', 0, 5),
      changed(
        'discount',
        { type: 0, value: 0, startDate: null, endDate: null },
        { type: 2, value: 9, startDate: null, endDate: '2026-12-24T12:00:00Z' },
      ),
    ]),
    `Rosa changed the price and the discount of Garden bench | Price: L$ 0: L$ 5 | Discount: none: L$ 9 instead until ${date('2026-12-24T12:00:00Z')}`,
  ],
  [
    row('product.created', bench, [
      changed('name', null, 'Garden bench'),
      changed('profitShares', null, [{ userUuid: 'm', percent: 20 }]),
    ]),
    'Rosa made the product Garden bench | Profit shares: mina.frostwood 20 %',
  ],
  [
    row('credit.changed', mina, [changed('credit', 50, 300)]),
    'Rosa gave credit to mina.frostwood | +L$ 250 | Credit: L$ 50: L$ 300',
  ],
  [
    row('credit.changed', mina, [changed('credit', 300, 240)]),
    'Rosa took credit from mina.frostwood | −L$ 60 | Credit: L$ 300: L$ 240',
  ],
  [row('customer.banned', mina, [changed('isBanned', false, true)]), 'Rosa banned mina.frostwood'],
  [
    row('giftcard.granted', card, [changed('credit', null, 500), changed('ownerUuid', null, 'm')]),
    'Rosa gave a gift card to mina.frostwood | L$ 500',
  ],
  [
    row('category.product_added', { type: 'category', id: 'c', name: 'Yard' }, [changed('productId', null, 'b')]),
    'Rosa put Garden bench into the category Yard',
  ],
  [
    row('rules.changed', { type: 'rules', id: null, name: null }, [
      changed('tiers', [], [{ from: 1000, percent: 3 }]),
      changed(
        'bonus',
        { percent: 0, groupPercent: 0, type: 'restricted', expiresInDays: null },
        { percent: 2, groupPercent: 4, type: 'regular', expiresInDays: 30 },
      ),
    ]),
    'Rosa changed prices and bonus | Tiers: none: from L$ 1,000: 3 % | Bonus: none: 2 %, 4 % for the group, regular credit, for 30 days',
  ],
  [
    row('store.closed', { type: 'store', id: null, name: 'Demo' }, [
      changed('open', true, false),
      changed('reason', null, 'new floor'),
    ]),
    'Rosa closed the store | Reason: new floor',
  ],
])('says a change in the merchant’s words: %#', async (one, words) => {
  expect((await said(one)).replaceAll('\u00a0', ' ')).toBe(words);
});

test('names who did it: oneself, a key that is gone, a customer, whoever runs the service, and nobody', async () => {
  const by = (type: JournalRowResponse['by']['type'], id: string | null, name: string | null) =>
    said(row('customer.banned', mina, [], { type, id, name }));

  expect(await by('key', 'ownKey123456', 'Owner')).toBe('You banned mina.frostwood');
  expect(await by('key', 'lostKey12345', null)).toBe('another key banned mina.frostwood');
  expect(await by('customer', 'm', 'ada.lovelace')).toBe('ada.lovelace banned mina.frostwood | on their own page');
  expect(await by('operator', null, null)).toBe('Whoever runs the service banned mina.frostwood');
  expect(await by('unknown', null, null)).toBe(
    'Somebody banned mina.frostwood | nobody knows who: it was not recorded',
  );
});

test('tells the rights of a new key by their beginning, since a row ends after 20', async () => {
  const { presets } = await import('../../../lib/routes/key-presets.ts');
  const { scopes } = await import('../../../lib/routes/scopes.ts');
  const rights = (held: readonly string[]) =>
    said(
      row('key.issued', { type: 'key', id: 'k', name: 'Tom' }, [
        changed('scopes', null, scopes.filter((scope) => held.includes(scope)).slice(0, 20)),
      ]),
    );

  expect(await rights(presets.manager.scopes)).toBe('Rosa made the key Tom | May: Runs the store');
  expect(await rights(presets.shop.scopes)).toBe('Rosa made the key Tom | May: Reads products');
  expect(await rights(['sales:read'])).toBe('Rosa made the key Tom | May: sales:read');
});

test('leads to the page of the thing, but not of one that is deleted or that the key does not open', async () => {
  const closed = { ...session, can: () => false } as unknown as Session;
  const to = async (one: JournalRowResponse, of = session) => (await tell(of, one)).to;

  expect(await to(row('product.changed', bench, []))).toBe('/products/b');
  expect(await to(row('coupon.changed', { type: 'coupon', id: 'c', name: 'SPRING' }, []))).toBe('/coupons?coupon=c');
  expect(await to(row('vendor.deleted', { type: 'vendor', id: 'v', name: 'Old' }, []))).toBeUndefined();
  expect(await to(row('product.changed', bench, []), closed)).toBeUndefined();
  // Anybody who knows the id of a card may redeem it, and an address stays in the browser's history.
  expect(await to(row('giftcard.disabled', card, []))).toBe('/giftcards');
});

test('a file has a line for each field, and neither what is hidden nor the id of a card', async () => {
  const secret = { field: 'secret', before: 'whsec_old', after: 'whsec_new', hidden: true };
  const rows = [
    row('webhook.changed', { type: 'webhook', id: 'w', name: 'Books' }, [
      secret,
      changed('state', 'active', 'disabled'),
    ]),
    row('giftcard.redeemed', card, [changed('redeemed', false, true)]),
  ];

  const lines = (await Promise.all(rows.map((one) => tell(session, one)))).flatMap(csvRows);
  const file = csvOf(lines);

  expect(lines.map((line) => line.slice(2))).toEqual([
    ['changed the webhook Books', 'Secret', '', 'changed, and never shown'],
    ['changed the webhook Books', 'State', 'Active', 'Off'],
    ['redeemed a gift card', '', '', ''],
  ]);
  expect(file).not.toMatch(/whsec|0dd0cafe/);
});

test('rows are grouped by day in their order, with words for the last two', () => {
  const now = new Date(2026, 10, 30, 12).getTime();
  const at = (day: number, hour: number) => ({ at: new Date(2026, 10, day, hour).toISOString() });

  const groups = byDay([at(30, 11), at(30, 0), at(29, 23), at(26, 3)], now);

  expect(groups.map(([day, rows]) => [day, rows.length])).toEqual([
    ['Today', 2],
    ['Yesterday', 1],
    [date(at(26, 3).at), 1],
  ]);
});

interface Row {
  at: string;
}

/** A journal of pages, each a list of times; the cursor is the number of the next. */
const pagesOf = (pages: readonly (readonly string[])[]) => {
  const asked: (string | undefined)[] = [];
  const read: JournalReader<Row> = async (_, cursor) => {
    asked.push(cursor);
    const place = Number(cursor ?? 0);
    return {
      data: (pages[place] ?? []).map((at) => ({ at })),
      pagination: { nextCursor: place + 1 < pages.length ? String(place + 1) : null },
    };
  };
  return { read, asked };
};

const times = ({ rows }: { rows: readonly Row[] }): string => rows.map(({ at }) => at).join('');

test('goes on over empty pages until enough rows are there, and from there later', async () => {
  const { read, asked } = pagesOf([[], ['9', '8', '7'], [], [], ['6', '5'], ['4']]);

  const first = await readMore(read, beginning<Row>([]), 2);
  expect([times(first), isAtEnd(first), asked.length]).toEqual(['98', false, 2]);

  const more = await readMore(read, first, 5);
  expect([times(more), isAtEnd(more), asked.length]).toEqual(['98765', false, 5]);

  const whole = await readMore(read, more, 50);
  expect([times(whole), isAtEnd(whole), whole.hasPaused]).toEqual(['987654', true, false]);
});

test('stops after 20 pages without a row, and goes on from there when somebody asks', async () => {
  const { read, asked } = pagesOf([...Array(30).fill([]), ['1']]);

  const paused = await readMore(read, beginning<Row>([]), 5);
  expect([times(paused), isAtEnd(paused), paused.hasPaused, asked.length]).toEqual(['', false, true, 20]);

  const found = await readMore(read, paused, 5);
  expect([times(found), isAtEnd(found), found.hasPaused]).toEqual(['1', true, false]);
});

test('the kinds of a group are read apart and shown in the order of their times', async () => {
  const lists: Record<string, string[]> = { 'coupon.created': ['8', '3'], 'coupon.changed': ['9', '7', '5', '1'] };
  const read: JournalReader<Row> = async (kind = 'product.changed', cursor) => {
    const place = Number(cursor ?? 0);
    const all = lists[kind] ?? [];
    // Two rows a page.
    return {
      data: all.slice(place, place + 2).map((at) => ({ at })),
      pagination: { nextCursor: place + 2 < all.length ? String(place + 2) : null },
    };
  };

  const found = await readMore(read, beginning<Row>(kindsOf('coupon')), 50, ({ at }) => at !== '7');

  expect([times(found), isAtEnd(found)]).toEqual(['98531', true]);
});
