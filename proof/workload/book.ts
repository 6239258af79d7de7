import { now, timestamp } from '../../lib/clock.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import type { CustomerCredit } from '../../lib/routes/credit.ts';
import type { Sale } from '../../lib/routes/sales.ts';
import type { Holding, ModelBonus, ModelCommand } from '../../test/support/model/credit.ts';

/** The one book of the workload: what clients asked for, what they were answered, and what contradicts that. */

/** The time during which somebody asked: in the order of all requests, and by the clock. */
export interface Interval {
  begun: number;
  ended: number;
  /** Milliseconds since 1970. */
  from: number;
  until: number;
}

/** A bonus is given, or taken back as far as it is left. */
type BonusCommand = { kind: 'bonus'; bonus: ModelBonus } | { kind: 'bonusBack'; bonus: ModelBonus };

/** A change of one type of credit that a client asked for. */
export interface AskedChange extends Interval {
  uuid: string;
  type: CreditType;
  /** Its reference, by which its row of history is found. For a redeemed card its id. */
  key: string;
  command: ModelCommand | { kind: 'take' | 'giveBack'; amount: number } | BonusCommand;
  /** The outcome is unknown if a request got no answer and was not repeated. */
  outcome: 'done' | 'refused' | 'unknown';
  answer?: CustomerCredit;
}

/** An answer about a customer's credit. It must have been true at some moment while the client asked. */
export interface SeenCredit extends Interval {
  uuid: string;
  text: string;
  isTrue: (holding: Holding) => boolean;
}

export interface BookSale {
  answer: Sale;
  /** The note of its delivery. */
  message: string;
  asked: Interval;
  refund?: Interval;
  /** The credit that it gave to the buyer. */
  bonus?: ModelBonus;
}

/** A row that a client made, after its last acknowledged change. */
interface BookRow {
  /** The known members of its response. */
  fields: Record<string, unknown>;
  /** The book's step of its last change; infinite while a change is under way. */
  changedAt: number;
}

/** The spend of a customer according to their acknowledged sales. */
export const spendOf = (sales: Iterable<BookSale>, uuid: string): { sum: number; totalOwned: number } => {
  const lasting = [...sales].map(({ answer }) => answer).filter(({ state }) => state === 'completed');
  const bought = lasting.filter(({ buyerUuid }) => buyerUuid === uuid);
  const owned = lasting.filter(({ recipientUuid }) => recipientUuid === uuid).map(({ productId }) => productId);
  return { sum: bought.reduce((sum, { paid, refund }) => sum + paid - refund, 0), totalOwned: new Set(owned).size };
};

export type RowKind = 'PRODUCT' | 'COUPON' | 'GIFTCARD' | 'CATEGORY' | 'CUSTOMER';

const maxFaults = 50;
/** After the end of any run. */
const farAway = Date.UTC(2100, 0, 1);

export const createBook = () => {
  let step = 0;
  let faultCount = 0;
  let farTimes = 0;
  const rows: Record<RowKind, Map<string, BookRow>> = {
    PRODUCT: new Map(),
    COUPON: new Map(),
    GIFTCARD: new Map(),
    CATEGORY: new Map(),
    CUSTOMER: new Map(),
  };
  const faults: string[] = [];
  return {
    rows,
    credit: [] as AskedChange[],
    seen: [] as SeenCredit[],
    /** The product ids in each category. */
    members: new Map<string, Set<string>>(),
    /** The coupon applied to each customer and scope. */
    applied: new Map<string, string>(),
    /**
     * By note: the number of attempts that may have reached the service. A delivery cannot be given more often. The
     * delivery of a refunded sale may not be given at all.
     */
    deliveries: new Map<string, { attempts: number; isRefunded?: true }>(),
    /** By id. */
    sales: new Map<string, BookSale>(),
    /** The ids of gift cards that were redeemed. */
    redeemed: new Set<string>(),
    /** The copies of limited products at the start. */
    stocks: new Map<string, number>(),
    /** By contested code: the number of acknowledged creates. */
    wins: new Map<string, number>(),
    faults,
    faultCount: () => faultCount,
    /** Adds a fault of the service. */
    fault: (text: string): void => {
      faultCount += 1;
      if (faults.length < maxFaults) faults.push(text);
    },
    now: () => step,
    /** Begins a request. The function that it answers ends it. */
    begin: (): (() => Interval) => {
      const [begun, from] = [++step, now()];
      return () => ({ begun, from, ended: ++step, until: now() });
    },
    /** Notes that a change of a row has begun. Its state is unknown until `changed`. */
    changing: (kind: RowKind, id: string): void => {
      const row = rows[kind].get(id);
      if (row) row.changedAt = Number.POSITIVE_INFINITY;
    },
    /** Notes an acknowledged change: these members now have these values. */
    changed: (kind: RowKind, id: string, fields: Record<string, unknown>): void => {
      const before = rows[kind].get(id)?.fields;
      rows[kind].set(id, { fields: { ...before, ...fields }, changedAt: ++step });
    },
    /** A time that is unique in the run. */
    nextFarTime: (): string => timestamp(farAway + ++farTimes),
  };
};

export type Book = ReturnType<typeof createBook>;
