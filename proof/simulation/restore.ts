import { correctDay, findWrongDays } from '../../apps/cli/books/recount-days.ts';
import { stopPayouts } from '../../apps/cli/deployment/restored-table.ts';
import type { CreditItem } from '../../lib/credit/state.ts';
import { backfill } from '../../lib/operator/backfill-history.ts';
import { resumePayouts } from '../../lib/operator/begin-payouts.ts';
import { bookTransfer } from '../../lib/operator/book-transfer.ts';
import { findRepair } from '../../lib/operator/repair-credit.ts';
import { countSales, findUncountedSales } from '../../lib/operator/repair-payouts.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import { begin } from '../../test/support/model/payouts.ts';
import { noPrices } from '../../test/support/model/prices.ts';
import { type Part, repeatable, send } from './client.ts';
import { lasting, listOf, Machine, works } from './machine.ts';
import type { Operation } from './operation.ts';
import { quietly, type State, type World } from './world.ts';

/**
 * A restore: the table as of a commit, without everything that came later. The queue stays, and so do the acts of
 * dispensers and cashiers. The restored table has its own stream. Records that the old stream has not brought yet never
 * come.
 */

/** The table of a world as of a commit of its machine. */
export const tableAsOf = ({ commits }: Machine, { table }: World, last: number): World['table'] => {
  const restored = table.copy();
  for (const { written } of commits.slice(0, last + 1)) for (const { key, after } of written) restored.set(key, after);
  return restored;
};

/** The payouts whose L$ were moved but that the restored table does not have. */
const lostTransfers = ({ transfers, commits }: Machine, { table, store }: World): PayoutItem[] =>
  [...transfers.keys()].flatMap((id) => {
    if (table.get({ pk: `${store}#PAYOUT`, sk: id })) return [];
    const made = commits.flatMap(({ written }) => written).find(({ key }) => key.sk === id);
    return made?.after ? [made.after as unknown as PayoutItem] : [];
  });

/** Stops payouts, and books transfers that the table has lost, as an operator does while all programs are stopped. */
const stopAndBook = async (machine: Machine, world: World, lost: readonly PayoutItem[]): Promise<void> => {
  const { store, state, table } = world;
  await stopPayouts(process.env.TABLE_NAME ?? '');
  state.isStopped = true;
  for (const { sk: id, residentUuid: uuid, amount, createdAt } of lost) {
    const transfer = { at: Date.parse(createdAt), id, amount: -amount, file: 'history', line: 1 };
    // Both files have it.
    for (const file of ['history', 'again']) {
      if (!(await bookTransfer(store, { uuid, transfer: { ...transfer, file } }, []))) continue;
      const booked = listOf<PayoutItem>(table, `${store}#PAYOUT`).find(({ transactionId }) => transactionId === id);
      if (!booked || !begin(state.payouts, booked.sk, { payee: uuid, amount, state: 'paid' }))
        machine.alarms.push(`The transfer ${id} was booked twice, or where less was owed.`);
    }
  }
};

/** The machine and the world with which a schedule continues after a restore. */
export const restored = async (
  before: Machine,
  { world, state, table, seed }: { world: World; state: State; table: World['table']; seed: number },
): Promise<{ machine: Machine; world: World }> => {
  const machine = new Machine(seed, table, before.time + 60_000, before.trouble, before.trace !== undefined);
  machine.trace?.push(...(before.trace ?? []), 'The table is restored.');
  machine.isRestored = true;
  machine.processes = before.processes.map(({ skew }) => ({ skew, states: new Map() }));
  machine.queue.push(...before.queue);
  // The places of the earlier machine mean nothing here.
  const own: State = { ...structuredClone(state), prices: noPrices() };
  const after: World = { ...world, table: table.copy(), state: own };
  const lost = lostTransfers(before, after);
  for (const [id, times] of before.transfers) if (!lost.some(({ sk }) => sk === id)) machine.transfers.set(id, times);
  await quietly(machine, () => stopAndBook(machine, { ...after, table }, lost));
  machine.isQuiet = false;
  return { machine, world: { ...after, table: table.copy() } };
};

/** Resumes payouts. */
export const resumeOperation = (part: Part): Operation => ({
  name: part.name,
  text: 'resume of payouts',
  run: () => send(part, repeatable, () => resumePayouts(part.world.store, [])),
});

const days = 3 * 86_400_000;

/**
 * Repairs the books with everything that the guide names, days later, when the stream brings nothing more. Records that
 * the old stream has not brought are missing.
 */
export const repairBooks = async (machine: Machine, { store }: World): Promise<void> => {
  await countSales(store, await findUncountedSales(store, () => undefined), () => undefined);
  const later = { ...lasting(machine, 'repairs'), process: { skew: days, states: new Map() } };
  await works.run(later, async () => {
    for (const { sk: uuid } of listOf<CreditItem>(machine.table, `${store}#CUSTOMER`)) {
      const cause = { at: new Date(machine.time + days).toISOString(), by: 'operator' };
      const repair = await findRepair(store, uuid, cause);
      if (repair) machine.alarms.push(`After a restore a repair of ${uuid} finds ${JSON.stringify(repair)}`);
      // Each step may reveal the next.
      for (let step = 0; step < 3; step++) await backfill(store, uuid);
    }
    for (const wrong of await findWrongDays(store, () => undefined)) await correctDay(store, wrong);
  });
};
