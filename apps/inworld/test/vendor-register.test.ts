import { expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { ada, bo, entry, keep, lamp, owedText, owner, shown, start, thief } from './stand.ts';

/** The vendor tells the service where it is, shows what the service says, and hears of changes, whatever is lost. */

const chair = '88888888-2222-4333-8444-555555555555';
const group = '55555555-2222-4333-8444-555555555555';

/** A placed vendor, and the means by which the service calls it. */
const open = (...options: Parameters<ReturnType<typeof start>['place']>) => {
  const all = start();
  const vendor = all.place(...options);
  const { clock, world, service } = all;
  const url = (): string => service.registrations.at(-1)?.url ?? '';
  /** The service calls the address that the vendor told last. Answers the status. */
  const call = (to = url()): number | undefined => {
    let status: number | undefined;
    world.receive(to, 'POST', 'SIS1-CHANGED', (answered) => {
      status = answered;
    });
    clock.advance(1);
    return status;
  };
  const above = (): string => vendor.body.seen.text;
  const button = (): number | undefined => vendor.body.payPrice[1];
  const press = (text: string): void => {
    world.log.dialogs.at(-1)?.answer(text);
    clock.advance(2);
  };
  const heard = (who: string): string[] => world.log.said.filter(({ to }) => to === who).map(({ text }) => text);
  return { ...all, vendor, url, call, above, button, press, heard };
};

const permissions = ({ body }: Placement): number => body.granted;

test('tells its name, region, place, version and address, and shows what the answer says', () => {
  const { service, vendor, above, button, url } = open();

  const { at: _, key, ...told } = service.registrations[0] ?? {};
  expect(service.registrations).toHaveLength(1);
  expect(key).toBe('one');
  expect(told).toEqual({
    ...{ name: 'vendor', region: 'Ahern', position: '<128.00000, 64.00000, 22.00000>', script: 'Vendor 0.1.0' },
    url: expect.stringMatching(/^https:\/\/simhost-1\.agni\.secondlife\.io:12043\/cap\//),
  });
  expect([above(), button(), url() !== '']).toEqual(['Lamp\nL$ 100', 100, true]);
  expect([...vendor.body.seen.textures]).toEqual([[-1, lamp]]);
});

test('without a product it sells nothing and says so, and sells as soon as it hears that it has one', () => {
  const { clock, service, vendor, call, above, button, heard, sales } = open();
  service.product = null;
  call();
  const [text, price] = [above(), button()];
  vendor.touch(ada);
  clock.advance(6);

  service.product = shown({ id: chair, name: 'Chair', activePrice: 70 });
  const status = call();
  clock.advance(140);
  vendor.pay(ada, 100);
  clock.advance(5);

  expect([text, price]).toEqual(['Vendor\nIt has no product yet.', -1]);
  expect(heard(ada)[0]).toBe('It has no product yet.');
  expect([status, above(), button()]).toEqual([200, 'Chair\nL$ 70', 70]);
  expect([...sales.values()]).toMatchObject([{ productId: chair, paid: 100, vendorUuid: vendor.body.id }]);
});

test('a payment for a product that is gone meanwhile is given back', () => {
  const { clock, service, vendor, call, transfers } = open();
  service.product = null;
  service.status = ({ productId }) => (productId === '' ? 400 : 201);
  call();

  vendor.pay(ada, 100);
  clock.advance(10);

  expect(transfers.map(({ to, amount }) => [to, amount])).toEqual([[ada, 100]]);
});

test('tells the product of its notecard, as picked only where its owner has just written it', () => {
  const { clock, service, vendor, cardOf, call } = open([`product = ${lamp}`]);
  vendor.editNotecard('vendor', [...cardOf('one'), `product = ${chair}`]);
  clock.advance(10);
  call();

  expect(service.registrations.map(({ productId, picked }) => [productId, picked])).toEqual([
    [lamp, undefined],
    [chair, true],
    [chair, undefined],
  ]);
});

test('leaves the last ten addresses of a parcel to others, and takes one once there are more', () => {
  const { clock, world, service, vendor } = open();
  world.region.urlsLeft = 9;
  vendor.touch(owner);
  clock.advance(3);
  const [, without] = service.registrations;
  clock.advance(3500);
  const halfHours = service.registrations.length;
  world.region.urlsLeft = 11;
  clock.advance(1800);

  // It gave its own address back before it asked. Then there were ten.
  expect(without?.url).toBeUndefined();
  expect(halfHours).toBe(3);
  expect(service.registrations.slice(2).map(({ url }) => url !== undefined)).toEqual([false, true]);
  expect(world.region.urlsLeft).toBe(10);
});

test('with an address it registers once a day, with another address, and else for its owner alone', () => {
  const { clock, world, service, vendor, press } = open();
  vendor.touch(ada);
  clock.advance(2);
  press('Cancel');
  clock.advance(23 * 3600);
  const within = service.registrations.length;
  clock.advance(2 * 3600);
  vendor.touch(owner);
  clock.advance(2);

  const urls = service.registrations.map(({ url }) => url);
  expect([within, urls.length, new Set(urls).size]).toEqual([1, 3, 3]);
  expect(world.region.urlsLeft).toBe(999);
});

test('registers with a new address when the region has started, and hears at that one', () => {
  const { clock, world, service, url, call, above } = open();
  const old = url();

  world.restart();
  clock.advance(5);
  service.product = shown({ activePrice: 150 });

  expect([call(old), above()]).toEqual([404, 'Lamp\nL$ 100']);
  expect([call(), above()]).toEqual([200, 'Lamp\nL$ 150']);
});

test('registers when its price changes by itself, within half a minute', () => {
  const { clock, service, call, above } = open();
  service.product = shown({ changesAt: new Date(clock.now() + 10_000_000).toISOString() });
  call();
  service.product = shown({ activePrice: 80 });
  clock.advance(9_900);
  const before = [service.registrations.length, above()];

  clock.advance(130);

  expect(before).toEqual([2, 'Lamp\nL$ 100']);
  expect([service.registrations.length, above()]).toEqual([3, 'Lamp\nL$ 80']);
});

test('an answer that is lost is asked for again, and meanwhile it sells what it shows', () => {
  const { clock, service, vendor, call, above, sales } = open();
  service.product = shown({ activePrice: 150 });
  service.isAway = true;
  call();
  clock.advance(300);
  const meanwhile = above();

  service.isAway = false;
  vendor.pay(ada, 100);
  clock.advance(90);

  expect([meanwhile, above()]).toEqual(['Lamp\nL$ 100', 'Lamp\nL$ 150']);
  expect(sales.size).toBe(1);
});

test('a key that is refused at a quote keeps it from selling until the service takes it again, not for a day', () => {
  const { clock, service, vendor, press, button, told } = open();
  clock.advance(3600);
  vendor.touch(ada);
  clock.advance(2);
  service.refuses = true;
  press('Buy');
  clock.advance(10);
  const meanwhile = button();

  service.refuses = false;
  clock.advance(100);

  expect(told()[0]).toContain('the service refuses the key, or is busy');
  expect([meanwhile, button()]).toEqual([-1, 100]);
});

test('a change that is told while an older answer is on its way is not lost', () => {
  const { clock, service, call, above } = open();
  clock.advance(60);
  service.seconds = 3;
  service.product = shown({ activePrice: 150 });
  call();
  service.product = shown({ activePrice: 200 });
  call();
  clock.advance(60);

  expect(above()).toBe('Lamp\nL$ 200');
});

test('a flood of calls makes it register at most once in five seconds', () => {
  const { clock, service, call } = open();
  clock.advance(60);
  const before = service.registrations.length;

  for (let n = 0; n < 100; n++) call();

  expect(service.registrations.length - before).toBeGreaterThan(5);
  expect(service.registrations.length - before).toBeLessThanOrEqual(20);
});

test.each([0.5, 4])(
  'a new price shows within seconds though anybody calls without end, and an answer takes %d s',
  (seconds) => {
    const { world, clock, service, url, above } = open();
    service.seconds = seconds;
    clock.advance(60);
    service.product = shown({ activePrice: 250 });
    const before = service.registrations.length;

    const shows: boolean[] = [];
    for (let fifth = 0; fifth < 5 * 300; fifth++) {
      world.receive(url(), 'POST', 'SIS1-CHANGED', () => {});
      clock.advance(0.2);
      shows.push(above().includes('250'));
    }

    const at = service.registrations.slice(before).map((one) => one.at);
    expect(shows.slice(0, 5 * (10 + seconds))).toContain(true);
    expect(Math.min(...at.slice(1).map((time, place) => time - (at[place] ?? 0)))).toBeGreaterThanOrEqual(5000);
    expect(at.length).toBeGreaterThan(20);
  },
);

test('a quote outlives the product that it was made for, and what others pay within two minutes is given back', () => {
  const { clock, service, vendor, call, press, above, button, sales, transfers, heard } = open();
  vendor.touch(ada);
  clock.advance(2);
  press('Buy');
  service.product = shown({ id: chair, name: 'Chair', activePrice: 70 });
  call();
  const shownThen = [above(), button()];

  vendor.pay(bo, 100);
  vendor.pay(ada, 100);
  clock.advance(10);

  expect(shownThen).toEqual(['Chair\nL$ 70', 100]);
  expect([...sales.values()].map((sale) => [sale.buyerIdentifier, sale.productId, sale.quote])).toEqual([
    [bo, chair, 'late'],
    [ada, lamp, 'q'],
  ]);
  expect([transfers, heard(bo)[0]]).toEqual([
    [{ to: bo, amount: 100, by: vendor.body.id }],
    'Something has changed. Touch it again. L$ 100 of it come back.',
  ]);
  expect(button()).toBe(-1);
  clock.advance(140);
  vendor.pay(bo, 100);
  clock.advance(10);
  expect([button(), [...sales.values()].at(-1)?.productId]).toEqual([70, chair]);
});

test('a menu ends with its product, and whoever has it is told', () => {
  const { clock, service, vendor, call, press, heard } = open();
  vendor.touch(ada);
  clock.advance(2);
  service.product = shown({ id: chair, name: 'Chair' });
  call();

  press('Buy');

  expect(service.quotes).toEqual([]);
  expect(heard(ada)).toEqual(['Something has changed. Touch it again.', 'This menu is over. Touch it again.']);
});

test.each([
  [3, 10],
  [5, 20],
  [8, 25],
  [10, 30],
  [20, 12],
])('a gift that is chosen after %i seconds, and named after %i more, is for who was named', (choosing, naming) => {
  const { clock, service, vendor, press, sales } = open();

  vendor.touch(ada);
  clock.advance(choosing);
  press('Gift');
  clock.advance(naming);
  press('bo.jones');
  vendor.pay(ada, 100);
  clock.advance(2);

  expect(service.quotes).toMatchObject([{ recipientIdentifier: 'bo.jones' }]);
  expect([...sales.values()]).toMatchObject([{ buyerIdentifier: ada, recipientIdentifier: 'bo.jones' }]);
});

test.each([35, 90])('who presses a button after %i seconds hears that the menu is over', (seconds) => {
  const { clock, service, vendor, press, heard } = open();
  vendor.touch(ada);
  clock.advance(seconds);

  press('Buy');

  expect([service.quotes, heard(ada)]).toEqual([[], ['This menu is over. Touch it again.']]);
});

test('who waits for a quote that never comes is told', () => {
  const { clock, service, vendor, press, heard } = open();
  vendor.touch(ada);
  clock.advance(2);
  service.seconds = 600;

  press('Buy');
  clock.advance(90);

  expect(heard(ada)).toEqual(['No answer. Touch it again in a minute.']);
});

test('a change that is heard while a sale is open leaves the sale as it was', () => {
  const { clock, service, vendor, call, sales, openOf, paidTo } = open();
  service.status = () => 503;
  vendor.pay(ada, 130);
  clock.advance(5);
  service.product = shown({ id: chair, name: 'Chair', activePrice: 70 });
  call();

  service.status = () => 201;
  clock.advance(120);

  expect([...sales.values()].map((sale) => [sale.productId, sale.paid])).toEqual([[lamp, 130]]);
  expect([paidTo(ada), openOf(vendor)]).toEqual([[30], []]);
});

test('a key that is rotated costs neither the permission nor an open sale', () => {
  const { clock, world, service, vendor, cardOf, sales, paidTo, openOf, button } = open();
  service.status = () => 503;
  vendor.pay(ada, 130);
  keep(vendor, entry(vendor), owedText(70));
  clock.advance(1);

  vendor.editNotecard('vendor', cardOf('two'));
  vendor.pay(bo, 140);
  service.status = () => 201;
  clock.advance(150);

  expect(world.log.dialogs).toEqual([]);
  expect(permissions(vendor)).toBe(2);
  expect(service.registrations.map(({ key }) => key)).toEqual(['one', 'two']);
  expect([...sales.values()].map(({ paid }) => paid).sort()).toEqual([130, 140]);
  expect([paidTo(ada), paidTo(bo).sort(), openOf(vendor), button()]).toEqual([[30], [40, 70], [], 100]);
});

test('a notecard that lacks something stops the vendor, and a good one lets it go on with what was open', () => {
  const { clock, service, vendor, cardOf, sales, told, button, above } = open();
  service.status = () => 503;
  vendor.pay(ada, 130);

  vendor.editNotecard('vendor', cardOf('two').slice(0, 1));
  clock.advance(60);
  const stopped = [button(), above()];
  service.status = () => 201;
  clock.advance(600);
  const meanwhile = sales.size;
  vendor.editNotecard('vendor', cardOf('two'));
  clock.advance(90);

  expect(stopped).toEqual([-1, 'Vendor: the notecard lacks "service = ..." or "key = ...".']);
  expect([meanwhile, sales.size, button()]).toEqual([0, 1, 100]);
  expect(told().filter((text) => text.includes('the notecard lacks'))).toHaveLength(1);
});

test('a notecard that is read while a payment is on its way waits for how it ends', () => {
  let answer: ((error?: string) => void) | undefined;
  const { clock, place, cardOf, transfers, openOf, told } = start({
    transfer: (_to, _amount, then) => (answer = then),
  });
  const vendor = place();
  vendor.pay(ada, 130);
  clock.advance(5);

  vendor.editNotecard('vendor', cardOf('two'));
  clock.advance(30);
  answer?.();
  clock.advance(60);

  expect(transfers).toHaveLength(1);
  expect([openOf(vendor), told()]).toEqual([[], []]);
});

test('quotes and sells to those who wear its group’s tag as such, and shows them their price', () => {
  const { clock, world, service, vendor, press, sales, button } = open([], group);
  world.groups.set(ada, group);
  world.groups.set(bo, thief);
  service.quote = ({ inGroup }) => ({
    refusal: null,
    quote: 'q',
    toPay: inGroup ? 80 : 100,
    total: inGroup ? 80 : 100,
  });
  vendor.touch(ada);
  clock.advance(2);
  const menu = world.log.dialogs.at(-1)?.text;
  press('Buy');
  const asked = button();
  vendor.pay(ada, 80);
  clock.advance(10);
  vendor.touch(bo);
  clock.advance(2);
  const other = world.log.dialogs.at(-1)?.text;
  press('Buy');
  for (const who of [bo, ada]) vendor.pay(who, 100);
  clock.advance(10);

  expect(menu).toBe('Lamp\nL$ 100\nYour price: L$ 80');
  expect([asked, other]).toEqual([80, 'Lamp\nL$ 100']);
  expect(service.quotes.map(({ inGroup }) => inGroup)).toEqual([true, true, undefined]);
  expect([...sales.values()].map((sale) => [sale.buyerIdentifier, sale.inGroup])).toEqual([
    [ada, true],
    [bo, undefined],
    [ada, true],
  ]);
});

test('an object that is set to no group has nobody in it', () => {
  const { clock, service, vendor, press, world } = open();

  vendor.touch(ada);
  clock.advance(2);
  const menu = world.log.dialogs.at(-1)?.text;
  press('Buy');

  expect(menu).toContain('Lamp\nL$ 100');
  expect(service.quotes.map(({ inGroup }) => inGroup)).toEqual([undefined]);
});

test('has memory for a product’s name of 255 characters', () => {
  const { world, service, call, above, vendor } = open();
  service.product = shown({ name: 'ü'.repeat(255), demoId: bo });
  call();
  vendor.touch(ada);

  expect(world.log.errors).toEqual([]);
  expect(above()).toContain(`${'ü'.repeat(60)}\nL$ 100`);
  expect(vendor.script.memory().peak).toBeLessThan(62_000);
});
