import type { Command } from 'commander';
import { listStores, type Store } from '../../lib/store/stores.ts';
import { type Column, print, shownTime } from '../output.ts';
import { connect } from '../target.ts';

const columns: Column<Store>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'created', cell: ({ createdAt }) => shownTime(createdAt) },
];

export const addStores = (program: Command): void => {
  program
    .command('list')
    .description('Lists the stores.')
    .action(async (_, command: Command) => {
      await connect(command.optsWithGlobals());
      print(await listStores(), columns, 'There is no store yet. Make one: store create "My Store"');
    });
};
