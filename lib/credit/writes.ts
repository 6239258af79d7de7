import { newId } from '../clock.ts';
import { customerKey, customerUpsert } from '../store/customers.ts';
import {
  above,
  all,
  any,
  atLeast,
  atMost,
  exists,
  is,
  isKnown,
  missing,
  put,
  update,
  type Write,
} from '../table/language.ts';
import { closing, endOfEpoch, newLot, type Pending, reducing } from './lot.ts';
import { type Held, heldAs, isLarge, type Planned } from './plan.ts';
import { earliest } from './rules.ts';
import {
  attributes,
  type Change,
  type CreditItem,
  creditLimit,
  dueShardOf,
  holdingOf,
  type LastChange,
  type Part,
  storedChange,
} from './state.ts';
import { markAfter } from './whole-lots.ts';

/** A part of a change with the L$ that come due in it. */
interface Told extends Part {
  expired: number;
}

/** The change as history tells of it; its last part has the highest number. */
const described = (
  { cause, occasion }: Pick<Change, 'cause' | 'occasion'>,
  [first, ...others]: readonly [Told, ...Told[]],
): LastChange => {
  const { at, by, keyId, ...remarks } = cause;
  const made = {
    at,
    types: [first, ...others].map(({ type, expired }) => ({ type, ...(expired > 0 && { expired }) })),
    ...(keyId !== undefined && { requestId: by, keyId }),
  };
  // Before its own change a request may close what is due in another one, which its texts are not about.
  if (first.command.kind === 'reconcile') return { kind: 'expire', ...made };
  return { kind: first.command.kind, ...occasion, ...made, ...remarks };
};

/**
 * The fast path: a change that touches no lot is one conditional update, without a read. Its condition says that
 * nothing is due or in lots, and that the limit or the balance allows it; a refusal brings the item, which tells why.
 * Undefined for commands that have no fast path: a new lot takes a transaction.
 */
export const fastUpdate = (change: Change): Write | undefined => {
  const { store, uuid, type, command, cause } = change;
  const { balance, unlotted, lots, due } = attributes[type];
  const hasNoLots = any(missing(lots), is(lots, 0));
  if (command.kind === 'reconcile' || command.kind === 'refund' || command.expiresAt !== undefined) return undefined;
  const lastChange = storedChange(described(change, [{ type, command, expired: 0 }]));
  if (command.kind === 'set') {
    const set = { [balance]: command.credit, [unlotted]: command.credit, lastChange };
    return update(customerKey(store, uuid), { set, add: { creditVersion: 1 }, when: all(exists, isKnown, hasNoLots) });
  }
  const { delta } = command;
  const nothingIsDue = any(missing(due), above(due, cause.at));
  const limitAllows = any(missing(balance), atMost(balance, creditLimit() - delta));
  const balanceAllows = atLeast(balance, -delta);
  return update(customerKey(store, uuid), {
    set: { lastChange },
    add: { [balance]: delta, [unlotted]: delta, creditVersion: 1 },
    when: all(exists, isKnown, ...(delta > 0 ? [nothingIsDue, limitAllows] : [hasNoLots, balanceAllows])),
  });
};

/**
 * The update of a customer's item that a change makes, with `others` of its attributes, if the credit is still at its
 * version.
 */
export const updateOf = (
  store: string,
  item: CreditItem,
  held: readonly Held[],
  lastChange: LastChange,
  { pending, ...others }: Partial<CreditItem> = {},
): Write => {
  const holdings: Partial<CreditItem> = Object.assign({}, ...held.map(heldAs));
  const after = { ...item, ...holdings };
  // While a large change has something left to be written, the sweep must find the customer at once.
  const due = pending ? lastChange.at : earliest(after.creditDue, after.restrictedDue);
  return customerUpsert(
    store,
    { uuid: item.sk, username: item.username },
    {
      set: {
        ...holdings,
        ...(pending && { pending }),
        ...others,
        lastChange: storedChange(lastChange),
        creditVersion: (item.creditVersion ?? 0) + lastChange.types.length,
        dues: due && dueShardOf(item.sk),
        due,
      },
      when: is('creditVersion', item.creditVersion),
    },
  );
};

/** The part of a large change of one type that is left to be written after its transaction. */
const pendingPart = ({ type, command, plan: { closed, reduced } }: Planned, item: CreditItem, changed: number) => {
  const { epoch: epochName, due } = attributes[type];
  const epoch = item[epochName] ?? '';
  return {
    type,
    changed,
    epoch,
    from: item[due] ?? '',
    how: command.kind === 'set' ? ('superseded' as const) : ('drained' as const),
    through: command.kind === 'set' ? endOfEpoch(type, epoch) : (closed.at(-1)?.lot.sk ?? ''),
    ...(reduced && { reduced: { sk: reduced.lot.sk, from: reduced.lot.remaining, to: reduced.remaining } }),
  };
};

/** Writes that belong into the transaction of a change. */
export interface Others {
  /** Of other items. */
  writes?: readonly Write[] | undefined;
  /** Of the customer's item. */
  customer?: Partial<CreditItem> | undefined;
}

/**
 * The transaction that carries out the plans of a change, at most one for each type, and, where it does not hold all
 * that they do to lots, the part that is left to be written.
 */
export const writesOf = (
  change: Pick<Change, 'store' | 'uuid' | 'cause' | 'occasion'>,
  item: CreditItem,
  planned: readonly Planned[],
  { writes: others = [], customer }: Others = {},
): { writes: Write[]; pending: Pending | undefined } => {
  const { store, uuid, cause } = change;
  const version = item.creditVersion ?? 0;
  const tooMany = isLarge(planned, others.length) || planned.some((part) => part.tooMany);
  const parts = planned.map((part, index) => {
    const { type, command, plan } = part;
    const number = version + 1 + index;
    const isFirst = holdingOf(item, type).lots === 0 || command.kind === 'set';
    const newEpoch = plan.added && isFirst ? newId() : undefined;
    const epoch = newEpoch ?? item[attributes[type].epoch] ?? '';
    const added = (plan.added ?? []).map((lot) => newLot(store, uuid, type, epoch, lot, cause, version, number));
    const expired = plan.closed.reduce(
      (sum, { lot, how }) => sum + (how === 'expired' ? lot.remaining : 0),
      plan.lapsed ?? 0,
    );
    const ended = plan.closed.map(({ lot, how }) => closing(lot, how, cause, number, lot.remaining));
    const { reduced } = plan;
    const rest = reduced && { ...reduced.lot, remaining: reduced.remaining };
    const mark = markAfter(part.mark, isFirst, {
      ended: [...plan.closed.map(({ lot }) => lot), ...(reduced ? [reduced.lot] : [])],
      added: [...added, ...(rest ? [rest] : [])],
    });
    if (reduced) ended.push(reducing(reduced.lot, reduced.lot.remaining, reduced.remaining, number));
    return {
      told: { type, command, expired },
      held: { type, holding: plan.holding, epoch: newEpoch, newest: added.at(-1)?.sk, mark },
      added: added.map((lot) => put(lot)),
      ended,
      left: pendingPart(part, item, number),
    };
  });
  const [first, ...more] = parts;
  if (!first) {
    const unchanged = is('creditVersion', item.creditVersion);
    const only = customerUpsert(store, { uuid, username: item.username }, { set: { ...customer }, when: unchanged });
    return { writes: [only, ...others], pending: undefined };
  }
  const other = more[0]?.left;
  const pending = tooMany
    ? { id: newId(), version, at: cause.at, by: cause.by, ...first.left, ...(other && { other }) }
    : undefined;
  const lastChange = described(change, [first.told, ...more.map(({ told }) => told)]);
  const held = parts.map((part) => part.held);
  const writes = [
    updateOf(store, item, held, lastChange, { ...(pending && { pending }), ...customer }),
    ...parts.flatMap(({ added }) => added),
    ...others,
    ...(pending ? [] : parts.flatMap(({ ended }) => ended)),
  ];
  return { writes, pending };
};
