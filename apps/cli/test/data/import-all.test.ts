import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';

const service = await startForCli();

test('a whole export that is imported gives the same export, and a second import changes nothing', async () => {
  const { id } = await createStore('Copy');
  const dir = join(service.dir, 'backup');
  const exported = await service.run('export', '--all', dir, '--store', demo);
  const imported = await service.run('import', '--all', dir, '--store', id);
  const again = await service.run('import', '--all', dir, '--store', id, '--json');
  const copied = await service.run('export', '--all', join(service.dir, 'copy'), '--store', id);

  expect([exported.code, imported.code, again.code, copied.code]).toEqual([0, 0, 0, 0]);
  expect(again.rows.filter(({ kind }) => kind).map(({ created, changed }) => [created, changed])).toEqual(
    again.rows.filter(({ kind }) => kind).map(() => [0, 0]),
  );
  const files = filesOf(dir);
  // These are exported only, so a copy has none of their rows, or its own.
  for (const name of [
    'dispensers.csv',
    'history.csv',
    'journal.csv',
    'keys.csv',
    'payees.csv',
    'payouts.csv',
    'vendors.csv',
  ]) {
    expect(files).toHaveProperty([name]);
    delete files[name];
  }
  expect(filesOf(join(service.dir, 'copy'))).toMatchObject(files);
  expect(files['applied.csv']?.split('\n').length).toBeGreaterThan(2);
});

test('a directory without files of an export is refused', async () => {
  const none = await service.run('import', '--all', service.dir, '--store', demo);

  expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/has no file of an export/) });
});
