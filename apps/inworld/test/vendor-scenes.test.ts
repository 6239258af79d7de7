import { describe, expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { ada, bo, shown, start } from './stand.ts';

/** Scenes from a shop's first weeks: menus that end, gifts, walls, regions that come back, pasted names. */

const chair = '88888888-2222-4333-8444-555555555555';

/** A vendor of a lamp for L$ 100, with what its visitors see and hear. */
const open = (product: object = shown(), more: string[] = []) => {
  const stage = start();
  const { clock, world, service, place } = stage;
  service.product = product;
  const vendor = place(more);
  world.log.dialogs.length = 0;
  const heard = (who: string): string[] => world.log.said.filter(({ to }) => to === who).map(({ text }) => text);
  const press = (text: string): void => world.log.dialogs.at(-1)?.answer(text);
  /** The vendor hears from the service that something has changed. */
  const call = (): void => {
    world.receive([...vendor.body.urls][0] ?? '', 'POST', '', () => undefined);
    clock.advance(7);
  };
  const gift = (name: string): void => {
    vendor.touch(ada);
    clock.advance(2);
    press('Gift');
    clock.advance(2);
    press(name);
    clock.advance(2);
  };
  return { ...stage, vendor, heard, press, call, gift, price: () => vendor.body.payPrice[1] };
};

const isBack = ({ transfers, sales }: ReturnType<typeof start>, vendor: Placement): void => {
  expect(transfers).toEqual([{ to: ada, amount: 100, by: vendor.body.id }]);
  expect([...sales.values()].filter(({ quote }) => quote !== 'late')).toEqual([]);
  sales.clear();
};

describe('a gift', () => {
  test('is quoted for whoever is named 25 seconds after Gift was pressed', () => {
    const { clock, service, vendor, press } = open();

    vendor.touch(ada);
    clock.advance(8);
    press('Gift');
    clock.advance(25);
    press('bo.jones');

    expect(service.quotes).toMatchObject([{ buyerIdentifier: ada, recipientIdentifier: 'bo.jones' }]);
  });

  test.each([
    ['two minutes after its quote', 121, undefined],
    ['while the name is asked', 0, 'ask'],
    ['after another touch', 0, 'touch'],
  ])('that is paid %s is given back with a word, and the next payment is one for oneself', (_, seconds, then) => {
    const stage = open();
    const { clock, vendor, press, gift, heard, sales } = stage;
    if (then === 'ask') {
      vendor.touch(ada);
      clock.advance(2);
      press('Gift');
    } else gift('bo.jones');
    clock.advance(seconds);
    if (then === 'touch') vendor.touch(ada);

    vendor.pay(ada, 100);
    clock.advance(10);
    isBack(stage, vendor);
    vendor.pay(ada, 100);
    clock.advance(10);

    expect(heard(ada)).toContain('Something has changed. Touch it again. L$ 100 of it come back.');
    expect([...sales.values()]).toMatchObject([{ buyerIdentifier: ada, recipientIdentifier: ada }]);
  });

  test('that another avatar chose since does not make the first one a buyer for themselves', () => {
    const stage = open();
    const { clock, vendor, press, gift } = stage;
    gift('bo.jones');
    clock.advance(130);
    vendor.touch(bo);
    clock.advance(2);
    press('Gift');

    vendor.pay(ada, 100);
    clock.advance(10);

    isBack(stage, vendor);
  });

  test('that gave way to Buy is none, nor is one of a quarter of an hour ago', () => {
    const { clock, vendor, press, gift, sales } = open();
    gift('bo.jones');
    clock.advance(125);
    vendor.touch(ada);
    clock.advance(2);
    press('Buy');
    clock.advance(125);
    vendor.pay(ada, 100);
    clock.advance(10);
    gift('bo.jones');
    clock.advance(900);
    vendor.pay(ada, 100);
    clock.advance(10);

    expect([...sales.values()].map(({ recipientIdentifier }) => recipientIdentifier)).toEqual([ada, ada]);
  });

  test.each([
    ['Ada  Lovelace', 'Ada.Lovelace'],
    ['Ada\u00a0Lovelace', 'Ada.Lovelace'],
    ['Countess (ada.lovelace)', 'ada.lovelace'],
    [`{${bo}}`, bo],
    [`secondlife:///app/agent/${bo}/about`, bo],
    [' Bo.Jones ', 'Bo.Jones'],
  ])('takes the name as people copy it: %s', (typed, name) => {
    const { service, gift } = open();

    gift(typed);

    expect(service.quotes).toMatchObject([{ recipientIdentifier: name }]);
  });
});

describe('a product', () => {
  test('that another took the place of at the same price is not bought by who had the pay window open', () => {
    const stage = open();
    const { clock, service, vendor, call, price, sales } = stage;
    service.product = shown({ id: chair, name: 'Chair' });
    call();
    const meanwhile = price();

    vendor.pay(ada, 100);
    clock.advance(10);
    isBack(stage, vendor);
    clock.advance(150);
    const then = price();
    vendor.pay(ada, 100);
    clock.advance(10);

    expect([meanwhile, then]).toEqual([-1, 100]);
    expect([...sales.values()]).toMatchObject([{ productId: chair }]);
  });

  test('without a picture leaves none of the one before, and none is taken from who never had one', () => {
    const { service, vendor, call } = open();
    service.product = shown({ image: null });
    call();
    const after = vendor.body.seen.textures.get(-1);
    const bare = open(shown({ image: null })).vendor;

    expect(after).toBe('5748decc-f629-461c-9a36-a35a221fe21f');
    expect([...bare.body.seen.textures]).toEqual([]);
  });

  test.each([
    ['four bytes', '\u{1f3ee}'],
    ['three bytes', '\u706f'],
  ])('whose name has 120 signs of %s has a menu and a whole price', (_, sign) => {
    const { clock, world, vendor } = open(shown({ name: sign.repeat(120), activePrice: 1200 }));

    vendor.touch(ada);
    clock.advance(2);

    expect(world.log.errors).toEqual([]);
    expect(world.log.dialogs).toHaveLength(1);
    expect(vendor.body.seen.text).toMatch(/\nL\$ 1200$/);
  });

  test.each(['9', '99', '-1', 'top'])('face = %s is no side', (face) => {
    const { told } = open(shown(), [`face = ${face}`]);

    expect(told().join()).toContain('line 3 of the notecard is none of');
  });
});

test('a payment of nothing is none', () => {
  const { clock, vendor, openOf, service } = open();
  service.status = () => 503;

  for (let n = 0; n < 400; n++) vendor.tell('money', ada, 0);
  clock.advance(60);

  expect(openOf(vendor)).toEqual([]);
});

test('a tag of which a known one is a part leaves a doubt', () => {
  const { clock, place, transfers, told } = start({ transfer: (_to, _amount, answer) => answer('FUNDS') });

  place().pay(ada, 130);
  clock.advance(4000);

  expect(transfers).toHaveLength(1);
  expect(told().join()).toContain('are open: FUNDS.');
});

test('a vendor below another root says so, and sells again once it is alone', () => {
  const { clock, world, place, transfers, sales, paidTo } = start();
  const [root, child] = [place(), place()];

  world.link(root, child);
  clock.advance(70);
  const text = child.body.seen.text;
  child.pay(bo, 100);
  root.pay(ada, 130);
  clock.advance(10);
  child.touch(ada);
  clock.advance(2);

  expect(text).toBe('Lamp\nUnlink it: only a root prim has a price.');
  expect([...sales.values()].map(({ buyerIdentifier, vendorUuid }) => [buyerIdentifier, vendorUuid])).toContainEqual([
    ada,
    root.body.id,
  ]);
  expect(paidTo(ada)).toEqual([30]);
  expect(transfers.every(({ by }) => by === root.body.id)).toBe(true);
  expect(root.body.payPrice[1]).toBe(100);
});

test('a press that nobody answers for a quarter of an hour keeps nobody from the menu', () => {
  const { clock, world, place } = start();
  const vendor = place();
  const menus = (who: string): number => world.log.dialogs.filter(({ to }) => to === who).length;

  for (let n = 0; n < 12; n++) {
    vendor.touch(bo);
    clock.advance(2);
    world.log.dialogs.findLast(({ to }) => to === bo)?.answer('Buy');
    clock.advance(60);
    vendor.touch(ada);
    clock.advance(63);
    vendor.touch(bo);
    clock.advance(1);
    vendor.touch(ada);
    clock.advance(5);
    world.log.dialogs.findLast(({ to }) => to === ada)?.answer('Cancel');
    clock.advance(130);
  }

  expect(menus(ada)).toBeGreaterThan(6);
});

describe('a region that comes back as it was', () => {
  test.each([
    ['change of a sale that was answered', 130, 30],
    ['all of a sale that was refused', 99, 99],
  ])('pays %s once', (_, paid, back) => {
    const { clock, world, place, service, paidTo, sales, openOf } = start();
    const vendor = place();
    service.isAway = true;
    vendor.pay(ada, paid);
    clock.advance(5);
    const comeBack = world.save();
    service.isAway = false;
    clock.advance(300);
    const before = paidTo(ada);

    comeBack();
    clock.advance(300);

    expect([before, paidTo(ada)]).toEqual([[back], [back]]);
    expect([...sales.values()]).toMatchObject([{ paid, changePaid: { amount: back } }]);
    expect(openOf(vendor)).toEqual([]);
  });

  test('pays thirty who were owed while the account was empty once each', () => {
    const empty = { is: true };
    const { clock, world, place, transfers, openOf, told } = start({
      transfer: (_to, _amount, answer) => answer(empty.is ? 'LINDENDOLLAR_INSUFFICIENTFUNDS' : undefined),
    });
    const vendor = place();
    for (let n = 0; n < 30; n++) vendor.pay(ada, 130);
    clock.advance(900);
    const tries = transfers.length;
    const comeBack = world.save();
    empty.is = false;
    clock.advance(3600);
    const paid = transfers.length - tries;

    comeBack();
    clock.advance(3600);

    expect([paid, transfers.length - tries]).toEqual([30, 30]);
    expect(openOf(vendor)).toEqual([]);
    expect(told().filter((text) => text.includes('are open'))).toEqual([]);
  });

  test('pays what it still owes', () => {
    const empty = { is: true };
    const { clock, world, place, paidTo } = start({
      transfer: (_to, _amount, answer) => answer(empty.is ? 'THROTTLED' : undefined),
    });
    const vendor = place();
    vendor.pay(ada, 130);
    clock.advance(60);
    const comeBack = world.save();

    clock.advance(60);
    comeBack();
    empty.is = false;
    clock.advance(3600);

    expect(paidTo(ada).length).toBeGreaterThan(1);
    expect(new Set(paidTo(ada))).toEqual(new Set([30]));
  });

  test('tells what was on its way, and gives a payment without a sale back as it does', () => {
    const { clock, world, place, told, paidTo } = start({ transfer: () => undefined });
    const vendor = place();
    vendor.pay(ada, 130);
    clock.advance(20);
    const comeBack = world.save();
    clock.advance(20);

    comeBack();
    clock.advance(20);

    expect(paidTo(ada)).toEqual([30]);
    expect(told().join()).toContain(`L$ 30 to secondlife:///app/agent/${ada}/about are open: the region stopped.`);
  });
});

test.each([
  ['does not answer', { isAway: true }],
  ['has another server at its address', { wrong: 404 }],
])('what it paid while the service %s is reported until the service has heard it, and stays open', (_, trouble) => {
  const stage = start({
    transfer: (_to, _amount, answer) => {
      Object.assign(stage.service, trouble);
      answer();
    },
  });
  const { clock, place, service, sales, transfers, openOf } = stage;
  const vendor = place();

  vendor.pay(ada, 130);
  clock.advance(200);
  const meanwhile = openOf(vendor).length;
  Object.assign(service, { isAway: false, wrong: 0 });
  clock.advance(900);

  expect([meanwhile, openOf(vendor), transfers.length]).toEqual([1, [], 1]);
  const [{ changePaid } = {}] = [...sales.values()];
  expect(changePaid).toEqual({ transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/), amount: 30 });
});

test.each([400, 404, 422])('a page that answers %i in the place of the service refuses no sale', (wrong) => {
  const { clock, place, service, sales, transfers, openOf } = start();
  const vendor = place();
  service.wrong = wrong;

  vendor.pay(ada, 130);
  clock.advance(200);
  service.wrong = 0;
  clock.advance(900);

  expect([...sales.values()]).toMatchObject([{ paid: 130 }]);
  expect([transfers.map(({ amount }) => amount), openOf(vendor)]).toEqual([[30], []]);
});

test('a region that starts leaves no vendor deaf whose registration it throttled', () => {
  const { clock, world, place, service } = start();
  const vendor = place();
  clock.advance(100);
  service.registrations.length = 0;
  while (vendor.body.prim.linkset.mayRequest());

  world.restart();
  clock.advance(120);

  expect(service.registrations).toHaveLength(1);
});
