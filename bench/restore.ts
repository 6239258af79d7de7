import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCredit, checkStrays } from '../cli/audit/checks.ts';
import { checkHistory } from '../cli/audit/history.ts';
import { completeTable, fillFromExport } from '../cli/restored-table.ts';
import { createStore } from '../cli/stores.ts';
import { customerKey, flagsOf, rankedOf, rankOf } from '../lib/store/customers.ts';
import { tableName } from '../lib/table/client.ts';
import { historyRows } from '../test/support/history-rows.ts';
import { putAll } from '../test/support/seed.ts';
import { idOf } from '../test/support/seeded-store.ts';
import { wholeTable } from '../test/support/service.ts';
import { writeExport } from '../test/support/table-export.ts';
import { report, rounded, withTable } from './support.ts';

/** How long a step of a restore takes. */
export interface RestoreStep {
  step: string;
  seconds: number;
}

/** Customers who hold credit, each with the row of history that tells of it. */
function* customersOf(store: string, count: number): Generator<object> {
  for (let number = 0; number < count; number++) {
    const id = idOf(number);
    const lists = { newsSubscriber: false, flags: flagsOf(store, false), ranked: rankedOf(store, false) };
    const credit = { credit: 10_000, creditUnlotted: 10_000, creditVersion: 1 };
    yield {
      ...customerKey(store, id),
      username: `resident${number}`,
      ...lists,
      rank: rankOf(0, id),
      sum: 0,
      ...credit,
    };
    yield* historyRows(store, id, [{ amount: 10_000 }]);
  }
}

/** The drill of docs/operate/recover.md, from the files of an export to true books, on the engine of this machine. */
export const measureRestore = async ({ customers }: { customers: number }): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-export-'));
  try {
    const rows = await withTable(async () => {
      const { id: store } = await createStore('Restored');
      await putAll(customersOf(store, customers));
      writeExport(directory, await wholeTable(), 16);
      const like = tableName();
      const faults: string[] = [];
      const listener = { onFault: (fault: string) => faults.push(fault), onChecked: () => {} };
      const steps: [step: string, work: () => Promise<unknown>][] = [
        ['a table from the files', () => fillFromExport('restored', directory, () => {})],
        ['indexes and stream', () => completeTable('restored', { like, isLocal: true, onStep: () => {} })],
        ['audit: customers', () => checkCredit(store, listener)],
        ['audit: histories', () => checkHistory(store, listener)],
        ['audit: items of nobody', () => checkStrays(store, listener)],
      ];
      const measured: RestoreStep[] = [];
      for (const [step, work] of steps) {
        const started = performance.now();
        await work();
        measured.push({ step, seconds: rounded((performance.now() - started) / 1000, 1) });
        process.env.TABLE_NAME = 'restored';
      }
      if (faults.length > 0) throw new Error(`The restored books are not true: ${faults[0]}`);
      return [
        ...measured,
        {
          step: 'together',
          seconds: rounded(
            measured.reduce((sum, { seconds }) => sum + seconds, 0),
            1,
          ),
        },
      ];
    });
    report('restore', rows, `restore --customers ${customers}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
};
