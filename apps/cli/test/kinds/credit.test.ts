import { expect, test } from 'vitest';
import { timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { sweepDueLots } from '../../../../lib/credit/sweep.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import { customerWithLots } from '../../../../test/support/credit-seed.ts';
import { conflict, intercept } from '../../../../test/support/faults.ts';
import { setClock, startTestService } from '../../../../test/support/service.ts';
import { kindOf } from '../support/kinds.ts';

test('an export shows no lot as open that a large change has ended during the export', async () => {
  const start = Date.parse('2028-02-29T12:00:00.000Z');
  const { store } = await startTestService();
  setClock(start);
  const lots = Array.from({ length: 120 }, (_, index) => ({
    amount: 1,
    expiresAt: timestamp(start + (100 + index) * 1000),
  }));
  const uuid = await customerWithLots(store, lots);
  const set = { kind: 'set', credit: 7 } as const;
  // The set dies after its transaction, and leaves the writes of its lots to others.
  const stopConflicts = intercept(async (call, send) => {
    if (call.operation === 'UpdateItem' && call.isWrite && JSON.stringify(call.input).includes(':how'))
      throw conflict(call);
    return send();
  });
  await changeCredit(store, { uuid }, 'regular', set, { by: 'test' });
  stopConflicts();
  let isSettled = false;
  const stop = intercept(async (call, send) => {
    const answer = await send();
    const reads = JSON.stringify(call.input);
    if (call.operation === 'Query' && reads.includes('#LOT#') && reads.includes(uuid) && !isSettled) {
      isSettled = true;
      await sweepDueLots('sweep');
    }
    return answer;
  });

  atEnd(stop);

  const rows = [];
  for await (const row of kindOf('credit').rows(store)) if (row.resident === uuid) rows.push(row);

  expect(isSettled).toBe(true);
  expect(rows.filter(({ state }) => state === 'open')).toEqual([]);
  expect(rows.filter(({ state }) => state === undefined)).toEqual([
    { id: expect.any(String), resident: uuid, type: 'regular', amount: 7 },
  ]);
});
