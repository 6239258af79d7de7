import { beforeEach, expect, test } from 'vitest';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { putGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit, reconcileCredit } from '../../../lib/credit/change.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import type { CreditCommand } from '../../../lib/credit/rules.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { engine } from '../../../lib/table/table.ts';
import { ada } from '../../support/residents.ts';
import { roundsIn } from '../../support/rounds.ts';
import { setClock } from '../../support/service.ts';
import { memoryEngine } from '../table/memory.ts';

/** Pins the rounds of calls that a change of credit takes: a budget does not see a read that waits for no reason. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const inMinutes = (minutes: number): string => timestamp(start + minutes * 60_000);
const { uuid } = ada;
const by = { by: 'test' };

let store = '';

beforeEach(async () => {
  Object.assign(engine, memoryEngine());
  setClock(start);
  forgetResidents();
  await putResident(ada);
  store = (await createStore('Rounds', 'rounds')).id;
});

const change = (command: CreditCommand) => changeCredit(store, { uuid }, 'regular', command, by);

const add = (delta: number, minutes?: number) =>
  change({ kind: 'increment', delta, expiresAt: minutes === undefined ? undefined : inMinutes(minutes) });

const roundsOf = (work: () => Promise<unknown>): Promise<string[]> => roundsIn(store, work);

test('a change of no lot is one write', async () => {
  await add(10);

  expect(await roundsOf(() => add(5))).toEqual(['write']);
  expect(await roundsOf(() => change({ kind: 'set', credit: 5 }))).toEqual(['write']);
});

test('the first change of a resident reads who they are', async () => {
  expect(await roundsOf(() => add(5))).toEqual(['write', 'CUSTOMER', 'RESIDENT', 'transaction']);
});

test('a new lot needs the customer alone', async () => {
  await add(10, 5);

  expect(await roundsOf(() => add(5, 9))).toEqual(['CUSTOMER', 'transaction']);
});

test('the item that refused the fast write is not read again', async () => {
  await add(10, 5);

  expect(await roundsOf(() => add(-5))).toEqual(['write', 'LOTs', 'transaction']);
  expect(await roundsOf(() => change({ kind: 'set', credit: 5 }))).toEqual(['write', 'LOTs', 'transaction']);
});

test('a removal that a rule refuses looks at one moment', async () => {
  await add(10, 5);

  const rounds = await roundsOf(() => expect(add(-50)).rejects.toMatchObject({ status: 400 }));

  expect(rounds).toEqual(['write', 'LOTs', 'look']);
});

test('a change of more lots than a transaction holds looks at one moment, and marks them afterwards', async () => {
  for (let minutes = 10; minutes < 112; minutes++) await add(1, minutes);

  const rounds = await roundsOf(() => add(-101));

  expect(rounds.slice(0, 6)).toEqual(['write', 'LOTs', 'LOTs', 'look', 'transaction', 'LOTs']);
});

test('the sweep closes what is due of one type after the other', async () => {
  for (const type of ['regular', 'restricted'] as const)
    await changeCredit(store, { uuid }, type, { kind: 'increment', delta: 5, expiresAt: inMinutes(1) }, by);
  setClock(start + 2 * 60_000);

  const rounds = await roundsOf(() => reconcileCredit(store, uuid, 'sweep', () => true));

  const closing = ['CUSTOMER', 'LOTs', 'transaction'];
  expect(rounds).toEqual(['CUSTOMER', ...closing, ...closing]);
});

test('a redemption reads the card beside the customer', async () => {
  const fields = { credit: 30, texture: null, transfer: true, active: true };
  const { id } = await putGiftCard(store, ada, fields);
  await add(10, 1);
  setClock(start + 2 * 60_000);
  const redeem = () => redeemGiftCard(store, id, { identifier: { uuid }, expiresAt: undefined }, by);

  expect(await roundsOf(redeem)).toEqual(['CUSTOMER GIFTCARD', 'LOTs', 'transaction']);
});

test('a redemption that a rule refuses looks at card and credit at one moment', async () => {
  process.env.CREDIT_LIMIT = '35';
  const { id } = await putGiftCard(store, ada, { credit: 30, texture: null, transfer: true, active: true });
  await add(10);
  const redeem = () => redeemGiftCard(store, id, { identifier: { uuid }, expiresAt: undefined }, by);

  const rounds = await roundsOf(() => expect(redeem()).rejects.toMatchObject({ status: 400 }));

  expect(rounds).toEqual(['CUSTOMER GIFTCARD', 'look']);
});
