import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCategory } from '../../../../lib/catalogue/categories.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { exportAll, exportKind } from '../../data/export.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();

await freshTable();
const store = (await createStore('Test store')).id;
await createCategory(store, { name: 'Chairs' });

test('an export of all can be repeated into its directory after any failed read', async () => {
  const to = join(dir, 'failed');
  let failed = true;
  let reads = 0;
  for (; failed; reads++) {
    let seen = 0;
    failed = false;
    const mend = intercept(async (_, send) => {
      seen += 1;
      if (seen <= reads) return send();
      failed = true;
      throw Object.assign(new Error('refused'), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} });
    });
    await exportAll(store, to).catch(() => {});
    mend();
    if (failed) expect(readdirSync(to).filter((name) => !name.endsWith('.part'))).toEqual([]);
  }

  expect(reads).toBeGreaterThan(8);
  expect(readdirSync(to)).toHaveLength(19);
});

test('an export of all can be repeated after it was killed, and keeps foreign files', async () => {
  const [killed, others] = [join(dir, 'killed'), join(dir, 'others')];
  for (const each of [killed, others]) {
    mkdirSync(each);
    writeFileSync(join(each, 'residents.csv.part'), 'uuid,user');
  }
  writeFileSync(join(others, 'mine.part'), 'mine');

  const files = await exportAll(store, killed);
  await expect(exportAll(store, others)).rejects.toThrow(/others is not empty\. Name a new directory/);

  expect(readdirSync(killed).sort()).toEqual(files.map(({ kind }) => `${kind}.csv`).sort());
  expect(readdirSync(others).sort()).toEqual(['mine.part', 'residents.csv.part']);
});

test('an export into a missing directory, or over a directory, explains how to go on', async () => {
  const categories = kindOf('categories');
  const folder = join(dir, 'folder.csv');
  mkdirSync(folder);

  await expect(exportKind(categories, store, join(dir, 'none', 'x.csv'), 'csv')).rejects.toThrow(
    /^There is no directory .*none\. Make it, or name another file\.$/,
  );
  await expect(exportKind(categories, store, folder, 'csv')).rejects.toThrow(
    /folder\.csv is a directory\. Name a file/,
  );

  expect(existsSync(`${folder}.part`)).toBe(false);
});
