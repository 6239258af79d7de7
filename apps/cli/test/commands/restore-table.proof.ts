import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ScanCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { parseKey } from '../../../../lib/keys.ts';
import { revokeKey } from '../../../../lib/store/api-keys.ts';
import { tableName } from '../../../../lib/table/client.ts';
import { indexes, ttlAttribute } from '../../../../lib/table/schema.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { runInProcess, startForCli } from '../support/cli.ts';
import { writeExport } from '../support/table-export.ts';

/** The drill of docs/operate/recover.md: a table from an export, its indexes and stream, its keys, its books. */

let service: Awaited<ReturnType<typeof startForCli>>;
const client = new DynamoDBClient({});
atEnd(() => client.destroy());
const dir = tempDir();
const exported = join(dir, 'export');
beforeAll(async () => {
  service = await startForCli();
  await service.stopHistory();
  writeExport(exported, await wholeTable());
});

const describe = async (TableName: string) => (await client.send(new DescribeTableCommand({ TableName }))).Table;

const itemsOf = async (TableName: string, IndexName?: string): Promise<string[]> => {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName, IndexName }));
  expect(LastEvaluatedKey).toBeUndefined();
  return Items.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort();
};

/** All but the stores' own items, which are told by their attributes. */
const withoutStores = (items: string[]): string[] =>
  items.filter(
    (item) => !/^\{"createdAt":\{\},("earlierStamp":\{\},)?"id":\{\},"name":\{\},("payouts\w+":\{\},)*"pk"/.test(item),
  );

/** Runs the command on the deployment after it was switched to this table. */
const runOn = (table: string, ...args: string[]) => {
  const data = join(dir, table);
  cpSync(service.dir, data, { recursive: true });
  const path = join(data, 'service.json');
  const file = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...file, table: { ...file.table, name: table } }));
  return runInProcess(['--data-dir', data, ...args]);
};

test('a table made of an export has every item, index, deletion of old items and the stream, and its books are true', async () => {
  const current = tableName();

  const restored = await service.run('restore-table', '--table', 'from-export', '--from', exported, '--json');
  const table = await describe('from-export');

  expect(restored).toMatchObject({ code: 0 });
  expect(restored.rows).toEqual([{ restoredTable: 'from-export', restoredStream: table?.LatestStreamArn }]);
  expect(table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'from-export' }));
  expect(TimeToLiveDescription).toMatchObject({ AttributeName: ttlAttribute, TimeToLiveStatus: 'ENABLED' });
  expect((await itemsOf('from-export')).length).toBeGreaterThan(300);
  for (const index of [undefined, ...Object.keys(indexes)])
    expect(withoutStores(await itemsOf('from-export', index)), index).toEqual(
      withoutStores(await itemsOf(current, index)),
    );
  // It owes again what was paid since: nothing is claimed before payouts are resumed.
  expect((await itemsOf('from-export')).filter((item) => item.includes('payoutsStoppedAt'))).toHaveLength(2);
  expect(restored.stderr).toContain('Payouts of 2 stores are stopped');
  const audited = await runOn('from-export', 'audit', '--store', 'Demo Store');
  expect(audited).toMatchObject({ code: 0 });
});

test('a key that was revoked after the export is revoked again', async () => {
  const { id } = parseKey(service.service.otherStore.key, 'test') ?? { id: '' };
  await service.run('restore-table', '--table', 'with-keys', '--from', exported);
  await revokeKey(id);

  const checked = await service.run('restore-check', '--table', 'with-keys', '--json');

  expect(checked.rows).toMatchObject([{ store: 'OtherStore01' }]);
});

test('what a restored table lacks is added, one index after the other, and nothing twice', async () => {
  await service.run('restore-table', '--table', 'without', '--from', exported);
  const [IndexName = ''] = Object.keys(indexes);
  await client.send(
    new UpdateTableCommand({ TableName: 'without', GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] }),
  );
  const before = await describe('without');

  const completed = await service.run('restore-table', '--table', 'without', '--json');
  const again = await service.run('restore-table', '--table', 'without', '--json');

  expect(before?.GlobalSecondaryIndexes).toHaveLength(Object.keys(indexes).length - 1);
  expect([completed.code, again.code]).toEqual([0, 0]);
  expect(again.rows).toEqual(completed.rows);
  expect(completed.stderr).toContain(IndexName);
  expect(await itemsOf('without', IndexName)).toEqual(await itemsOf(tableName(), IndexName));
});

test.each<[string, (folder: string) => void, RegExp]>([
  ['no manifest', (folder) => rmSync(join(folder, 'manifest-files.json')), /no .*manifest-files\.json.*--from takes/],
  ['a missing file', (folder) => rmSync(join(folder, 'data', readdirSync(join(folder, 'data'))[0] ?? '')), /lacks/],
  [
    'a changed file',
    (folder) => writeFileSync(join(folder, 'data', readdirSync(join(folder, 'data'))[1] ?? ''), 'x'),
    /not as it was exported/,
  ],
])('an export with %s is refused, and no table is made', async (_, harm, message) => {
  const folder = join(tempDir(), 'broken');
  cpSync(exported, folder, { recursive: true });
  harm(folder);

  const refused = await service.run('restore-table', '--table', 'never-made', '--from', folder);

  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(message);
  await expect(describe('never-made')).rejects.toThrow(/not found|exist/i);
});

test('a table that is there is not filled, and one that is not there is not completed', async () => {
  const current = await itemsOf(tableName());

  const filled = await service.run('restore-table', '--table', tableName(), '--from', exported);
  const completed = await service.run('restore-table', '--table', 'nowhere');

  expect(filled.stderr).toContain('already');
  expect(completed.stderr).toContain('There is no table nowhere');
  expect(await itemsOf(tableName())).toEqual(current);
});
