import { describe, expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { Random } from '../../../test/support/random.ts';
import { scriptOf } from './shop.ts';
import { ada, bo, owner, shown, start } from './stand.ts';

/** A vendor with arrows and a shelf: what a buyer sees is what is sold, whoever else looks, pays or writes. */

const seed = Number(process.env.INWORLD_SEED ?? Date.now() % 2 ** 31);
const category = '55555555-2222-4333-8444-555555555555';
const idOf = (n: number): string => `${String(n).padStart(8, '0')}-7777-4777-8777-777777777777`;
const pictureOf = (n: number): string => `${String(n).padStart(8, '0')}-8888-4888-8888-888888888888`;
const goodOf = (n: number) => ({
  ...{ id: idOf(n), name: `Chair ${n}`, activePrice: 10 * (n + 1), image: pictureOf(n), demoId: null as string | null },
  description: '',
});

/** A vendor of a lamp for L$ 100 with arrows over ten chairs for L$ 10 to 100. */
const open = () => {
  const stage = start();
  const { clock, world, service, place } = stage;
  service.goods = Array.from({ length: 10 }, (_, n) => goodOf(n));
  service.quote = ({ productId }) => {
    const base = service.goods.find(({ id }) => id === productId)?.activePrice ?? 100;
    return { refusal: null, quote: `L$${base}`, base, toPay: base, total: base };
  };
  const vendor = place();
  const part = (name: string, script: string, notecards = {}): Placement =>
    world.rez({ owner, name, script, notecards, items: [] });
  const shelf = part('shelf', scriptOf('shelf'), {
    shop: ['service = https://s.example', 'key = two', `category = ${category}`],
  });
  const silent = 'default { state_entry() { } }';
  const [next, previous] = [part('next', silent), part('previous', silent)];
  // Another script of the merchant's, which says what it hears.
  const other = part(
    'bell',
    'default { link_message(integer s, integer n, string t, key k) { llOwnerSay(t + (string)n + (string)k); } }',
  );
  world.link(vendor, shelf, next, previous, other);
  clock.advance(20);
  const above = (): string => vendor.body.seen.text;
  const price = (): number | undefined => vendor.body.payPrice[1];
  const picture = (): string | undefined => vendor.body.seen.textures.get(-1);
  const heard = (who: string): string[] => world.log.said.filter(({ to }) => to === who).map(({ text }) => text);
  /** Who presses an arrow, and waits until the price is there. */
  const press = (who: string, arrow = next, seconds = 5): void => {
    arrow.touch(who);
    clock.advance(seconds);
  };
  const sold = (): unknown[] =>
    [...stage.sales.values()]
      .filter(({ quote }) => quote !== 'late')
      .map(({ productId, buyerIdentifier, paid }) => [productId, buyerIdentifier, paid]);
  return { ...stage, vendor, shelf, next, previous, other, above, price, picture, heard, press, sold };
};

test('an arrow shows the next product with its picture, price and pay button, and goes back and around', () => {
  const { press, next, previous, above, price, picture, service } = open();
  const seen: unknown[] = [];
  const look = (arrow: Placement): void => {
    press(ada, arrow);
    seen.push([above(), price(), picture()]);
  };
  service.goods.length = 3;
  const at = (n: number): unknown => [`Chair ${n}\nL$ ${10 * (n + 1)}`, 10 * (n + 1), pictureOf(n)];

  for (const arrow of [next, next, next, next, previous, next, previous]) look(arrow);

  expect(seen).toEqual([0, 1, 2, 0, 0, 1, 0].map(at));
});

test('the picture of the next product is there before the arrow is pressed, and comes at once', () => {
  const { press, shelf, picture, clock, next } = open();

  press(ada);
  const ahead = shelf.body.seen.textures.get(-1);
  next.touch(ada);
  clock.advance(0.5);

  expect([ahead, picture()]).toEqual([pictureOf(1), pictureOf(1)]);
});

describe('who pressed an arrow', () => {
  test('gets what is shown, for the price of now and not of the list', () => {
    const { press, service, vendor, clock, sold, price, paidTo } = open();
    for (const one of service.goods) one.activePrice += 7;

    press(ada);
    const asked = price();
    vendor.pay(ada, 17);
    clock.advance(20);

    expect(asked).toBe(17);
    expect(sold()).toEqual([[idOf(0), ada, 17]]);
    expect(paidTo(ada)).toEqual([]);
  });

  test.each([
    ['in the first moments', 10, 2.8],
    ['another sum, which a pay window of before had', 100, 10],
  ])('and pays %s gets it back', (_, amount, seconds) => {
    const { press, next, vendor, clock, sold, paidTo, heard } = open();
    press(ada, next, seconds);

    vendor.pay(ada, amount);
    clock.advance(20);

    expect(sold()).toEqual([]);
    expect(paidTo(ada)).toEqual([amount]);
    expect(heard(ada)).toContain(`Something has changed. Touch it again. L$ ${amount} of it come back.`);
  });

  test('finds it in the menu too, with its demo', () => {
    const { press, vendor, clock, world, service, sold } = open();
    (service.goods[0] as object as { demoId: string }).demoId = bo;
    press(ada);
    press(ada);
    press(ada, vendor, 2);
    const plain = world.log.dialogs.at(-1);
    press(bo, vendor, 2);
    clock.advance(120);
    press(bo, vendor, 2);
    world.log.dialogs.at(-1)?.answer('Buy');
    clock.advance(2);
    vendor.pay(bo, 20);
    clock.advance(20);

    expect([plain?.text, plain?.buttons.includes('Demo')]).toEqual(['Chair 1\nL$ 20', false]);
    expect(sold()).toEqual([[idOf(1), bo, 20]]);
  });

  test('keeps what was chosen for two minutes, and leaves the arrows to who was refused', () => {
    const { press, next, vendor, clock, sold, heard, above } = open();
    press(ada);
    press(bo);
    press(ada);
    const still = above();
    vendor.pay(ada, 10);
    clock.advance(61);
    press(bo, next, 5);

    expect(heard(bo)).toContain('Somebody else is choosing. Touch it again in a minute.');
    expect(still).toBe('Chair 0\nL$ 10');
    expect(sold()).toEqual([[idOf(0), ada, 10]]);
    expect(above()).toBe('Chair 1\nL$ 20');
  });

  test('sees no price where the service refuses it, and is told why', () => {
    const { press, service, vendor, clock, sold, price, heard, paidTo } = open();
    service.quote = () => ({ refusal: 'sold-out', quote: null, base: 10, toPay: 0, total: 0 });

    press(ada);
    const asked = price();
    vendor.pay(ada, 10);
    clock.advance(20);

    expect(asked).toBe(-1);
    expect(heard(ada)).toContain('It is sold out.');
    expect([sold(), paidTo(ada)]).toEqual([[], [10]]);
  });
});

test('who pays while another looks, or has just looked, gets it back, and may buy two minutes later', () => {
  const { press, vendor, clock, sold, paidTo, price } = open();
  press(ada);
  vendor.pay(bo, 10);
  clock.advance(100);
  vendor.pay(bo, 10);
  clock.advance(30);
  const after = price();
  vendor.pay(bo, 10);
  clock.advance(20);

  expect(paidTo(bo)).toEqual([10, 10]);
  expect(after).toBe(10);
  expect(sold()).toEqual([[idOf(0), bo, 10]]);
});

test('five minutes after the last press it shows its own product again, and sells that', () => {
  const { press, vendor, clock, sold, above, picture, paidTo } = open();
  press(ada);
  clock.advance(330);
  const home = [above(), picture()];
  vendor.pay(bo, 100);
  clock.advance(130);
  vendor.pay(bo, 100);
  clock.advance(20);

  expect(home).toEqual(['Lamp\nL$ 100', (shown() as { image: string }).image]);
  expect(paidTo(bo)).toEqual([100]);
  expect(sold()).toEqual([['77777777-2222-4333-8444-555555555555', bo, 100]]);
});

test('news of its own product do not take away what somebody has just chosen', () => {
  const { press, vendor, world, clock, above, sold } = open();
  press(ada);
  world.receive([...vendor.body.urls][0] ?? '', 'POST', '', () => undefined);
  clock.advance(10);
  const meanwhile = above();
  vendor.pay(ada, 10);
  clock.advance(20);

  expect(meanwhile).toBe('Chair 0\nL$ 10');
  expect(sold()).toEqual([[idOf(0), ada, 10]]);
});

describe('another script of the object', () => {
  const forge = (stage: ReturnType<typeof open>, text: string): void => {
    stage.next.body.seen.text = text;
  };

  test('shows nothing without a press, nor what it wrote before one', () => {
    const stage = open();
    const { press, next, shelf, clock, above, service } = stage;
    const until = clock.now() / 1000 + 30;
    forge(stage, `${until}|${idOf(9)}||Gold`);
    clock.advance(25);
    const before = above();
    // The shelf itself stands still.
    shelf.script.freeze(true);
    press(ada, next, 20);

    expect([before, above()]).toEqual(['Lamp\nL$ 100', 'Lamp\nL$ 100']);
    expect(service.quotes).toEqual([]);
  });

  test.each([
    'nonsense',
    `${idOf(3)}`,
    'x|'.repeat(127),
    '|'.repeat(254),
    `${idOf(3)}|${'x|'.repeat(18)}|Chair`,
    `"},{${'"'.repeat(200)}`,
  ])('that writes %s changes what is shown, and nothing else', (text) => {
    const stage = open();
    const { vendor, next, clock, sold, paidTo, world } = stage;
    next.touch(ada);
    clock.advance(0.5);
    forge(stage, `${Math.floor(clock.now() / 1000) + 30}|${text}`);
    clock.advance(5);

    vendor.pay(ada, 10);
    vendor.pay(bo, 10);
    clock.advance(20);

    expect(sold().length + paidTo(ada).length + paidTo(bo).length).toBe(2);
    expect(paidTo(bo)).toEqual([10]);
    expect(world.log.errors).toEqual([]);
    expect(vendor.script.memory().peak).toBeLessThan(62_000);
  });

  test('hears of each completed sale, of its L$ and its buyer, and of no other', () => {
    const { press, vendor, clock, world } = open();
    press(ada);
    vendor.pay(ada, 10);
    vendor.pay(bo, 5);
    clock.advance(20);

    const rung = world.log.said.filter(({ from, text }) => from === 'bell' && text.startsWith('sis:sold'));
    expect(rung.map(({ text }) => text)).toEqual([`sis:sold10${ada}`]);
  });
});

test(`fifty buyers look through ten products while prices change, each gets what was shown: INWORLD_SEED=${seed}`, () => {
  const stage = open();
  const { clock, world, service, vendor, next, previous, sold, paidTo, above, price } = stage;
  const random = new Random(seed);
  const below = (limit: number): number => random.below(limit);
  const buyers = Array.from({ length: 50 }, (_, n) => `${String(n).padStart(8, '0')}-9999-4999-8999-999999999999`);
  for (const buyer of buyers) world.balances.set(buyer, 10_000);
  const expected: unknown[] = [];
  let back = 0;
  for (const buyer of buyers) {
    for (let presses = 1 + below(4); presses > 0; presses--) {
      (below(4) === 0 ? previous : next).touch(buyer);
      clock.advance(1 + below(3));
      if (below(3) === 0) for (const one of service.goods) one.activePrice = 1 + below(90);
    }
    const stranger = buyers[below(50)] ?? '';
    if (below(3) === 0 && stranger !== buyer && vendor.pay(stranger, Math.max(1, price() ?? 1))) back += 1;
    clock.advance(4);
    while (price() === -1) clock.advance(1);
    const [name = '', text = ''] = above().split('\n');
    const amount = Number(text.replace('L$ ', ''));
    expect(price()).toBe(amount);
    vendor.pay(buyer, amount);
    expected.push([service.goods.find((one) => one.name === name)?.id, buyer, amount]);
    clock.advance(40 + below(60));
  }
  clock.advance(300);

  expect(sold()).toEqual(expected);
  expect(buyers.flatMap(paidTo)).toHaveLength(back);
  expect(back).toBeGreaterThan(5);
  expect(vendor.script.memory().peak).toBeLessThan(62_000);
});

test('the longest products leave vendor and shelf room', () => {
  const { press, service, vendor, shelf, world, clock, previous } = open();
  for (const one of service.goods)
    Object.assign(one, { name: 'ü'.repeat(255), description: '\n"'.repeat(2048), demoId: bo, item: 'x'.repeat(63) });
  clock.advance(700);

  for (const arrow of [undefined, undefined, previous]) press(ada, arrow);
  vendor.touch(ada);
  clock.advance(2);

  expect(world.log.errors).toEqual([]);
  expect(vendor.body.seen.text).toContain('ü'.repeat(60));
  for (const { script } of [vendor, shelf]) expect(script.memory().peak).toBeLessThan(62_000);
});

describe('the shelf', () => {
  test.each([
    [
      'there is no category in its notecard',
      [],
      'Shelf: the notecard lacks its line "category = ...", with a category',
    ],
    ['the category is empty', [`category = ${category}`], 'Shelf: the category has no product.'],
  ])('says that %s', (_, lines, text) => {
    const { world, clock, told } = start();
    const shelf = world.rez({
      ...{ owner, name: 'shelf', script: scriptOf('shelf'), items: [] },
      notecards: { shop: ['service = https://s.example', 'key = two', ...lines] },
    });
    clock.advance(20);

    expect(shelf.body.seen.text).toContain(text);
    expect(told().join()).toContain(text);
  });

  test('reads again what it read ten minutes ago, before it shows that', () => {
    const { press, service, clock, above } = open();
    press(ada);
    Object.assign(service.goods[1] ?? {}, { name: 'Stool' });
    clock.advance(620);

    press(ada);

    expect(above()).toBe('Stool\nL$ 20');
  });

  test('goes on after a region’s start and an outage of the service', () => {
    const { press, service, world, clock, above } = open();
    press(ada);
    service.isAway = true;
    world.restart();
    clock.advance(100);
    service.isAway = false;
    clock.advance(130);
    press(ada);

    expect(above()).toBe('Chair 1\nL$ 20');
  });
});
