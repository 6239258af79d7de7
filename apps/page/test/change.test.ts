import { expect, test } from 'vitest';
import { changeKinds } from '../../../lib/routes/credit.ts';
import type { OwnChangeResponse } from '../../client/types.ts';
import { tellChange } from '../change.ts';
import { speak } from '../language.ts';

const now = () => new Date(2028, 10, 28, 12);
const on = (month: number, day: number): string => new Date(2028, month - 1, day, 12).toISOString();
const english = speak('en', ['en-US'], now);
const german = speak('de', ['de-DE'], now);

const change = (fields: Partial<OwnChangeResponse>): OwnChangeResponse => ({
  sequence: 1,
  at: on(11, 25),
  type: 'regular',
  kind: 'increment',
  amount: 10,
  expired: 0,
  credit: 10,
  restrictedCredit: 0,
  lots: [],
  saleId: null,
  product: null,
  ...fields,
});

const lamp = { id: 'x', name: 'Lamp' };

test.each<[Partial<OwnChangeResponse>, string, string]>([
  [{ kind: 'sale', amount: -60, product: lamp }, 'Bought Lamp', 'Gekauft: Lamp'],
  [{ kind: 'sale', amount: -60 }, 'Bought a product that is no more', 'Gekauft: ein Produkt, das es nicht mehr gibt'],
  [{ kind: 'refund', product: lamp }, 'Refund of Lamp', 'Erstattung für Lamp'],
  [{ kind: 'bonus', product: lamp }, 'Bonus for Lamp', 'Bonus für Lamp'],
  [{ kind: 'bonus', amount: -10, product: lamp }, 'Bonus taken back for Lamp', 'Bonus zurückgenommen für Lamp'],
  [{ kind: 'set' }, 'Credit set by the store', 'Vom Laden neu gesetzt'],
  [{}, 'Credit from the store', 'Guthaben vom Laden'],
  [{ amount: -5 }, 'Taken by the store', 'Vom Laden abgezogen'],
  [{ kind: 'expire', amount: 0, expired: 7 }, 'Credit ended', 'Guthaben verfallen'],
  [{ kind: 'redeem' }, 'Gift card redeemed', 'Geschenkkarte eingelöst'],
])('tells %j in words', (fields, inEnglish, inGerman) => {
  expect(tellChange(change(fields), english).title).toBe(inEnglish);
  expect(tellChange(change(fields), german).title).toBe(inGerman);
});

test('each kind of change has words of its own in both languages', () => {
  for (const speech of [english, german]) {
    const titles = changeKinds.map((kind) => tellChange(change({ kind, product: lamp }), speech).title);
    expect(titles.filter((title) => !title)).toEqual([]);
    expect(new Set(titles).size).toBe(changeKinds.length);
  }
});

test('the note says when, until when it lasts, of which type it is, and what ended with it', () => {
  const fields = { type: 'restricted', expired: 20, lots: [{ amount: 10, expiresAt: on(12, 24) }] } as const;

  expect(tellChange(change({ ...fields, lots: [...fields.lots] }), english).note).toBe(
    'Nov 25 · until Dec 24 · for your own purchases · L$\u00a020 ended before it',
  );
  expect(tellChange(change({}), english).note).toBe('Nov 25');
});

test('names no end where there are several, where it does not end, or where lots only left', () => {
  const lots = [
    [{ amount: 10, expiresAt: null }],
    [
      { amount: 5, expiresAt: on(12, 1) },
      { amount: 5, expiresAt: on(12, 2) },
    ],
    [{ amount: -10, expiresAt: on(12, 1) }],
  ];

  for (const one of lots) expect(tellChange(change({ lots: one }), english).note).toBe('Nov 25');
});

test('the sum is what the change itself did, and of an end what ended', () => {
  expect(tellChange(change({ kind: 'sale', amount: -60, expired: 20 }), english).sum).toBe(-60);
  expect(tellChange(change({ kind: 'expire', amount: 0, expired: 7 }), english)).toMatchObject({
    sum: -7,
    note: 'Nov 25',
  });
});
