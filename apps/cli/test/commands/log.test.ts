import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Dispenser, findDispenser } from '../../../../lib/delivery/dispensers.ts';
import { createStore, deleteStore } from '../../../../lib/operator/stores.ts';
import { endKey } from '../../../../lib/store/api-keys.ts';
import { issueKey, listKeys } from '../../../../lib/store/issued-keys.ts';
import { tellResident } from '../../../../lib/store/tell-resident.ts';
import { answerLost, intercept } from '../../../../test/support/faults.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { isOfCommand, startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';
const by = `user ${userInfo().username}`;

const service = await startForCli({ demo: false });

const file = (name: string, ...lines: string[]): string => {
  const path = join(service.dir, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

const logOf = async (...args: string[]) => (await service.run('log', '--json', ...args)).rows;

/** A store with a live key. Neither is in the log. */
const aStore = async (name: string): Promise<string> => {
  const { id: store } = await createStore(name);
  await issueKey({ store, name: 'bot', scopes: ['products:read'], stage: 'test' });
  return store;
};

test('each change of a store, a key and a dispenser leaves a row with who, when and what, and without a secret', async () => {
  const on = ['--store', 'Logged'];
  const created = await service.run('create', 'Logged', '--preset', 'shop', '--json');
  const { id } = created.rows[0].store;
  const issued = await service.run('key', 'issue', 'bot', '--read-only', '--expires', '30d', ...on, '--json');
  const rotated = await service.run('key', 'rotate', 'bot', ...on, '--json');
  await service.run('key', 'revoke', 'bot', ...on);
  await service.run('close', 'Logged', '--reason', 'Stocktaking');
  await service.run('close', 'Logged', '--reason', 'Closed already');
  await service.run('open', 'Logged');
  await service.run('dispenser', 'rotate', '--store', demo);
  await service.run('delete', 'Logged', '--confirm', 'Logged', '--export-to', join(service.dir, 'logged'), '--no-wait');

  const rows = await logOf();

  const idOf = ({ prefix }: { prefix: string }) => prefix.slice(-12);
  const [first, old, next] = [created, issued, rotated].map((ran) => ({ ...ran.rows[0], id: idOf(ran.rows[0]) }));
  const successor = { key: next.id, name: 'bot', scopes: old.scopes, expiresAt: next.expiresAt };
  expect(rows.map(({ action, store, details }) => [action, store, details])).toEqual([
    ['store.deleted', id, { name: 'Logged' }],
    ['dispenser.rotated', demo, {}],
    ['store.opened', id, {}],
    ['store.closed', id, { reason: 'Stocktaking' }],
    ['key.revoked', id, expect.objectContaining({ key: next.id })],
    ['key.revoked', id, expect.objectContaining({ key: old.id })],
    ['key.rotated', id, { ...successor, replaces: old.id, until: expect.any(String) }],
    ['key.issued', id, { ...successor, key: old.id, expiresAt: old.expiresAt }],
    ['key.issued', id, { key: first.id, name: 'first key', scopes: ['products:read', 'categories:read'] }],
    ['store.created', id, { name: 'Logged' }],
  ]);
  for (const row of rows) expect(row).toMatchObject({ by, at: expect.stringMatching(/^\d{4}-.*Z$/) });
  const stored = JSON.stringify((await wholeTable()).filter(({ pk }) => String(pk).startsWith('LOG#')));
  const { secret, oldSecret } = (await findDispenser(demo)) as Dispenser;
  const hashes = (await wholeTable()).flatMap(({ hash }) => (hash ? [String(hash)] : []));
  for (const hidden of [first.key.slice(22), old.key.slice(22), next.key.slice(22), secret, oldSecret, ...hashes])
    expect(stored).not.toContain(hidden);
});

test('a name that the operator moves is in the log with those who lost it, and an import with its counts', async () => {
  const [right, wrong, third] = [randomUUID(), randomUUID(), randomUUID()];
  await tellResident(demo, { uuid: wrong, username: 'lara.logged' }, 'request');
  await service.run('resident', 'add', right, 'Lara Logged', '--former', 'lara.before');
  await service.run('resident', 'add', right, 'lara.logged');
  const path = file('residents.csv', 'uuid,username,formerNames', `${right},lara.renamed,`, `${third},lara.logged,`);
  await service.run('import', 'residents', path, '--store', demo, '--dry-run');
  await service.run('import', 'residents', path, '--store', demo);
  await service.run('resident', 'import', path, '--store', demo);

  const rows = await logOf('--limit', '7');

  const counts = { kind: 'residents', file: 'residents.csv', created: 0, changed: 0, unchanged: 0, rejected: 0 };
  const { created, changed, unchanged, rejected, ...imported } = counts;
  expect(rows.map(({ action, store, details }) => [action, store, details])).toEqual([
    ['import.ended', null, { ...counts, unchanged: 2 }],
    ['import.began', null, { ...imported, rows: 2 }],
    ['import.ended', null, { ...counts, created: 1, changed: 1 }],
    ['resident.name_moved', null, { to: third, moved: [{ name: 'lara.logged', from: right }] }],
    ['import.began', null, { ...imported, rows: 2 }],
    [
      'resident.added',
      null,
      { uuid: right, username: 'lara.logged', formerNames: ['lara.before'], outcome: 'created' },
    ],
    ['resident.name_moved', null, { to: right, moved: [{ name: 'lara.logged', from: wrong, store: demo }] }],
  ]);
});

test('an import of another kind and a repair are in the log of their store', async () => {
  const path = file('categories.csv', 'name', 'Logged chairs');
  await service.run('import', 'categories', path, '--store', demo);
  await service.run('credit', 'repair', '--yes', '--store', demo);

  const [ended, began, before] = await logOf('--store', demo);

  expect(ended).toMatchObject({ action: 'import.ended', store: demo, details: { kind: 'categories', created: 1 } });
  expect(began).toMatchObject({ action: 'import.began', store: demo, details: { file: 'categories.csv', rows: 1 } });
  // The books add up: nothing was repaired.
  expect(before.action).not.toBe('credit.repaired');
});

const changes: [what: string, args: (store: string) => string[]][] = [
  ['create', () => ['create', `New ${randomUUID()}`]],
  ['close', (store) => ['close', store]],
  ['delete', (store) => ['delete', store, '--confirm', store, '--export-to', join(service.dir, randomUUID())]],
  ['key issue', (store) => ['key', 'issue', 'another', '--read-only', '--store', store]],
  ['key rotate', (store) => ['key', 'rotate', 'bot', '--store', store]],
  ['key revoke', (store) => ['key', 'revoke', 'bot', '--store', store]],
  ['desk', (store) => ['desk', '--store', store]],
  ['dispenser rotate', () => ['dispenser', 'rotate', '--store', demo]],
  ['resident add', () => ['resident', 'add', randomUUID(), `new${Date.now()}.logged`]],
  ['import', () => ['import', 'categories', file('lamps.csv', 'name', 'Lamps'), '--store', demo]],
];

test.each(changes)('%s changes nothing where the log cannot be written', async (what, args) => {
  const name = `Unlogged ${what}`;
  const store = await aStore(name);
  // The local service's stand-in dispenser registers with every new store by itself, and the stream's consumer notes
  // what was before.
  const items = async () => (await wholeTable()).filter(({ pk }) => !/#(DISPENSER|EVENT)$/.test(String(pk)));
  const secret = async () => (await findDispenser(demo))?.secret;
  const before = [await items(), await secret()];
  const stop = intercept(async ({ input }, send) => {
    if (!JSON.stringify(input).includes('LOG#')) return send();
    throw Object.assign(new Error('The log is full.'), { $fault: 'client' });
  });

  const ran = await service.run(...args(what === 'delete' ? name : store));

  stop();
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The log is full.') });
  expect([await items(), await secret()]).toEqual(before);
});

test('a change whose answer is lost is made once and in the log once', async () => {
  const store = await aStore('Lossy');
  const lost = { count: 0 };
  const stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (!operation.startsWith('TransactWrite') || lost.count++ % 2 > 0) return answer;
    throw answerLost();
  });

  await service.run('key', 'issue', 'lost', '--read-only', '--store', store);
  await service.run('key', 'revoke', 'bot', '--store', store);
  await service.run('close', store);
  const { secret } = (await findDispenser(demo)) as Dispenser;
  await service.run('dispenser', 'rotate', '--store', demo);

  stop();
  expect(lost.count).toBe(8);
  expect((await listKeys(store)).map(({ name, status }) => [name, status])).toEqual([
    ['bot', 'revoked'],
    ['lost', 'active'],
  ]);
  expect((await findDispenser(demo))?.oldSecret).toBe(secret);
  expect((await logOf('--limit', '4')).map(({ action }) => action)).toEqual([
    'dispenser.rotated',
    'store.closed',
    'key.revoked',
    'key.issued',
  ]);
});

test('a key that has ended itself is in the log of its store, under its own id', async () => {
  const { id: store } = await createStore('Signed out');
  const { key } = await issueKey({ store, name: 'desk', scopes: ['products:read'], stage: 'test' });
  await endKey(key.id);

  const table = await service.run('log', '--store', 'Signed out', '--limit', '1');
  const [row] = await logOf('--store', store);

  expect(row).toMatchObject({
    by: `key ${key.id}`,
    action: 'key.ended',
    store,
    details: { key: key.id, name: 'desk' },
  });
  expect(table.stdout).toMatch(new RegExp(`key ${key.id} +key\\.ended +Signed out +key: ${key.id}, name: desk, `));
});

test('shows one store’s rows and those that concern all, since a time, up to the limit, and reads by key', async () => {
  const [mine, theirs] = [await aStore('Mine'), await aStore('Theirs')];
  await service.run('close', mine, '--reason', 'Old');
  await service.advance(3 * 86_400);
  await service.run('close', theirs);
  await service.run('resident', 'add', randomUUID(), 'since.logged');
  await service.run('open', mine, '--reason', 'New prices');
  const operations = new Set<string>();
  const stop = intercept(async ({ operation }, send) => {
    if (isOfCommand()) operations.add(operation);
    return send();
  });

  const all = await logOf('--since', '2d');
  const since = await logOf('--store', 'Mine', '--since', '2d');
  const own = (await logOf('--store', mine)).filter(({ store }) => store !== null);
  const one = await service.run('log', '--store', mine, '--limit', '1');
  stop();
  const today = await logOf('--since', all[0].at.slice(0, 10));
  const after = await logOf('--since', all[0].at);

  const actions = (rows: { action: string }[]) => rows.map(({ action }) => action);
  expect(actions(all)).toEqual(['store.opened', 'resident.added', 'store.closed']);
  expect(actions(since)).toEqual(['store.opened', 'resident.added']);
  expect(own).toMatchObject([{ action: 'store.opened' }, { action: 'store.closed', details: { reason: 'Old' } }]);
  expect(own[0]).toMatchObject({ store: mine, storeName: 'Mine' });
  expect(one.stdout).toMatch(/store\.opened +Mine +reason: New prices/);
  expect(one.stderr).toContain('There are more: see them with --limit 10.');
  expect([...operations]).toEqual(['Query']);
  expect(actions(today)).toEqual(actions(all));
  expect(actions(after)).toEqual(['store.opened']);
});

test('keeps the log of a deleted store under its id, names its deletion once, and refuses a store that never was', async () => {
  const store = await aStore('Short-lived');
  await service.run('close', store);
  const args = ['--confirm', 'Short-lived', '--export-to', join(service.dir, 'short'), '--no-wait'];
  await service.run('delete', store, ...args);
  const begun = (await createStore('Half deleted')).id;
  await deleteStore(begun);
  await service.run('delete', begun, '--confirm', 'Half deleted', '--no-wait');

  const kept = (await logOf('--store', store)).filter((row) => row.store !== null);
  const table = await service.run('log', '--limit', '1');
  const refused = await service.run('log', '--store', 'never');
  const resumed = await service.run('log', '--store', begun);

  expect(kept.map(({ action }) => action)).toEqual(['store.deleted', 'store.closed']);
  expect(table.stdout).toMatch(new RegExp(`${by} +store\\.deleted +${store} +name: Short-lived`));
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('There is no store never') });
  expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no store ${begun}`) });
});

test('keeps rows for ever, or for the days that the deployment says', async () => {
  const ends = async (days: string | undefined) => {
    if (days !== undefined) process.env.OPERATOR_LOG_DAYS = days;
    const name = `Kept ${days}`;
    await service.run('create', name, '--no-key');
    delete process.env.OPERATOR_LOG_DAYS;
    const rows = (await wholeTable()).filter(
      ({ pk, details }) => pk === 'LOG#' && JSON.stringify(details).includes(name),
    );
    return rows.map(({ at, ttl }) => ttl && Number(ttl) - Date.parse(String(at)) / 1000);
  };

  const [forever, never, month] = [await ends(undefined), await ends('0'), await ends('30')];

  expect([forever, never]).toEqual([[undefined], [undefined]]);
  expect(month).toHaveLength(1);
  expect(month[0]).toBeGreaterThanOrEqual(30 * 86_400);
  expect(month[0]).toBeLessThan(30 * 86_400 + 5);
});
