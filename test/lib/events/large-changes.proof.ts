import { beforeAll, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import type { CreditCommand } from '../../../lib/credit/rules.ts';
import { sweepDueLots } from '../../../lib/credit/sweep.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { expectHistory, keepHistory } from '../../support/history.ts';
import { ada } from '../../support/residents.ts';
import { freshTable, setClock } from '../../support/service.ts';

const store = 'large';
const start = Date.parse('2028-02-29T12:00:00.000Z');
const size = 250;

beforeAll(async () => {
  await freshTable();
  await keepHistory();
  await putResident(ada);
});

const change = (command: CreditCommand) => changeCredit(store, { uuid: ada.uuid }, 'regular', command, { by: 'test' });

/** Adds lots of L$ 2 that come due one each millisecond, beginning at `due`. */
const addLots = async (due: number): Promise<void> => {
  for (let lot = 0; lot < size; lot++) await change({ kind: 'increment', delta: 2, expiresAt: timestamp(due + lot) });
};

test('history tells of a drain, a set and an expiry of more lots than one transaction holds, lot by lot', async () => {
  setClock(start);
  await addLots(start + 60_000);
  await change({ kind: 'increment', delta: -399 });
  await addLots(start + 120_000);
  await change({ kind: 'set', credit: 7 });
  await addLots(start + 60_000);
  setClock(start + 120_000);
  await sweepDueLots('sweep');

  const rows = (await expectHistory()).filter(({ pk, kind }) => String(pk).includes('#HISTORY#') && kind !== undefined);

  const large = rows.filter(({ kind, amount }) => kind !== 'increment' || amount === -399);
  expect(large).toMatchObject([
    { kind: 'increment', amount: -399, expired: 0, credit: 101 },
    { kind: 'set', amount: 7 - 601, expired: 0, credit: 7, unlotted: 7 },
    { kind: 'expire', amount: 0, expired: 500, credit: 7 },
  ]);
  // 199 lots are drained and one is taken in part. Of the other lots, a row holds 200 parts and the last expiry of the
  // rest.
  expect(large.map(({ lots }) => (lots as unknown[]).length)).toEqual([200, 200, 200]);
  expect(large.map(({ lastExpiresAt }) => lastExpiresAt)).toEqual([
    undefined,
    timestamp(start + 120_000 + size - 1),
    timestamp(start + 60_000 + size - 1),
  ]);
});
