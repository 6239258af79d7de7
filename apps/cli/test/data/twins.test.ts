import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { getCustomer } from '../../../../lib/avatars/customers.ts';
import { getSpend } from '../../../../lib/avatars/spend.ts';
import { listStoreCards } from '../../../../lib/catalogue/gift-cards.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada, bob } from '../../../../test/support/residents.ts';
import { idFrom } from '../../kinds/columns.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
const rejects = join(dir, 'left');
let store: string;

beforeEach(async () => {
  store = await freshStore();
  await importText(store, dir, 'products.csv', 'name,price\nLamp,5\n');
});

const skip = (name: string, text: string) =>
  importText(store, dir, name, text, { skipRejects: true, rejects, force: true });

/** Mends the file of rejected rows and imports it. */
const importLeft = (name: string, mend: (text: string) => string) =>
  importText(store, dir, name, mend(readFileSync(rejects, 'utf8')));

describe('a rejected row that is mended into the twin of an imported row', () => {
  test.each([
    [
      'credit.csv',
      'resident,amount,expiresAt\nada.lovelace,60,2099-01-01T00:00:00Z\nada.lovelace,60,someday\n',
      'someday',
    ],
    [
      'credit.csv',
      'resident,id,amount,expiresAt\nada.lovelace,,60,2099-01-01T00:00:00Z\nada.lovelace,,60,someday\n',
      'someday',
    ],
    [
      'credit.ndjson',
      '{"resident":"ada.lovelace","amount":60,"expiresAt":"2099-01-01T00:00:00Z"}\n{"resident":"ada.lovelace","amount":60,"expiresAt":"someday","id":null}\n',
      'someday',
    ],
    ['giftcards.csv', 'owner,credit\nada.lovelace,60\nada.lovelace,sixty\n', 'sixty'],
    [
      'purchases.csv',
      'resident,product,price,at\nada.lovelace,Lamp,60,2020-01-01T00:00:00Z\nada.lovelace,Lamp,sixty,2020-01-01T00:00:00Z\n',
      'sixty',
    ],
  ])('is imported as well: %s', async (name, text, bad) => {
    const mend = (left: string): string => left.replace(bad, bad === 'sixty' ? '60' : '2099-01-01T00:00:00Z');
    await skip(name, text);

    const first = await importLeft(name, mend);
    const again = await importLeft(name, mend);

    expect(first).toMatchObject({ created: 1, unchanged: 0, rejected: 0 });
    expect(again).toMatchObject({ created: 0, unchanged: 1, rejected: 0 });
    if (name.startsWith('credit')) expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: 120 });
    if (name.startsWith('purchases')) expect(await getSpend(store, { uuid: ada.uuid })).toMatchObject({ sum: 120 });
  });

  test('has the same id in every import of its file', async () => {
    const text = 'resident,amount,expiresAt\nada.lovelace,60,someday\nada.lovelace,60,someday\nbob,7,\nbob,x,\n';

    await skip('credit.csv', text);
    const left = readFileSync(rejects, 'utf8');
    await skip('credit.csv', text);

    const [header, ...rows] = left.trimEnd().split('\r\n');
    expect(header).toBe('\ufeffresident,amount,expiresAt,id,line,reason');
    const ids = rows.map((row) => row.split(',')[3]);
    // Unlotted credit has no id.
    expect(ids).toEqual([expect.stringMatching(/^[-0-9a-f]{36}$/), expect.stringMatching(/^[-0-9a-f]{36}$/), '']);
    expect(new Set(ids).size).toBe(3);
    expect(readFileSync(rejects, 'utf8')).toBe(left);
  });
});

test('a row whose product was missing is the same row in its own file and in the file of rejected rows', async () => {
  const row = 'ada.lovelace,Later,60,2020-01-01T00:00:00Z\n';
  const text = `resident,product,price,at\n${row}${row}`;
  await skip('purchases.csv', text);
  await importText(store, dir, 'products.csv', 'name,price\nLater,5\n');

  const left = await importLeft('purchases.csv', (rows) => rows);
  const whole = await importText(store, dir, 'purchases.csv', text);

  expect(left).toMatchObject({ created: 2 });
  expect(whole).toMatchObject({ created: 0, unchanged: 2 });
});

test('a gift card stays the same if its file gains columns that hold only defaults', async () => {
  const short = 'owner,credit\nbob,10\nbob,10\n';
  const long =
    'owner,credit,active,redeemed,transfer,texture,purchased\nbob,10,,false,,,\nbob,10,true,,FALSE,,false\nbob,10,true,true,,,\n';
  await importText(store, dir, 'giftcards.csv', short);

  const again = await importText(store, dir, 'giftcards.csv', long);
  const back = await importText(store, dir, 'giftcards.csv', short);

  // The third card is redeemed, which is not the default.
  expect(again).toMatchObject({ unchanged: 2, created: 1 });
  expect(back).toMatchObject({ unchanged: 2 });
});

test('a gift card with only the required columns has its id from these alone', async () => {
  await importText(store, dir, 'giftcards.csv', 'owner,credit\nbob,10\n');

  const [card] = await listStoreCards(store)({ descending: false });

  expect(card?.sk).toBe(idFrom(store, 'giftcards', JSON.stringify([bob.uuid, [['credit', 10]]])));
});
