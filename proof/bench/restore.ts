import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRestored } from '../../cli/commands/restore-check.ts';
import { copyEnd, issueKey } from '../../cli/deployment/api-keys.ts';
import { completeTable, fillFromExport } from '../../cli/deployment/restored-table.ts';
import { createStore } from '../../cli/deployment/stores.ts';
import { auditChecks } from '../../cli/kinds/kinds.ts';
import { dayKey, dayOf, plus, sumsOfRow } from '../../lib/events/days.ts';
import { revokeKey } from '../../lib/store/api-keys.ts';
import { customerKey, subscribed } from '../../lib/store/customers.ts';
import { residentKey } from '../../lib/store/residents.ts';
import { tableName } from '../../lib/table/client.ts';
import { historyRows } from '../../test/support/history-rows.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { wholeTable } from '../../test/support/service.ts';
import { writeExport } from '../../test/support/table-export.ts';
import { report, rounded, withTable } from './support.ts';

/** How long a step of a restore takes. */
interface RestoreStep {
  step: string;
  seconds: number;
}

/**
 * Customers whom the operator knows and who hold credit, each with the row of history that tells of it, and the day of
 * all.
 */
const customersOf = (store: string, count: number): Record<string, unknown>[] => {
  let sums = {};
  let day = '';
  const items = Array.from({ length: count }, (_, number) => {
    const uuid = idOf(number);
    const username = `resident${number}`;
    const [row] = historyRows(store, uuid, [{ amount: 10_000 }]) as [ReturnType<typeof historyRows>[number]];
    sums = plus(sums, sumsOfRow('regular', row as Parameters<typeof sumsOfRow>[1]));
    day = dayOf(String(row.at));
    const credit = { credit: 10_000, creditUnlotted: 10_000, creditVersion: 1 };
    return [
      { ...residentKey(uuid), uuid, username, names: [username] },
      { ...customerKey(store, uuid), username, ...subscribed(store, false), ...credit },
      { ...row },
    ];
  }).flat();
  return [...items, { ...dayKey(store, day), ...sums }];
};

/** The drill of docs/operate/recover.md, from the files of an export to true books, on the engine of this machine. */
export const measureRestore = async ({ customers }: { customers: number }): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-export-'));
  try {
    const rows = await withTable(async () => {
      const { id: store } = await createStore('Restored');
      const { key } = await issueKey({ store, name: 'revoked since', scopes: ['store:write'], stage: 'test' });
      writeExport(directory, [...(await wholeTable()), ...customersOf(store, customers)], { files: 16 });
      await revokeKey(key.id);
      const against = tableName();
      const faults: string[] = [];
      const listener = { onFault: (fault: string) => faults.push(fault), onChecked: () => {} };
      const endRevived = async (): Promise<void> => {
        const { revived } = await checkRestored('restored', against, (key) => copyEnd(key, []));
        if (revived.length !== 1) throw new Error(`${revived.length} keys were ended, not the one that was revoked.`);
        process.env.TABLE_NAME = 'restored';
      };
      const steps: [step: string, work: () => Promise<unknown>][] = [
        ['a table from the files', () => fillFromExport('restored', directory, () => {})],
        ['indexes and stream', () => completeTable('restored', { like: against, isLocal: true, onStep: () => {} })],
        ['revoked keys', endRevived],
        ...auditChecks.map(({ what, check }): [string, () => Promise<unknown>] => [
          `audit: ${what}`,
          () => check(store, listener),
        ]),
      ];
      const measured: RestoreStep[] = [];
      for (const [step, work] of steps) {
        const started = performance.now();
        await work();
        measured.push({ step, seconds: rounded((performance.now() - started) / 1000, 1) });
        console.log(step, measured.at(-1)?.seconds);
      }
      if (faults.length > 0) throw new Error(`The restored books are not true: ${faults[0]}`);
      const together = measured.reduce((sum, { seconds }) => sum + seconds, 0);
      return [...measured, { step: 'together', seconds: rounded(together, 1) }];
    });
    report('restore', rows);
  } finally {
    rmSync(directory, { recursive: true });
  }
};
