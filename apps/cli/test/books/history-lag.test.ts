import { beforeEach, expect, test } from 'vitest';
import * as dynamodb from '../../../../lib/table/dynamodb.ts';
import { customerKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { add, store } from '../../../../test/lib/credit/credit.ts';
import { newCustomer } from '../../../../test/support/credit-seed.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { freshTable, setClock } from '../../../../test/support/service.ts';
import { checkHistory } from '../../books/doctor-history.ts';

const start = Date.parse('2028-02-29T12:00:00.000Z');
const minute = 60_000;
const look = () => checkHistory({ id: store, name: 'Oak', createdAt: '' });

beforeEach(async () => {
  await freshTable();
  await keepHistory();
  setClock(start);
});

test('is well where no credit has changed, and where every newest change has its row', async () => {
  const before = await look();
  await add(await newCustomer(), 5);
  await catchUp();
  setClock(start + 30 * minute);
  await add(await newCustomer(), 6);
  await catchUp();
  setClock(start + 32 * minute);

  const after = await look();

  expect(before).toEqual([{ check: 'history of Oak', state: 'ok', detail: 'no credit has changed yet' }]);
  const detail = 'the newest change was 2 minutes ago, the newest row is of 2 minutes ago';
  expect(after).toEqual([{ check: 'history of Oak', state: 'ok', detail }]);
});

test.each([
  ['ok', 0.9, undefined],
  ['warn', 2, 'The history of credit'],
  ['fail', 11, 'The history of credit'],
  ['fail', 25 * 60, 'store credit backfill --store credit'],
])('is %s where the oldest of two changes has lacked its row for %d minutes', async (state, minutes, fix) => {
  const [first, second] = [await newCustomer(), await newCustomer()];
  await add(first, 5);
  await catchUp();
  await add(first, 7);
  setClock(start + (minutes * minute) / 2);
  await add(second, 5);
  setClock(start + minutes * minute);

  const [found] = await look();

  expect(found).toMatchObject({ state, ...(fix !== undefined && { fix: expect.stringContaining(fix) }) });
  if (fix !== undefined) expect(found?.detail).toMatch(/^2 customers lack the newest change, the oldest of .* ago; /);
});

test('fails where history has a change beyond the last one of a customer, as after a restore', async () => {
  const [ahead, level] = [await newCustomer(), await newCustomer()];
  for (const uuid of [ahead, level]) await add(uuid, 5);
  await add(ahead, 7);
  await catchUp();
  await dynamodb.write(update(customerKey(store, ahead), { set: { creditVersion: 1 } }));

  const [, found] = await look();

  expect(found).toEqual({
    check: 'history of Oak',
    state: 'fail',
    detail: 'history of 1 customer has changes beyond their last, as after a restore',
    fix: 'Fix it before their credit changes: store credit backfill --store credit',
  });
});

test('says how many customers had credit before history began', async () => {
  const [older, poor] = [await newCustomer(), await newCustomer()];
  for (const uuid of [older, poor]) await add(uuid, 5);
  await add(poor, -5);
  await catchUp();
  for (const uuid of [older, poor]) await write(update(customerKey(store, uuid), { set: { lastChange: undefined } }));

  const [, opening] = await look();

  expect(opening).toEqual({
    check: 'history of Oak',
    state: 'warn',
    detail: '1 customer had credit before history began',
    fix: 'Open their history: store credit backfill --store credit',
  });
});
