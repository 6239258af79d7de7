import { beforeAll, expect, test } from 'vitest';
import { takesKeys } from '../../lib/routes/route.ts';
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

/** A page of a customer reads at most 300 times, within a share of its own: test/lib/http/page-share.test.ts. */
const lists = routes.filter((row) => /\/list-/.test(row.id) && takesKeys(row));

test.each(lists)('the dearest call of $id costs what the table of worst calls says', async (row) => {
  const listed = worstCalls.filter(({ endpoint }) => row.id.endsWith(`/${endpoint}`));

  const worst = await worstOf(call, row, category);

  expect(listed.map(({ growth, ...counted }) => counted)).toEqual([worst]);
});
