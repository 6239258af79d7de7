import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/files.ts';
import { seedResidents } from '../../../../test/support/residents.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { importText } from '../../../cli/test/support/import-files.ts';
import { storeClient } from '../../../client/client.ts';
import { planImport } from '../../import/importers.ts';
import type { ImportKind } from '../../import/kinds.ts';
import { importColumns } from '../../import/known-columns.ts';
import { readRows } from '../../import/rows.ts';
import type { Session } from '../../session.ts';

/**
 * A file means the same to the command and to the desk. The desk also finds a thing by its name, if only one has it: a
 * thing that the API made has no row id.
 */

const service = await startTestService();
const dir = tempDir();
const client = storeClient({ baseUrl: service.baseUrl, apiKey: service.key });
const session = { client, store: { id: service.store } } as unknown as Session;

const header = 'id,name,price,limited,availableAmount,demoId,categories,profitShares,discount.value,discount.type';
await seedResidents();
await importText(service.store, dir, 'categories.csv', 'id,name\n7,Coats\n,Hats\n');
await importText(
  service.store,
  dir,
  'products.csv',
  `${header}\n1,Coat,650,false,0,,7,ada.lovelace:60,0,0\n2,Few,5,true,10,,Hats,,0,0\n,Hat,40,,,,,,10,0\n`,
);

/** The command's plan of a file, and the desk's. */
const plansOf = async (kind: Exclude<ImportKind, 'credit'>, text: string) => {
  const { created, changed, unchanged, faults, kept } = await importText(service.store, dir, `${kind}.csv`, text, {
    dryRun: true,
  });
  const lines = (some: readonly { line: number }[]) => [...new Set(some.map(({ line }) => line))];
  const command = { created, changed, unchanged, refused: lines(faults), kept: lines(kept) };
  const rows = readRows(kind, importColumns, new TextEncoder().encode(text));
  if (typeof rows === 'string') throw new Error(rows);
  const giving = { reference: '', reason: '' };
  const plan = await planImport(kind, { session, columns: importColumns, rows, giving, onDone: () => {} });
  if (typeof plan === 'string') throw new Error(plan);
  const count = (wanted: string) => plan.rows.filter(({ outcome }) => outcome === wanted).length;
  const desk = {
    created: count('create'),
    changed: count('change'),
    unchanged: count('same'),
    refused: lines(plan.rows.filter(({ outcome }) => outcome === 'refused')),
    kept: lines(plan.rows.filter((row) => row.kept !== undefined)),
  };
  return { command, desk };
};

test.each([
  [
    'the same again',
    `${header}\n1,Coat,650,false,0,,7,ada.lovelace:60,0,0\n2,Few,5,true,10,,Hats,,0,0\n,Hat,40,,,,,,10,0\n`,
  ],
  ['other values', 'id;name;price\n1;Coat;700\n2;Few;5\n;Hat;41\n;Cap;5\n'],
  ['copies', 'id,name,price,limited,availableAmount\n2,Few,5,true,7\n2b,More,5,true,7\n1,Coat,650,true,3\n'],
  ['copies of what is not limited any more', 'id,name,price,limited,availableAmount\n2,Few,5,false,7\n'],
  ['values that are wrong', 'name,price,image\nCap,1.000,\n,5,\nScarf,5,x\nSock,5,\nGlove,-1,\n'],
  [
    'references',
    'name,price,categories,profitShares\nA,1,7,\nB,1,Hats,bob:5;ada.lovelace:7\nC,1,Nowhere,\nD,1,,nobody.here:5\n',
  ],
  [
    'shares that do not go together',
    'name,price,profitShares\nA,1,ada.lovelace:5;Ada Lovelace:5\nB,1,ada.lovelace:60;bob:60\nC,1,bob:0\nD,1,bob:101\nE,1,bob:100\n',
  ],
  ['demos', 'name,price,demoId\nA,1,B\nB,1,C\nC,1,D\nD,x,\nE,1,Hat\nF,1,1\nG,1,Gone\nH,1,E\n'],
  ['a demo of itself', 'id,name,price,demoId\n1,Coat,650,1\n3,Own,1,3\n'],
  ['the same twice', 'id,name,price\n1,Coat,1\n1,Coat,2\n,Cap,1\n,Cap,2\n'],
  [
    'discounts',
    'name,price,discount.value,discount.type,discount.startDate,discount.endDate\nA,1,101,0,,\nB,1,5,3,,\nHat,40,10,0,,2030-01-01T00:00:00Z\nC,1,5,0,2031-01-01T00:00:00Z,2030-01-01T00:00:00Z\nD,9,500,1,,\nE,9,5.5,1,,\n',
  ],
  ['cards', 'name,price,giftCard.credit,giftCard.texture,mpListing\nHat,40,100,,\nCard,5,0,,\nMore,5,-1,,\n'],
  [
    'items and texts',
    'name,price,item,description\nÜber,5,,\nUnder,5,Under|x,\nHat,40,Hat,"two\nlines"\nX\u200b,5,,\n',
  ],
  ['flags', 'name,price,active,listed,permissions.copy\nHat,40,FALSE,,\nCap,5,yes,,\nBag,5,,false,TRUE\n'],
  ['rows that are too long or too short', 'name,price\nA\nB,1,2\nC,1,\n\n"D",5\n'],
])('of products: %s', async (_, text) => {
  const { command, desk } = await plansOf('products', text);

  expect(desk).toEqual(command);
});

test.each([
  ['old, other and new names', 'id,name\n7,Coats\n,Hats\n,Caps\n'],
  ['another name', 'id,name\n7,Warm coats\n'],
  ['names that are wrong or there twice', 'name,id\n,\nA,\nA,\n\u200b,x\n'],
])('of categories: %s', async (_, text) => {
  const { command, desk } = await plansOf('categories', text);

  expect(desk).toEqual(command);
});
