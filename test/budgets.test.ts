import { beforeAll, expect, test } from 'vitest';
import type { Route } from '../lib/routes/route.ts';
import { routes } from '../lib/routes/routes.ts';
import { budgets } from './support/budgets.ts';
import { startTestQueue } from './support/deliveries.ts';
import { exampleOf, seedExamples } from './support/example-requests.ts';
import { seedResidents } from './support/residents.ts';
import { setClock, startTestService } from './support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  setClock(Date.parse('2027-06-15T12:00:00.000Z'));
  service = await startTestService();
  await startTestQueue();
  process.env.DISPENSER_LOOPBACK = 'allowed';
});

test.each(budgets)('$endpoint ($when) takes $steps calls and $units units', async ({ prepare, steps, units }) => {
  const [method, path, body] = await prepare(service.call, service.store);

  const { status, cost } = await service.call(method, path, body);

  expect([status, cost?.steps, cost?.units]).toEqual([expect.toSatisfy((code) => code < 300), steps, units]);
});

const isBudgeted = ({ id }: Route): boolean => budgets.some(({ endpoint }) => endpoint === id.replace(/.*\//, ''));

/** The budget of a new row until it has one of its own. */
const ceiling = { steps: 3, units: 8 };

test.each(routes.filter((row) => !isBudgeted(row)))('$id takes at most 3 calls and 8 units', async (row) => {
  await seedResidents();
  const { path, body } = exampleOf(row, await seedExamples(service.call, row.id), `New ${row.id}`);

  const { status, cost } = await service.call(row.method, path, body);

  expect(status).toBe(row.status);
  expect(cost?.steps).toBeLessThanOrEqual(ceiling.steps);
  expect(cost?.units).toBeLessThanOrEqual(ceiling.units);
});

test('every endpoint of the contract has a budget', () => {
  const without = routes.filter((row) => !row.extension && !isBudgeted(row));

  expect(without.map(({ id }) => id)).toEqual([]);
});
