import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../clock.ts';
import { rowsOf } from '../table/query.ts';
import { refusedToFalse } from '../table/retry.ts';
import { db, partition, tableName } from '../table/table.ts';
import { type CreditCommand, type CreditType, type Ending, isDue, isEnough, type Lot, type Plan } from './rules.ts';

/**
 * A credit lot, open or closed. Its sort key is `type#epoch#expiresAt#id`: ids are UUIDv7, so lots that expire together
 * are in the order of their creation. A lot is open only in its customer's current epoch.
 */
export interface CreditLot extends Lot {
  pk: string;
  amount: number;
  state: 'open' | Ending;
  createdAt: string;
  /** The request that added it. */
  createdBy: string;
  /** The version of the customer's credit before it was added. */
  version: number;
  /** When, and by which request, it ended; what was left then stays in `remaining`. */
  endedAt?: string;
  endedBy?: string;
}

/** What ends lots: when, and which request. */
export interface Cause {
  at: string;
  by: string;
}

/**
 * What a change of more lots than one transaction holds leaves to be written: every open lot of `epoch`, from those due at
 * `from` up to the sort key `through`, has ended (as expired if it was due, else as `how`), and one may be `reduced`. It is recorded with the
 * change of the balance, and whoever finds it carries it out.
 */
export interface Pending extends Cause {
  id: string;
  type: CreditType;
  epoch: string;
  how: Ending;
  /** When the first of them comes due; those that ended long ago need not be read. All are, if absent. */
  from?: string;
  through: string;
  /** The version of the customer's credit before the change: later lots are none of its business. */
  version: number;
  reduced?: { sk: string; from: number; to: number };
}

/** The key of a lot. */
export const lotKey = (
  store: string,
  uuid: string,
  type: CreditType,
  epoch: string,
  expiresAt: string,
  id: string,
) => ({
  pk: lotPartition(store, uuid),
  sk: `${prefixOf(type, epoch)}${expiresAt}#${id}`,
});

const lotPartition = (store: string, uuid: string): string => partition(store, 'LOT', uuid);

const prefixOf = (type: CreditType, epoch: string): string => `${type}#${epoch}#`;

/** Sorts after every lot of the epoch. */
export const endOfEpoch = (type: CreditType, epoch: string): string => `${prefixOf(type, epoch)}~`;

/** A new open lot, to be put in the transaction that changes the balance. */
export const newLot = (
  store: string,
  uuid: string,
  type: CreditType,
  epoch: string,
  { amount, expiresAt }: NonNullable<Plan['added']>,
  { at, by }: Cause,
  version: number,
): CreditLot => ({
  ...lotKey(store, uuid, type, epoch, expiresAt, newId()),
  amount,
  remaining: amount,
  expiresAt,
  state: 'open',
  createdAt: at,
  createdBy: by,
  version,
});

/** The lots of an epoch, open and closed, from a place in their order on, some at a time. */
async function* lotsOfEpoch(store: string, uuid: string, type: CreditType, epoch: string, from: string) {
  const prefix = prefixOf(type, epoch);
  const rows = rowsOf<CreditLot>({ partition: lotPartition(store, uuid) });
  let place = { position: prefix + from, inclusive: true };
  for (let stride = 100; ; stride = 1000) {
    const some = await rows({ descending: false, from: place, limit: stride });
    const ours = some.filter(({ sk }) => sk.startsWith(prefix));
    yield ours;
    const last = ours.at(-1);
    if (ours.length < stride || last === undefined) return;
    place = { position: last.sk, inclusive: false };
  }
}

/**
 * Open lots of an epoch in their order, from the one that comes due at `due` on, as far as a command needs them; all of
 * them for a set. No open lot lies before `due`, so most that have ended are not read.
 */
export const readOpenLots = async (
  store: string,
  uuid: string,
  type: CreditType,
  { epoch, due }: { epoch: string; due: string },
  command: CreditCommand,
  at: string,
): Promise<CreditLot[]> => {
  const open: CreditLot[] = [];
  for await (const some of lotsOfEpoch(store, uuid, type, epoch, due)) {
    open.push(...some.filter(({ state }) => state === 'open'));
    if (isEnough(open, command, at)) break;
  }
  return open;
};

/** Every lot of a customer, open and closed, both types. */
export const listLots = (store: string, uuid: string): Promise<CreditLot[]> =>
  rowsOf<CreditLot>({ partition: lotPartition(store, uuid) })({ descending: false });

/** The update that ends a lot; refused if it is not open any more. */
export const closing = ({ pk, sk }: CreditLot, how: Ending, { at, by }: Cause) => ({
  TableName: tableName(),
  Key: { pk, sk },
  UpdateExpression: `SET #state = :how, endedAt = :at, endedBy = :by${how === 'drained' ? ', remaining = :zero' : ''}`,
  ConditionExpression: '#state = :open',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: {
    ':how': how,
    ':at': at,
    ':by': by,
    ':open': 'open',
    ...(how === 'drained' && { ':zero': 0 }),
  },
});

/** The update that drains a lot in part; refused if it is not as it was. */
export const reducing = (key: { pk: string; sk: string }, from: number, to: number) => ({
  TableName: tableName(),
  Key: { pk: key.pk, sk: key.sk },
  UpdateExpression: 'SET remaining = :to',
  ConditionExpression: '#state = :open AND remaining = :from',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':to': to, ':from': from, ':open': 'open' },
});

/** Sends one of the updates above by itself. That somebody else has carried it out already is fine. */
const sendIfOpen = (update: ReturnType<typeof closing> | ReturnType<typeof reducing>): Promise<boolean> =>
  refusedToFalse(() => db.send(new UpdateCommand(update)));

const sideBySide = 25;

/** Writes what a large change has left to be written. May be done twice, or at once by several. */
export const carryOut = async (store: string, uuid: string, pending: Pending): Promise<void> => {
  const { type, epoch, from = '', through, how, at, version, reduced } = pending;
  const pk = lotPartition(store, uuid);
  for await (const some of lotsOfEpoch(store, uuid, type, epoch, from)) {
    const open = some.filter((lot) => lot.state === 'open' && lot.sk <= through && lot.version < version);
    for (let i = 0; i < open.length; i += sideBySide)
      await Promise.all(
        open
          .slice(i, i + sideBySide)
          .map((lot) => sendIfOpen(closing(lot, isDue(lot.expiresAt, at) ? 'expired' : how, pending))),
      );
    if ((some.at(-1)?.sk ?? '') > through) break;
  }
  if (reduced) await sendIfOpen(reducing({ pk, sk: reduced.sk }, reduced.from, reduced.to));
};
