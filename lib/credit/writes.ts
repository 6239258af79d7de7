import { newId } from '../clock.ts';
import { customerKey, customerUpsert } from '../store/customers.ts';
import { above, all, any, atLeast, atMost, exists, is, missing, put, update, type Write } from '../table/language.ts';
import { type CreditLot, closing, endOfEpoch, newLot, type Pending, reducing } from './lots.ts';
import { earliest, type Holding, type Plan } from './rules.ts';
import {
  attributes,
  type Change,
  type CreditItem,
  creditLimit,
  dueShardOf,
  holdingOf,
  type LastChange,
  otherType,
  storedChange,
} from './state.ts';

/** The change as history tells of it. `expired`: the L$ that came due in it. */
const described = ({ type, command, cause, occasion }: Change, expired: number): LastChange => {
  const { at, by, keyId, ...remarks } = cause;
  const made = {
    at,
    types: [{ type, ...(expired > 0 && { expired }) }],
    ...(keyId !== undefined && { requestId: by, keyId }),
  };
  // Before its own change a request may close what is due in another one, which its texts are not about.
  if (command.kind === 'reconcile') return { kind: 'expire', ...made };
  return { kind: command.kind, ...occasion, ...made, ...remarks };
};

/**
 * The fast path: a change that touches no lot is one conditional update, without a read. Its condition says that nothing
 * is due or in lots, and that the limit or the balance allows it; a refusal brings the item, which tells why. Undefined
 * for commands that have no fast path: a new lot takes a transaction.
 */
export const fastUpdate = (change: Change): Write | undefined => {
  const { store, uuid, type, command, cause } = change;
  const { balance, unlotted, lots, due } = attributes[type];
  const hasNoLots = any(missing(lots), is(lots, 0));
  if (command.kind === 'reconcile' || command.expiresAt !== undefined) return undefined;
  const lastChange = storedChange(described(change, 0));
  if (command.kind === 'set') {
    const set = { [balance]: command.credit, [unlotted]: command.credit, lastChange };
    return update(customerKey(store, uuid), { set, add: { creditVersion: 1 }, when: all(exists, hasNoLots) });
  }
  const { delta } = command;
  const nothingIsDue = any(missing(due), above(due, cause.at));
  const limitAllows = any(missing(balance), atMost(balance, creditLimit() - delta));
  const balanceAllows = atLeast(balance, -delta);
  return update(customerKey(store, uuid), {
    set: { lastChange },
    add: { [balance]: delta, [unlotted]: delta, creditVersion: 1 },
    when: all(exists, ...(delta > 0 ? [nothingIsDue, limitAllows] : [hasNoLots, balanceAllows])),
  });
};

const maxItems = 100;

/** Tells whether a transaction holds so many lots beside the customer, a new lot, a request's record and `others`. */
export const fitsOne = (lots: number, others = 0): boolean => lots + 3 + others <= maxItems;

/** Tells whether a plan changes more lots than one transaction holds. */
export const isLarge = ({ closed, reduced }: Plan<CreditLot>, others: number): boolean =>
  !fitsOne(closed.length + (reduced ? 1 : 0), others);

/** What a change of credit writes about a customer beside the holding, where it does. */
interface More {
  /** Of the type that changes. */
  epoch?: string | undefined;
  newest?: string | undefined;
  pending?: Pending | undefined;
  imported?: Pick<CreditItem, 'importedVersion' | 'importedCredit' | 'importedRestricted'>;
}

/** The update of a customer's item that a change makes, if the customer's credit is still at its version. */
export const updateOf = (
  { store, uuid, type }: Pick<Change, 'store' | 'uuid' | 'type'>,
  item: CreditItem,
  holding: Holding,
  lastChange: LastChange,
  { epoch, newest, pending, imported }: More,
): Write => {
  const names = attributes[type];
  // While a large change has something left to be written, the sweep must find the customer at once.
  const due = pending ? lastChange.at : earliest(holding.due, item[attributes[otherType(type)].due]);
  return customerUpsert(
    store,
    { uuid, username: item.username },
    {
      set: {
        [names.balance]: holding.balance,
        [names.unlotted]: holding.unlotted,
        [names.lots]: holding.lots,
        [names.due]: holding.due,
        ...(epoch !== undefined && { [names.epoch]: epoch }),
        ...(newest !== undefined && { [names.newest]: newest }),
        ...(pending && { pending }),
        ...imported,
        lastChange: storedChange(lastChange),
        creditVersion: (item.creditVersion ?? 0) + lastChange.types.length,
        dues: due && dueShardOf(uuid),
        due,
      },
      when: is('creditVersion', item.creditVersion),
    },
  );
};

/** The part of a large change that is left to be written after its transaction. */
const pendingOf = (
  { type, command, cause }: Change,
  item: CreditItem,
  { closed, reduced }: Plan<CreditLot>,
): Pending => {
  const { epoch: epochName, due } = attributes[type];
  const epoch = item[epochName] ?? '';
  return {
    id: newId(),
    type,
    epoch,
    from: item[due] ?? '',
    how: command.kind === 'set' ? 'superseded' : 'drained',
    through: command.kind === 'set' ? endOfEpoch(type, epoch) : (closed.at(-1)?.lot.sk ?? ''),
    version: item.creditVersion ?? 0,
    at: cause.at,
    by: cause.by,
    ...(reduced && { reduced: { sk: reduced.lot.sk, from: reduced.lot.remaining, to: reduced.remaining } }),
  };
};

/**
 * The transaction that carries out a plan, and, where it does not hold all that the plan does to lots, the part that is
 * left to be written. `tooMany`: the lots that a set closes were not even read. `others`: writes of other items that belong
 * into the transaction.
 */
export const writesOf = (
  change: Change,
  item: CreditItem,
  plan: Plan<CreditLot>,
  tooMany: boolean,
  others: readonly Write[] = [],
): { writes: Write[]; pending: Pending | undefined } => {
  const { store, uuid, type, command, cause } = change;
  const isFirst = holdingOf(item, type).lots === 0 || command.kind === 'set';
  const newEpoch = plan.added && isFirst ? newId() : undefined;
  const pending = tooMany || isLarge(plan, others.length) ? pendingOf(change, item, plan) : undefined;
  const epoch = newEpoch ?? item[attributes[type].epoch] ?? '';
  const version = item.creditVersion ?? 0;
  const added = plan.added && newLot(store, uuid, type, epoch, plan.added, cause, version);
  const expired = plan.closed.reduce((sum, { lot, how }) => sum + (how === 'expired' ? lot.remaining : 0), 0);
  const more = { epoch: newEpoch, newest: added?.sk, pending };
  const writes = [
    updateOf(change, item, plan.holding, described(change, expired), more),
    ...(added ? [put(added)] : []),
    ...others,
  ];
  if (pending) return { writes, pending };
  writes.push(...plan.closed.map(({ lot, how }) => closing(lot, how, cause, version + 1, lot.remaining)));
  if (plan.reduced)
    writes.push(reducing(plan.reduced.lot, plan.reduced.lot.remaining, plan.reduced.remaining, version + 1));
  return { writes, pending };
};
