import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRestored } from '../../apps/cli/commands/restore-check.ts';
import { completeTable, fillFromExport } from '../../apps/cli/deployment/restored-table.ts';
import { auditChecks } from '../../apps/cli/kinds/kinds.ts';
import { writeExport } from '../../apps/cli/test/support/table-export.ts';
import { dayKey, dayOf } from '../../lib/events/days.ts';
import { revokeKey } from '../../lib/store/api-keys.ts';
import { copyState, issueKey } from '../../lib/store/issued-keys.ts';
import { tableName } from '../../lib/table/client.ts';
import { customerNameKey, residentKey } from '../../lib/table/keys.ts';
import { historyRows } from '../../test/support/history-rows.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { wholeTable } from '../../test/support/service.ts';
import { creditEach, makeShop, nameOf } from './sales.ts';
import { auditing, report, rounded, withTable } from './support.ts';

/** Customers of a shop as residents that the operator knows, the history of their credit, and its day. */
const knownOf = (store: string, customers: number): Record<string, unknown>[] => {
  const all = Array.from({ length: customers }, (_, number) => number);
  const residents = all.flatMap((number) => {
    const known = { uuid: idOf(number), username: nameOf(number) };
    return [
      { ...residentKey(known.uuid), ...known, names: [known.username] },
      { ...customerNameKey(store, known.username), ...known },
    ];
  });
  const history = all.flatMap((number) => ({ ...historyRows(store, idOf(number), [{ amount: creditEach }])[0] }));
  const added = customers * creditEach;
  return [
    ...residents,
    ...history,
    { ...dayKey(store, dayOf(history[0]?.at ?? '')), creditAdded: added, regularNet: added },
  ];
};

/**
 * The drill of docs/operate/recover.md, from the files of an export to correct books, on the engine of this machine.
 */
export const measureRestore = ({ customers }: { customers: number }): Promise<void> =>
  withTable(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bench-export-'));
    const { store } = await makeShop(customers);
    const { key } = await issueKey({ store, name: 'revoked since', scopes: ['store:write'], stage: 'test' });
    writeExport(directory, [...(await wholeTable()), ...knownOf(store, customers)], { files: 16 });
    await revokeKey(key.id);
    const against = tableName();
    const endRevived = async (): Promise<void> => {
      const { revived } = await checkRestored('restored', against, (key) => copyState(key, []));
      if (revived.length !== 1) throw new Error(`${revived.length} keys were ended, not the one that was revoked.`);
      process.env.TABLE_NAME = 'restored';
    };
    const steps: [step: string, work: () => Promise<unknown>][] = [
      ['a table from the files', () => fillFromExport('restored', directory, () => {})],
      ['indexes and stream', () => completeTable('restored', { like: against, isLocal: true, onStep: () => {} })],
      ['revoked keys', endRevived],
      ...auditChecks.map(({ what, check }): (typeof steps)[number] => [`audit: ${what}`, () => check(store, auditing)]),
    ];
    const began = performance.now();
    const measured: { step: string; seconds: number }[] = [];
    const note = (step: string, since: number) =>
      measured.push({ step, seconds: rounded((performance.now() - since) / 1000, 1) });
    for (const [step, work] of steps) {
      const started = performance.now();
      await work();
      note(step, started);
    }
    note('together', began);
    report('restore', measured);
    rmSync(directory, { recursive: true });
  });
