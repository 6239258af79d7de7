import { findWrongDays } from '../../apps/cli/books/recount-days.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { backfill, findBackfill } from '../../lib/operator/backfill-history.ts';
import { repairReason } from '../../lib/operator/read-credit.ts';
import { findRepair, repairCredit } from '../../lib/operator/repair-credit.ts';
import { type Part, repeatable, send } from './client.ts';
import { isErased, isHistoryMoving } from './erased-items.ts';
import { lasting, works } from './machine.ts';
import type { Operation } from './operation.ts';

/**
 * The repairs that operators run while everything else happens. Nothing is wrong, so they must find and change nothing.
 */

const causeOf = () => ({ at: timestamp(now()), by: `operator ${newId()}`, reason: repairReason });

/** A repair leaves the last day of history to the stream, and the last minute to the table. That is not a fault. */
const isBehind = (fault: string): boolean => /which may still come|is under way|try again in a minute/.test(fault);

const repairOperation = (part: Part, what: 'credit' | 'history'): Operation => {
  const { machine, world, name } = part;
  const { store } = world;
  const uuid = machine.random.of(world.avatars);
  const found = (text: unknown): void => {
    machine.alarms.push(`${name}, repair of ${what} of ${uuid}, has found ${JSON.stringify(text)}`);
  };
  const repair = async (): Promise<void> => {
    if (what === 'credit') {
      const faults = await repairCredit(store, uuid, causeOf(), ({ corrections }) => found(corrections));
      for (const fault of faults) if (!isBehind(fault)) found(fault);
      return;
    }
    const { rows, faults } = await backfill(store, uuid);
    if (rows.length > 0) found(rows);
    for (const fault of faults) if (!isBehind(fault)) found(fault);
  };
  return {
    name,
    text: `repair of ${what} of ${uuid.slice(0, 8)}`,
    run: () => send(part, repeatable, repair),
    finish: () => lookAtRest(part),
  };
};

/** Longer than the stream keeps a record. */
const days = 3 * 86_400_000;

/** Days later, when the stream brings nothing more, the repairs find nothing either. */
const lookAtRest = async ({ machine, world: { store, avatars } }: Part): Promise<void> => {
  if (!machine.isStreaming) return;
  const later = { ...lasting(machine, 'repairs at rest'), process: { skew: days, states: new Map() } };
  const isLeft = (uuid: string): boolean => !isErased(machine.commits, uuid) && !isHistoryMoving(machine.commits, uuid);
  await works.run(later, async () => {
    for (const uuid of avatars.filter(isLeft)) {
      const [credit, history] = [await findRepair(store, uuid, causeOf()), await findBackfill(store, uuid)];
      if (credit || history.rows.length + history.faults.length > 0)
        machine.alarms.push(`At rest a repair of ${uuid} has found ${JSON.stringify([credit?.corrections, history])}`);
    }
    for (const { day, sums } of await findWrongDays(store, () => undefined))
      machine.alarms.push(`At rest a repair has found the day ${day} ${JSON.stringify(sums)}`);
  });
};

/** Without a stream there is no history. */
export const repairOperations = (part: Part): Operation[] => {
  const { isStreaming, random } = part.machine;
  return [repairOperation(part, isStreaming && random.chance(0.5) ? 'history' : 'credit')];
};
