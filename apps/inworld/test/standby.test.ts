import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newId } from '../../../lib/clock.ts';
import { dispenserBody } from '../../../lib/delivery/message.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';

/** Two boxes with one key in a region: one delivers, the other is its standby. All forced delays apply. */

const source = readFileSync(new URL('../dispenser.lsl', import.meta.url), 'utf8');
const owner = '99999999-2222-3333-4444-555555555555';
const ada = '11111111-2222-3333-4444-555555555555';

/** A region with a service that keeps the last registered address. */
const startRegion = (more: string[] = []) => {
  const clock = virtualClock(1_900_000_000_000);
  const addresses: string[] = [];
  const world = createWorld({
    clock,
    nameOf: () => undefined,
    uuidOf: () => undefined,
    send: ({ body }, answer) => {
      addresses.push(JSON.parse(body).url);
      answer({ status: 200, type: 'application/json', body: '{"secret":"first"}' });
    },
  });
  const place = (name: string, id?: string, own: string[] = []) =>
    world.rez({
      ...(id && { id }),
      owner,
      name,
      script: source,
      notecards: { dispenser: ['service = https://example.org', 'key = sis_live_x', ...more, ...own] },
      items: [{ name: 'Lamp' }],
    });
  /** The service asks the registered address for a delivery. */
  const deliver = (id = newId(), address = addresses.at(-1) ?? '') => {
    const order = { id, recipientUuid: ada, item: 'Lamp', message: '', at: clock.now(), expiresAt: clock.now() + 1e8 };
    const answers: string[] = [];
    world.receive(address, 'POST', dispenserBody(order, 'first'), (status, text) => answers.push(`${status} ${text}`));
    return { id, answers };
  };
  return { clock, world, addresses, place, deliver };
};

test('the first box delivers and the second stands by, and says so above itself', () => {
  const { clock, addresses, place } = startRegion();

  const one = place('one');
  clock.advance(10);
  const other = place('other');
  clock.advance(600);

  expect(addresses).toHaveLength(1);
  expect(one.body.seen.text).toBe('Box: ready.');
  expect(other.body.seen.text).toBe('Box: standing by: another box is active.');
});

test('boxes of two names in one region are both active, and each has a standby of its own', () => {
  const { clock, place } = startRegion();

  const boxes = [place('one'), place('other', undefined, ['name = other'])];
  clock.advance(60);
  boxes.push(place('third', undefined, ['name = other']), place('fourth', undefined, ['name = main']));
  clock.advance(600);

  expect(boxes.map(({ body }) => body.seen.text)).toEqual([
    'Box: ready.',
    'Box: ready.',
    'Box: standing by: another box is active.',
    'Box: standing by: another box is active.',
  ]);
});

const [low, high] = ['10000000-0000-4000-8000-000000000000', '20000000-0000-4000-8000-000000000000'];

test.each([
  [low, high],
  [high, low],
])('of two boxes that are placed at once, one delivers in the end, and the service has its address', (one, other) => {
  const { clock, addresses, place, world } = startRegion();

  const boxes = [place('one', one), place('other', other)];
  clock.advance(120);

  const active = boxes.filter(({ body }) => body.seen.text === 'Box: ready.');
  expect(active.map(({ body }) => body.id)).toEqual([low]);
  expect(active[0]?.body.owns(addresses.at(-1) ?? '')).toBe(true);
  expect(world.log.errors).toEqual([]);
});

test('a box whose region restarts while it reads its notecard reads it again', () => {
  const { clock, addresses, place, world } = startRegion();
  place('one');

  world.restart();
  clock.advance(80);

  expect(addresses).toHaveLength(1);
});

test('a box that stands by gives nothing, even for a request that reached it before', () => {
  const { clock, addresses, place, deliver, world } = startRegion();
  const frozen = place('one', high);
  clock.advance(10);
  frozen.freeze(true);
  place('other', low);
  clock.advance(10);
  const { answers } = deliver(newId(), addresses[0]);

  frozen.freeze(false);
  clock.advance(10);

  expect(answers).toEqual(['503 not ready']);
  expect(world.log.given).toEqual([]);
});

test('the second box takes over when the first is gone, and gives nothing that the first has given', () => {
  const { clock, place, deliver, world, addresses } = startRegion();
  const one = place('one');
  clock.advance(10);
  place('other');
  clock.advance(60);
  const first = deliver();
  clock.advance(5);

  one.take();
  clock.advance(120);
  const repeated = deliver(first.id);
  const next = deliver();
  clock.advance(10);

  expect(addresses).toHaveLength(2);
  expect([first.answers, repeated.answers, next.answers]).toEqual([
    [`200 given ${first.id}`],
    [`200 known ${first.id}`],
    [`200 given ${next.id}`],
  ]);
  expect(world.log.given).toHaveLength(2);
});

test('a standby that was away hears of all that was given in the last ten minutes', () => {
  const { clock, place, deliver, world } = startRegion();
  const one = place('one');
  clock.advance(10);
  const missed = Array.from({ length: 45 }, () => {
    const { id } = deliver();
    clock.advance(3);
    return id;
  });
  place('other');
  clock.advance(60);

  one.take();
  clock.advance(120);
  const repeated = missed.map((id) => {
    const { answers } = deliver(id);
    clock.advance(3);
    return answers;
  });

  expect(repeated).toEqual(missed.map((id) => [`200 known ${id}`]));
  expect(world.log.given).toHaveLength(45);
  expect(world.log.errors).toEqual([]);
});

test('a busy first box keeps its work: what it gives says that it is there', () => {
  const { clock, place, deliver, addresses, world } = startRegion();
  place('one');
  clock.advance(10);
  place('other');
  clock.advance(30);

  for (let second = 0; second < 300; second += 2) {
    deliver();
    clock.advance(2);
  }

  expect(addresses).toHaveLength(1);
  expect(world.log.given.length).toBeGreaterThan(140);
});

test('a first box that was frozen takes no old request when it wakes up, for its standby has been sent it too', () => {
  const { clock, place, deliver, world, addresses } = startRegion();
  const one = place('one');
  clock.advance(10);
  place('other');
  clock.advance(60);
  one.freeze(true);
  const sent = deliver();
  clock.advance(120);
  const repeated = deliver(sent.id);
  clock.advance(5);

  one.freeze(false);
  clock.advance(30);

  expect(addresses.length).toBeGreaterThanOrEqual(2);
  expect(repeated.answers).toEqual([`200 given ${sent.id}`]);
  expect(world.log.given).toHaveLength(1);
});

test('a stranger’s word on the channel is not believed', () => {
  const { clock, place, addresses, world } = startRegion();
  const one = place('one');
  clock.advance(10);
  const script = `default { state_entry() { integer c; llRegionSay(CHANNEL, "x\\nactive\\n${clock.now() / 1000}\\n0"); } }`;
  const channel = one.body.listening()[0] ?? 0;
  const stranger = script.replace('CHANNEL', String(channel));

  world.rez({ owner: ada, name: 'stranger', script: stranger, notecards: {}, items: [] });
  clock.advance(100);

  expect(channel).toBeLessThan(0);
  expect(one.body.seen.text).toBe('Box: ready.');
  expect(addresses).toHaveLength(1);
});

test('a notecard with "hover = off" leaves nothing above the box', () => {
  const { clock, place } = startRegion(['Hover = OFF']);

  const one = place('one');
  clock.advance(10);

  expect(one.body.seen.text).toBe('');
});

test('the owner is told once what is wrong, however often it happens, offline as well', () => {
  const { clock, place, deliver, world } = startRegion();
  const one = place('one');
  clock.advance(10);
  one.remove('Lamp');

  for (let i = 0; i < 30; i++) {
    deliver();
    clock.advance(60);
  }

  expect(world.log.messages).toEqual([
    {
      to: owner,
      text: 'Box: there is no item "Lamp" to deliver. Put one of exactly that name into this object, or correct the product.',
    },
  ]);
});

test('an item that may not be transferred, a full region and the test grid are each told with what to do', () => {
  const trouble = (
    prepare: (region: ReturnType<typeof startRegion>, box: ReturnType<ReturnType<typeof startRegion>['place']>) => void,
    address = 'agni',
  ) => {
    const region = startRegion();
    region.world.region.grid = address;
    if (address === 'full') region.world.region.urlsLeft = 0;
    const box = region.place('one');
    region.clock.advance(10);
    prepare(region, box);
    region.clock.advance(300);
    return { told: region.world.log.messages.map(({ text }) => text), timer: box.body.timer() };
  };

  const fixed = trouble(({ deliver }, box) => {
    box.remove('Lamp');
    box.add({ name: 'Lamp', permissions: 0x8000 });
    deliver();
  });

  expect(fixed.told).toEqual([
    'Box: "Lamp" may not be transferred. Put one with the transfer permission in its place.',
  ]);
  expect(trouble(() => undefined, 'full').told).toEqual([
    'Box: the region has no address left for scripts. Move this object to another region, or remove other scripts ' +
      'that use addresses. Next try in a minute.',
  ]);
  const elsewhere = trouble(() => undefined, 'aditi');
  expect(elsewhere.timer).toBe(0);
  expect(elsewhere.told).toEqual(['Box: it works on the main grid alone.']);
});

test.each([
  ['200 items of 63 characters', 200, 63],
  ['as many names as it tells', 85, 20],
])('the script stays within its memory with %s', (_, count, length) => {
  const { clock, place, world } = startRegion();
  const one = place('one');
  for (let i = 0; i < count; i++) one.add({ name: String(i).padStart(length, 'x') });

  one.changed();
  clock.advance(4000);

  expect(world.log.errors).toEqual([]);
  expect(one.script.memory().peak).toBeLessThan(61_000);
});
