import { expect, test } from 'vitest';
import { changeCredit } from '../../../lib/credit/change.ts';
import { historyKey, type LotPart } from '../../../lib/credit/history.ts';
import { undoCreditChange } from '../../../lib/credit/undo.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import { get, write } from '../../../lib/table/table.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { historyRows } from '../../support/history-rows.ts';
import { putAll } from '../../support/seed.ts';
import { freshTable } from '../../support/service.ts';

const store = 'store-of-undos';

/** A customer with a gift of L$ 1, followed by 1,001 gifts of a type. */
const withGifts = async (type: 'regular' | 'restricted'): Promise<string> => {
  const uuid = await newCustomer();
  const more = Array.from({ length: 1001 }, () => ({ type, amount: 1 }));
  await putAll(historyRows(store, uuid, [{ type: 'regular', amount: 1 }, ...more]));
  const [credit, restrictedCredit] = type === 'regular' ? [1002, 0] : [1, 1001];
  const set = { credit, restrictedCredit, creditUnlotted: credit, restrictedUnlotted: restrictedCredit };
  await write(update(customerKey(store, uuid), { set: { ...set, username: 'many.gifts', creditVersion: 1002 } }));
  return uuid;
};

test('more than 1,000 later changes of the type are too many; those of the other type do not count', async () => {
  await freshTable();
  const [few, many] = [await withGifts('restricted'), await withGifts('regular')];
  const author = { by: 'test' };

  expect(await undoCreditChange(store, { uuid: few }, 1, author)).toMatchObject({ amount: -1, left: 0 });
  await expect(undoCreditChange(store, { uuid: many }, 1, author)).rejects.toMatchObject({
    status: 400,
    errors: ['More than 1000 changes of this credit have followed the change 1: take the credit back by an increment.'],
  });
});

test('a set of what was held before is not undone before the parts of its lots have come, which cancel out', async () => {
  await freshTable();
  const uuid = await newCustomer();
  const expiresAt = '2099-01-01T00:00:00.000Z';
  for (let time = 0; time < 2; time++)
    await changeCredit(store, { uuid }, 'regular', { kind: 'set', credit: 1000, expiresAt }, { by: 'test' });
  const [given, ended] = [1000, -1000].map((amount) => ({ id: `lot ${amount}`, amount, expiresAt }));
  const rows = (lots: LotPart[]) =>
    historyRows(store, uuid, [
      { kind: 'set', amount: 1000, lots: [given as LotPart] },
      { kind: 'set', amount: 0, ...(lots.length > 0 && { lots }) },
    ]);
  await putAll(rows([]));

  const early = undoCreditChange(store, { uuid }, 2, { by: 'test' });
  await expect(early).rejects.toMatchObject({ status: 503 });
  await putAll(rows([ended as LotPart, given as LotPart]));

  expect(await undoCreditChange(store, { uuid }, 2, { by: 'test' })).toMatchObject({
    amount: 0,
    credit: { credit: 1000 },
  });
});

test('an undo beside an erasure leaves no mark under the avatar', async () => {
  await freshTable();
  const uuid = await newCustomer();
  await putAll(historyRows(store, uuid, [{ amount: 5 }, { amount: -5 }]));
  await write(update(customerKey(store, uuid), { set: { username: 'gone.soon', creditVersion: 2 } }));
  const key = historyKey(store, uuid, 'regular', 1);
  let isErased = false;
  const stop = intercept(async ({ input }, send) => {
    // An erasure moves the rows of history before the customer.
    if ('TransactItems' in input && !isErased) {
      isErased = true;
      await putAll([{ ...key, erased: '2026-01-01T00:00:00.000Z' }]);
    }
    return send();
  });

  const undone = undoCreditChange(store, { uuid }, 1, { by: 'test' });

  await expect(undone).rejects.toMatchObject({ status: 503 });
  stop();
  expect(isErased).toBe(true);
  expect(await get(key)).toEqual({ ...key, erased: '2026-01-01T00:00:00.000Z' });
});
