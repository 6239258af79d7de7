import { now, timestamp } from '../../lib/clock.ts';
import { takenFrom } from '../../lib/payout/claim.ts';
import { countDebts } from '../../lib/payout/count.ts';
import { findPayee } from '../../lib/payout/payees.ts';
import { findPayout } from '../../lib/payout/payouts.ts';
import { reportPayout } from '../../lib/payout/settle.ts';
import type { Store } from '../../lib/store/stores.ts';
import { sharedKey } from '../../lib/table/keys.ts';
import { update } from '../../lib/table/language.ts';
import { transact, write } from '../../lib/table/table.ts';
import { at, day, demoUuid } from './residents.ts';
import { demoSaleIds } from './sales.ts';

const [vera, partner] = [demoUuid(2, 1), demoUuid(2, 3)];

/**
 * Payouts to the two people who share in the profit of the bench. The first was paid. The outcome of the second is
 * unknown.
 */
const demoPayouts = [
  { id: demoUuid(11, 1), payee: vera, amount: 400, result: 'paid', transactionId: demoUuid(12, 1) },
  { id: demoUuid(11, 2), payee: partner, amount: 300, result: 'unknown', error: 'SERVICE_ERROR' },
] as const;

/** Counts the debts of the last weeks' sales, begins the payouts of the store, and makes two past payouts. */
export const seedPayouts = async ({ id: store }: Store): Promise<void> => {
  await countDebts(
    store,
    demoSaleIds().map((sk) => ({ sk })),
  );
  const noon = Math.floor(now() / day) * day - day / 2;
  await write(update(sharedKey('STORE', store), { ifMissing: { payoutsBegunAt: timestamp(noon - 28 * day) } }));
  await at(noon - 2 * day, async () => {
    for (const { id, payee: uuid, amount, ...report } of demoPayouts) {
      const payee = await findPayee(store, uuid);
      if (!payee || (await findPayout(store, id))) continue;
      await transact(takenFrom(payee, amount, { id, state: 'claimed', claimedBy: 'demo' }).writes);
      await reportPayout(store, id, report, 'demo');
    }
  });
};
