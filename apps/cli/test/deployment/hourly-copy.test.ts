import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { routes } from '../../../../lib/routes/routes.ts';
import { tableName } from '../../../../lib/table/client.ts';
import { exampleOf, seedExamples } from '../../../../test/support/example-requests.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { ada, bob, seedResidents } from '../../../../test/support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../../../test/support/service.ts';
import { fillFromExport } from '../../deployment/restored-table.ts';
import { tableOf, writeExport, writeIncrement } from '../support/table-export.ts';

/**
 * A table of a full export and the hourly increments that follow it. The files are written here, in the documented
 * form.
 */

const midnight = Date.parse('2028-02-29T00:00:00.000Z');
const hourOf = (hour: number): string => new Date(midnight + hour * 3_600_000).toISOString();

/** All items at the end of each hour. */
const tables: Awaited<ReturnType<typeof wholeTable>>[] = [];

const send = async (method: string, path: string, body?: object): Promise<void> => {
  const { status } = await service.call(method, path, body);
  expect(status, `${method} ${path}`).toBeLessThan(300);
};

/** The answers of all endpoints that read, by the example request of each. */
const answersOf = async (): Promise<unknown[]> => {
  // The authorizer notes when a key was last used, so the answers about keys change by the calls themselves.
  const reading = routes.filter(({ method, id }) => method === 'GET' && !id.startsWith('keys/'));
  const all: unknown[] = [];
  for (const row of reading) {
    const { status, body, headers } = await service.call('GET', exampleOf(row, rows, 'Unused').path);
    all.push({ row: row.id, status, body, etag: headers.get('etag') });
  }
  return all;
};

setClock(midnight);
const service = await startTestService();
await seedResidents();
const rows = await seedExamples(service.call);
tables.push(await wholeTable());
const sale = () => ({
  id: randomUUID(),
  productId: rows.product,
  buyerIdentifier: ada.uuid,
  paid: 500,
  useCredit: false,
});
const hours: (() => Promise<void>)[] = [
  async () => {
    await send('POST', '/v1/sales', sale());
    await send('POST', `/v1/customers/${bob.uuid}/actions/increment-credit`, { delta: 30, reason: 'First hour' });
    await send('POST', '/v1/categories', { name: 'Made and deleted' });
  },
  async () => {
    const { body } = await service.call('GET', '/v1/categories');
    const made = body.data.find(({ name }: { name: string }) => name === 'Made and deleted');
    await send('DELETE', `/v1/categories/${made.id}`);
    await send('POST', '/v1/sales', sale());
    await send('POST', `/v1/customers/${bob.uuid}/actions/increment-credit`, { delta: -3, reason: 'Second hour' });
  },
];
for (const [hour, change] of hours.entries()) {
  setClock(midnight + hour * 3_600_000 + 60_000);
  await change();
  tables.push(await wholeTable());
}
setClock(midnight + 3 * 3_600_000);
const answers = await answersOf();
// The hour that no export tells of.
await send('POST', '/v1/sales', sale());

/** A folder with the full export of midnight and the increments of these hours. */
const exportsOf = (...hours: (1 | 2)[]): string => {
  const folder = join(tempDir(), 'AWSDynamoDB');
  writeExport(join(folder, '01700000000000-full'), tables[0] ?? [], { exportTime: hourOf(0) });
  for (const hour of hours)
    writeIncrement(join(folder, `0170000000000${hour}-hour`), tables[hour - 1] ?? [], tables[hour] ?? [], {
      exportFromTime: hourOf(hour - 1),
      exportToTime: hourOf(hour),
    });
  return folder;
};

const fill = (folder: string, table = `restored-${randomUUID()}`) =>
  fillFromExport(table, folder, () => {}).then((filled) => ({ ...filled, table }));

const on = async <T>(table: string, work: () => Promise<T>): Promise<T> => {
  const current = tableName();
  process.env.TABLE_NAME = table;
  return work().finally(() => {
    process.env.TABLE_NAME = current;
  });
};

test('a table of a full export and its increments answers every GET as before, but for the last hour', async () => {
  const { table, until, items, changes } = await fill(exportsOf(1, 2));

  expect({ until, items }).toEqual({ until: hourOf(2), items: tables[0]?.length });
  expect(changes).toBeGreaterThan(10);
  expect(await on(table, () => wholeTable())).toEqual(tables[2]);
  const now = await answersOf();
  expect(now).not.toEqual(answers);
  const restored = await on(table, answersOf);
  expect(restored.length).toBeGreaterThan(25);
  expect(restored).toEqual(answers);
});

test('increments that begin before the full export, or overlap, leave the items as of the last one', async () => {
  const folder = exportsOf(1, 2);
  writeExport(join(folder, '01700000000003-full'), tables[1] ?? [], {
    exportTime: new Date(midnight + 3_000_000).toISOString(),
  });
  writeIncrement(join(folder, '01700000000004-both'), tables[0] ?? [], tables[2] ?? [], {
    exportFromTime: hourOf(0),
    exportToTime: hourOf(2),
  });

  const { table } = await fill(folder);

  expect(await on(table, () => wholeTable())).toEqual(tables[2]);
});

test('a hole between increments is refused, and named, before a table is made', async () => {
  const table = `restored-${randomUUID()}`;
  const folder = exportsOf(2);

  await expect(fill(folder, table)).rejects.toThrow(
    `No increment tells what changed from ${hourOf(0)} to ${hourOf(1)}. Copy the one that is missing`,
  );
  // The full export alone can still be had.
  const { until } = await fill(join(folder, '01700000000000-full'), table);

  expect(until).toBe(hourOf(0));
  expect(await on(table, () => wholeTable())).toEqual(tables[0]);
});

/**
 * The table that was restored at half past one from the earlier one. An increment overlaps the earlier table's last
 * one.
 */
const restored = tableOf('store-restored', '11111111-0000-4000-8000-000000000002');
const withRestored = (table = restored): string => {
  const folder = exportsOf(1, 2);
  const times = { exportFromTime: new Date(midnight + 5_400_000).toISOString(), exportToTime: hourOf(3) };
  writeIncrement(join(folder, '01700000000006-restored'), tables[1] ?? [], tables[1] ?? [], times, table);
  return folder;
};

test('changes of a restored table are refused beside the full export of the one before, and both are named', async () => {
  const table = `restored-${randomUUID()}`;
  const folder = withRestored();

  await expect(fill(folder, table)).rejects.toThrow(
    /table store-restored \(id 1+-0000-4000-8000-0+2\), of which there is no full export.*another table, store \(id 1+-0000-4000-8000-0+1\)/,
  );
  // The same name and ARN do not make it the same table.
  const anew = tableOf('store', restored.tableId);
  await expect(fill(withRestored(anew), table)).rejects.toThrow(/of which there is no full export/);
  const { until } = await fill(join(folder, '01700000000000-full'), table);

  expect(until).toBe(hourOf(0));
});

test('with a full export of the restored table, it alone is restored, without a change of the one before', async () => {
  const folder = withRestored();
  writeExport(join(folder, '01700000000007-full'), tables[1] ?? [], {
    exportTime: new Date(midnight + 6_000_000).toISOString(),
    table: restored,
  });

  const { table, until, items, changes } = await fill(folder);

  expect({ until, items, changes }).toEqual({ until: hourOf(3), items: tables[1]?.length, changes: 0 });
  expect(await on(table, () => wholeTable())).toEqual(tables[1]);
});

test('an export that has not ended counts as none, and an increment alone is refused', async () => {
  const folder = exportsOf(1, 2);
  rmSync(join(folder, '01700000000002-hour', 'manifest-summary.json'));
  rmSync(join(folder, '01700000000002-hour', 'manifest-files.json'));
  mkdirSync(join(folder, '01700000000005-begun'));
  writeFileSync(join(folder, '01700000000005-begun', '_started'), '');

  const { until } = await fill(folder);

  expect(until).toBe(hourOf(1));
  await expect(fill(join(folder, '01700000000001-hour'))).rejects.toThrow(
    'is an increment, which tells of changes only',
  );
});
