import { readResident, type StoredResident } from '../avatars/residents.ts';
import { now, timestamp } from '../clock.ts';
import { countedNote, type Debt, markOf, uncountedOf } from '../sale/debts.ts';
import type { SaleItem } from '../sale/sales.ts';
import { findStore } from '../store/stores.ts';
import { payeeKey, saleKey, storeResidentKey } from '../table/keys.ts';
import { all, is, update } from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import { get, getMany, inChunks, transact, writeUnstamped } from '../table/table.ts';
import { paidBefore } from './claim.ts';
import { newPayee, type Payee, payeeWrite, withDebts } from './payees.ts';
import { payoutWrite } from './payouts.ts';

/**
 * Counts the debts that sales make, in the accounts of the payees. Each debt is counted once, even if a consumer dies,
 * if it hears of sales twice or in another order, or if others count too. An account and its sale are two items, and a
 * transaction over both would cost twice as much. So one write puts a debt and the debt's mark into the account, on
 * condition of the account's version. Then the sale notes that its debts are counted. A later write of the account
 * drops the marks that such notes have made needless. A debt is counted if its account has the mark or its sale the
 * note. Accounts are read before sales. So if a counter finds neither mark nor note, nobody had counted the debt before
 * that version of the account. If somebody counts it now, the write is refused.
 */

/** The most sales that are counted together: an account may have a mark for each. */
const salesAtOnce = 25;
const payeesAtOnce = 25;

/** A new account. The store's own word about an avatar says whether the account belongs to a pseudonym. */
const begunFor = async (store: string, uuid: string): Promise<Payee> => {
  const [resident, told] = await Promise.all([
    readResident(store, { uuid }),
    get<StoredResident>(storeResidentKey(store, uuid)),
  ]);
  const payee = newPayee(payeeKey(store, uuid), resident?.username ?? uuid);
  return told?.isPseudonym ? { ...payee, isPseudonym: true } : payee;
};

const saleIdOf = (mark: string): string => mark.slice(0, mark.indexOf(' '));

/** The sales whose debts an account may already hold although their notes do not say so. */
export const markedSales = ({ counting = [] }: Payee): string[] => counting.map(saleIdOf);

/** A debt is normally counted within seconds. If it is older than this, payouts may have begun after it was made. */
const lateMillis = 60_000;

/**
 * The time until which the merchant has paid such debts by hand. Empty if there is none, and if all debts are too new
 * to have been paid.
 */
const paidUntilOf = async (store: string, debts: readonly Debt[]): Promise<string> => {
  const isLate = debts.some(({ madeAt }) => Date.parse(madeAt) < now() - lateMillis);
  return (isLate ? (await findStore(store))?.payoutsPaidUntil : undefined) ?? '';
};

/**
 * Replaces the account `before` by one with further debts. The same transaction books the debts that the merchant has
 * paid by hand as paid. Answers whether the account was still as it was read.
 */
const putCounted = async (counted: Payee, before: Payee | undefined, paid: number): Promise<boolean> => {
  // Others may begin the same account. So after a lost answer, an existing account may be theirs.
  if (paid < 1 || counted.isPseudonym) return (await writeUnstamped(payeeWrite(counted, before))).done;
  const { payout, after } = paidBefore(counted, paid);
  return !(await transact([payoutWrite(payout), payeeWrite(after, before)]));
};

/** Counts the debts of these sales to these payees. Answers the payees whose accounts have changed since the read. */
const countOnce = async (store: string, saleIds: readonly string[], payees: readonly string[]): Promise<string[]> => {
  const found = await getMany<Payee>(
    payees.map((uuid) => payeeKey(store, uuid)),
    { consistent: true },
  );
  const accounts = new Map(found.map((payee) => [payee.sk, payee]));
  const marked = found.flatMap(markedSales);
  const sales = await getMany<SaleItem>(
    [...new Set([...saleIds, ...marked])].map((id) => saleKey(store, id)),
    { consistent: true },
  );
  const open = new Map<string, Debt[]>(sales.map((sale) => [sale.sk, uncountedOf(sale)]));
  const asked = new Set(saleIds);
  const at = timestamp(now());
  const paidUntil = await paidUntilOf(
    store,
    saleIds.flatMap((id) => open.get(id) ?? []),
  );
  const countFor = async (uuid: string): Promise<string[]> => {
    const before = accounts.get(uuid);
    const isTheirs = ({ payee }: Debt): boolean => payee === uuid;
    const theirs = [...open.values()].flat().filter(isTheirs);
    const marks = before?.counting ?? [];
    const missing = theirs.filter((debt) => asked.has(debt.saleId) && !marks.includes(markOf(debt)));
    if (missing.length === 0) return [];
    const needed = theirs.filter((debt) => marks.includes(markOf(debt))).concat(missing);
    const counted = withDebts(before ?? (await begunFor(store, uuid)), missing, needed.map(markOf), at);
    const paid = missing.filter(({ madeAt }) => madeAt < paidUntil).reduce((sum, { amount }) => sum + amount, 0);
    return (await putCounted(counted, before, paid)) ? [] : [uuid];
  };
  return (await Promise.all(payees.map(countFor))).flat();
};

/** Notes on a sale that its debts are counted. Answers false if somebody else has noted some since the read. */
const note = async (sale: SaleItem): Promise<boolean> => {
  const set = countedNote(sale);
  const when = all(...Object.keys(set).map((name) => is(name, 0)));
  return (await writeUnstamped(update(sale, { set, when }))).done;
};

const hasOpen = (sale: SaleItem): boolean => uncountedOf(sale).length > 0;

const findSales = (store: string, saleIds: readonly string[]): Promise<SaleItem[]> =>
  getMany<SaleItem>(
    [...new Set(saleIds)].map((id) => saleKey(store, id)),
    { consistent: true },
  );

/** The sales whose debts are not all noted as counted. */
export const findUncounted = async (store: string, saleIds: readonly string[]): Promise<SaleItem[]> =>
  (await findSales(store, saleIds)).filter(hasOpen);

/** A sale whose debts must be counted: its id and, if a record of the stream told it, its notes. */
type OwingSale = Pick<SaleItem, 'sk'> & Partial<Pick<SaleItem, 'countedShares' | 'countedRefund'>>;

/** Tells whether a sale that was read has all the notes that a record told. */
const shows = (found: readonly SaleItem[], { sk, countedShares, countedRefund }: OwingSale): boolean => {
  const sale = found.find((one) => one.sk === sk);
  return (
    (countedShares === undefined || sale?.countedShares !== undefined) &&
    (countedRefund === undefined || sale?.countedRefund !== undefined)
  );
};

/** Counts the debts of the sales in one group. Answers whether all of them are noted. */
const countTogether = async (store: string, owing: readonly OwingSale[]): Promise<boolean> => {
  const found = await findSales(
    store,
    owing.map(({ sk }) => sk),
  );
  const sales = found.filter(hasOpen);
  const open = sales.map(({ sk }) => sk);
  const payees = [...new Set(sales.flatMap(uncountedOf).map(({ payee }) => payee))];
  for (const some of inChunks(payees, payeesAtOnce)) {
    let left = some;
    await repeat(async () => {
      left = await countOnce(store, open, left);
      return left.length === 0 ? { result: undefined } : undefined;
    });
  }
  const areNoted = await Promise.all(sales.map(note));
  // The items of a transaction become visible one by one, so a record may be read before its sale.
  return areNoted.every((isNoted) => isNoted) && owing.every((one) => shows(found, one));
};

/** Counts the debts of these sales that are not counted yet. Throws if the table refuses a part. */
export const countDebts = async (store: string, owing: readonly OwingSale[]): Promise<void> => {
  const sales = [...new Map(owing.map((sale) => [sale.sk, sale])).values()];
  for (const some of inChunks(sales, salesAtOnce))
    await repeat(async () => ((await countTogether(store, some)) ? { result: undefined } : undefined));
};
