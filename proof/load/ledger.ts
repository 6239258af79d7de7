import { timestamp } from '../../lib/clock.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { type Account, newAccount } from './account.ts';
import type { Increment } from './unrepeated.ts';

/** A row that a client made, after its last acknowledged change. */
interface LedgerRow {
  /** The known members of its response. */
  fields: Record<string, unknown>;
  /** The ledger's step of its last change; infinite while a change is under way. */
  changedAt: number;
}

/** A sale as it was answered. */
interface LedgerSale {
  state: string;
  buyer: string;
  recipient: string;
  productId: string;
  /** The L$ that were paid and not given back. */
  kept: number;
  deliveryId: string | null;
  /** The note of its delivery. */
  message: string;
  tookCredit: boolean;
}

/** The spend of a customer, as their acknowledged sales make it. */
export const spendOf = (sales: Iterable<LedgerSale>, uuid: string): { sum: number; totalOwned: number } => {
  let sum = 0;
  const owned = new Set<string>();
  for (const { state, buyer, recipient, productId, kept } of sales) {
    if (state !== 'completed') continue;
    if (buyer === uuid) sum += kept;
    if (recipient === uuid) owned.add(productId);
  }
  return { sum, totalOwned: owned.size };
};

export type LedgerKind = 'PRODUCT' | 'COUPON' | 'GIFTCARD' | 'CATEGORY' | 'CUSTOMER';

const maxFaults = 50;
/** After the end of any run. */
const farAway = Date.UTC(2100, 0, 1);

/** The clients' record of acknowledged changes, and of answers that contradict them. */
export const createLedger = () => {
  let step = 0;
  let faultCount = 0;
  let farTimes = 0;
  const rows: Record<LedgerKind, Map<string, LedgerRow>> = {
    PRODUCT: new Map(),
    COUPON: new Map(),
    GIFTCARD: new Map(),
    CATEGORY: new Map(),
    CUSTOMER: new Map(),
  };
  const accounts = new Map<string, Account>();
  const faults: string[] = [];
  const account = (uuid: string, type: CreditType): Account => {
    const key = `${uuid} ${type}`;
    const known = accounts.get(key) ?? newAccount();
    accounts.set(key, known);
    return known;
  };

  return {
    rows,
    accounts,
    account,
    /** The product ids in each category. */
    members: new Map<string, Set<string>>(),
    /** The coupon applied to each customer and scope. */
    applied: new Map<string, string>(),
    /**
     * By note: the number of attempts that may have reached the service. A delivery cannot be given more often; that of
     * a refunded sale may not be given at all.
     */
    deliveries: new Map<string, { attempts: number; isRefunded?: true }>(),
    /** By id. */
    sales: new Map<string, LedgerSale>(),
    /** The copies of limited products at the start. */
    stocks: new Map<string, number>(),
    /** By contested code: the number of acknowledged creates. */
    wins: new Map<string, number>(),
    /** Increments without an Idempotency-Key that were done, or may have been. */
    unrepeated: [] as Increment[],
    /** Takes from hot customers: answered ones, and those for which the customer certainly held enough. */
    hotTakes: { answered: 0, covered: 0 },
    faults,
    faultCount: () => faultCount,
    /** Adds a fault of the service. */
    fault: (text: string): void => {
      faultCount += 1;
      if (faults.length < maxFaults) faults.push(text);
    },
    now: () => step,
    /** Notes that a change of a row has begun. Its state is unknown until `changed`. */
    changing: (kind: LedgerKind, id: string): void => {
      const row = rows[kind].get(id);
      if (row) row.changedAt = Number.POSITIVE_INFINITY;
    },
    /** Notes an acknowledged change: these members now have these values. */
    changed: (kind: LedgerKind, id: string, fields: Record<string, unknown>): void => {
      const before = rows[kind].get(id)?.fields;
      rows[kind].set(id, { fields: { ...before, ...fields }, changedAt: ++step });
    },
    nextAmount: (owner: Account): number => ++owner.lastAmount,
    /** A time that nothing else in the run has. */
    nextFarTime: (): string => timestamp(farAway + ++farTimes),
  };
};

export type Ledger = ReturnType<typeof createLedger>;
