import { beforeAll, expect, test } from 'vitest';
import { routes } from '../lib/routes/routes.ts';
import { budgets } from './support/budgets.ts';
import { startTestQueue } from './support/deliveries.ts';
import { setClock, startTestService } from './support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  setClock(Date.parse('2027-06-15T12:00:00.000Z'));
  service = await startTestService();
  await startTestQueue();
});

test.each(budgets)('$endpoint ($when) takes $steps calls and $units units', async ({ prepare, steps, units }) => {
  const [method, path, body] = await prepare(service.call, service.store);

  const { status, cost } = await service.call(method, path, body);

  expect([status, cost?.steps, cost?.units]).toEqual([expect.toSatisfy((code) => code < 300), steps, units]);
});

test('every endpoint of the contract has a budget', () => {
  const ids = routes.filter(({ extension }) => !extension).map(({ id }) => id.replace(/.*\//, ''));

  const budgeted = budgets.map(({ endpoint }) => endpoint);

  expect(ids.filter((id) => !budgeted.includes(id))).toEqual([]);
});
