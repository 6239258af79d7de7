import { expect, test } from 'vitest';
import { claimDelivery, failDelivery } from '../../../../lib/delivery/deliveries.ts';
import type { Order } from '../../../../lib/delivery/message.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { startForCli } from '../support/cli.ts';

const { run } = await startForCli({ demo: false });
const on = ['--store', 'other store'];

test('lists deliveries state by state up to the limit, and says that there are more', async () => {
  const [first, second, failed] = [1, 2, 3].map((day) =>
    anOrder('OtherStore01', { createdAt: `2026-01-0${day}T00:00:00.000Z` }),
  ) as [Order, Order, Order];
  for (const order of [first, second]) await claimDelivery(order, 1000);
  await failDelivery((await claimDelivery(failed, 1000)).delivery, 'no such item');

  const one = await run('deliveries', 'list', '--limit', '1', ...on);
  const two = await run('deliveries', 'list', '--limit', '2', ...on, '--json');
  const all = await run('deliveries', 'list', '--limit', '3', ...on, '--json');

  expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining(first.id) });
  expect(one.stderr).toContain('There are more: see them with --limit 10.');
  expect(two.rows.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(all.rows.map(({ state }) => state)).toEqual(['queued', 'queued', 'failed']);
});
