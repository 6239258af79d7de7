import { beginPayouts } from '../../lib/operator/begin-payouts.ts';
import { bookTransfer } from '../../lib/operator/book-transfer.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import { type Debt, debtsOf } from '../../lib/sale/debts.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { Store } from '../../lib/store/stores.ts';
import { sharedKey } from '../../lib/table/keys.ts';
import { begin, payeeOf } from '../../test/support/model/payouts.ts';
import { type Part, repeatable, send } from './client.ts';
import { isErased } from './erased-items.ts';
import { listOf, type Machine } from './machine.ts';
import type { Operation } from './operation.ts';
import { start, type World } from './world.ts';

/** Operators who begin payouts, and who book transfers from the history of an account. */

/** The place at which an operator first tried to begin payouts, for each machine. */
const begunFrom = new WeakMap<Machine, number>();

/** Begins the payouts of a store. Earlier debts were paid by hand or, with `keep`, may be claimed. */
const beginOperation = (part: Part, mayBegin: Promise<void>): Operation => {
  const { machine, world, name } = part;
  const keep = machine.random.chance(0.3);
  return {
    name,
    text: `begin of payouts${keep ? ', which keeps what is owed' : ''}`,
    run: async () => {
      await mayBegin;
      begunFrom.set(machine, Math.min(begunFrom.get(machine) ?? machine.place, machine.place));
      return send(part, repeatable, () => beginPayouts(world.store, keep));
    },
  };
};

/** A begin that mostly follows a sale at once, whose record has not been consumed yet. */
export const beginOperations = (part: Part, selling: (part: Part) => Operation): Operation[] => {
  if (part.machine.random.chance(0.3)) return [beginOperation(part, Promise.resolve())];
  const sale = selling({ ...part, name: `${part.name} sale` });
  const { promise: isSold, resolve } = Promise.withResolvers<void>();
  return [{ ...sale, run: () => sale.run().finally(resolve) }, beginOperation(part, isSold)];
};

/** A transfer in the history of an account, in one of two files. Some transfers are in both. */
export const bookOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const uuid = random.of([...world.payees, world.avatars[0] as string]);
  const number = random.below(3);
  const id = `0000000${number}-7a45-4000-8000-${uuid.slice(0, 8).padStart(12, '0')}`;
  const amount = [1, 5, 30][number] as number;
  const transfer = { at: start - 3_600_000, id, amount: -amount, file: random.of(['one', 'two']), line: 1 };
  return {
    name,
    text: `booking of a transfer of ${amount} to ${uuid.slice(0, 8)}`,
    run: () => send(part, repeatable, () => bookTransfer(world.store, { uuid, transfer }, [])),
    judge: ({ payouts, booked }, { effect, outcome }) => {
      const { owed } = payeeOf(payouts, uuid);
      if (effect) {
        if (effect.kind !== 'payout' || effect.from !== undefined || booked[id]) return false;
        const { sk, residentUuid: payee, transactionId, state } = effect.item;
        booked[id] = true;
        const isOwn = payee === uuid && transactionId === id && effect.item.amount === amount;
        return isOwn && state === 'paid' && begin(payouts, sk, { payee, amount, state });
      }
      if (outcome.kind === 'unknown') return true;
      return outcome.kind === 'answered' && outcome.body === false && (booked[id] === true || owed < amount);
    },
  };
};

/** A debt, the place at which it was made, and the place from which everybody saw it. */
interface MadeDebt extends Debt {
  place: number;
  shown: number;
}

const madeDebts = ({ commits }: Machine, { table, store }: World): MadeDebt[] => {
  const earlier = listOf<SaleItem>(table, `${store}#SALE`).flatMap((sale) =>
    debtsOf(sale).map((debt) => ({ ...debt, place: -1, shown: -1 })),
  );
  const made = commits.flatMap(({ at, shown, written }) =>
    written.flatMap(({ key, before, after }) => {
      if (key.pk !== `${store}#SALE` || !after || before?.state === after.state) return [];
      const cause = before ? 'refund' : 'shares';
      const debts = debtsOf(after as unknown as SaleItem).filter((debt) => debt.cause === cause);
      return debts.map((debt) => ({ ...debt, place: at, shown }));
    }),
  );
  return [...earlier, ...made];
};

const sumOf = (debts: readonly { amount: number }[]): number => debts.reduce((sum, { amount }) => sum + amount, 0);

/** The place at which payouts were begun in this schedule, if what was owed until then was paid by hand. */
const begunAt = ({ commits }: Machine, store: string): { place: number; until: string } | undefined => {
  const key = sharedKey('STORE', store);
  for (const { at, written } of commits)
    for (const { key: other, before, after } of written) {
      const [was, is] = [before, after] as [Partial<Store> | undefined, Partial<Store> | undefined];
      if (other.pk === key.pk && other.sk === key.sk && !was?.payoutsBegunAt && is?.payoutsPaidUntil)
        return { place: at, until: is.payoutsPaidUntil };
    }
  return undefined;
};

/** The clocks of two processes differ by at most this. */
const skewMillis = 3000;

/** After payouts have begun, nobody is owed for an earlier sale, and no later debt counts as paid. */
export const beginFaults = (machine: Machine, world: World): string[] => {
  const { store, payees, avatars } = world;
  const begun = begunAt(machine, store);
  if (!begun) return [];
  const from = begunFrom.get(machine) ?? 0;
  const until = new Date(Date.parse(begun.until) + skewMillis).toISOString();
  const debts = madeDebts(machine, world);
  return [...payees, avatars[0] as string].flatMap((uuid) => {
    // An erasure removes the references of payouts.
    if (isErased(machine.commits, uuid)) return [];
    const theirs = debts.filter(({ payee }) => payee === uuid);
    const payouts = listOf<PayoutItem>(machine.table, `${store}#PAYOUT`).filter((one) => one.residentUuid === uuid);
    // A person may have called a payout failed since. Then its L$ are owed again.
    const before = payouts.filter(({ reference }) => reference === 'begin');
    const [booked, kept] = [sumOf(before), sumOf(before.filter(({ state }) => state === 'paid'))];
    const byHand = sumOf(
      payouts.filter(({ reference, claimedBy }) => reference !== 'begin' && claimedBy === undefined),
    );
    const least = theirs.filter(({ amount, shown, place }) => (amount > 0 ? shown < from : place < begun.place));
    const most = theirs.filter(({ amount, madeAt, place }) => amount > 0 && (place < begun.place || madeAt < until));
    return [
      ...(booked < sumOf(least) - byHand
        ? [`${uuid} is owed for sales from before payouts began: ${sumOf(least)}, of which ${booked} are booked.`]
        : []),
      ...(kept > sumOf(most) ? [`${uuid} has lost what was sold since payouts began: ${kept} are booked.`] : []),
    ];
  });
};
