import { newId } from '../../lib/clock.ts';
import { noteSweep, type SweepReport, sweepDueLots } from '../../lib/credit/sweep.ts';
import type { StoreCommand } from '../command.ts';
import { Failure } from '../errors.ts';
import { type Column, counted, print } from '../output.ts';
import { connect, type GlobalOptions } from '../target.ts';

const columns: Column<SweepReport>[] = [
  { heading: 'lots closed', cell: ({ lots }) => lots },
  { heading: 'L$ expired', cell: ({ amount }) => amount },
  { heading: 'customers failed', cell: ({ failed }) => failed },
];

const sweep = async (options: GlobalOptions): Promise<void> => {
  await connect(options);
  const report = await sweepDueLots(`operator ${newId()}`);
  await noteSweep(report);
  print(report, columns);
  if (report.failed > 0)
    throw new Failure(
      `${counted(report.failed, 'customer')} could not be swept. The lines above say why. Their credit stays due for the next sweep.`,
    );
};

export const addSweep = (program: StoreCommand): void => {
  program
    .command('sweep')
    .description('Closes the credit that has expired, in all stores. On AWS a schedule does this every minute.')
    .examples('store sweep', 'store sweep --stage prod')
    .runs(sweep);
};
