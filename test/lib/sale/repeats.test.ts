import { beforeEach, expect, test } from 'vitest';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { sell } from '../../../lib/sale/sell.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { engine } from '../../../lib/table/table.ts';
import { ada, bob } from '../../support/residents.ts';
import { roundsIn } from '../../support/rounds.ts';
import { setClock } from '../../support/service.ts';
import { MemoryTable, memoryEngine } from '../table/memory.ts';
import { buy, newProduct } from './sales.ts';

/** A sale that is asked for again is the sale that was made, though nobody looks for it before. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const id = '00000001-5a1e-4000-8000-000000000000';
let store = '';
let productId = '';
let table = new MemoryTable();

beforeEach(async () => {
  table = new MemoryTable();
  Object.assign(engine, memoryEngine(table));
  setClock(start);
  forgetResidents();
  for (const each of [ada, bob]) await putResident(each);
  store = (await createStore('Repeats', 'repeats')).id;
  productId = await newProduct(store, { price: 60 });
});

const give = (delta: number, minutes: number) => {
  const expiresAt = timestamp(start + minutes * 60_000);
  return changeCredit(store, { uuid: bob.uuid }, 'regular', { kind: 'increment', delta, expiresAt }, { by: 'test' });
};

const wanted = (paid = 60) => ({ id, productId, buyer: bob.uuid, paid, useCredit: true });

test('a repeat is answered by what refuses its put', async () => {
  const sale = await buy(store, wanted());
  let repeated: unknown;

  const rounds = await roundsIn(store, async () => {
    repeated = await buy(store, wanted());
  });

  expect(rounds).toEqual(['CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED SPEND+OWNED', 'transaction']);
  expect(repeated).toEqual(sale);
  await expect(buy(store, wanted(70))).rejects.toMatchObject({ status: 422 });
});

test('a repeat that names its buyer looks nobody up', async () => {
  const named = {
    ...wanted(),
    message: '',
    buyerIdentifier: { username: bob.username },
    recipientIdentifier: undefined,
  };
  const sale = await sell(store, named, { by: 'test' });
  forgetResidents();
  let repeated: unknown;

  const rounds = await roundsIn(store, async () => {
    repeated = await sell(store, named, { by: 'test' });
  });

  expect(rounds).toEqual(['SALE']);
  expect(repeated).toEqual(sale);
});

test('a repeat of a sale that was refused is refused, though it would be completed now', async () => {
  const refused = await buy(store, wanted(1));
  await give(60, 60);

  expect(await buy(store, wanted(1))).toEqual(refused);
  expect(refused).toMatchObject({ state: 'refused', refusal: 'underpaid' });
});

test('a repeat closes no credit that has come due meanwhile', async () => {
  await give(1, 60);
  const sale = await buy(store, wanted());
  for (let lot = 0; lot < 101; lot++) await give(1, 1);
  setClock(start + 2 * 60_000);
  const before = table.get(customerKey(store, bob.uuid));

  expect(await buy(store, wanted())).toEqual(sale);
  expect(table.get(customerKey(store, bob.uuid))).toEqual(before);
});

test('a repeat is answered though the books of its buyer do not add up by now', async () => {
  await give(40, 60);
  const sale = await buy(store, wanted());
  await give(40, 60);
  const customer = customerKey(store, bob.uuid);
  table.set(customer, { ...table.get(customer), creditLots: 7 });
  setClock(start + 5 * 60_000);

  await expect(buy(store, { ...wanted(), id: ada.uuid })).rejects.toThrow('The books do not add up');
  expect(await buy(store, wanted())).toEqual(sale);
});
