import { describe, expect, test } from 'vitest';
import { presets } from '../../../lib/routes/key-presets.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { owner, presetOf, type ScriptName, scriptOf } from './shop.ts';

/** The scripts read the same form of notecard, and tell their owner in the same words what is wrong with it. */

const scripts = ['cashier', 'dispenser', 'shelf', 'terminal', 'vendor'] as const;
const lines = ['service = https://service.example', 'key = sis_live_x'];
const more: Partial<Record<ScriptName, string[]>> = {
  cashier: ['limit = 5000'],
  shelf: ['category = 55555555-2222-4333-8444-555555555555'],
};

/** The lines that a script needs. */
const linesOf = (name: ScriptName): string[] => [...lines, ...(more[name] ?? [])];
/** The scopes that it asks of its key. */
const scopesOf = (name: ScriptName): string[] =>
  /list SCOPES = \[(.*)\];/.exec(scriptOf(name))?.[1]?.match(/[a-z]+:[a-z]+/g) ?? [];
const titleOf = (name: ScriptName): string =>
  name === 'dispenser' ? 'Box' : (name[0] ?? '').toUpperCase() + name.slice(1);

/** An object with the script, and a service that answers every request in the same way. */
const place = (
  name: ScriptName,
  notecard: string[] | undefined,
  answer = { status: 200, body: '{}' },
  grid = 'agni',
  region: Pick<Parameters<typeof createWorld>[0], 'bringsLine' | 'keepsLine'> = {},
) => {
  const clock = virtualClock(1_900_000_000_000);
  const requests: { url: string; key: string | undefined }[] = [];
  const world = createWorld({
    clock,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    ...region,
    send: ({ url, headers }, tell) => {
      requests.push({ url, key: headers['X-API-Key'] });
      tell({ status: answer.status, type: 'application/json', body: answer.body });
    },
  });
  world.region.grid = grid;
  const notecards: Record<string, string[]> = notecard ? { [presetOf(name)]: notecard } : {};
  const object = world.rez({ owner, name, script: scriptOf(name), notecards, items: [] });
  clock.advance(30);
  return { clock, world, object, requests, told: () => world.log.messages.map(({ text }) => text) };
};

test('the shared part of the scripts is the same text', () => {
  const shared = (name: ScriptName) => /\n\/\/ ---- Shared:[\s\S]*?\/\/ ---- End [^\n]*\n/.exec(scriptOf(name))?.[0];

  expect(shared('dispenser')).toContain('readLine(string line)');
  for (const name of [...scripts, 'updater'] as const) expect(shared(name)).toBe(shared('dispenser'));
});

describe.each(scripts)('%s', (name) => {
  const title = titleOf(name);

  test('reads its notecard with blanks, comments, capitals, and a slash or /v1 that was copied along', () => {
    const messy = [
      '# our shop',
      '',
      '  Service=https://service.example/v1/  ',
      'KEY =  sis_live_x',
      '#product = none',
      'hover = Off',
      ...linesOf(name).slice(2),
      '   ',
    ];

    const { requests, told } = place(name, messy);

    expect(told().filter((text) => text.includes('notecard is none'))).toEqual([]);
    expect(requests[0]?.url.startsWith('https://service.example/v1/')).toBe(true);
    expect(requests[0]?.key).toBe('sis_live_x');
  });

  test.each([
    ['"https://service.example"', '"sis_live_x"'],
    ['“https://service.example/”', '„sis_live_x“'],
    ['<https://service.example>', '‘sis_live_x’'],
    ['\ufeffhttps://service.example/desk', 'sis_live_x\u200b'],
    ['https://service.example/desk/#/sales', 'sis_\u200blive_\u00a0x'],
    ['https://service.example/v1//', "'sis_live_x' "],
  ])('takes its address and key as people paste them: %s, %s', (service, key) => {
    const { requests } = place(name, [`service = ${service}`, `key = ${key}`, ...linesOf(name).slice(2)]);

    expect(requests[0]).toMatchObject({ key: 'sis_live_x' });
    expect(requests[0]?.url.startsWith('https://service.example/v1/')).toBe(true);
  });

  test('names a letter of another alphabet in its key, and sends the key nowhere', () => {
    const { requests, told } = place(name, [lines[0] ?? '', 'key = sis_live_\u0430bc', ...linesOf(name).slice(2)]);

    expect(told()).toEqual([`${title}: the address or the key has the sign "\u0430" in it.`]);
    expect(requests).toEqual([]);
  });

  test.each([0, 1])('asks within ten seconds for the line %i of its notecard, which never came', (lost) => {
    let losses = 0;
    const bringsLine = (_: string, line: number): boolean => line !== lost || ++losses > 3;
    const keepsLine = (_: string, line: number): boolean => line !== lost;
    const { requests, clock } = place(name, linesOf(name), undefined, undefined, { bringsLine, keepsLine });
    const before = requests.length;

    clock.advance(10);

    expect([before, requests.length > 0]).toEqual([0, true]);
  });

  test('asks the region for one line, and takes those behind it from what the region has at hand', () => {
    const asked: number[] = [];
    const bringsLine = (_: string, line: number): boolean => asked.push(line) > 0;

    const { requests } = place(name, linesOf(name), undefined, undefined, { bringsLine });

    expect([asked, requests.length > 0]).toEqual([[0], true]);
  });

  test('names each line that it does not understand by its number, and never shows the key', () => {
    const { told, requests } = place(name, [
      'our shop',
      ...linesOf(name),
      'kye = sis_live_hidden',
      'hover = maybe',
      '= nothing',
    ]);
    const from = linesOf(name).length + 2;

    const numbers = told().flatMap((text) => /: line (\d+) of the notecard is none of/.exec(text)?.[1] ?? []);
    expect(numbers.map(Number)).toEqual([1, from, from + 1, from + 2]);
    expect(told()[0]).toMatch(/ is none of service.*, key.*, hover = on or off\.$/);
    expect(told().join()).not.toContain('hidden');
    expect(requests.length).toBeGreaterThan(0);
  });

  test.each([
    ['no notecard', undefined, 'agni', `put a notecard named "${presetOf(name)}" into this object.`],
    ['no key', lines.slice(0, 1), 'agni', 'the notecard lacks "service = ..." or "key = ...".'],
    ['no address', lines.slice(1), 'agni', 'the notecard lacks "service = ..." or "key = ...".'],
    [
      'no encryption',
      ['service = http://service.example', ...lines.slice(1)],
      'agni',
      'the address in the notecard must begin with https://.',
    ],
    ['the test grid', lines, 'aditi', 'it works on the main grid alone.'],
  ])('with %s stays off, sends its key nowhere, and says what to do', (_, notecard, grid, text) => {
    const own = notecard && [...notecard, ...(more[name] ?? [])];
    const { told, requests, object, clock } = place(name, own, undefined, grid);

    object.touch(owner);
    object.script.send('changed', 0x400);
    clock.advance(3600);

    expect(told()).toEqual([`${title}: ${text}`]);
    expect(object.body.seen.text).toBe(`${title}: ${text}`.slice(0, 254));
    expect(requests).toEqual([]);
  });

  test('starts anew with the notecard that it is given, but not for other contents', () => {
    const { object, requests, clock, told } = place(name, undefined);
    object.add({ name: 'Lamp' });
    object.changed();
    clock.advance(30);
    const before = told().length;

    object.editNotecard(presetOf(name), linesOf(name));
    clock.advance(30);
    const asked = requests.length;

    expect([before, asked > 0]).toEqual([1, true]);
  });

  test('is told that its key is none of the service’s, and which of its scopes it lacks', () => {
    const told = (status: number, more: object) => {
      const body = JSON.stringify({ name: 'Our shop', key: { name: 'mine', ...more } });
      // A registration is refused before the dispenser asks about its key.
      const placed = place(name, linesOf(name), { status, body });
      return placed.told();
    };

    expect(told(415, {})).toEqual([`${title}: the service refuses the key, or is busy.`]);
    if (name === 'dispenser') return;
    const scopes = scopesOf(name);
    for (const lacking of scopes)
      expect(told(200, { scopes: scopes.filter((scope) => scope !== lacking) })[0]).toMatch(
        new RegExp(`^${title}: the key lacks ${lacking}\\. Ask for one with the preset ${presetOf(name)}\\.$`),
      );
  });

  test('asks for no scope that its preset lacks', () => {
    const asked = scopesOf(name);

    expect(asked.length).toBeGreaterThan(0);
    expect(presets[presetOf(name)].scopes).toEqual(expect.arrayContaining(asked));
  });
});

test('a vendor needs no product, and names a line with one that is no UUID', () => {
  const scopes = { name: 'Our shop', key: { name: 'mine', scopes: presets.vendor.scopes } };
  const answer = { status: 200, body: JSON.stringify(scopes) };
  const none = place('vendor', lines, answer);
  const wrong = place('vendor', [...lines, 'product = Lamp', 'face = top'], answer);

  const numbers = wrong.told().flatMap((text) => /line (\d+) of the notecard/.exec(text)?.[1] ?? []);
  expect(numbers).toEqual(['3', '4']);
  expect(none.told().filter((text) => text.includes('notecard'))).toEqual([]);
  for (const { requests } of [none, wrong]) expect(requests.at(-1)?.url).toContain('/v1/vendors/');
});

test.each(['none', 'limit = 0', 'limit = -5', 'limit = 10,000', 'limit = L$ 500', 'limit = '])(
  'a cashier whose limit is "%s" is told with what to do, and asks for no permission',
  (line) => {
    const { told, requests, world } = place('cashier', [...lines, ...(line === 'none' ? [] : [line])]);

    expect(told().at(-1)).toBe(
      'Cashier: the notecard lacks its line "limit = ...", with the most L$ that it may pay a day.',
    );
    expect(told()).toHaveLength(line === 'none' ? 1 : 2);
    expect([...requests, ...world.log.dialogs]).toEqual([]);
  },
);

test('a cashier takes its hold and minimum from the notecard, and names those that are out of bounds', () => {
  const { told } = place('cashier', [...linesOf('cashier'), 'hold = 31', 'minimum = 0', 'hold = 0', 'minimum = 20']);

  const numbers = told().flatMap((text) => /: line (\d+) of the notecard is none of/.exec(text)?.[1] ?? []);
  expect(numbers).toEqual(['4', '5']);
});
