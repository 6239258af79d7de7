import { expect, test, vi } from 'vitest';
import { now, timestamp } from '../../../../lib/clock.ts';
import { historyKey } from '../../../../lib/credit/history.ts';
import { dayKey, dayOf } from '../../../../lib/events/days.ts';
import { remove, update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli();

const on = ['--store', 'DemoStore001'];
const vera = '00000002-dede-4ede-8ede-000000000001';
const hana = '00000001-dede-4ede-8ede-000000000029';

const change = (resident: string, action: string, body: object) =>
  service.call('POST', `/v1/customers/${resident}/actions/${action}`, service.service.keys.all, body);

/** Waits until the stream has told of a customer's change. */
const recorded = (resident: string, sequence: number) =>
  vi.waitFor(
    async () => {
      const { rows } = await service.run('credit', 'history', resident, '--limit', '1', '--json', ...on);
      expect(rows[0]?.sequence).toBe(sequence);
    },
    { timeout: 10_000, interval: 50 },
  );

test('shows the changes of a resident, the newest first, with their cause and the balances after them', async () => {
  await change(hana, 'increment-credit', { delta: 500, reason: 'Winner of the hunt', reference: 'hunt 7' });
  await change(hana, 'increment-restricted-credit', { delta: 80 });
  await change(hana, 'increment-credit', { delta: -120 });
  await recorded(hana, 3);

  const shown = await service.run('credit', 'history', 'hana.lovelace', ...on);

  const [, ...lines] = shown.stdout.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^ *3 .+ regular +increment +-120 +- +380 +80 +key \w+; request \S+$/),
    expect.stringMatching(/^ *2 .+ restricted +increment +\+80 +- +500 +80 +key /),
    expect.stringMatching(/^ *1 .+ regular +increment +\+500 +- +500 +0 +Winner of the hunt; reference hunt 7; key /),
  ]);
});

test('completes a history that lost a change: shows the rows, and writes them after a yes, once', async () => {
  const [before] = (await service.run('credit', 'history', vera, '--json', ...on)).rows;
  const lost = before.sequence + 1;
  await change(vera, 'increment-credit', { delta: 9 });
  await recorded(vera, lost);
  // As if the stream had never brought the change: it is in no sum, either.
  await write(remove(historyKey('DemoStore001', vera, 'regular', lost)));
  await write(update(dayKey('DemoStore001', dayOf(timestamp(now()))), { add: { creditAdded: -9, regularNet: -9 } }));
  await service.advance(25 * 3600);

  const dry = await service.run('credit', 'backfill', '--dry-run', '--json', ...on);
  const unasked = await service.run('credit', 'backfill', ...on);
  const audited = await service.run('audit', '--json', ...on);
  const written = await service.run('credit', 'backfill', '--yes', ...on);
  const again = await service.run('credit', 'backfill', ...on);
  const healthy = await service.run('audit', ...on);
  const log = (await service.run('log', '--json', ...on)).rows;

  const row = { customer: vera, kind: 'unrecorded', first: lost, last: lost, regular: 9, restricted: 0 };
  expect(dry).toMatchObject({ code: 1, rows: [row], stderr: expect.stringContaining('this was a dry run') });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(audited.rows).toContainEqual({ fault: `customer ${vera}: history lacks the changes ${lost} of ${lost}.` });
  expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote the history of 1 customer.') });
  expect(again).toMatchObject({ code: 0, stdout: '', stderr: 'No history is missing that could be filled.\n' });
  expect(healthy.code).toBe(0);
  expect(log[0]).toMatchObject({ action: 'credit.backfilled', store: 'DemoStore001', details: { customers: 1 } });
});

test('gives days the sums that the stream has lost: shows them, and writes them after a yes, once', async () => {
  const day = dayOf(timestamp(now()));
  await write(update(dayKey('DemoStore001', day), { add: { sales: -1, paid: -40 } }));
  const early = await service.run('days', 'recount', '--dry-run', ...on);
  await service.advance(48 * 3600);

  const dry = await service.run('days', 'recount', '--dry-run', '--json', ...on);
  const unasked = await service.run('days', 'recount', ...on);
  const written = await service.run('days', 'recount', '--yes', ...on);
  const again = await service.run('days', 'recount', ...on);

  expect(early).toMatchObject({ code: 0, stderr: expect.stringContaining('but for the last two') });
  expect(dry).toMatchObject({ code: 1, stderr: expect.stringContaining('The sums of 1 day are wrong') });
  expect(dry.rows.map(({ name, is, recorded }) => [name, recorded - is])).toEqual([
    ['sales', 1],
    ['paid', 40],
  ]);
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('Corrected 1 day.') });
  expect(again).toMatchObject({ code: 0, stdout: '' });
  const [log] = (await service.run('log', '--json', ...on)).rows;
  expect(log).toMatchObject({ action: 'days.recounted', store: 'DemoStore001', details: { days: 1 } });
});
