import { customerUpsert } from '../avatars/customers.ts';
import { newId } from '../clock.ts';
import { all, type Condition, put, type Write } from '../table/language.ts';
import { closing, endOfEpoch, newLot, type PendingChange, reducing } from './lot.ts';
import { type ChangedHolding, heldAs, isLarge, type PlannedPart } from './plan.ts';
import { type CreditType, earliest } from './rules.ts';
import {
  asCredited,
  attributes,
  type Change,
  type CreditItem,
  dueShardOf,
  holdingOf,
  type LastChange,
  type Part,
  storedChange,
} from './state.ts';
import { checksumAfter } from './whole-lots.ts';

/** A part of a change, with the L$ that come due in it and the L$ of a bonus. */
interface ToldPart extends Part {
  expired: number;
  bonus?: number | undefined;
  isPermanent?: boolean;
}

/** The change as history tells of it. The last part has the highest number. */
const described = (
  { cause, occasion }: Pick<Change, 'cause' | 'occasion'>,
  [first, ...others]: readonly [ToldPart, ...ToldPart[]],
): LastChange => {
  const { at, by, keyId, isOwn, ...remarks } = cause;
  const made = {
    at,
    types: [first, ...others].map(({ type, expired, bonus, isPermanent }) => ({
      type,
      ...(expired > 0 && { expired }),
      ...(bonus !== undefined && { bonus }),
      ...(bonus !== undefined && isPermanent && { isPermanent }),
    })),
    ...(keyId !== undefined && { requestId: by, keyId }),
    ...(isOwn && { requestId: by }),
  };
  // A request may first close due lots in a separate change, to which its texts do not belong.
  const { kind } = first.command;
  if (kind === 'reconcile') return { kind: 'expire', ...made };
  return { kind: kind === 'bonus-back' ? 'bonus' : kind, ...occasion, ...made, ...remarks };
};

/** A change of one type in which no lot has a part, as the customer's item keeps it. */
export const lastChangeBy = (change: Change): CreditItem['lastChange'] => {
  const { type, command } = change;
  return storedChange(described(change, [{ type, command, expired: 0 }]));
};

/** The update of a customer's item by a change, with `others` of its attributes. Refused if the version has changed. */
export const updateOf = (
  store: string,
  item: CreditItem,
  held: readonly ChangedHolding[],
  lastChange: LastChange,
  { pending, ...others }: Partial<CreditItem> = {},
  when?: Condition,
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
      when: all(asCredited(item), when),
    },
  );
};

/** The part of a large change of one type that is left to be written after its transaction. */
const pendingPart = ({ type, command, plan: { closed, reduced } }: PlannedPart, item: CreditItem, changed: number) => {
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
export interface OtherWrites {
  /** Writes of other items. */
  writes?: readonly Write[] | undefined;
  /** Must hold for the customer's item, if the change writes it. */
  customerWhen?: Condition | undefined;
  /** Further attributes of the customer's item. */
  customerSet?: Partial<CreditItem> | undefined;
  /** The epoch of the lots if there are none yet; by default a new epoch. */
  epoch?: string | undefined;
}

/** The open lots of a type, as the parts of a change find them. */
interface OpenLots {
  count: number;
  epoch: string;
  /** Undefined if it is not known. */
  checksum: string | undefined;
}

/** The writes of one part of a change, and the open lots that it leaves. */
const partWrites = (
  { store, uuid, cause }: Pick<Change, 'store' | 'uuid' | 'cause'>,
  { type, command, plan }: PlannedPart,
  before: OpenLots,
  version: number,
  number: number,
  firstEpoch: string | undefined,
) => {
  const isFirst = before.count === 0 || command.kind === 'set';
  const newEpoch = plan.added && isFirst ? (firstEpoch ?? newId()) : undefined;
  const epoch = newEpoch ?? before.epoch;
  const added = (plan.added ?? []).map((lot) => newLot(store, uuid, type, epoch, lot, cause, version, number));
  const { closed, reduced, taken, holding, bonus, lapsed = 0 } = plan;
  const expired = closed.reduce((sum, { lot, how }) => sum + (how === 'expired' ? lot.remaining : 0), lapsed);
  const ended = closed.map(({ lot, how }) => closing(lot, how, cause, number, lot.remaining));
  if (reduced) ended.push(reducing(reduced.lot, reduced.lot.remaining, reduced.remaining, number));
  const checksum = checksumAfter(before.checksum, isFirst, {
    ended: [...closed.map(({ lot }) => lot), ...(reduced ? [reduced.lot] : []), ...(taken ? [taken] : [])],
    added: [...added, ...(reduced ? [{ ...reduced.lot, remaining: reduced.remaining }] : [])],
  });
  return {
    told: { type, command, expired, bonus, isPermanent: !plan.added && !taken },
    held: { type, holding, epoch: newEpoch, newest: added.at(-1)?.sk, checksum },
    // These writes are in the transaction of a large change too.
    always: [
      ...added.map((lot) => put(lot)),
      ...(taken ? [closing(taken, 'drained', cause, number, taken.remaining)] : []),
    ],
    ended,
    left: { count: holding.lots, epoch, checksum },
  };
};

/**
 * The transaction that carries out the plans of a change. If it has no room for all that they do to lots, it also
 * answers the part that is left to be written. If several plans have the same type, only the first one ends lots from
 * the first lot on.
 */
export const writesOf = (
  change: Pick<Change, 'store' | 'uuid' | 'cause' | 'occasion'>,
  item: CreditItem,
  planned: readonly PlannedPart[],
  { writes: others = [], customerWhen, customerSet, epoch }: OtherWrites = {},
): { writes: Write[]; pending: PendingChange | undefined } => {
  const { store, cause } = change;
  const version = item.creditVersion ?? 0;
  const open = new Map<CreditType, OpenLots>();
  const unwritten: ReturnType<typeof pendingPart>[] = [];
  const parts = planned.map((part, index) => {
    const { type, checksum } = part;
    const before = { count: holdingOf(item, type).lots, epoch: item[attributes[type].epoch] ?? '', checksum };
    if (!open.has(type)) unwritten.push(pendingPart(part, item, version + 1 + index));
    const written = partWrites(change, part, open.get(type) ?? before, version, version + 1 + index, epoch);
    open.set(type, written.left);
    return written;
  });
  const [first, ...more] = parts;
  const [firstLeft, other] = unwritten;
  if (!first || !firstLeft) return { writes: [...others], pending: undefined };
  const tooMany = isLarge(planned, others.length) || planned.some((part) => part.tooMany);
  const pending = tooMany
    ? { id: newId(), version, at: cause.at, by: cause.by, ...firstLeft, ...(other && { other }) }
    : undefined;
  const lastChange = described(change, [first.told, ...more.map(({ told }) => told)]);
  const held = parts.map((part) => part.held);
  const writes = [
    updateOf(store, item, held, lastChange, { ...customerSet, ...(pending && { pending }) }, customerWhen),
    ...parts.flatMap(({ always }) => always),
    ...others,
    ...(pending ? [] : parts.flatMap(({ ended }) => ended)),
  ];
  return { writes, pending };
};
