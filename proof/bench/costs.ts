import { issueKey } from '../../cli/deployment/api-keys.ts';
import { createStore } from '../../cli/deployment/stores.ts';
import { scopes } from '../../lib/routes/route.ts';
import { noteUse } from '../../lib/store/api-keys.ts';
import { ensureQueues, startQueue } from '../../local/engines/queue.ts';
import { budgets } from '../../test/support/budgets.ts';
import { callIn } from './call.ts';
import { report, withTable } from './support.ts';

/** Calls and capacity units of every endpoint beside their budgets; test/cost/budgets.test.ts holds the same. */
interface CostRow {
  endpoint: string;
  when: string;
  calls: number;
  callsBudget: number;
  units: number;
  unitsBudget: number;
}

export const measureCosts = async (): Promise<void> => {
  const queue = await startQueue();
  try {
    const rows = await withTable(async () => {
      const { url } = await ensureQueues(queue.endpoint, 'bench');
      Object.assign(process.env, {
        AWS_ENDPOINT_URL_SQS: queue.endpoint,
        DELIVERY_QUEUE_URL: url,
        DISPENSER_LOOPBACK: 'allowed',
      });
      const { id: store } = await createStore('Bench');
      const { key } = await issueKey({ store, name: 'bench', scopes, stage: 'test' });
      await noteUse(key);
      const call = callIn(store, { keyId: key.id });
      const costs: CostRow[] = [];
      for (const { endpoint, when, steps: callsBudget, units: unitsBudget, prepare } of budgets) {
        const [method, path, body] = await prepare(call, store);
        const { steps: calls = 0, units = 0 } = (await call(method, path, body)).cost ?? {};
        costs.push({ endpoint, when, calls, callsBudget, units, unitsBudget });
      }
      return costs;
    });
    report('costs', rows);
    if (rows.some((row) => row.calls > row.callsBudget || row.units > row.unitsBudget)) process.exitCode = 1;
  } finally {
    await queue.stop();
  }
};
