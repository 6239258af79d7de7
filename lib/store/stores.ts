import { now, timestamp } from '../clock.ts';
import { notFound, unauthorized } from '../problem.ts';
import type { StoreRules } from '../routes/rules.ts';
import type { Store as StoreAnswer } from '../routes/store.ts';
import { sharedKey } from '../table/keys.ts';
import { all, exists, is, isNot, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf, write } from '../table/table.ts';
import { findKey } from './api-keys.ts';

/** A store as its item has it. All that belongs to a store has the store's id in its key. */
export interface Store {
  id: string;
  name: string;
  createdAt: string;
  /** False while the store is closed; absent in one that was never closed. */
  open?: boolean;
  /** When the store was last closed or opened, why, and by whom: the id of an API key, or `operator`. */
  changed?: { at: string; reason: string | null; by: string };
  /** Absent while none were set. */
  rules?: StoreRules;
  /** When its payouts were begun. Before that none can be claimed. */
  payoutsBegunAt?: string;
  /** Debts from before this time are paid by hand, even if they are counted later. Absent if all may be claimed. */
  payoutsPaidUntil?: string;
  /** When its table was restored. Nothing is paid out until the payouts are resumed. */
  payoutsStoppedAt?: string;
  /** The time when its deletion began. No call finds it since then, but some of its items may still be in the table. */
  deletedAt?: string;
}

export const findStore = (id: string): Promise<Store | undefined> => get<Store>(sharedKey('STORE', id));

/** Each store has two items: its own one, which calls check, and one in this partition, which is the list of stores. */
export const listKey = (id: string): Key => ({ pk: sharedKey('STORE', '').pk, sk: id });

/** Every store of the deployment, in the order of their ids, also a store that is being deleted. */
export const listStores = async (): Promise<Store[]> => {
  const rows = await rowsOf<Store & Key>({ partition: listKey('').pk })({ descending: false });
  return rows.map(({ id, name, createdAt, deletedAt }) => ({ id, name, createdAt, ...(deletedAt && { deletedAt }) }));
};

export const isOpen = ({ open = true }: Store): boolean => open;

/**
 * Closes or opens a store, in one transaction with the writes of `together`, and answers it by `answer`. A store that
 * is closed or open already stays as it is, with its earlier reason. Throws 404.
 */
export const setOpen = async <R>(
  id: string,
  open: boolean,
  { reason = '', by, together = [] }: { reason?: string | undefined; by: string; together?: readonly Write[] },
  answer: (store: Store) => R,
): Promise<R> => {
  const changed = { at: timestamp(now()), reason: reason || null, by };
  const when = open ? is('open', false) : all(exists, isNot('open', false));
  const outcome = await write(update(sharedKey('STORE', id), { set: { open, changed }, when }), { answer, together });
  if (outcome.done) return outcome.result;
  if (!outcome.found) throw notFound();
  return answer(outcome.found);
};

/** Makes the answer of an endpoint about a store. Throws 401 for a key that was deleted since the gateway let it in. */
const answerFor = async (keyId: string): Promise<(store: Store) => StoreAnswer> => {
  const key = await findKey(keyId);
  if (!key) throw unauthorized();
  const { id, name, scopes, expiresAt = null } = key;
  return (store) => ({ id: store.id, name: store.name, open: isOpen(store), key: { id, name, scopes, expiresAt } });
};

/** A store, and the key that asks. Throws 404 for a store that is being deleted. */
export const getStore = async (id: string, keyId: string): Promise<StoreAnswer> => {
  const [store, answer] = await Promise.all([findStore(id), answerFor(keyId)]);
  if (!store) throw notFound();
  return answer(store);
};

/** As `setOpen`, for an endpoint. */
const setOpenFor =
  (open: boolean) =>
  async (id: string, keyId: string, reason: string | undefined): Promise<StoreAnswer> =>
    setOpen(id, open, { reason, by: keyId }, await answerFor(keyId));

/** Closes a store: quotes and sales are refused until it is opened. Throws 404. */
export const closeStore = setOpenFor(false);

/** Opens a closed store. Throws 404. */
export const openStore = setOpenFor(true);
