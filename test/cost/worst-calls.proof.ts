import { beforeAll, expect, test } from 'vitest';
import { routes } from '../../lib/routes/routes.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { seedWorst, worstCalls, worstOf } from '../support/budgets-worst.ts';
import { seedResidents } from '../support/residents.ts';
import { type Call, startTestService } from '../support/service.ts';

let call: Call;
let category: string;
beforeAll(async () => {
  const service = await startTestService();
  process.env.STORE_READ_UNITS = '2000';
  await seedResidents();
  const seeded = await seedWorst();
  call = service.callAs(await service.keyWith(scopes, seeded.store));
  ({ category } = seeded);
});

const lists = routes.filter(({ id }) => /\/list-/.test(id));

test.each(lists)('the dearest call of $id costs what the table of worst calls says', async (row) => {
  const listed = worstCalls.filter(({ endpoint }) => row.id.endsWith(`/${endpoint}`));

  const worst = await worstOf(call, row, category);

  expect(listed.map(({ growth, ...counted }) => counted)).toEqual([worst]);
});
