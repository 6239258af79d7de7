import { createHash } from 'node:crypto';
import type { CustomerItem } from '../avatars/customers.ts';
import { timestamp } from '../clock.ts';
import { type CustomerCredit, changeKinds } from '../routes/credit.ts';
import { LaterShape } from '../shape.ts';
import { all, type Condition, holds, type Item, is } from '../table/language.ts';
import type { PendingChange } from './lot.ts';
import { type CreditCommand, type CreditType, creditTypes, type Holding } from './rules.ts';

/** The attributes of a customer's item that keep the holding of each credit type. */
export const attributes = {
  regular: {
    balance: 'credit',
    unlotted: 'creditUnlotted',
    lots: 'creditLots',
    due: 'creditDue',
    epoch: 'creditEpoch',
    newest: 'creditNewest',
    checksum: 'creditMark',
  },
  restricted: {
    balance: 'restrictedCredit',
    unlotted: 'restrictedUnlotted',
    lots: 'restrictedLots',
    due: 'restrictedDue',
    epoch: 'restrictedEpoch',
    newest: 'restrictedNewest',
    checksum: 'restrictedMark',
  },
} as const satisfies Record<CreditType, Record<keyof Holding | 'epoch' | 'newest' | 'checksum', string>>;

interface ImportedRow {
  id: string;
  amount: number;
}

export type ChangeKind = (typeof changeKinds)[number];

/** The texts of a request about its change. An empty text is absent. */
export interface Remarks {
  reason?: string | undefined;
  reference?: string | undefined;
}

/** Who makes a change of credit, and why. */
export interface Author extends Remarks {
  /**
   * The id of the request, or a name of the process, such as a sweep. The lots that the change adds or ends keep it.
   */
  by: string;
  /** The id of the API key, if a request with a key makes the change. */
  keyId?: string;
  /** A customer makes it on their page, by the request `by`. */
  isOwn?: true;
}

/** The time of a change, and its author. */
export interface Cause extends Author {
  at: string;
}

/** The author of a change that a request makes. */
export const authorOf = ({
  id,
  keyId,
  body: { reason, reference },
}: {
  id: string;
  keyId: string;
  body: Remarks;
}): Author => ({
  by: id,
  keyId,
  ...(reason !== undefined && { reason }),
  ...(reference !== undefined && { reference }),
});

/** A type of credit that changed. */
export interface ChangedType {
  type: CreditType;
  /** The L$ that came due in the same change, if any. */
  expired?: number;
  /** The L$ of a bonus that was given or, negative, taken back: a separate row. */
  bonus?: number;
  /** The bonus is permanent credit. */
  isPermanent?: true;
}

/**
 * The last change of a customer's credit. Each change overwrites it in the customer's item. The stream's consumer makes
 * the rows of history from it and from the balances before and after.
 */
export interface LastChange extends Remarks {
  kind: ChangeKind;
  at: string;
  /**
   * The types of credit that changed. Each is a row of history. The last row has the number `creditVersion`, the row
   * before it the number before that.
   */
  types: ChangedType[];
  /** The ids of the request and of its API key, if a request made the change. */
  requestId?: string;
  keyId?: string;
  saleId?: string;
  giftCardId?: string;
  /** Of an undo: the number of the change that it undoes. */
  undoes?: number;
}

/**
 * A `LastChange` as the customer's item keeps it. It is short, because every row of a list of customers has it: longer
 * rows would make a page cost more to read.
 */
interface StoredChange extends Remarks {
  /** The first three letters of the kind. */
  k: string;
  /** The time, in milliseconds since 1970. */
  t: number;
  /**
   * The types that changed, `r` for regular and `s` for restricted, each with the L$ that came due: `s r30`. A bonus is
   * a capital, with its L$, `p` if it is permanent, and what came due: `R-5`, `S12p`, `S12x30`.
   */
  y: string;
  /** The request's id, and the key's. */
  i?: string;
  b?: string;
  saleId?: string;
  giftCardId?: string;
  undoes?: number;
}

/** A kind of change as a customer's item keeps it. */
const shortKind = (kind: ChangeKind): string => kind.slice(0, 3);

const letters: Record<CreditType, string> = { regular: 'r', restricted: 's' };

const shortType = ({ type, expired, bonus, isPermanent }: ChangedType): string =>
  bonus === undefined
    ? `${letters[type]}${expired ?? ''}`
    : `${letters[type].toUpperCase()}${bonus}${isPermanent ? 'p' : ''}${expired === undefined ? '' : `x${expired}`}`;

/** Their groups: the letter and what came due; in `bonusForm` the letter, the bonus, `p`, and what came due. */
const changeForm = /^([a-z])(\d+)?$/;
const bonusForm = /^([A-Z])(-?\d+)(p)?(?:x(\d+))?$/;

const partsOf = (text: string): (string | undefined)[] => {
  const [, letter, expired] = changeForm.exec(text) ?? [];
  return letter === undefined ? (bonusForm.exec(text) ?? []).slice(1) : [letter, undefined, undefined, expired];
};

/** Throws LaterShape for a type that this version does not know. */
const changedType = (text: string): ChangedType => {
  const [letter, bonus, p, expired] = partsOf(text);
  const type = creditTypes.find((each) => letters[each] === letter?.toLowerCase());
  if (!type) throw new LaterShape();
  return {
    type,
    ...(expired !== undefined && { expired: Number(expired) }),
    ...(bonus !== undefined && { bonus: Number(bonus) }),
    ...(p !== undefined && { isPermanent: true }),
  };
};

/** A change as a customer's item keeps it. */
export const storedChange = ({ kind, at, types, requestId, keyId, ...others }: LastChange): StoredChange => ({
  k: shortKind(kind),
  t: Date.parse(at),
  y: types.map(shortType).join(' '),
  ...(requestId !== undefined && { i: requestId }),
  ...(keyId !== undefined && { b: keyId }),
  ...others,
});

/** A customer's item as the credit rules see it. */
export interface CreditItem extends CustomerItem {
  creditUnlotted?: number;
  creditLots?: number;
  creditDue?: string;
  creditEpoch?: string;
  /** The sort key of the lot that was added last. */
  creditNewest?: string;
  /** The checksum of the open lots: see whole-lots.ts. Absent without lots. */
  creditMark?: string;
  restrictedUnlotted?: number;
  restrictedLots?: number;
  restrictedDue?: string;
  restrictedEpoch?: string;
  restrictedNewest?: string;
  restrictedMark?: string;
  /** Goes up by one with every change of credit of one type. A sale or refund that changes both types adds two. */
  creditVersion?: number;
  lastChange?: StoredChange;
  /**
   * The version up to which only imports have changed the credit. While it equals `creditVersion`, the store itself has
   * never touched the credit, and more may be imported.
   */
  importedVersion?: number;
  /** For each type, the row of an import that set the unlotted credit. */
  importedCredit?: ImportedRow;
  importedRestricted?: ImportedRow;
  /** The part of an earlier, large change that must still be written. */
  pending?: PendingChange;
  /** An erasure moved the credit here from an avatar. That was no change of credit. */
  moved?: true;
  /** The shard of the index of customers by due time, and the earlier due time of both types. */
  dues?: string;
  due?: string;
}

export const holdingOf = (item: CreditItem, type: CreditType): Holding => {
  const { balance, unlotted, lots, due } = attributes[type];
  const next = item[due];
  return {
    balance: item[balance] ?? 0,
    unlotted: item[unlotted] ?? 0,
    lots: item[lots] ?? 0,
    ...(next !== undefined && { due: next }),
  };
};

/**
 * The last change of a customer's credit; undefined if the item has none. Throws LaterShape for a kind or type that
 * this version does not know.
 */
export const lastChangeOf = ({ lastChange }: Pick<CreditItem, 'lastChange'>): LastChange | undefined => {
  if (!lastChange) return undefined;
  const { k, t, y, i, b, ...others } = lastChange;
  const types = y.split(' ').map(changedType);
  const kind = changeKinds.find((each) => each.startsWith(k));
  if (!kind) throw new LaterShape();
  return {
    kind,
    at: timestamp(t),
    types,
    ...(i !== undefined && { requestId: i }),
    ...(b !== undefined && { keyId: b }),
    ...others,
  };
};

export const otherType = (type: CreditType): CreditType => (type === 'regular' ? 'restricted' : 'regular');

const shards = 8;

const shardName = (shard: number): string => `CUSTOMER#DUE#${shard}`;

/** The partitions of the index of customers by due time: several, since all stores share it. */
export const dueShards: readonly string[] = Array.from({ length: shards }, (_, shard) => shardName(shard));

export const dueShardOf = (uuid: string): string =>
  shardName((createHash('sha256').update(uuid).digest()[0] ?? 0) % shards);

/** A customer's balances as the API answers them. */
export const creditOf = ({ sk, username, credit = 0, restrictedCredit = 0 }: CreditItem): CustomerCredit => ({
  uuid: sk,
  username,
  credit,
  restrictedCredit,
});

/** Balances, and the number of the change that made them. */
export interface ChangedCredit extends CustomerCredit {
  sequence: number | undefined;
}

export const changedCreditOf = (item: CreditItem): ChangedCredit => ({
  ...creditOf(item),
  sequence: item.creditVersion,
});

/**
 * The condition that a customer's credit is as it was read. The changes of an avatar who was erased and came back have
 * the same numbers once more, so the last change must be the same too.
 */
export const asCredited = (item: Pick<CreditItem, 'creditVersion' | 'lastChange'> | undefined): Condition =>
  all(is('creditVersion', item?.creditVersion), is('lastChange', item?.lastChange));

/** Tells whether a customer's credit, read again, is as it was read before. */
export const isSameCredit = (before: CreditItem | undefined, item: CreditItem | undefined): boolean =>
  holds(asCredited(before), item as Item | undefined);

/** A command on a customer's credit of one type. */
export interface Part {
  type: CreditType;
  command: CreditCommand;
}

/** A change that a request makes to one customer's credit of one type. */
export interface Change extends Part {
  store: string;
  uuid: string;
  cause: Cause;
  /** The kind of a change that is more than its command, and the sale or gift card that it belongs to. */
  occasion?: Pick<LastChange, 'kind' | 'saleId' | 'giftCardId' | 'undoes'>;
  /** False once there is no time left to close due lots, or to finish a pending change. */
  hasTime: () => boolean;
}

/** The largest balance that set and increment may make. */
export const creditLimit = (): number => Number(process.env.CREDIT_LIMIT ?? 1_000_000_000);
