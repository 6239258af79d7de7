import { afterEach, beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { customerWithLots } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { add, booksOf, store, sweep } from './credit.ts';

/**
 * A query may see the lots as they were before the last change, although the customer's item was read after that
 * change: DynamoDB shows a transaction's items one by one. Each test lets the first query of a change see the earlier
 * lots.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const end = start + 60_000;

let stop = () => {};
beforeEach(freshTable);
beforeEach(() => setClock(start));
afterEach(() => stop());

/** Makes a change that the next query of the customer's lots does not see. */
const unseen = async (uuid: string, change: () => Promise<unknown>): Promise<void> => {
  const Items = await listLots(store, uuid);
  await change();
  let isFirst = true;
  stop = intercept(async ({ operation, input }, send) => {
    const answer = await send();
    if (operation === 'Query' && input.IndexName === undefined && isFirst) {
      isFirst = false;
      const { from } = { from: input.ExpressionAttributeValues[':v1'].S };
      Object.assign(answer.output, { Items: Items.filter(({ sk }) => sk >= from) });
    }
    return answer;
  });
};

const lotsOf = (...ends: number[]) => ends.map((at) => ({ amount: 10, expiresAt: timestamp(at) }));

test('a drain of a lot that another drain has just reduced takes only the rest', async () => {
  const uuid = await customerWithLots(store, lotsOf(end, end + 1000, end + 2000));
  await unseen(uuid, () => add(uuid, -6));

  expect((await add(uuid, -13)).credit).toBe(11);

  expect(await booksOf(uuid)).toEqual({ balance: 11, unlotted: 0, states: { drained: 1, open: 2 } });
});

test('a drain sees a lot that was just added before the lots of its query', async () => {
  const uuid = await customerWithLots(store, lotsOf(end + 1000));
  await unseen(uuid, () => add(uuid, 5, end));

  expect((await add(uuid, -10)).credit).toBe(5);

  expect((await booksOf(uuid)).states).toEqual({ drained: 1, open: 1 });
});

test('a drain sees a lot that was just added among the lots of its query', async () => {
  const uuid = await customerWithLots(store, lotsOf(end, end + 2000, end + 4000));
  await unseen(uuid, () => add(uuid, 5, end + 1000));

  expect((await add(uuid, -14)).credit).toBe(21);

  expect((await booksOf(uuid)).states).toEqual({ drained: 1, open: 3 });
});

test('no lot is expired twice, and no addition refused, if a due lot was just drained in part', async () => {
  const uuid = await customerWithLots(store, lotsOf(end));
  await unseen(uuid, () => add(uuid, -6));
  setClock(end);

  expect((await add(uuid, 1)).credit).toBe(1);

  expect(await booksOf(uuid)).toEqual({ balance: 1, unlotted: 1, states: { expired: 1 } });
});

test('a sweep closes a lot with the rest that another change has just left', async () => {
  const uuid = await customerWithLots(store, lotsOf(end, end + 1000), 50);
  await unseen(uuid, () => add(uuid, -6));
  setClock(end);

  expect(await sweep()).toMatchObject({ lots: 1, amount: 4, failed: 0 });

  expect((await booksOf(uuid)).balance).toBe(60);
});

test('a drain of 97 lots and a part of one more, which is too large for a transaction, takes what is really left', async () => {
  const uuid = await customerWithLots(store, lotsOf(...Array.from({ length: 99 }, (_, index) => end + index)));
  await unseen(uuid, () => add(uuid, -6));

  expect((await add(uuid, -973)).credit).toBe(11);

  expect(await booksOf(uuid)).toEqual({ balance: 11, unlotted: 0, states: { drained: 97, open: 2 } });
});
