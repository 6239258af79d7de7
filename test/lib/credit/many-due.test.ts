import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { source, timestamp } from '../../../lib/clock.ts';
import { reconcileCredit } from '../../../lib/credit/change.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { customerWithLots } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';
import { add, balanceOf, booksOf, store } from './credit.ts';

/** Very many lots that come due at once: closed page by page, for as long as there is time. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const end = start + 1000;
/** More than a page of 1,000; in the proof more than two. */
const count = volume(1_400, 2_300);

let stop = () => {};
beforeEach(async () => {
  await freshTable();
  setClock(start);
});
afterEach(() => stop());

const manyDue = (size = count): Promise<string> =>
  customerWithLots(
    store,
    Array.from({ length: size }, (_, index) => ({ amount: 1, expiresAt: timestamp(end - (index % 7)) })),
    50,
  );

/** Each write of a lot takes this long, by the clock. */
const slowLots = (millis: number): void => {
  let at = end;
  source.now = () => at;
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#LOT#')) at += millis;
    return send();
  });
};

test('an increment closes all of them first, and holds no more than a page of them', async () => {
  const uuid = await manyDue();
  setClock(end);

  expect((await add(uuid, 5)).credit).toBe(55);

  expect(await booksOf(uuid)).toEqual({ balance: 55, unlotted: 55, states: { expired: count } });
});

test('a request closes lots for five seconds, then answers 503; the next one goes on from there', async () => {
  // At 5 ms each, the five seconds end among them.
  const size = 2_300;
  const uuid = await manyDue(size);
  slowLots(5);

  await expect(add(uuid, 5)).rejects.toMatchObject({ status: 503 });
  const closed = (await booksOf(uuid)).states.expired ?? 0;
  const { credit } = await add(uuid, 5);
  setClock(end + 3_600_000);
  await sweepDueLots('sweep');

  expect(closed).toBeGreaterThan(900);
  expect(closed).toBeLessThan(size);
  expect(credit).toBe(55);
  expect(await booksOf(uuid)).toEqual({ balance: 55, unlotted: 55, states: { expired: size } });
});

test('a sweep takes the customer with very many last, and stops inside it when its time is up', async () => {
  const uuid = await manyDue();
  const others = await Promise.all(
    Array.from({ length: 12 }, () => customerWithLots(store, [{ amount: 3, expiresAt: timestamp(end) }])),
  );
  slowLots(4);
  const until = source.now() + 2.6 * count;

  const report = await sweepDueLots('sweep', () => source.now() < until);
  const left = (await booksOf(uuid)).states;

  expect(await Promise.all(others.map(balanceOf))).toEqual(others.map(() => 0));
  expect([report.finished, report.failed]).toEqual([false, 0]);
  expect(left.expired).toBeGreaterThan(500);
  expect(left.expired).toBeLessThan(count);

  stop();
  setClock(end + 3_600_000);
  expect(await sweepDueLots('sweep')).toMatchObject({ finished: true, failed: 0 });
  expect((await booksOf(uuid)).states).toEqual({ expired: count });
});

test('a sweep that runs out of time anywhere in a customer says so, fails for nobody, and the next one does the rest', async () => {
  // One page is asked for the time some 45 times: before it, at each 25 of its lots, and behind it.
  for (const size of [600, 1_010])
    for (const times of [1, 2, 24, 25, 26, 41, 42, 43]) {
      const uuid = await manyDue(size);
      setClock(end);
      let asked = 0;

      const first = await sweepDueLots('first', () => ++asked <= times);
      const hasPending = ((await findCustomerItem(store, uuid)) as CreditItem).pending !== undefined;
      const left = (await booksOf(uuid)).states.open ?? 0;
      const second = await sweepDueLots('second');

      expect(first, `${size} ${times}`).toMatchObject({
        failed: 0,
        ...((left > 0 || hasPending) && { finished: false }),
      });
      expect(second).toMatchObject({ finished: true, failed: 0 });
      expect(await booksOf(uuid)).toEqual({ balance: 50, unlotted: 50, states: { expired: size } });
      setClock(start);
    }
});

test('a sweep whose time ends beside a change that another one has begun says so, and fails for nobody', async () => {
  const uuid = await manyDue(600);
  setClock(end);
  let reads = 0;
  let isOver = false;
  stop = intercept(async ({ operation }, send) => {
    if (operation === 'GetItem' && ++reads === 2) {
      await reconcileCredit(store, uuid, 'other', () => false);
      isOver = true;
    }
    return send();
  });

  const report = await sweepDueLots('sweep', () => !isOver);

  expect(report).toEqual({ lots: 0, amount: 0, failed: 0, finished: false });
  stop();
  expect(await sweepDueLots('sweep')).toMatchObject({ finished: true, failed: 0 });
  expect(await booksOf(uuid)).toEqual({ balance: 50, unlotted: 50, states: { expired: 600 } });
});
