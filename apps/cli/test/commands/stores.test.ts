import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCategory } from '../../../../lib/catalogue/categories.ts';
import { createStore, deleteStore } from '../../../../lib/operator/stores.ts';
import { findStore, listStores } from '../../../../lib/store/stores.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli();

/** The items of a store. The stream's consumer notes events and rows of the journal a moment later. */
const itemsOf = async (store: string) => (await wholeTable(`${store}#`)).filter(({ pk }) => pk !== `${store}#EVENT`);
const keysOf = async (store: string) =>
  (await wholeTable()).filter(({ pk, store: of }) => String(pk).startsWith('KEY#') && of === store);

test('works on the demo store where no store is named, and says so once the person has made stores of their own', async () => {
  const own = await service.run('key', 'issue', 'till', '--preset', 'shop', '--json');
  await createStore('My Store');
  const beside = await service.run('key', 'list', '--json');
  const called = await service.run('api', 'GET', '/v1/store', '--json');
  const named = await service.run('key', 'list', '--json', '--store', 'My Store');

  const hint = 'This is about Demo Store. Choose another store with --store.';
  expect(own).toMatchObject({ code: 0, rows: [{ name: 'till' }] });
  expect(own.stderr).not.toContain(hint);
  expect(beside).toMatchObject({ code: 0, stderr: expect.stringContaining(hint) });
  expect(beside.rows.map(({ name }) => name)).toContain('till');
  expect(called).toMatchObject({ rows: [{ name: 'Demo Store' }], stderr: expect.stringContaining(hint) });
  expect(named).toMatchObject({ code: 0, rows: [], stderr: '' });
});

test('creates a store whose first key opens the API, and prints only the key', async () => {
  const created = await service.runAlone('create', 'New Store');
  const again = await service.run('create', 'NEW STORE');
  const listed = await service.run('list', '--json');

  const key = created.stdout.trim();
  expect(created.code).toBe(0);
  expect(created.stderr).toContain('New Store');
  expect(created.stderr).toMatch(/export SIS_STORE=[\w-]+, or --store in each/);
  expect((await service.call('GET', '/v1/products', key)).status).toBe(200);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('already');
  const stores = listed.rows.map(({ name }) => name);
  expect(stores.toSorted()).toEqual(['Demo Store', 'My Store', 'New Store', 'Other Store']);
});

test('asks nothing without a terminal, and lists the stores for a command that must name one', async () => {
  const [create, remove, unnamed, unknown] = await Promise.all([
    service.run('create'),
    service.run('delete', 'Demo Store'),
    service.run('close'),
    service.run('key', 'list', '--store', 'nowhere'),
  ]);

  expect(create).toMatchObject({ code: 2, stdout: '' });
  expect(create.stderr).toContain('store create "My Store"');
  expect(remove).toMatchObject({ code: 2, stdout: '' });
  expect(remove.stderr).toContain('--confirm "Demo Store"');
  expect(unnamed).toMatchObject({ code: 2, stdout: '' });
  expect(unnamed.stderr).toMatch(/--store[\s\S]*Demo Store \(DemoStore001\)\n[\s\S]*Other Store/);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
});

test('deletes nothing if the name is wrong or the export cannot be written', async () => {
  const { id } = await createStore('Kept');
  await createCategory(id, { name: 'Chairs' });
  const [full, file] = [join(service.dir, 'full'), join(service.dir, 'file')];
  mkdirSync(full);
  writeFileSync(join(full, 'mine.txt'), 'mine');
  writeFileSync(file, 'mine');
  // The local service's stand-in dispenser registers with every new store by itself.
  const ownItems = async () => (await itemsOf(id)).filter(({ pk }) => pk !== `${id}#DISPENSER`);
  const before = await ownItems();

  const ran = await Promise.all([
    service.run('delete', id, '--confirm', 'kept'),
    service.run('delete', id, '--confirm', 'Kept', '--export-to', full),
    service.run('delete', id, '--confirm', 'Kept', '--export-to', file),
  ]);

  expect(ran.map(({ code }) => code)).toEqual([2, 1, 1]);
  for (const { stderr } of ran) expect(stderr).toContain('othing was deleted');
  expect(await findStore(id)).toBeDefined();
  expect(await ownItems()).toEqual(before);
});

test('exports a store, then removes all its items and no others; its key gets 404', async () => {
  const { rows } = await service.run('key', 'issue', 'unused', '--all-scopes', '--store', 'Demo Store', '--json');
  const [{ key }] = rows;
  const dir = join(service.dir, 'export');
  const isOther = ({ pk }: Record<string, unknown>) => !/^DemoStore001#|^STORE#|^KEY#|^LOG#|#EVENT$/.test(String(pk));
  const others = (await wholeTable()).filter(isOther);

  const args = ['--confirm', 'Demo Store', '--export-to', dir, '--no-wait', '--json'];
  const deleted = await service.run('delete', 'demo store', ...args);

  expect(deleted).toMatchObject({ code: 0 });
  expect(deleted.rows[0]).toMatchObject({ id: 'DemoStore001', exportedTo: dir });
  expect(deleted.rows[0].removedItems).toBeGreaterThan(400);
  expect(readdirSync(dir).length).toBeGreaterThan(5);
  expect(await itemsOf('DemoStore001')).toEqual([]);
  expect((await listStores()).map(({ id }) => id)).not.toContain('DemoStore001');
  expect((await service.call('GET', '/v1/products', key)).status).toBe(404);
  const left = (await wholeTable()).filter(isOther);
  expect(left).toEqual(others);
  const without = await service.run('key', 'list');
  expect(without).toMatchObject({ code: 2, stderr: expect.stringMatching(/several stores: name one with --store/) });
});

test('completes an interrupted deletion without another export', async () => {
  const { id } = await createStore('Interrupted');
  await createCategory(id, { name: 'Chairs' });
  await deleteStore(id);
  const dir = join(service.dir, 'no-export');

  const listed = await service.run('list');
  const issued = await service.run('key', 'issue', 'x', '--all-scopes', '--store', id);
  const resumed = await service.run('delete', id, '--confirm', 'Interrupted', '--export-to', dir, '--json');

  expect(listed.stdout).toMatch(/Interrupted .*not all of it is removed/);
  expect(issued.code).toBe(1);
  expect(resumed.rows[0]).toMatchObject({ id, removedItems: expect.any(Number) });
  expect(existsSync(dir)).toBe(false);
  expect(await itemsOf(id)).toEqual([]);
  expect((await listStores()).map((store) => store.id)).not.toContain(id);
});

test('leaves no working key behind if keys are issued while the store is deleted', async () => {
  const { id } = await createStore('Busy');
  const dir = join(service.dir, 'busy');

  const [deleted, ...issued] = await service.runTogether(
    ['delete', id, '--confirm', 'Busy', '--export-to', dir, '--no-wait'],
    ...[1, 2, 3].map((n) => ['key', 'issue', `key ${n}`, '--all-scopes', '--store', id]),
  );

  expect(deleted?.code).toBe(0);
  const keys = await keysOf(id);
  expect(keys).toHaveLength(issued.filter(({ code }) => code === 0).length);
  expect(keys.filter(({ storeGone }) => storeGone !== true)).toEqual([]);
  expect(await itemsOf(id)).toEqual([]);
});

test('closes and opens a store, and lists its state with the reason', async () => {
  const { id } = await createStore('Kiosk');

  const closed = await service.run('close', 'Kiosk', '--reason', 'Stocktaking');
  const again = await service.run('close', 'Kiosk', '--reason', 'Other', '--json');
  const listed = await service.run('list');
  const rows = (await service.run('list', '--json')).rows.filter((row) => row.id === id);
  const opened = await service.run('open', id, '--json');

  expect([closed.code, again.code, opened.code]).toEqual([0, 0, 0]);
  expect(closed.stderr).toContain('quotes and sales are refused');
  expect(listed.stdout).toMatch(/Kiosk .*closed .*: Stocktaking/);
  const changed = { at: expect.any(String), reason: 'Stocktaking', by: 'operator' };
  expect([again.rows[0], rows[0]]).toMatchObject([
    { id, open: false, changed },
    { id, open: false, changed },
  ]);
  expect(opened.rows).toMatchObject([{ id, open: true, changed: { reason: null } }]);
  expect((await service.run('close', 'Kiosk', '--reason', 'x'.repeat(201))).stderr).toContain('at most 200 characters');
  expect((await findStore(id))?.open).toBe(true);
});
