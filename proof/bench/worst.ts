import { routes } from '../../lib/routes/routes.ts';
import { seedWorst, type WorstCall, worstCalls, worstOf } from '../../test/support/budgets-worst.ts';
import { seedResidents } from '../../test/support/residents.ts';
import { callIn } from './call.ts';
import { report, withTable } from './support.ts';

/** The dearest call of every list; test/cost/worst-calls.proof.ts holds the same. */
interface WorstRow extends WorstCall {
  budget: number;
}

export const measureWorst = async (): Promise<void> => {
  const rows = await withTable(async () => {
    await seedResidents();
    const { store, category } = await seedWorst();
    const call = callIn(store, { refused: 400 });
    const measured: WorstRow[] = [];
    for (const { endpoint, growth, units: budget } of worstCalls) {
      const row = routes.find(({ id }) => id.endsWith(`/${endpoint}`));
      if (row) measured.push({ ...(await worstOf(call, row, category)), growth, budget });
    }
    return measured;
  });
  report('worst', rows);
  if (rows.some(({ units, budget }) => units > budget)) process.exitCode = 1;
};
