import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { everyRow } from '../../../lib/lists/source.ts';
import { findUncounted } from '../../../lib/payout/count.ts';
import { listPayees, movedBy, type Payee, type PayeeSums } from '../../../lib/payout/payees.ts';
import { byId, listed, type PayoutItem } from '../../../lib/payout/payouts.ts';
import type { PayoutState } from '../../../lib/routes/payouts.ts';
import { debtsOf, markOf, uncountedOf } from '../../../lib/sale/debts.ts';
import { listSales, type SaleItem } from '../../../lib/sale/sales.ts';
import { partition, payeeKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import { grouped } from '../terminal/output.ts';
import { type Check, itemsOf } from './audit.ts';
import { columns, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { itemAt, personal } from './personal.ts';

/** The sums that an account should have, according to sales and payouts. */
interface Recount extends Pick<PayeeSums, 'claimed' | 'unknown' | 'paid'> {
  /** The L$ of all debts that are counted. */
  debts: number;
}

const noSums: Recount = { debts: 0, claimed: 0, unknown: 0, paid: 0 };

const placeOf = { claimed: 'claimed', unknown: 'unknown', paid: 'paid', failed: undefined } as const satisfies Record<
  PayoutState,
  keyof Recount | undefined
>;

const readAccounts = async (store: string): Promise<Map<string, Payee>> => {
  const accounts = new Map<string, Payee>();
  const payees = rowsOf<Payee>({ partition: payeeKey(store, '').pk });
  for await (const payee of everyRow(payees, byId)) accounts.set(payee.sk, payee);
  return accounts;
};

/** The faults of a payout by itself. */
const payoutFaults = (payout: PayoutItem, accounts: ReadonlyMap<string, Payee>): string[] => {
  const { sk, residentUuid, amount, state, endedAt } = payout;
  const should = listed(payout);
  const faults: string[] = [];
  if (!accounts.has(residentUuid)) faults.push(`is to ${residentUuid}, who has no account`);
  if (amount < 1) faults.push(`is of L$ ${amount}`);
  if ((state === 'paid' || state === 'failed') !== (endedAt !== undefined))
    faults.push(`is ${state}, and ended at ${endedAt ?? 'no time'}`);
  if ((state === 'claimed') !== (payout.due !== undefined))
    faults.push(`is ${state}, and ${payout.due === undefined ? 'never comes' : 'comes'} due`);
  for (const name of ['ranked', 'rank', 'flags'] as const)
    if (payout[name] !== should[name]) faults.push(`is listed at ${payout[name]}, not ${should[name]}`);
  return faults.map((fault) => `payout ${sk}: ${fault}.`);
};

/** Compares an account with the sums that it should have. */
const accountFaults = (payee: Payee, { debts, ...ends }: Recount): string[] => {
  const { owed, claimed, unknown, paid } = payee;
  const faults: string[] = [];
  const sum = owed + claimed + unknown + paid;
  if (sum !== debts)
    faults.push(`owed, claimed, unknown and paid come to L$ ${sum}, but shares and refunds to L$ ${debts}`);
  for (const name of ['claimed', 'unknown', 'paid'] as const)
    if (payee[name] !== ends[name]) faults.push(`has L$ ${payee[name]} as ${name}, but payouts of L$ ${ends[name]}`);
  const { ranked, rank } = movedBy(payee, {}, '');
  if (payee.ranked !== ranked || payee.rank !== rank)
    faults.push(`is listed at ${payee.rank ?? 'no place'}, not at ${rank ?? 'none'}`);
  return faults.map((fault) => `payee ${payee.sk}: ${fault}.`);
};

/**
 * Adds up what sales and payouts say about each account. It adds a debt if its account has the mark or its sale has the
 * note. So the sums are exact for an account that did not change while sales and payouts were read.
 */
const newRecount = (accounts: ReadonlyMap<string, Payee>) => {
  const sums = new Map<string, Recount>();
  const marks = new Map([...accounts].map(([uuid, { counting = [] }]) => [uuid, new Set(counting)]));
  const uncounted: string[] = [];
  const add = (uuid: string, name: keyof Recount, amount: number): void => {
    const sum = sums.get(uuid) ?? { ...noSums };
    sum[name] += amount;
    sums.set(uuid, sum);
  };
  return {
    sums,
    /** The ids of sales that lack the note for some debt. */
    uncounted,
    addSale: (sale: SaleItem): void => {
      const open = new Set(uncountedOf(sale).map(markOf));
      if (open.size > 0) uncounted.push(sale.sk);
      for (const debt of debtsOf(sale))
        if (!open.has(markOf(debt)) || marks.get(debt.payee)?.has(markOf(debt))) add(debt.payee, 'debts', debt.amount);
    },
    /** Answers the faults that the payout has by itself. */
    addPayout: (payout: PayoutItem): string[] => {
      const place = placeOf[payout.state];
      if (place) add(payout.residentUuid, place, payout.amount);
      return payoutFaults(payout, accounts);
    },
    /** Answers the faults of unchanged accounts, and of missing ones. */
    faults: (after: ReadonlyMap<string, Payee>, isSame: (payee: Payee) => boolean): string[] => [
      ...[...after.values()].filter(isSame).flatMap((payee) => accountFaults(payee, sums.get(payee.sk) ?? noSums)),
      ...[...sums].flatMap(([uuid, { debts }]) =>
        after.has(uuid) ? [] : [`payee ${uuid}: has no account, but shares and refunds of L$ ${debts}.`],
      ),
    ],
  };
};

const uncountedFault = (id: string): string => `sale ${id}: what it owes is not counted. Run store payouts repair.`;

/** Checks the accounts among raw items of one store's table, while nobody changes it. */
export const auditPayees = (items: readonly Key[]): string[] => {
  const accounts = new Map(itemsOf<Payee>(items, '#PAYEE').map((payee) => [payee.sk, payee]));
  const recount = newRecount(accounts);
  for (const sale of itemsOf<SaleItem>(items, '#SALE')) recount.addSale(sale);
  const ofPayouts = itemsOf<PayoutItem>(items, '#PAYOUT').flatMap(recount.addPayout);
  return [...ofPayouts, ...recount.faults(accounts, () => true), ...recount.uncounted.map(uncountedFault)];
};

/** The stream's consumer counts a debt within this time. */
const lagMillis = 5000;

/** Reports sales whose debts are still not counted after a while. */
const uncountedFaults = async (store: string, sales: readonly string[]): Promise<string[]> => {
  const begun = performance.now();
  let left = await findUncounted(store, sales);
  while (left.length > 0 && performance.now() - begun < lagMillis) {
    await sleep(200);
    left = await findUncounted(
      store,
      left.map(({ sk }) => sk),
    );
  }
  return left.map(({ sk }) => uncountedFault(sk));
};

/**
 * For each payee, owed + claimed + unknown + paid equals the sum of their shares and refunds. The sums of their payouts
 * are right. Passes over an account that changes meanwhile.
 */
export const checkPayees: Check = async (store, { onFault, onChecked }) => {
  const before = await readAccounts(store);
  const recount = newRecount(before);
  let count = 0;
  for await (const sale of everyRow(listSales(store), byId)) {
    recount.addSale(sale);
    onChecked(++count);
  }
  for await (const payout of everyRow(rowsOf<PayoutItem>({ partition: partition(store, 'PAYOUT') }), byId)) {
    for (const fault of recount.addPayout(payout)) onFault(fault);
    onChecked(++count);
  }
  const after = await readAccounts(store);
  for (const fault of await uncountedFaults(store, recount.uncounted)) onFault(fault);
  for (const fault of recount.faults(after, ({ sk, version }) => version === before.get(sk)?.version)) onFault(fault);
  return after.size;
};

const any = z.unknown();

/** Says why somebody with this account cannot be erased. */
const payeeBlocker = ({ owed, claimed, unknown }: Payee, mayForfeit: boolean): string | undefined => {
  if (claimed > 0)
    return `L$ ${grouped(claimed)} are being paid to them. Wait until the cashier has reported it, at the longest 10 minutes.`;
  if (unknown > 0)
    return `Nobody knows whether L$ ${grouped(unknown)} were paid to them. Say so first: store payouts show --state unknown, and store payouts settle.`;
  return owed >= 1 && !mayForfeit
    ? `L$ ${grouped(owed)} are owed to them. Pay them first (store payouts pay), or let go of it with --forfeit.`
    : undefined;
};

/**
 * Makes an account a pseudonym's. Nobody can claim from it or pay it. Its sales note that all its debts are counted.
 */
const pseudonymous = ({ counting: _, ...payee }: Payee, store: string, pseudonym: string): Payee =>
  movedBy({ ...payee, ...payeeKey(store, pseudonym), username: pseudonym, isPseudonym: true }, {}, '');

export const payeeItems = personal<Payee>({
  words: ['account of what is owed to them', 'accounts of what is owed to them'],
  effect: 'pseudonym, which is never paid',
  find: (store, uuid) => itemAt(payeeKey(store, uuid)),
  blocker: (payee, { mayForfeit }) => payeeBlocker(payee, mayForfeit),
  kept: (payee, { store, pseudonym }) => pseudonymous(payee, store, pseudonym),
  merged: (payee, there) =>
    movedBy(
      there,
      { owed: payee.owed, claimed: payee.claimed, unknown: payee.unknown, paid: payee.paid },
      payee.since ?? '',
    ),
});

export const payees: Kind = {
  file: {
    name: 'payees',
    summary: 'what the store owes and has paid to each avatar: shares of sales, and refunds to be paid out',
    columns: columns({
      resident: ['text', any, 'who is owed or was paid, by UUID'],
      owed: ['integer', any, 'the L$ that the store owes them; below 0 where it has paid too much'],
      claimed: ['integer', any, 'the L$ that a cashier is paying'],
      unknown: ['integer', any, 'the L$ of which nobody knows whether they were paid'],
      paid: ['integer', any, 'the L$ that were paid'],
    }),
    rows: (store) =>
      rowsFrom(listPayees(store), 'sk', ({ sk: resident, owed, claimed, unknown, paid }) => ({
        resident,
        owed,
        claimed,
        unknown,
        paid,
      })),
  },
  personal: [payeeItems],
  audit: [
    {
      what: 'payees',
      check: checkPayees,
      holds:
        'owed + claimed + unknown + paid = shares of sales + refunds to be paid out; payouts are those of the account; one that changes meanwhile is passed over',
    },
  ],
};
