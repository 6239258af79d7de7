import { createHash } from 'node:crypto';
import { takenFrom } from '../payout/claim.ts';
import { findPayee } from '../payout/payees.ts';
import { findPayout } from '../payout/payouts.ts';
import { uuid as isUuid } from '../routes/wire.ts';
import { answer, type Decision, decide, writeAll } from '../table/decide.ts';
import type { Write } from '../table/language.ts';

/** A transfer to an avatar in the history of an account. */
interface HistoryTransfer {
  uuid: string;
  transfer: {
    /** In milliseconds since 1970. */
    at: number;
    id?: string | undefined;
    /** In L$; below 0, since it left the account. */
    amount: number;
    file: string;
    line: number;
  };
}

/** The id of the payout that books a transfer. It is always the same for a transfer, and sorts by time. */
const payoutIdOf = ({ uuid, transfer: { at, id, amount, file, line } }: HistoryTransfer): string => {
  const what = id ?? `${uuid} ${at} ${amount} ${file} ${line}`;
  const hash = createHash('sha256').update(what).digest('hex');
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
};

/** The UUID of a transfer, if the history has one. */
export const transactionOf = (id: string | null | undefined): string | undefined =>
  isUuid().safeParse(id).success ? (id ?? undefined) : undefined;

/**
 * Books a transfer as the paid payout that a restored table has lost. Answers false, and books nothing, if less is owed
 * to the avatar or if the transfer is booked already.
 */
export const bookTransfer = (store: string, unbooked: HistoryTransfer, together: readonly Write[]): Promise<boolean> =>
  decide(async (): Promise<Decision<boolean>> => {
    const { uuid, transfer } = unbooked;
    const amount = -transfer.amount;
    const id = payoutIdOf(unbooked);
    const [payee, there] = [await findPayee(store, uuid), await findPayout(store, id)];
    if (there || !payee || payee.isPseudonym || payee.owed < amount) return answer(false);
    const transactionId = transactionOf(transfer.id);
    const origin = { state: 'paid', id, reference: 'reconcile', ...(transactionId && { transactionId }) } as const;
    const { writes } = takenFrom(payee, amount, origin, transfer.at);
    return writeAll([...writes, ...together], { result: true });
  });
