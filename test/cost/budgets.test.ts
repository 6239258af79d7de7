import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forgetResidents } from '../../lib/avatars/residents.ts';
import { type Route, takesIfMatch } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { budgets } from '../support/budgets.ts';
import { worstCalls } from '../support/budgets-worst.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { exampleOf, routesOfKeys, seedExamples } from '../support/example-requests.ts';
import { newResident, seedResidents } from '../support/residents.ts';
import { setClock, startTestService } from '../support/service.ts';

setClock(Date.parse('2027-06-15T12:00:00.000Z'));
const service = await startTestService();
await startTestQueue();
process.env.DISPENSER_LOOPBACK = 'allowed';
process.env.STORE_READ_UNITS = '2000';

test.each(budgets)(
  '$endpoint ($when) takes $steps calls and $units units',
  async ({ endpoint, prepare, steps, overlaps, units }) => {
    const call = endpoint === 'end-key' ? service.callAs(await service.keyWith([])) : service.call;
    const request = await prepare(call, service.store);

    const { status, cost } = await call(...request);

    const counted = overlaps && cost?.steps === steps - 1 ? steps : cost?.steps;
    expect([status, counted, cost?.units]).toEqual([expect.toSatisfy((code) => code < 300), steps, units]);
  },
);

const isBudgeted = ({ id }: Route): boolean => budgets.some(({ endpoint }) => endpoint === id.replace(/.*\//, ''));

const conditional = budgets.filter(({ endpoint }) =>
  routes.some((row) => takesIfMatch(row) && row.id.endsWith(`/${endpoint}`)),
);

const etagOf = async (path: string): Promise<string> =>
  (await service.call('GET', path.replace(/\/limits$/, ''))).headers.get('etag') ?? 'no ETag';

test.each(conditional)(
  'with If-Match $endpoint ($when) takes one read more, with * none, and a refusal is that read',
  async ({ prepare, steps, units }) => {
    const costs: unknown[] = [];
    for (const ifMatch of ['current', '*', '"another"']) {
      const [method, path, body] = await prepare(service.call, service.store);
      const headers = { 'If-Match': ifMatch === 'current' ? await etagOf(path) : ifMatch };
      const { status, cost } = await service.call(method, path, body, headers);
      costs.push([status < 300 || status, cost?.steps, cost?.units]);
    }

    expect(costs).toEqual([
      [true, steps + 1, units + 1],
      [true, steps, units],
      [412, 1, 1],
    ]);
  },
);

test('If-Match takes at most one call more for a customer whom the store never touched, and for another code', async () => {
  const owner = await newResident();
  const untouched = async (): Promise<[string, object]> => [
    `/v1/customers/${(await newResident()).uuid}`,
    { discount: 5 },
  ];
  let codes = 0;
  const recoded = async (): Promise<[string, object]> => {
    codes += 1;
    const fields = { code: `Moves ${codes}`, ownerIdentifier: owner.uuid };
    const { body } = await service.call('POST', '/v1/coupons', fields);
    return [`/v1/coupons/${body.id}`, { code: `Moved ${codes}` }];
  };

  for (const prepare of [untouched, recoded]) {
    const [plain, plainBody] = await prepare();
    const [path, body] = await prepare();
    const headers = { 'If-Match': await etagOf(path) };
    // A function that runs for the first time knows no resident.
    forgetResidents();
    const without = await service.call('PUT', plain, plainBody);
    forgetResidents();
    const withIt = await service.call('PUT', path, body, headers);

    expect([without.status, withIt.status]).toEqual([200, 200]);
    expect(withIt.cost?.steps).toBeLessThanOrEqual((without.cost?.steps ?? 0) + 1);
    expect(withIt.cost?.units).toBeLessThanOrEqual((without.cost?.units ?? 0) + 1);
  }
});

/** The budget of a new row until it gets its own. */
const ceiling = { steps: 3, units: 8 };

test.each(routesOfKeys.filter((row) => !isBudgeted(row)))('$id takes at most 3 calls and 8 units', async (row) => {
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

test('docs/evidence/benchmarks.md has the dearest call of every list', () => {
  const page = readFileSync(new URL('../../docs/evidence/benchmarks.md', import.meta.url), 'utf8');

  for (const { endpoint, query, steps, units, growth } of worstCalls)
    expect(page).toContain(`| ${endpoint} | ${query} | ${steps} | ${units} | ${growth} |\n`);
});
