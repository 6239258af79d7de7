import { timestamp } from '../../lib/clock.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { type Account, newAccount } from './account.ts';
import type { Increment } from './unrepeated.ts';

/** A row that clients made, as its last acknowledged change left it. */
interface LedgerRow {
  /** Members of its response that are known. */
  fields: Record<string, unknown>;
  /** When it was last changed, in steps of the ledger; infinite while a change is under way. */
  touched: number;
}

export type LedgerKind = 'PRODUCT' | 'COUPON' | 'GIFTCARD' | 'CATEGORY' | 'CUSTOMER';

const maxFaults = 50;
/** After the end of any run. */
const farAway = Date.UTC(2100, 0, 1);

/** What the service has acknowledged, kept by the clients, and where its answers contradicted it. */
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
    /** Deliveries by their note: how many attempts may have reached the service. None can be given more often. */
    deliveries: new Map<string, { attempts: number }>(),
    /** How many creates of a code that several clients wanted were acknowledged. */
    wins: new Map<string, number>(),
    /** Increments without an Idempotency-Key that were done, or may have been. */
    unrepeated: [] as Increment[],
    /** How many takes from hot customers were answered, and for how many it is certain that enough was held. */
    hotTakes: { answered: 0, covered: 0 },
    faults,
    faultCount: () => faultCount,
    /** Notes something that the service got wrong. */
    fault: (text: string): void => {
      faultCount += 1;
      if (faults.length < maxFaults) faults.push(text);
    },
    now: () => step,
    /** A change of a row begins: until it is acknowledged its state is not known. */
    changing: (kind: LedgerKind, id: string): void => {
      const row = rows[kind].get(id);
      if (row) row.touched = Number.POSITIVE_INFINITY;
    },
    /** A change is acknowledged: these members now have these values. */
    changed: (kind: LedgerKind, id: string, fields: Record<string, unknown>): void => {
      const before = rows[kind].get(id)?.fields;
      rows[kind].set(id, { fields: { ...before, ...fields }, touched: ++step });
    },
    nextAmount: (owner: Account): number => ++owner.lastAmount,
    /** A time that nothing else in the run has. */
    nextFarTime: (): string => timestamp(farAway + ++farTimes),
  };
};

export type Ledger = ReturnType<typeof createLedger>;
