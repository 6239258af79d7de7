import { newId } from '../../../lib/clock.ts';
import { type SweepReport, sweep as sweepAll } from '../../../lib/credit/sweep.ts';
import { sendUnsent } from '../../../lib/sale/sweep.ts';
import { connect, type GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { type Column, counted, print } from '../terminal/output.ts';

const columns: Column<SweepReport & { ordered: number }>[] = [
  { heading: 'lots closed', cell: ({ lots }) => lots },
  { heading: 'L$ expired', cell: ({ amount }) => amount },
  { heading: 'deliveries ordered', cell: ({ ordered }) => ordered },
  { heading: 'names followed', cell: ({ renamed }) => renamed },
  { heading: 'failed', cell: ({ failed }) => failed },
];

const sweep = async (options: GlobalOptions): Promise<void> => {
  await connect(options);
  let sent = { ordered: 0, failed: 0 };
  const order = async (): Promise<void> => {
    sent = await sendUnsent();
  };
  const { report, errors } = await sweepAll(`operator ${newId()}`, undefined, [order]);
  print({ ...report, ordered: sent.ordered }, columns);
  if (errors.length > 0) throw errors[0];
  if (report.failed > 0)
    throw new Failure(
      `${counted(report.failed, 'customer or resident', 'customers or residents')} could not be swept. The lines above say why. They stay due for the next sweep.`,
    );
  if (sent.failed > 0)
    throw new Failure(
      `The deliveries of ${counted(sent.failed, 'sale')} could not be ordered. The lines above say why. The next sweep tries again.`,
    );
};

export const addSweep = (program: StoreCommand): void => {
  program
    .command('sweep')
    .description(
      'Closes the credit that has expired, orders the deliveries of sales that nothing has ordered, and replaces the names of renamed residents, in all stores. On AWS a schedule does this every minute.',
    )
    .examples('store sweep', 'store sweep --stage prod')
    .runs(sweep);
};
