import { expect, test } from 'vitest';
import { startScript } from './script.ts';

/** The shipped script reads its notecard and registers. */

test.each([
  'https://example.org/prod',
  'https://example.org/prod/',
  'https://example.org/prod/v1',
  'https://example.org/prod/v1/',
  'HTTPS://example.org/prod//',
])('registers at %s, with or without a slash and /v1 at its end', (service) => {
  const script = startScript('# ours', `service = ${service}`, 'key = sis_live_x');
  const { calls, grant } = script;

  grant();

  expect(script.told).toEqual([]);
  expect(calls.map(({ url }) => url.toLowerCase())).toEqual(['https://example.org/prod/v1/dispenser']);
});

test('a notecard without a key or an address is told so', () => {
  for (const line of ['service = https://example.org', 'key = sis_live_x']) {
    const { told, calls } = startScript(line);

    expect(told).toEqual(['Box: the notecard lacks "service = ..." or "key = ...".']);
    expect(calls).toEqual([]);
  }
});

test.each(['http://example.org', 'example.org', 'ftp://example.org'])(
  'sends its key nowhere without encryption: %s is refused, after a restart of the region too',
  (service) => {
    const script = startScript(`service = ${service}`, 'key = sis_live_x');
    const { calls, grant, restartRegion } = script;

    restartRegion();
    grant();

    expect(script.told).toEqual(['Box: the address in the notecard must begin with https://.']);
    expect(calls).toEqual([]);
  },
);

const start = () => {
  const script = startScript('service = https://example.org', 'key = sis_live_x');
  script.grant();
  return script;
};
const sentItems = (body = '{}') => JSON.parse(body).items;

test('registers its address, its region and the names of its items, but neither notecard nor script', () => {
  const { calls, contents } = start();

  expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
    url: 'https://sim.agni.example/cap/1',
    name: 'main',
    priority: 0,
    region: 'Region',
    items: ['Blue lamp', 'Red lamp'],
  });
  expect(contents()).toContain('dispenser.lsl');
});

test('registers no names at all where they are too many for its memory, so that none seems to be missing', () => {
  const script = startScript('service = https://example.org', 'key = sis_live_x');
  script.add(...Array.from({ length: 1000 }, (_, i) => `An item with a long name, number ${i}`));

  script.grant();

  expect(sentItems(script.calls[0]?.body)).toEqual([]);
  expect(script.errors).toEqual([]);
});

test('registers again soon after its contents change, once for many changes, and while they go on changing', () => {
  const { calls, add, changeContents, timer, advance } = start();
  calls[0]?.answer(200, { secret: 'first' });
  const hourly = timer();
  add('Green lamp');

  for (let change = 0; change < 100; change++) changeContents();
  advance(9);
  const before = calls.length;
  advance(1);
  for (let second = 0; second < 30; second++) {
    calls.at(-1)?.answer(200, { secret: 'first' });
    changeContents();
    advance(1);
  }

  expect([hourly, before]).toEqual([600, 1]);
  expect(calls.map(({ body }) => sentItems(body).length)).toEqual([2, 3, 3, 3, 3]);
});

test.each([
  ['401', 401, ''],
  ['403', 403, ''],
  ['415, which hides the reason', 415, 'Unsupported or unknown Content-Type.'],
])('a registration refused with %s is explained by what the key may do', (_, status, body) => {
  const key = { name: 'web shop', scopes: ['products:read'] };
  const lacking = start();
  const unknown = start();
  const busy = start();

  for (const { calls } of [lacking, unknown, busy]) calls[0]?.answer(status, body);
  lacking.calls[1]?.answer(200, { id: 'x', name: 'My Store', key });
  unknown.calls[1]?.answer(status, body);
  busy.calls[1]?.answer(200, { id: 'x', name: 'My Store', key: { ...key, scopes: ['dispenser:register'] } });

  expect(lacking.calls[1]).toMatchObject({ url: 'https://example.org/v1/store', method: 'GET' });
  expect(lacking.told).toEqual(['Box: the key lacks dispenser:register. Ask for one with the preset dispenser.']);
  expect(unknown.told).toEqual(['Box: the service refuses the key, or is busy.']);
  expect(busy.told).toEqual(['Box: the service refuses the registration, or is busy. Next try in a minute.']);
});

test('any other refusal is told with the service’s own words, and only once while it lasts', () => {
  const script = start();
  const { calls, advance } = script;
  const refusal = { status: 400, detail: 'url must be the address of a script: its port is neither 443 nor 12043.' };

  for (let attempt = 0; attempt < 3; attempt++) {
    calls.at(-1)?.answer(400, refusal);
    advance(60);
  }
  calls.at(-1)?.answer(200, { secret: 'first' });

  expect(script.told).toEqual([
    `Box: the service answered 400. Next try in a minute. ${refusal.detail}`,
    'Box: ready.',
  ]);
});

test('tells the name and the priority of its notecard, and complains of those that are none', () => {
  const lines = ['service = https://example.org', 'key = sis_live_x'];
  const named = startScript(...lines, 'Name = second-1', 'priority = 3');
  named.grant();
  const wrong = startScript(...lines, 'name =', 'priority = 10');
  wrong.grant();

  expect(JSON.parse(named.calls[0]?.body ?? '')).toMatchObject({ name: 'second-1', priority: 3 });
  expect(named.told).toEqual([]);
  expect(JSON.parse(wrong.calls[0]?.body ?? '')).toMatchObject({ name: 'main', priority: 0 });
  expect(wrong.told[0]).toMatch(/line 3 of the notecard is none of .* name = main, priority = 0/);
});

test('asks for another address when the service says that nobody was found at this one, and once a minute at most', () => {
  const { calls, grant, advance, told } = start();
  const answer = () => calls.at(-1)?.answer(200, { secret: 'first', unreachable: true });
  for (let second = 0; second < 190; second++) {
    answer();
    grant();
    advance(1);
  }

  expect(calls).toHaveLength(4);
  expect(told).toEqual(['Box: ready.']);
});
