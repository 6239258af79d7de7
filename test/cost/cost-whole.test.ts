import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { type Budget, budgets } from '../support/budgets.ts';
import { costOf, storedBytes, type Units, unitsOf, untilIdle, wholeBudgets } from '../support/budgets-whole.ts';
import { serve, startTestQueue } from '../support/deliveries.ts';
import { keepHistory } from '../support/history.ts';
import { setClock, startTestService, wholeTable } from '../support/service.ts';

let queueUrl = '';
setClock(Date.parse('2027-06-15T12:00:00.000Z'));
const service = await startTestService();
({ url: queueUrl } = await startTestQueue());
process.env.DISPENSER_LOOPBACK = 'allowed';
await keepHistory();
const url = await serve((_, response) => response.end('ok'));
await registerDispenser(service.store, { url, region: '', items: [], keyId: 'KeyOfTests01' });

const measured = async ({ prepare }: Budget): Promise<Units> => {
  const [method, path, body] = await prepare(service.call, service.store);
  await untilIdle(queueUrl);
  return unitsOf(async () => {
    expect((await service.call(method, path, body)).status).toBeLessThan(300);
    await untilIdle(queueUrl);
  });
};

test.each(wholeBudgets)(
  '$endpoint ($when) takes $writes write and $reads read units with all that follows it',
  async ({ endpoint, when, writes, reads }) => {
    const budget = budgets.find((one) => one.endpoint === endpoint && one.when === when) as Budget;
    // Only the first call of a process reads what it then remembers, such as the store.
    await measured(budget);

    expect(await measured(budget)).toEqual({ writes, reads });
  },
);

test('docs/operate/costs.md has a row for each of them, with these units and their price', () => {
  const page = readFileSync(new URL('../../docs/operate/costs.md', import.meta.url), 'utf8');

  for (const one of wholeBudgets) {
    const { table, sum } = costOf(one);
    const row = page.split('\n').find((line) => line.startsWith(`| ${one.row} |`));
    expect(row, one.row).toContain(` ${table.toFixed(2)} (${one.writes} WRU, ${one.reads} RRU) `);
    expect(row, one.row).toContain(` **${sum.toFixed(2)}** `);
  }
});

test('docs/operate/costs.md says how much stays of a sale', async () => {
  const page = readFileSync(new URL('../../docs/operate/costs.md', import.meta.url), 'utf8');
  const { prepare } = budgets.find(({ endpoint, when }) => endpoint === 'create-sale' && when !== 'refused') as Budget;
  const [method, path, body] = await prepare(service.call, service.store);
  await untilIdle(queueUrl);
  const before = storedBytes(await wholeTable());

  await service.call(method, path, body);
  await untilIdle(queueUrl);

  const kilobytes = (storedBytes(await wholeTable()) - before) / 1024;
  expect(page).toContain(`${kilobytes.toFixed(1)} KB`);
});

test('an event that a webhook wants takes 2 write and 2 read units more than the change alone', async () => {
  const change = budgets.find(
    ({ endpoint, when }) => endpoint === 'increment-credit' && when === 'adds, no lot',
  ) as Budget;
  const alone = await measured(change);
  const url = await serve((_, response) => response.end());
  await service.call('POST', '/v1/webhooks', { url, events: ['credit.changed'] });
  await measured(change);

  const { writes, reads } = await measured(change);

  expect([writes - alone.writes, reads - alone.reads]).toEqual([2, 2]);
});
