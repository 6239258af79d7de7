import { findResident, findUuid } from '../avatars/residents.ts';
import { newId, now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid, notFound } from '../problem.ts';
import type { ClaimRequest, HandPayment, PayoutAnswer } from '../routes/payouts.ts';
import { findStore, type Store } from '../store/stores.ts';
import { answer, type Decision, decide, writeAll } from '../table/decide.ts';
import { payoutKey, storeOf } from '../table/keys.ts';
import type { Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getMany, pagesOf, rowsOf } from '../table/table.ts';
import { type ClaimTerms, claimableOf, findPayee, movedBy, owedList, type Payee, payeeWrite } from './payees.ts';
import { listed, type PayoutItem, payoutAnswer, payoutWrite } from './payouts.ts';

/** A claim first reads this number of accounts. Most claims take one of them. */
const firstRead = 3;
const pageSize = 50;

const owedRows = (store: string) => ({ partition: owedList(store), index: 'byRank' }) as const;

/** The first accounts that are owed something, the longest owed first. */
const firstOwed = (store: string): Promise<Key[]> =>
  rowsOf<Key>(owedRows(store))({ descending: false, limit: firstRead });

/** All accounts that are owed something, page by page: first the given ones, and then all of them. */
async function* owedPages(store: string, some: readonly Key[]): AsyncGenerator<readonly Key[]> {
  yield some;
  if (some.length === firstRead) yield* pagesOf<Key>(owedRows(store), pageSize);
}

/**
 * The account that has been owed for the longest time and that a claim would pay something. `some` are the first in the
 * list. The index may be a moment old, but the accounts are not.
 */
const longestOwed = async (
  store: string,
  some: readonly Key[],
  terms: ClaimTerms,
  at: string,
): Promise<Payee | undefined> => {
  for await (const rows of owedPages(store, some)) {
    const payees = await getMany<Payee>(rows, { consistent: true });
    const found = payees.find((payee) => claimableOf(payee, terms, at) > 0);
    if (found) return found;
  }
  return undefined;
};

/** After this time without a report, nobody knows whether a claimed payout was paid. */
const claimMillis = 10 * 60_000;

interface Origin extends Pick<PayoutItem, 'claimedBy' | 'reference' | 'transactionId'> {
  state: 'claimed' | 'paid';
  id?: string;
}

/** A payout that takes its amount from what is owed, and the writes that make it. */
export const takenFrom = (payee: Payee, amount: number, { state, id = newId(), ...origin }: Origin, millis = now()) => {
  const at = timestamp(millis);
  const payout = listed(
    {
      ...payoutKey(storeOf(payee), id),
      residentUuid: payee.sk,
      username: payee.username,
      amount,
      state,
      createdAt: at,
      version: 1,
      ...origin,
      ...(state === 'paid' && { endedAt: at }),
    },
    state === 'claimed' ? timestamp(millis + claimMillis) : undefined,
  );
  const after = movedBy(payee, { owed: -amount, [state]: amount }, at);
  return { payout, after, writes: [payoutWrite(payout), payeeWrite(after, payee)] };
};

const demandStore = async (id: string): Promise<Store> => {
  const store = await findStore(id);
  if (!store) throw notFound();
  return store;
};

/**
 * Tells whether payouts of a store may be claimed: they were begun, and no restore has stopped them. A restored table
 * may owe again what was paid.
 */
const mayClaim = ({ payoutsBegunAt, payoutsStoppedAt }: Store): boolean =>
  payoutsBegunAt !== undefined && payoutsStoppedAt === undefined;

/**
 * Claims one payout: for the account that has been owed for the longest time and would get `minimum` or more. The
 * transaction that makes the payout takes its amount from what is owed. `by` is the key that asks, or the first key in
 * its chain of rotations.
 */
export const claimPayout = (store: string, terms: ClaimRequest, by: string): Promise<{ payout: PayoutAnswer | null }> =>
  decide(async (): Promise<Decision<{ payout: PayoutAnswer | null }>> => {
    const millis = now();
    const [shop, some] = await Promise.all([demandStore(store), firstOwed(store)]);
    const payee = mayClaim(shop) ? await longestOwed(store, some, terms, timestamp(millis)) : undefined;
    if (!payee) return answer({ payout: null });
    const amount = claimableOf(payee, terms, timestamp(millis));
    const { payout, writes } = takenFrom(payee, amount, { state: 'claimed', claimedBy: by }, millis);
    return writeAll(writes, { answer: { payout: payoutAnswer(payout, payee) } });
  });

/** The payout of `amount` that was paid by hand, and the writes that make it. */
const paidByHand = (payee: Payee, { amount, reference }: HandPayment) =>
  takenFrom(payee, amount, { state: 'paid', ...(reference && { reference }) });

/** The payout of what a merchant paid by hand before the store began to pay, and the writes that make it. */
export const paidBefore = (payee: Payee, amount: number) => paidByHand(payee, { amount, reference: 'begin' });

/**
 * Notes that a person has paid an avatar by hand, in one transaction with the writes of `together`. Throws 404 for an
 * unknown avatar. Throws 400 if less is owed to them, and after a restore until payouts are resumed.
 */
export const payByHand = async (
  store: string,
  identifier: Identifier,
  payment: HandPayment,
  together: readonly Write[] = [],
): Promise<PayoutAnswer> => {
  const uuid = await findUuid(store, identifier);
  if (uuid === undefined) throw notFound();
  return decide(async () => {
    const [{ payoutsStoppedAt }, payee] = await Promise.all([demandStore(store), findPayee(store, uuid)]);
    if (payoutsStoppedAt !== undefined)
      throw invalid(
        'The table was restored, and may owe again what was paid since: see to that first, then run store payouts resume.',
      );
    if (!payee && !(await findResident(store, identifier))) throw notFound();
    const owed = payee && !payee.isPseudonym ? payee.owed : 0;
    if (!payee || payment.amount > owed)
      throw invalid(`amount must be at most what is owed to them: L$ ${Math.max(owed, 0)}.`);
    const { payout, writes } = paidByHand(payee, payment);
    return writeAll([...writes, ...together], { answer: payoutAnswer(payout, payee) });
  });
};
