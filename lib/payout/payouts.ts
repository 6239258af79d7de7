import { findUuid } from '../avatars/residents.ts';
import { loaded, reversed, type Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import type { PayoutAnswer, PayoutFilter, PayoutReport, PayoutState } from '../routes/payouts.ts';
import { partition, payeeKey, payoutKey, storeOf } from '../table/keys.ts';
import { all, is, isNew, put, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import type { Stamped } from '../table/stamp.ts';
import { get, getMany, rowsOf } from '../table/table.ts';
import { findPayee, type Payee } from './payees.ts';

/** A payout as it is stored. Its id, `sk`, sorts by the time of creation. */
export interface PayoutItem extends Key, Stamped {
  residentUuid: string;
  /** The avatar's name at the last change. */
  username: string;
  amount: number;
  state: PayoutState;
  transactionId?: string | undefined;
  error?: string | undefined;
  reference?: string | undefined;
  createdAt: string;
  endedAt?: string | undefined;
  /** Grows by one with each change. Each change is on condition of it. */
  version: number;
  /** The key that has claimed it, or the first key in its chain of rotations. Missing if a person paid it by hand. */
  claimedBy?: string;
  /** The last report that changed it. */
  reported?: PayoutReport;
  /** Its places in the lists of a state and of a payee and, while it is claimed, in the list of due payouts. */
  ranked: string;
  rank: string;
  flags: string;
  dues?: string | undefined;
  due?: string | undefined;
}

/** The partition of the index with the claimed payouts of all stores, by the time at which they become unknown. */
export const dueList = 'PAYOUT#DUE';

const stateList = (store: string, state: PayoutState): string => partition(store, 'PAYOUT', state);
const payeeList = (store: string, uuid: string): string => partition(store, 'PAYOUT', `to#${uuid}`);

/** The payout with its places in the lists. A claimed payout comes due at `due`. */
export const listed = (
  { dues: _, due: __, ...payout }: Omit<PayoutItem, 'ranked' | 'rank' | 'flags'>,
  due?: string,
) => ({
  ...payout,
  ranked: stateList(storeOf(payout), payout.state),
  rank: payout.sk,
  flags: payeeList(storeOf(payout), payout.residentUuid),
  ...(due !== undefined && { dues: dueList, due }),
});

/** The write that replaces a payout as it was read. Refused if somebody else has changed it. */
export const payoutWrite = (after: PayoutItem, before?: PayoutItem): Write =>
  put(after, before ? all(is('version', before.version), is('stamp', before.stamp)) : isNew);

export const findPayout = (store: string, id: string): Promise<PayoutItem | undefined> =>
  get<PayoutItem>(payoutKey(store, id));

/** A payout in the form of the API, with the avatar's present name. */
export const payoutAnswer = (payout: PayoutItem, payee?: Payee): PayoutAnswer => {
  const { sk: id, residentUuid, amount, state, createdAt } = payout;
  const { transactionId = null, error = null, reference = null, endedAt = null } = payout;
  const username = payee?.username ?? payout.username;
  return { id, residentUuid, username, amount, state, transactionId, error, reference, createdAt, endedAt };
};

/** Throws 404. */
export const getPayout = async (store: string, id: string): Promise<PayoutAnswer> => {
  const payout = await findPayout(store, id);
  if (!payout) throw notFound();
  return payoutAnswer(payout, await findPayee(store, payout.residentUuid));
};

/** The API's answers about some payouts. Reads all their payees at once. */
export const payoutAnswers = async (store: string, payouts: readonly PayoutItem[]): Promise<PayoutAnswer[]> => {
  const payees = await getMany<Payee>(payouts.map(({ residentUuid }) => payeeKey(store, residentUuid)));
  return payouts.map((payout) =>
    payoutAnswer(
      payout,
      payees.find(({ sk }) => sk === payout.residentUuid),
    ),
  );
};

export const byId = ({ sk }: Key): string => sk;

/** Every payout of a store, the oldest first. */
export const listPayouts = (store: string): Source<PayoutItem> => rowsOf({ partition: partition(store, 'PAYOUT') });

/** The payouts to an avatar, the oldest first. */
const payoutsTo = (store: string, uuid: string): Source<Key> =>
  rowsOf({ partition: payeeList(store, uuid), index: 'byFlags' });

/** The list that a filter asks for, newest first, and the part of its cursors. */
export const payoutsList = async (
  store: string,
  { state, payee }: PayoutFilter,
): Promise<{ source: Source<PayoutItem>; part: string }> => {
  const uuid = payee && (await findUuid(store, payee));
  if (payee && uuid === undefined) return { source: async () => [], part: 'nobody' };
  const part = `${uuid ?? ''} ${state ?? ''}`;
  if (uuid === undefined && state === undefined) return { source: reversed(listPayouts(store)), part };
  const keys =
    uuid === undefined
      ? rowsOf<Key>({ partition: stateList(store, state as PayoutState), index: 'byRank' })
      : payoutsTo(store, uuid);
  const source = loaded(keys, byId, async (rows) => {
    const found = await getMany<PayoutItem>(rows);
    return found.filter((one) => one.state === (state ?? one.state));
  });
  return { source: reversed(source), part };
};
