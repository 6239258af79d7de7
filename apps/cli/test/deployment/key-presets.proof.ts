import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { type PresetName, presetNames, presets, presetText } from '../../../../lib/routes/key-presets.ts';
import { type Scope, scopes } from '../../../../lib/routes/scopes.ts';
import { listKeys } from '../../../../lib/store/issued-keys.ts';
import { listStores } from '../../../../lib/store/stores.ts';
import { onTerminal } from '../../../../test/support/terminal.ts';
import { startForCli } from '../support/cli.ts';

const command = new URL('../../store.ts', import.meta.url).pathname;

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});

const reads = scopes.filter((scope) => scope.endsWith(':read'));
const support: readonly Scope[] = [
  ...reads,
  'products:deliver',
  'products:redeliver',
  'credits:write',
  'sales:refund',
  'pages:open',
];
const expected: Record<PresetName, readonly Scope[]> = {
  vendor: ['sales:write', 'products:read', 'vendors:register'],
  terminal: [
    'credits:read',
    'customers:read',
    'coupons:read',
    'coupons:apply',
    'giftcards:redeem',
    'products:redeliver',
    'pages:open',
  ],
  dispenser: ['dispenser:register'],
  cashier: ['payouts:pay'],
  shop: ['products:read', 'categories:read'],
  support,
  manager: [
    ...support,
    'coupons:write',
    'coupons:apply',
    'customers:write',
    'giftcards:write',
    'categories:write',
    'products:write',
    'vendors:write',
    'store:write',
  ],
  designer: ['products:read', 'products:write', 'categories:read', 'categories:write', 'vendors:read', 'vendors:write'],
  all: scopes,
};

test('only support, manager and all read gift cards, only all may redeem what it reads, and only all makes keys', () => {
  const withScope = (scope: Scope) =>
    presetNames.filter((name) => (presets[name].scopes as readonly Scope[]).includes(scope));

  expect(presetNames).toEqual(Object.keys(expected));
  expect(withScope('giftcards:read')).toEqual(['support', 'manager', 'all']);
  expect(withScope('keys:write')).toEqual(['all']);
  expect(withScope('giftcards:redeem')).toEqual(['terminal', 'all']);
});

test.each(presetNames)(
  'issues a key with exactly the scopes of %s, says what it can do, and lists it as such',
  async (name) => {
    const { id } = await createStore(`Preset ${name}`);

    const issued = await service.run('key', 'issue', 'x', '--preset', name, '--expires', '30d', '--store', id);
    const listed = await service.run('key', 'list', '--store', id, '--json');
    const table = await service.run('key', 'list', '--store', id);

    const [key] = await listKeys(id);
    expect(issued).toMatchObject({ code: 0, stderr: expect.stringContaining(`${name}: ${presetText(name)}`) });
    expect(new Set(key?.scopes)).toEqual(new Set(expected[name]));
    expect(key?.scopes).toHaveLength(expected[name].length);
    expect(listed.rows).toMatchObject([{ name: 'x', preset: name }]);
    expect(table.stdout).toMatch(new RegExp(`${name}\\n$`));
  },
);

test('lists a key of one scope more or less by its scopes', async () => {
  const { id } = await createStore('Nearly');
  await service.run('key', 'issue', 'more', '--scopes', 'products:read,categories:read,coupons:read', '--store', id);
  await service.run('key', 'issue', 'less', '--scopes', 'products:read', '--store', id);

  const listed = await service.run('key', 'list', '--store', id, '--json');
  const table = await service.run('key', 'list', '--store', id);

  expect(listed.rows.map(({ preset }) => preset)).toEqual([undefined, undefined]);
  expect(table.stdout).toContain('coupons:read products:read categories:read');
});

test('a first key without a terminal has all scopes and no end; --preset and --expires change that', async () => {
  const plain = await service.run('create', 'Plain', '--json');
  const chosen = await service.run('create', 'Chosen', '--preset', 'support', '--expires', '2099-12-31', '--json');
  const wrong = await service.run('create', 'Wrong', '--preset', 'support', '--expires', '2001-01-01');
  const both = await service.run('key', 'issue', 'x', '--preset', 'shop', '--scopes', 'products:read');
  const none = await service.run('create', 'None', '--no-key', '--preset', 'shop');

  expect(plain.rows[0]).toMatchObject({ preset: 'all' });
  expect(plain.rows[0].expiresAt).toBeUndefined();
  expect(chosen.rows[0]).toMatchObject({ preset: 'support', expiresAt: '2099-12-31T23:59:59.999Z' });
  expect([wrong.code, both.code, none.code]).toEqual([2, 2, 2]);
  expect(wrong.stderr).toContain('--expires must be in the future');
  const names = (await listStores()).map(({ name }) => name);
  expect(names.filter((name) => name === 'Wrong' || name === 'None')).toEqual([]);
});

test('the guide says of each preset what such a key can do', () => {
  const guide = readFileSync(new URL('../../../../docs/operate/operator.md', import.meta.url), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  );

  for (const name of presetNames) {
    expect(guide).toContain(`| \`${name}\` | ${presets[name].use} | A thief ${presets[name].risk} |`);
  }
});

const [up, down, enter, cancel] = ['\u001b[A', '\u001b[B', '\r', '\u0003'];

/** Runs the command on a terminal, with the answers to its questions. */
const ask = (args: string[], ...answers: [question: string, typed: string][]): Promise<string> =>
  onTerminal([process.execPath, command, '--data-dir', service.dir, ...args], answers);

test('on a terminal the first key of a store is of the preset and has the end that the person chooses', async () => {
  const shown = await ask(
    ['create', 'Asked'],
    ['What is the key for?', `${down}${down}${enter}`],
    ['When does it end?', enter],
  );

  const store = (await listStores()).find(({ name }) => name === 'Asked');
  const [key] = await listKeys(store?.id ?? '');
  expect(key?.scopes).toEqual(['dispenser:register']);
  expect(Date.parse(key?.expiresAt ?? '') - Date.parse(key?.createdAt ?? '')).toBeCloseTo(365 * 86_400_000, -5);
  expect(shown).toContain(key?.id);
});

test('on a terminal key issue asks for what no option says, takes single scopes, and never for an end', async () => {
  const { id } = await createStore('Asking');
  const clear = '\u0015';

  await ask(
    ['key', 'issue', 'one', '--store', id],
    ['What is the key for?', enter],
    ['When does it end?', `${clear}never${enter}`],
  );
  await ask(
    ['key', 'issue', 'two', '--expires', '1d', '--store', id],
    ['What is the key for?', `${up}${enter}`],
    ['What may it do?', ` ${down}${down} ${enter}`],
  );
  await ask(['key', 'issue', 'three', '--preset', 'shop', '--store', id]);

  const keys = await listKeys(id);
  expect(keys.map(({ scopes: some }) => some)).toEqual([expected.vendor, [scopes[0], scopes[2]], expected.shop]);
  expect(keys.map(({ expiresAt }) => expiresAt === undefined)).toEqual([true, false, true]);
});

test('a person who cancels has created neither store nor key', async () => {
  const shown = await ask(['create', 'Cancelled'], ['What is the key for?', cancel]);

  expect(shown).toContain('Nothing was changed.');
  expect((await listStores()).map(({ name }) => name)).not.toContain('Cancelled');
});
