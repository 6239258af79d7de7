import { expect, test } from 'vitest';
import { now } from '../../../../lib/clock.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { listKeys, rotateKey } from '../../../../lib/store/issued-keys.ts';

import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });

const aStore = async (name: string) => (await createStore(name)).id;
const statusOf = async (key: string, path = '/v1/products'): Promise<number> =>
  (await service.call('GET', path, key)).status;

test('issues a key with the given scopes, alone on standard output, and never shows its secret again', async () => {
  const store = await aStore('Scoped');

  const issued = await service.run(
    'key',
    'issue',
    'web shop',
    '--scopes',
    'products:read, coupons:read',
    '--store',
    store,
  );
  const listed = await service.run('key', 'list', '--store', store, '--json');

  const text = issued.stdout.trim();
  expect(issued).toMatchObject({ code: 0 });
  expect(text).toMatch(/^sis_test_\w{12}_\w{49}$/);
  expect([await statusOf(text), await statusOf(text, '/v1/categories')]).toEqual([200, 403]);
  expect(listed.rows).toMatchObject([
    { name: 'web shop', prefix: text.slice(0, 21), state: 'active', scopes: ['coupons:read', 'products:read'] },
  ]);
  const [kept] = await listKeys(store);
  expect(listed.stdout).not.toContain(kept?.hash);
  expect(listed.stdout).not.toContain(text.slice(22));
});

test('a rotated key works for the overlap, and its successor lives as long as it would have', async () => {
  const store = await aStore('Rotating');
  const first = await service.run('key', 'issue', 'bot', '--read-only', '--expires', '30d', '--store', store, '--json');

  const rotated = await service.run('key', 'rotate', 'BOT', '--overlap', '2h', '--store', store, '--json');

  const [old, next] = [first.rows[0], rotated.rows[0]];
  expect(next).toMatchObject({ name: 'bot', scopes: old.scopes });
  expect(Date.parse(next.expiresAt) - Date.parse(next.createdAt)).toBeCloseTo(30 * 86_400_000, -5);
  expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([200, 200]);
  await service.advance(2 * 3600 + 61);
  expect([await statusOf(old.key), await statusOf(next.key)]).toEqual([401, 200]);
  const listed = await service.run('key', 'list', '--store', store, '--json');
  expect(listed.rows.map(({ state }) => state)).toEqual(['expired', 'active']);
});

test('of two rotations at once one issues a key and the other changes nothing', async () => {
  const store = await aStore('Raced');
  await service.run('key', 'issue', 'bot', '--all-scopes', '--store', store);

  const rotate = ['key', 'rotate', 'bot', '--store', store, '--json'];
  const both = await service.runTogether(rotate, rotate);

  // If one ended before the other began, the other rotated the new key.
  const done = both.filter(({ code }) => code === 0).length;
  const keys = await listKeys(store);
  expect(done).toBeGreaterThanOrEqual(1);
  expect(keys).toHaveLength(1 + done);
  expect(keys.filter(({ rotatedTo }) => rotatedTo === undefined)).toHaveLength(1);
  const old = keys.find(({ rotatedTo }) => rotatedTo !== undefined);
  if (!old) throw new Error('There is no key.');
  await expect(rotateKey(old, old.createdAt, 'test')).rejects.toMatchObject({ status: 400 });
  expect(await listKeys(store)).toEqual(keys);
  for (const { code, stderr } of both)
    if (code !== 0) expect(stderr).toMatch(/revoked or rotated meanwhile|was rotated already/);
});

test('revokes every live key of a name, or one by its prefix, and says how soon it takes effect', async () => {
  const store = await aStore('Revoking');
  const first = await service.run('key', 'issue', 'bot', '--all-scopes', '--store', store, '--json');
  const other = await service.run('key', 'issue', 'shop', '--all-scopes', '--store', store, '--json');
  await service.run('key', 'rotate', 'bot', '--store', store);
  expect(await statusOf(first.rows[0].key)).toBe(200);

  const revoked = await service.run('key', 'revoke', 'bot', '--store', store);
  const byPrefix = await service.run('key', 'revoke', other.rows[0].prefix, '--store', store, '--json');

  expect(revoked.code).toBe(0);
  expect(revoked.stderr).toContain('within 60 seconds');
  expect(byPrefix.rows).toMatchObject([{ name: 'shop', state: 'revoked', effectiveWithinSeconds: 60 }]);
  expect((await listKeys(store)).map(({ status }) => status)).toEqual(['revoked', 'revoked', 'revoked']);
  await service.advance(61);
  expect(await statusOf(first.rows[0].key)).toBe(401);
});

test('refuses with a reason and exit code, and issues nothing', async () => {
  const store = await aStore('Refusing');
  await service.run('key', 'issue', 'taken', '--all-scopes', '--store', store);
  const past = new Date(now() - 86_400_000).toISOString();
  const cases: [string[], number, RegExp][] = [
    [['issue', 'x'], 2, /--scopes .*--read-only or --all-scopes/],
    [['issue', 'x', '--scopes', 'coupons:eat'], 2, /no scope coupons:eat\. There are: coupons:read/],
    [['issue', 'x', '--scopes', 'coupons:read', '--all-scopes'], 2, /cannot be used with/],
    [['issue', 'x', '--all-scopes', '--expires', 'soon'], 2, /90d, a day such as 2027-12-31/],
    [['issue', 'x', '--all-scopes', '--expires', past], 2, /must be in the future/],
    [['issue', 'x\u001b[31m', '--all-scopes'], 2, /without control characters/],
    [['issue', 'Taken', '--all-scopes'], 1, /has a live key "Taken"/],
    [['issue'], 2, /missing required argument 'name'/],
    [['rotate', 'nobody'], 1, /no key nobody\. Live keys: taken\./],
    [['rotate', 'taken', '--overlap', '1y'], 2, /a duration such as 90d, a day such as/],
    [['revok', 'taken'], 2, /Did you mean revoke/],
  ];

  const ran = await Promise.all(cases.map(([args]) => service.run('key', ...args, '--store', store)));

  for (const [index, { code, stdout, stderr }] of ran.entries()) {
    const [args, expected, message] = cases[index] as (typeof cases)[number];
    expect(stderr, args.join(' ')).toMatch(message);
    expect({ code, stdout }, args.join(' ')).toEqual({ code: expected, stdout: '' });
    expect(stderr).not.toContain('\u001b');
  }
  expect(await listKeys(store)).toHaveLength(1);
});

test('says which events a new key may see, and where it may send them', async () => {
  const store = await aStore('Telling');
  const issue = async (scopes: string) =>
    (await service.run('key', 'issue', scopes, '--scopes', scopes, '--store', store)).stderr;

  expect(await issue('webhooks:write')).toContain(
    'It may send the events store.closed, store.opened to any address.\n',
  );
  expect(await issue('events:read,webhooks:write,giftcards:read')).toContain(
    'It may send the events giftcard.granted, giftcard.purchased, giftcard.redeemed, giftcard.disabled, store.closed, store.opened ' +
      'to any address, and read them. Those of gift cards hold ids that are money.\n',
  );
  expect(await issue('giftcards:read')).not.toContain('events');
  const { stderr } = await service.run('key', 'issue', 'Anna', '--preset', 'support', '--store', store);
  expect(stderr).toContain('It may read all events of your store. Those of gift cards hold ids that are money.\n');
  expect(stderr).not.toMatch(/[a-z]\.[a-z]/);
});
