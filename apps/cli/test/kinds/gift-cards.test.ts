import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getCustomer } from '../../../../lib/avatars/customers.ts';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import {
  disableGiftCard,
  type GiftCardItem,
  getGiftCard,
  grantGiftCard,
  listStoreCards,
  putGiftCard,
  updateGiftCard,
} from '../../../../lib/catalogue/gift-cards.ts';
import { updateProductCard } from '../../../../lib/catalogue/product-cards.ts';
import { historyKey } from '../../../../lib/credit/history.ts';
import { redeemGiftCard, redeemOwnCards } from '../../../../lib/credit/redeem.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { customerKey, giftCardKey } from '../../../../lib/table/keys.ts';
import { put, update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { startForCli } from '../support/cli.ts';

/** No file changes a card that this store has granted, sold, changed, redeemed or refunded. */

const dir = tempDir();
const file = join(dir, 'giftcards.csv');
const by = { by: 'test' };
const fields = { credit: 100, texture: null, transfer: true, active: true };
const told = 'this store has granted or changed the card, so no import changes it; PUT /v1/giftcards/';

let service: Awaited<ReturnType<typeof startForCli>>;
let store: string;
let owner: Resident;

beforeAll(async () => {
  service = await startForCli({ demo: false });
});
beforeEach(async () => {
  store = (await createStore('Cards')).id;
  owner = await newResident();
});

const run = (...args: string[]) => service.run(...args, '--store', store);

const importFile = async (text: string) => {
  writeFileSync(file, text);
  const { code, rows, stderr, stdout } = await run('import', 'giftcards', file);
  return { code, rows, text: stdout + stderr };
};

/** The file of the store's cards as an export makes it. */
const exported = async (): Promise<string> => {
  expect((await run('export', 'giftcards', file, '--force')).code).toBe(0);
  return readFileSync(file, 'utf8');
};

const rowOf = (id: string, credit: number, more = ''): string =>
  `id,owner,credit${more && ',active,redeemed'}\n${id},${owner.uuid},${credit}${more}\n`;

/** A card that a file has told of. */
const importedCard = async (credit = 100): Promise<string> => {
  expect((await importFile(`owner,credit\n${owner.uuid},${credit}\n`)).code).toBe(0);
  const [card] = await listStoreCards(store)({ descending: false });
  return (card as GiftCardItem).id;
};

const grantedCard = async (): Promise<string> => (await grantGiftCard(store, { uuid: owner.uuid }, fields)).id;

const redeem = (id: string) =>
  redeemGiftCard(store, id, { identifier: { uuid: owner.uuid }, expiresAt: undefined }, by);

const creditOf = async (): Promise<number> => (await getCustomer(store, { uuid: owner.uuid })).credit;

const audit = async () => {
  const { code, stdout } = await run('audit');
  return { code, stdout };
};

describe.each([
  ['granted here', grantedCard],
  ['imported', importedCard],
])('a card that was %s and redeemed', (_, make) => {
  test('stays so under a file from before and one of now, and is credit once', async () => {
    const id = await make();
    const before = await exported();
    await redeem(id);
    const redeemed = await getGiftCard(store, id);
    const after = await exported();

    const imports = [await importFile(before), await importFile(after), await importFile(before)];

    expect(imports.map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const { text } of imports) expect(text).toMatch(/giftcards +1 +0 +0 +1 +0/);
    expect(await getGiftCard(store, id)).toEqual(redeemed);
    await expect(redeem(id)).rejects.toThrow();
    expect(await creditOf()).toBe(100);
    expect((await audit()).code).toBe(0);
  });

  test('takes no other word of a file, also from one with few columns', async () => {
    const id = await make();
    await redeem(id);
    const redeemed = await getGiftCard(store, id);

    const refused = [await importFile(rowOf(id, 70)), await importFile(rowOf(id, 70, ',true,false'))];
    const same = [await importFile(rowOf(id, 100)), await importFile(rowOf(id, 0))];

    expect([...refused, ...same].map(({ code }) => code)).toEqual([1, 1, 0, 0]);
    expect(refused[0]?.text).toContain('credit 70 must be 0, as it is here: this store has redeemed the card');
    expect(await getGiftCard(store, id)).toEqual(redeemed);
    await expect(updateGiftCard(store, id, fields)).rejects.toThrow('has been redeemed');
  });
});

test('a card whose sale was refunded stays disabled under a file from before', async () => {
  const productId = await newProduct(store, { price: 80 });
  await updateProductCard(store, productId, { credit: 100, texture: null });
  const sale = await buy(store, { productId, buyer: owner.uuid, paid: 80 });
  const before = await exported();
  await refundSale(store, sale.id, by);
  const [card] = (await listStoreCards(store)({ descending: false })) as [GiftCardItem];

  const { code, text } = await importFile(before);

  expect(code).toBe(1);
  expect(text).toContain('active true must be false, as it is here: this store has refunded the sale of the card');
  expect(await getGiftCard(store, card.id)).toEqual(card);
  await expect(updateGiftCard(store, card.id, fields)).rejects.toThrow('was refunded');
  expect((await redeemOwnCards(store, { uuid: owner.uuid }, by)).cards).toBe(0);
  expect((await audit()).code).toBe(0);
});

test('a card that was granted here is changed by a PUT, and by no file', async () => {
  const id = await grantedCard();

  const refused = await importFile(rowOf(id, 90));
  const { credit } = await getGiftCard(store, id);
  await updateGiftCard(store, id, { ...fields, credit: 90 });
  const again = await importFile(rowOf(id, 90));

  expect([refused.code, credit, again.code]).toEqual([1, 100, 0]);
  expect(refused.text).toContain(`credit 90 must be 100, as it is here: ${told}${id} does`);
});

test('a card of a file is replaced by other files until this store has changed it, and keeps its owner', async () => {
  const id = await importedCard();
  const stranger = await newResident();

  const first = await importFile(rowOf(id, 70, ',false,false'));
  const taken = await getGiftCard(store, id);
  await updateGiftCard(store, id, { ...fields, transfer: false, credit: 40 });
  const asTold = await importFile(rowOf(id, 70, ',false,false'));
  const refused = await importFile(rowOf(id, 60));
  const ofOther = await importFile(rowOf(id, 40).replace(owner.uuid, stranger.uuid));

  expect([first, asTold, refused, ofOther].map(({ code }) => code)).toEqual([0, 0, 1, 1]);
  expect(taken).toMatchObject({ credit: 70, active: false, redeemed: false });
  expect(refused.text).toContain(`credit 60 must be 40, as it is here: ${told}`);
  expect(ofOther.text).toContain(`must be ${owner.uuid}: a gift card keeps its owner`);
  expect(await getGiftCard(store, id)).toMatchObject({ credit: 40, active: true, ownerUuid: owner.uuid });
});

test('a card that was disabled here is not enabled by the file that told of it', async () => {
  const id = await importedCard();
  await disableGiftCard(store, id);

  const asTold = await importFile(rowOf(id, 100, ',true,false'));

  expect(asTold.code).toBe(0);
  expect(await getGiftCard(store, id)).toMatchObject({ active: false, credit: 100 });
});

describe('the audit', () => {
  /** Planted rows: what no act of the service writes. */
  const plant = (id: string, set: object) => write(update(giftCardKey(store, id), { set: { ...set } }));

  test('finds a redeemed card that has credit, unless an import told so', async () => {
    const id = await grantedCard();
    expect((await importFile(`owner,credit,redeemed\n${owner.uuid},5,true\n`)).code).toBe(0);
    expect((await audit()).code).toBe(0);
    await redeem(id);
    await plant(id, { credit: 1000 });

    const { code, stdout } = await audit();

    expect(code).toBe(1);
    expect(stdout).toContain(`gift card ${id}: is redeemed, and has L$ 1,000.`);
  });

  test('finds an active card whose sale was refunded', async () => {
    const { id } = await putGiftCard(store, owner, fields);
    await plant(id, { refundedAt: '2026-01-01T00:00:00.000Z' });

    const { code, stdout } = await audit();

    expect(code).toBe(1);
    expect(stdout).toContain(`gift card ${id}: is active, though its sale was refunded.`);
  });

  test('finds a card that history redeems twice, for two customers', async () => {
    const friend = await newResident();
    const id = await grantedCard();
    await redeem(id);
    await expect.poll(async () => (await audit()).code).toBe(0);
    const at = '2026-01-01T00:00:00.000Z';
    const row = { kind: 'redeem', at, amount: 100, expired: 0, credit: 100, restrictedCredit: 0, unlotted: 100 };
    const customer = { ...customerKey(store, friend.uuid), username: friend.username };
    await write(put({ ...customer, credit: 100, creditUnlotted: 100, creditVersion: 1 }));
    await write(put({ ...historyKey(store, friend.uuid, 'regular', 1), ...row, giftCardId: id }));

    const { code, stdout } = await audit();

    expect(code).toBe(1);
    expect(stdout).toContain(`gift card ${id}: was redeemed 2 times: L$ 100 by the change 1 of `);
  });
});
