import { completeTable, fillFromExport, stopPayouts } from '../deployment/restored-table.ts';
import { connect, type GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { counted, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface RestoreTableOptions extends GlobalOptions {
  table: string;
  from?: string;
}

const restore = async ({ table, from, ...options }: RestoreTableOptions): Promise<void> => {
  const { tableName, kind } = await connect(options);
  if (from !== undefined) {
    const progress = startProgress(`Filling ${table}`);
    const { items, changes, until } = await fillFromExport(table, from, progress.update).finally(progress.end);
    const more = changes > 0 ? ` and ${counted(changes, 'change')}` : '';
    const as = until === undefined ? '' : `: the table as it was at ${until}`;
    note(`Put ${counted(items, 'item')}${more} into ${table}${as}.`);
  }
  const stream = await completeTable(table, {
    like: tableName,
    isLocal: kind === 'local',
    onStep: (text) => note(`${text}. This takes minutes, for a large table hours.`),
  });
  const stores = await stopPayouts(table);
  const row = { restoredTable: table, restoredStream: stream };
  print(
    [row],
    [
      { heading: 'restoredTable', cell: ({ restoredTable }) => restoredTable },
      { heading: 'restoredStream', cell: ({ restoredStream }) => restoredStream },
    ],
    '',
  );
  if (stores > 0)
    note(
      `Payouts of ${counted(stores, 'store')} are stopped, since the table owes again what was paid since. After the switch: store reconcile --book, then store payouts resume.`,
    );
  note('Next: store restore-check, then put these two into cdk.context.json and deploy.');
};

export const addRestoreTable = (program: StoreCommand): void => {
  program
    .command('restore-table')
    .description(
      'Gives a restored table what the service needs of it: indexes, backups, protection, bounds and the stream, and stops payouts. With --from it makes the table of an export first. Prints the two settings by which a deployment uses it, and can be repeated.',
    )
    .requiredOption('--table <name>', 'the restored table; with --from, a new one')
    .option(
      '--from <folder>',
      'an export to Amazon S3 on this machine: the folder with manifest-files.json and data/, or the folder AWSDynamoDB with a full export and its increments',
    )
    .examples(
      'store restore-table --stage prod --table store-restored',
      'store restore-table --stage prod --table store-restored --from exports/AWSDynamoDB/01700000000000-a1b2c3d4',
      'store restore-table --stage prod --table store-restored --from exports/AWSDynamoDB',
    )
    .runs(restore);
};
