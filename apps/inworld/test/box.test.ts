import { expect, test } from 'vitest';
import { newId } from '../../../lib/clock.ts';
import { dispenserBody } from '../../../lib/delivery/message.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import type { Placement } from '../../../local/grid/world/land.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { scriptOf } from './shop.ts';

/**
 * A box whose address dies, whose memory others fill, and whose contents include notecards. Also a terminal's memory.
 */

const owner = '99999999-2222-3333-4444-555555555555';
const ada = '11111111-2222-3333-4444-555555555555';
const stranger = '66666666-2222-4333-8444-555555555555';

const start = ({ mayGrant = (): boolean => true, bringsLine = (_: string): boolean => true } = {}) => {
  const clock = virtualClock(1_900_000_000_000);
  const addresses: string[] = [];
  const bodies: string[] = [];
  const late: (() => void)[] = [];
  let given = 0;
  const world = createWorld({
    clock,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    bringsLine,
    grantUrl: (answer) => {
      given += 1;
      const url = `https://sim.example/${given}`;
      world.region.urlsLeft -= 1;
      if (mayGrant()) answer(url);
      else late.push(() => answer(url));
    },
    send: ({ url, body }, answer) => {
      if (body !== '') bodies.push(body);
      if (url.endsWith('/dispenser')) addresses.push(JSON.parse(body).url);
      const text = url.endsWith('/dispenser')
        ? { secret: 'first' }
        : { name: 'Store', key: { scopes: terminalScopes } };
      clock.after(1, () => answer({ status: 200, type: 'application/json', body: JSON.stringify(text) }));
    },
  });
  const place = (notecards: Record<string, string[]> = {}): Placement => {
    const box = world.rez({
      ...{ owner, name: 'box', script: scriptOf('dispenser'), items: [{ name: 'Lamp' }] },
      notecards: { dispenser: ['service = https://example.org', 'key = sis_live_x'], ...notecards },
    });
    clock.advance(10);
    return box;
  };
  const deliver = (item = 'Lamp', id = newId()) => {
    const order = { id, recipientUuid: ada, item, message: '', at: clock.now(), expiresAt: clock.now() + 1e8 };
    const answers: string[] = [];
    world.receive(addresses.at(-1) ?? '', 'POST', dispenserBody(order, 'first'), (status, text) =>
      answers.push(`${status} ${text}`),
    );
    clock.advance(5);
    return { id, answer: answers[0]?.slice(0, 9) };
  };
  return { clock, world, addresses, bodies, late, place, deliver };
};
const terminalScopes = [
  'credits:read',
  'customers:read',
  'coupons:apply',
  'coupons:read',
  'giftcards:redeem',
  'products:redeliver',
];

test('an address at which nobody calls is replaced within 70 minutes, however soon after a call it died', () => {
  const { clock, addresses, place, deliver } = start();
  const box = place();
  clock.advance(200);
  deliver();

  box.body.loseUrls();
  const dead = deliver().answer;
  clock.advance(70 * 60);

  expect(dead).toBe('404 cap n');
  expect(addresses.length).toBeGreaterThan(1);
  expect(deliver().answer).toBe('200 given');
});

test('an address at which somebody calls stays, and is registered each hour', () => {
  const { clock, addresses, place, deliver } = start();
  place();

  for (let n = 0; n < 24; n++) {
    clock.advance(600);
    deliver();
  }

  expect(new Set(addresses).size).toBe(1);
  expect(addresses.length).toBeGreaterThan(2);
});

test('its owner’s touch gives it a new address at once', () => {
  const { clock, place, deliver, world } = start();
  const box = place();
  box.body.loseUrls();

  box.touch(stranger, owner);
  clock.advance(5);

  expect(deliver().answer).toBe('200 given');
  expect(world.log.said.at(-1)?.text).toMatch(/^Box \d+\.\d+\.\d+: Box: ready\. .* Memory: \d+;/);
});

test('keeps the old address until the service knows the new one', () => {
  const { clock, addresses, place, world } = start();
  const box = place();
  const answers: string[] = [];

  box.touch(owner);
  world.receive(addresses[0] ?? '', 'GET', '', (status) => void answers.push(String(status)));
  clock.advance(0);
  const during = [box.body.owns(addresses[0] ?? ''), answers];
  clock.advance(5);

  expect(during).toEqual([true, ['405']]);
  expect(box.body.owns(addresses[0] ?? '')).toBe(false);
  expect(box.body.owns(addresses[1] ?? '')).toBe(true);
});

test('addresses that come late are released', () => {
  let isSlow = true;
  const { clock, late, place, world } = start({ mayGrant: () => !isSlow });
  const before = world.region.urlsLeft;
  const box = place();
  clock.advance(400);

  isSlow = false;
  for (const grant of late) grant();
  clock.advance(100);

  expect(late.length).toBeGreaterThan(4);
  expect(box.body.seen.text).toBe('Box: ready.');
  expect(before - world.region.urlsLeft).toBe(1);
});

const write = ({ body }: Placement, name: string, value: string): void => {
  body.functions['integer llLinksetDataWrite(string, string)']?.(...([name, value] as never[]));
};

test('while others fill its memory it delivers nothing, tells its owner, and gives nothing twice', () => {
  const { clock, world, place, deliver } = start();
  const box = place();
  const first = deliver();
  write(box, 'fill', 'x'.repeat(130_700));

  const full = deliver();
  const again = deliver('Lamp', first.id);
  box.body.functions['integer llLinksetDataDelete(string)']?.(...(['fill'] as never[]));
  clock.advance(10);
  const later = deliver('Lamp', full.id);

  expect([first, full, again, later].map(({ answer }) => answer)).toEqual([
    '200 given',
    '503 no me',
    '200 known',
    '200 given',
  ]);
  expect(world.log.given).toHaveLength(2);
  expect(world.log.messages.filter(({ text }) => text.includes("have filled this object's memory"))).toHaveLength(1);
});

test('it forgets its oldest deliveries for room, but never the last 500', () => {
  const { place, deliver } = start();
  const box = place();
  for (let n = 0; n < 700; n++) write(box, `sis:d:${String(n).padStart(26, '0')}`, '1');
  write(box, 'fill', 'x'.repeat(104_300));
  const known = (): number => [...box.body.linksetData.keys()].filter((name) => name.startsWith('sis:d:')).length;

  for (let n = 0; n < 30; n++) deliver();

  expect(known()).toBeGreaterThanOrEqual(500);
  expect(known()).toBeLessThan(700);
});

test.each([
  ['Guide', ['Thank you!', 'a = b'], '200 given', 1],
  ['dispenser 1', ['service = https://example.org', ' KEY  = sis_live_x'], '422 no su', 0],
])('the notecard %s is read before it is given, and is no item with a line "key ="', (item, lines, answer, given) => {
  const { world, place, deliver } = start();
  place({ [item]: lines });

  const [first, second] = [deliver(item), deliver(item)];

  expect([first.answer, second.answer]).toEqual(['503 readi', answer]);
  expect(world.log.given).toHaveLength(given);
});

test('a line of a notecard that never comes holds up no other notecard, and its own for no more than a minute', () => {
  let isLost = true;
  const { clock, place, deliver } = start({ bringsLine: (card) => !isLost || card !== 'Guide' });
  place({ Guide: ['Thank you!'], Poster: ['a = b'] });

  const begun = [deliver('Guide'), deliver('Poster')];
  clock.advance(60);
  const next = [deliver('Poster'), deliver('Poster')];
  isLost = false;
  const last = [deliver('Guide'), deliver('Guide')];

  expect(begun.map(({ answer }) => answer)).toEqual(['503 readi', '503 readi']);
  expect(next.map(({ answer }) => answer)).toEqual(['503 readi', '200 given']);
  expect(last.map(({ answer }) => answer)).toEqual(['503 readi', '200 given']);
});

test('a notecard that is taken out, or replaced, while it is read holds up no other', () => {
  const { place, deliver } = start({ bringsLine: (card) => card !== 'Guide' });
  const box = place({ Guide: ['Thank you!'], Poster: ['a = b'] });

  const begun = deliver('Guide');
  box.remove('Guide');
  box.changed();
  const answers = [deliver('Poster'), deliver('Poster'), deliver('Guide')];

  expect([begun, ...answers].map(({ answer }) => answer)).toEqual(['503 readi', '503 readi', '200 given', '422 no su']);
});

test('box and vendors have names of their own, so that a box never deletes what a vendor keeps', () => {
  const { world, place, deliver } = start();
  const box = place();
  deliver();
  const names = [...box.body.linksetData.keys()].map((name) => name.slice(0, 6));

  expect(new Set(names)).toEqual(new Set(['sis:d:', 'sis:r:']));
  expect(world.log.errors).toEqual([]);
});

test('a terminal keeps the number of a card where no other script can read it, and forgets it after a restart', () => {
  const { clock, world } = start();
  const terminal = world.rez({
    ...{ owner, name: 'terminal', script: scriptOf('terminal'), items: [] },
    notecards: { terminal: ['service = https://example.org', 'key = sis_live_x'] },
  });
  clock.advance(5);
  terminal.touch(ada, stranger);
  clock.advance(3);
  const menus = world.log.dialogs.map(({ to }) => to);
  const choose = (text: string): void => {
    world.log.dialogs.findLast(({ to }) => to === ada)?.answer(text);
    clock.advance(2);
  };
  choose('Gift card');
  const number = '12345678-aaaa-4aaa-8aaa-123456789012';
  const kept = [...terminal.body.linksetData.values()];
  const spy = world.rez({
    owner: stranger,
    name: 'spy',
    script: 'default { state_entry() { } }',
    notecards: {},
    items: [],
  });
  world.link(terminal, spy);
  choose(number);
  const names = [...terminal.body.linksetData.keys()];
  const read = spy.body.functions['string llLinksetDataRead(string)'] as (name: string) => string;
  const seen = names.map((name) => read(name)).join('');

  world.restart();
  clock.advance(5);

  expect(menus).toEqual([ada, stranger]);
  expect(kept.length).toBeGreaterThan(0);
  expect(seen).toBe('');
  expect([...terminal.body.linksetData.keys()]).toEqual([]);
});

test('another notecard without all permissions is noticed too', () => {
  const { clock, addresses, place, world } = start();
  const box = place();
  const lines = ['service = https://other.example', 'key = sis_live_y'];
  for (const item of box.items()) if (item.name === 'dispenser') item.permissions = 0x8000;

  box.body.prim.notecards.dispenser = lines;
  box.remove('dispenser');
  clock.advance(1);
  box.add({ name: 'dispenser', type: 7, permissions: 0x8000 });
  box.changed();
  clock.advance(20);

  expect(addresses).toHaveLength(2);
  expect(world.log.errors).toEqual([]);
});
