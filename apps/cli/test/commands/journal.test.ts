import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startForCli } from '../support/cli.ts';

const service = await startForCli();
const { all } = service.service.keys;
const made = await service.call('POST', '/v1/products', all, { name: 'Chair', price: 300 });
const chair = `/v1/products/${made.body.id}`;
await service.call('PUT', chair, all, { name: 'Chair', price: 3 });
await service.call('POST', '/v1/webhooks', all, { url: 'http://127.0.0.1:9/planted', events: ['store.closed'] });

const journal = async (...args: string[]) => (await service.run('journal', '--json', ...args)).rows;

test('says who changed what, narrowed by kind, thing, key and time', async () => {
  await expect.poll(() => journal('--subject', made.body.id)).toHaveLength(2);
  const rows = await journal('--subject', made.body.id);
  const keyId = rows[0].by.id;

  expect(rows.map(({ kind, by, changes }) => [kind, by.name, changes.at(-1).after])).toEqual([
    ['product.changed', 'all scopes', 3],
    ['product.created', 'all scopes', 300],
  ]);
  expect(await journal('--key', keyId, '--kind', 'product.changed')).toEqual([rows[0]]);
  expect(await journal('--subject', made.body.id, '--from', '2020-01-01', '--to', '2020-01-02')).toEqual([]);
  const shown = await service.run('journal', '--subject', made.body.id, '--limit', '1');
  expect(shown.stdout).toMatch(/all scopes +product\.changed +Chair +price: 300 -> 3/);
  expect(shown.stderr).toContain('There are more');
});

test('what the command does is by the operator, and an import makes a row of its own', async () => {
  const file = join(service.dir, 'categories.csv');
  writeFileSync(file, 'name\nSeats\nTables\n');
  const imported = await service.run('import', 'categories', file);
  expect(imported.code, imported.stderr).toBe(0);

  await expect.poll(() => journal('--kind', 'import.ended')).toHaveLength(1);
  const [ended] = await journal('--kind', 'import.ended');
  const created = await journal('--kind', 'category.created');

  expect(ended.changes.map(({ field, after }: { field: string; after: unknown }) => [field, after])).toEqual([
    ['kind', 'categories'],
    ['lines', 2],
    ['failed', 0],
  ]);
  const byName = created.filter(({ subject }) => ['Seats', 'Tables'].includes(subject.name));
  expect(byName.map(({ by }) => by)).toEqual(Array(2).fill({ type: 'operator', id: null, name: null }));
});

test('is exported, with a line for each field and no address', async () => {
  await expect.poll(() => journal('--kind', 'webhook.created', '--from', '1h')).not.toEqual([]);
  const file = join(service.dir, 'journal.csv');

  const { code } = await service.run('export', 'journal', file);

  const text = readFileSync(file, 'utf8');
  expect(code).toBe(0);
  expect(text).toContain(`product.changed,key,`);
  expect(text).toMatch(/,product,[0-9a-f-]{36},Chair,price,300,3,false,/);
  expect(text).not.toContain('planted');
});

test.each([
  [['--kind', 'product.sold'], /--kind.*invalid/],
  [['--key', 'short'], /--key/],
  [['--from', '2027-01-02', '--to', '2027-01-01'], /must be later than --from/],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await service.run('journal', ...args);

  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
