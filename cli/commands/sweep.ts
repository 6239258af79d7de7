import type { Command } from 'commander';
import { newId } from '../../lib/clock.ts';
import { noteSweep, type SweepReport, sweepDueLots } from '../../lib/credit/sweep.ts';
import { type Column, counted, examples, Failure, print } from '../output.ts';
import { connect } from '../target.ts';

const columns: Column<SweepReport>[] = [
  { heading: 'lots closed', cell: ({ lots }) => lots },
  { heading: 'L$ expired', cell: ({ amount }) => amount },
  { heading: 'customers failed', cell: ({ failed }) => failed },
];

export const addSweep = (program: Command): void => {
  program
    .command('sweep')
    .description('Closes the credit that has expired, in all stores. On AWS this happens every minute by itself.')
    .addHelpText('after', examples('store sweep', 'store sweep --stage prod'))
    .action(async (_, command: Command) => {
      await connect(command.optsWithGlobals());
      const report = await sweepDueLots(`operator ${newId()}`);
      await noteSweep(report);
      print(report, columns);
      if (report.failed > 0)
        throw new Failure(
          `${counted(report.failed, 'customer')} could not be swept, and stay due. The lines above say why.`,
        );
    });
};
