import { describe, expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { scriptOf } from './shop.ts';
import { ada, bo, owner, start, thief } from './stand.ts';

/** Another version of the script comes into vendors that have sold: nothing is lost, nothing is paid twice. */

const newer = scriptOf('vendor').replace('VERSION = "0.1.0"', 'VERSION = "0.2.0"');

const open = ({ key = 'one', by = owner, called = 'vendor.lsl' } = {}) => {
  const stage = start();
  const { clock, world, allow } = stage;
  const rezUpdater = (): Placement =>
    world.rez({
      ...{ owner: by, name: 'updater', script: scriptOf('updater') },
      notecards: { vendor: ['service = https://s.example', `key = ${key}`, 'face = 2'] },
      items: [{ name: called, type: 10, source: newer }],
    });
  const scriptIn = (vendor: Placement): Placement => {
    const [one, ...others] = world.scriptsIn(vendor);
    if (!one || others.length > 0) throw new Error(`There are ${1 + others.length} scripts.`);
    return one;
  };
  const versionOf = (vendor: Placement): string | undefined => {
    world.log.said.length = 0;
    scriptIn(vendor).touch(owner);
    clock.advance(2);
    return world.log.said.map(({ text }) => /^Vendor (\S+):/.exec(text)?.[1]).find(Boolean);
  };
  /** Its owner touches it, waits for the updater, and allows what it asks. */
  const update = (vendor: Placement): void => {
    scriptIn(vendor).touch(owner);
    clock.advance(8);
    allow();
    clock.advance(4);
  };
  const heard = (): string => world.log.said.map(({ text }) => text).join();
  return { ...stage, rezUpdater, scriptIn, versionOf, update, heard };
};

test('fifty vendors with open sales get another script at a touch: nothing is lost, nothing is twice', () => {
  const { clock, world, service, sales, place, rezUpdater, update, versionOf, paidTo, told } = open();
  const vendors = Array.from({ length: 50 }, () => place());
  const buyers = vendors.map((_, n) => `${String(n).padStart(8, '0')}-9999-4999-8999-999999999999`);
  const updater = rezUpdater();
  clock.advance(20);
  service.isAway = true;
  for (const [n, vendor] of vendors.entries()) {
    world.balances.set(buyers[n] ?? '', 1000);
    vendor.pay(buyers[n] ?? '', 130);
    vendor.pay(buyers[n] ?? '', 60);
  }
  clock.advance(50);
  // It makes some of the sales, and its answers are lost.
  Object.assign(service, { isAway: false, seconds: 10_000 });
  clock.advance(100);
  const made = sales.size;

  for (const vendor of vendors) update(vendor);
  updater.take();
  service.seconds = 0.5;
  clock.advance(3000);

  expect(made).toBeGreaterThanOrEqual(50);
  expect(vendors.map(({ body }) => body.prim.pin)).toEqual(vendors.map(() => 0));
  expect(vendors.map(versionOf)).toEqual(vendors.map(() => '0.2.0'));
  expect([...sales.values()].map(({ buyerIdentifier, paid }) => [buyerIdentifier, paid]).sort()).toEqual(
    buyers.flatMap((buyer) => [
      [buyer, 130],
      [buyer, 60],
    ]),
  );
  expect(buyers.map((buyer) => paidTo(buyer).sort())).toEqual(buyers.map(() => [30, 60]));
  expect(told().filter((text) => /cannot read|are open|erased/.test(text))).toEqual([]);
  expect(world.log.errors).toEqual([]);
});

test('it sells nothing from the touch on, until the permission is there, and then as before', () => {
  const { clock, place, allow, rezUpdater, scriptIn, sales } = open();
  const vendor = place();
  rezUpdater();
  clock.advance(20);
  const price = (): number | undefined => vendor.body.payPrice[1];
  const before = price();
  vendor.touch(owner);
  clock.advance(1);
  const meanwhile = price();
  clock.advance(60);
  const unallowed = price();
  allow();
  clock.advance(2);
  scriptIn(vendor).pay(ada, 100);
  clock.advance(10);

  expect([before, meanwhile, unallowed, price()]).toEqual([100, -1, -1, 100]);
  expect([...sales.values()]).toMatchObject([{ buyerIdentifier: ada, paid: 100 }]);
});

test('who pays from a window that was open before the touch gets a sale, or the owner hears of the L$', () => {
  for (let tenths = 0; tenths < 50; tenths++) {
    const { clock, world, place, allow, rezUpdater, scriptIn, sales, told } = open();
    const vendor = place();
    rezUpdater();
    clock.advance(20);
    world.log.messages.length = 0;

    vendor.touch(owner);
    clock.advance(tenths / 10);
    scriptIn(vendor).pay(ada, 100);
    clock.advance(10);
    allow();
    clock.advance(60);

    const heard = told().filter((text) => text.includes('L$ 100 from') && text.includes('give them back'));
    expect([tenths, sales.size + heard.length]).toEqual([tenths, 1]);
  }
});

describe('nobody else puts a script in:', () => {
  test.each([
    ['an updater with another key', { key: 'two' }],
    ['an updater of another owner', { by: thief }],
    ['an updater whose script has another name', { called: 'New Script' }],
  ])('%s', (_, options) => {
    const { clock, place, rezUpdater, update, versionOf, heard } = open(options);
    const vendor = place();
    rezUpdater();
    clock.advance(20);

    update(vendor);
    const asked = heard();

    expect(versionOf(vendor)).toBe('0.1.0');
    expect(asked.includes('is called "vendor.lsl"')).toBe('called' in options);
  });

  test('nor this one without its owner’s touch, nor half a minute after that', () => {
    const { clock, world, place, rezUpdater, scriptIn, versionOf } = open();
    const vendor = place();
    vendor.touch(ada);
    const [atOnce] = [vendor.body.prim.pin];
    vendor.touch(owner);
    clock.advance(1.3);
    const { pin } = vendor.body.prim;
    const [, hidden] = vendor.body.payPrice;
    clock.advance(24);
    expect([hidden, vendor.body.payPrice[1]]).toEqual([-1, 100]);

    rezUpdater();
    clock.advance(20);
    vendor.touch(bo);
    clock.advance(10);

    expect([atOnce, pin !== 0, scriptIn(vendor).body.prim.pin]).toEqual([0, true, 0]);
    expect(world.log.errors).toEqual([]);
    clock.advance(100);
    expect(versionOf(vendor)).toBe('0.1.0');
  });

  test('nor while L$ are on their way', () => {
    const waiting: (() => void)[] = [];
    const stage = start({ transfer: (_, __, tell) => void waiting.push(tell) });
    const { clock, place } = stage;
    const vendor = place();
    vendor.pay(ada, 130);
    clock.advance(10);
    vendor.touch(owner);
    clock.advance(1);
    const before = vendor.body.prim.pin;
    waiting[0]?.();
    clock.advance(5);
    vendor.touch(owner);
    clock.advance(1);

    expect([before, vendor.body.prim.pin !== 0]).toEqual([0, true]);
  });
});
