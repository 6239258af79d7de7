import type { Resident } from '../../lib/avatars/residents.ts';
import { now, timestamp } from '../../lib/clock.ts';
import { movedBy, newPayee } from '../../lib/payout/payees.ts';
import { listed } from '../../lib/payout/payouts.ts';
import { payeeKey, payoutKey } from '../../lib/table/keys.ts';
import type { Key } from '../../lib/table/schema.ts';
import { cleo } from './residents.ts';

const amount = 30;

/** An avatar who is owed L$ 100 and has two unknown payouts that a key claimed, and another avatar. */
export const payoutRows = (store: string, to: Resident, ids: readonly string[], claimedBy: string): Key[] => {
  const at = timestamp(now() - 3_600_000);
  const owed = ({ uuid, username }: Resident) => movedBy(newPayee(payeeKey(store, uuid), username), { owed: 100 }, at);
  const payouts = ids.map((id) =>
    listed({
      ...{ ...payoutKey(store, id), residentUuid: to.uuid, username: to.username, amount },
      ...{ state: 'unknown', createdAt: at, version: 1, claimedBy },
    }),
  );
  const others = to.uuid === cleo.uuid ? [] : [owed(cleo)];
  return [...others, movedBy(owed(to), { unknown: amount * ids.length }, at), ...payouts];
};
