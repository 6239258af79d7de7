import { budgets } from '../../test/support/budgets.ts';
import { startTestQueue } from '../../test/support/deliveries.ts';
import { startTestService } from '../../test/support/service.ts';
import { report, withTable } from './support.ts';

/**
 * Calls and capacity units of every endpoint, compared with their budgets. test/cost/budgets.test.ts enforces these.
 */
export const measureCosts = (): Promise<void> =>
  withTable(async () => {
    const service = await startTestService();
    await startTestQueue();
    Object.assign(process.env, { DISPENSER_LOOPBACK: 'allowed', STORE_READ_UNITS: '2000' });
    const costs: Record<'calls' | 'callsBudget' | 'units' | 'unitsBudget', number>[] = [];
    for (const { endpoint, when, steps: callsBudget, units: unitsBudget, prepare } of budgets) {
      const call = endpoint === 'end-key' ? service.callAs(await service.keyWith([])) : service.call;
      const request = await prepare(call, service.store);
      const { steps: calls = 0, units = 0 } = (await call(...request)).cost ?? {};
      costs.push({ ...{ endpoint, when }, calls, callsBudget, units, unitsBudget });
    }
    report('costs', costs, { counted: true });
    if (costs.some((row) => row.calls > row.callsBudget || row.units > row.unitsBudget)) process.exitCode = 1;
  });
