import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ScriptReset } from '../../../local/grid/lsl/script.ts';
import type { Placement } from '../../../local/grid/world/land.ts';
import { scriptOf } from './shop.ts';
import { ada, bo, entry, keep, owedText, owner, saleText, shown, start, thief } from './stand.ts';

/** The vendor pays what it got, once, whatever happens to its object, its memory, its neighbours and its answers. */

const decoration = (statements: string): string => `default { touch_start(integer n) { ${statements} } }`;
const linked = (world: ReturnType<typeof start>['world'], vendor: Placement, statements: string): Placement => {
  const other = world.rez({
    owner: thief,
    name: 'decoration',
    script: decoration(statements),
    notecards: {},
    items: [],
  });
  world.link(vendor, other);
  return other;
};

test('pays and sells nothing of what another script wrote, keeps it, and tells its owner', () => {
  const { clock, world, place, transfers, sales, told, openOf } = start();
  const vendor = place();
  const forged = [entry(vendor), entry(vendor, 1), `sis:v:${randomUUID()}:${randomUUID()}`, `sis:${randomUUID()}`];
  const values = [owedText(800, thief), saleText(500, thief), owedText(800, thief), owedText(800, thief)];
  const other = linked(
    world,
    vendor,
    forged.map((name, n) => `llLinksetDataWrite("${name}", ${JSON.stringify(values[n])});`).join('\n'),
  );

  other.touch(thief);
  vendor.pay(ada, 130);
  clock.advance(4000);
  vendor.touch(owner);
  clock.advance(10);

  expect(transfers).toEqual([{ to: ada, amount: 30, by: vendor.body.id }]);
  expect([...sales.values()].map(({ buyerIdentifier }) => buyerIdentifier)).toEqual([ada]);
  expect(openOf(vendor)).toEqual(forged.slice(0, 3));
  expect(told().at(-1)).toContain('it cannot read 3 entries');
  expect(world.log.said.at(-1)?.text).toContain('0 open.');
});

test('no other script can read, change or delete what it keeps', () => {
  const { clock, world, place, service, openOf } = start();
  const vendor = place();
  const other = linked(
    world,
    vendor,
    `string name = llList2String(llLinksetDataFindKeys("^sis:v:", 0, 1), 0);
     llOwnerSay(name + llLinksetDataRead(name) + (string)llLinksetDataWrite(name, "x") + (string)llLinksetDataDelete(name));`,
  );
  service.status = () => 500;
  vendor.pay(ada, 130);

  other.touch(thief);
  clock.advance(1);

  expect(world.log.said.at(-1)?.text).toBe(`${openOf(vendor)[0]}33`);
});

test('gives back no more than was paid, and tells its owner', () => {
  const { clock, place, service, transfers, told } = start();
  const vendor = place();
  service.change = () => 900;

  vendor.pay(ada, 100);
  clock.advance(60);

  expect(transfers.map(({ amount }) => amount)).toEqual([100]);
  expect(told().join()).toContain('the service wants L$ 900 given back of L$ 100.');
});

test('a copy pays nothing of what the original owes: the original pays it once, and the sale is one', () => {
  const { clock, world, place, service, sales, transfers, told, allow, openOf } = start();
  const vendor = place();
  service.seconds = 8;
  vendor.pay(ada, 130);
  keep(vendor, entry(vendor), owedText(70));
  // The copy is answered before the original is, and before the original has paid anything.
  service.seconds = 1;

  const [copy] = world.copy(vendor);
  clock.advance(30);
  allow();
  clock.advance(300);

  expect([...sales.values()].map(({ paid }) => paid).sort()).toEqual([130, 170]);
  const byAmount = transfers.toSorted((one, other) => other.amount - one.amount);
  expect(byAmount.map(({ to, amount, by }) => [to, amount, by === vendor.body.id])).toEqual([
    [bo, 70, true],
    [ada, 30, true],
  ]);
  expect(
    told()
      .flatMap((text) => /L\$ (\d+) to .* are open: it was copied or rezzed/.exec(text)?.[1] ?? [])
      .sort(),
  ).toEqual(['30', '70']);
  expect([openOf(vendor), openOf(copy as Placement)]).toEqual([[], []]);
});

test('a vendor that is taken and rezzed sells what it kept, pays nothing of what it owed, and tells', () => {
  const { clock, world, place, service, sales, transfers, told, allow } = start();
  const vendor = place();
  service.status = () => 500;
  vendor.pay(ada, 130);
  keep(vendor, entry(vendor), owedText(70));

  world.copy(vendor);
  vendor.take();
  service.status = () => 201;
  clock.advance(30);
  allow();
  clock.advance(300);

  expect([...sales.values()].map(({ paid }) => paid).sort()).toEqual([130, 170]);
  expect(transfers).toEqual([]);
  expect(told().filter((text) => /L\$ (30|70) to .* are open/.test(text))).toHaveLength(2);
});

test.each(['EXPIRED', 'SERVICE_ERROR', 'LINDENDOLLAR_BADCLOCKSKEW', 'SOMETHING_NEW'])(
  'after %s nobody knows whether the L$ moved: it pays once, and tells its owner',
  (tag) => {
    const { clock, place, transfers, told, openOf } = start({ transfer: (_to, _amount, answer) => answer(tag) });
    const vendor = place();

    vendor.pay(ada, 130);
    clock.advance(4000);

    expect(transfers).toHaveLength(1);
    expect(told().join()).toContain(`L$ 30 to secondlife:///app/agent/${ada}/about are open: ${tag}.`);
    expect(openOf(vendor)).toEqual([]);
  },
);

test.each(['LINDENDOLLAR_INSUFFICIENTFUNDS', 'THROTTLED', 'MISSING_PERMISSION_DEBIT', 'TRANSFERS_DISABLED'])(
  '%s leaves no doubt: it is tried again, with pauses that grow, until it works',
  (tag) => {
    let tries = 0;
    const { clock, place, transfers, openOf } = start({
      transfer: (_to, _amount, answer) => answer(++tries < 6 ? tag : undefined),
    });
    const vendor = place();

    vendor.pay(ada, 130);
    clock.advance(600);
    const early = transfers.length;
    clock.advance(3000);

    expect(early).toBeLessThan(6);
    expect(transfers).toHaveLength(6);
    expect(openOf(vendor)).toEqual([]);
  },
);

test('a result that never comes is told after 90 seconds, and keeps no other payment waiting', () => {
  const { clock, place, transfers, told, openOf } = start({
    transfer: (to, _amount, answer) => (to === ada ? undefined : answer()),
  });
  const vendor = place();

  vendor.pay(ada, 130);
  clock.advance(5);
  vendor.pay(bo, 140);
  clock.advance(80);
  const early = told().length;
  clock.advance(60);

  expect([early, told().filter((text) => text.includes('nobody said how it ended')).length]).toEqual([0, 1]);
  expect(transfers.map(({ to }) => to)).toEqual([ada, bo]);
  expect(openOf(vendor)).toEqual([]);
});

test('a payee whose account is closed and a sale that fails for ever keep nobody waiting', () => {
  const { clock, place, service, sales, paidTo, openOf } = start({
    transfer: (to, _amount, answer) => answer(to === bo ? 'LINDENDOLLAR_ENTITYDOESNOTEXIST' : undefined),
  });
  const vendor = place();
  service.status = ({ paid }) => (paid === 101 ? 500 : 201);
  keep(vendor, entry(vendor), owedText(70));

  vendor.pay(bo, 101);
  for (let n = 0; n < 6; n++) vendor.pay(ada, 130);
  clock.advance(300);

  expect(sales.size).toBe(6);
  expect(paidTo(ada)).toEqual(Array(6).fill(30));
  // A report waits for the pause of the failing sale, which is at most ten minutes.
  clock.advance(900);
  expect(openOf(vendor)).toHaveLength(1);
});

test('300 open sales are settled within 400 seconds, and it does not sleep while anything is open', () => {
  const { clock, world, place, service, sales, openOf } = start();
  const vendor = place();
  service.status = () => 503;
  vendor.pay(ada, 100);
  for (let n = 1; n < 300; n++) keep(vendor, entry(vendor, n), saleText());
  vendor.script.begin();
  clock.advance(20);

  service.status = () => 201;
  clock.advance(400);

  expect(sales.size).toBe(300);
  expect(openOf(vendor)).toEqual([]);
  // The region says that, and the vendor waits.
  expect(world.log.errors.filter((text) => !text.includes('too many HTTP requests'))).toEqual([]);
});

test('the longest product and the fullest memory leave it room, with a tenth less heap too', () => {
  const { clock, world, place, service, openOf, told } = start();
  const vendor = place();
  service.status = () => 503;
  service.product = shown({ name: 'ü'.repeat(63), demoId: bo, changesAt: '2099-01-01T00:00:00.000Z' });
  for (let n = 0; n < 600; n++) keep(vendor, entry(vendor, n), n % 3 === 0 ? owedText(n + 1) : saleText());
  vendor.script.begin();
  clock.advance(60);
  for (const who of [ada, bo, owner]) vendor.touch(who);
  clock.advance(2000);
  const full = openOf(vendor).length;
  service.status = () => 201;
  clock.advance(4000);

  const { peak, code } = vendor.script.memory();
  expect(full).toBeGreaterThan(320);
  expect(told().join()).not.toContain('it cannot read');
  expect(peak).toBeLessThan(62_000);
  expect(peak - code).toBeLessThan(0.9 * (65_536 - code));
  expect(world.log.errors.filter((text) => !text.includes('too many HTTP requests'))).toEqual([]);
});

test('after two hours without a service the first try comes within twelve minutes and a half', () => {
  const { clock, place, service, sales } = start();
  const vendor = place();
  service.status = () => 503;
  for (let n = 0; n < 20; n++) vendor.pay(ada, 100);
  clock.advance(7200);

  service.status = () => 201;
  clock.advance(750);

  expect(sales.size).toBe(20);
});

test('five vendors, and one linked with a box, take nothing of each other, and no sale waits for five seconds', () => {
  const { clock, world, place, sales, paidTo, openOf } = start();
  const vendors = Array.from({ length: 6 }, () => place());
  const box = world.rez({
    owner,
    name: 'box',
    script: scriptOf('dispenser'),
    notecards: { dispenser: ['service = https://s.example', 'key = two'] },
    items: [],
  });
  for (let n = 0; n < 500; n++) keep(box, `sis:d:${String(n).padStart(26, '0')}`, '1', 'two');
  world.link(vendors[0] as Placement, box);
  const paidAt: number[] = [];

  for (let n = 0; n < 12; n++) {
    paidAt.push(clock.now());
    vendors[n % 6]?.pay(n % 2 ? ada : bo, 130 + n);
    clock.advance(10);
  }
  clock.advance(60);

  expect([...sales.values()].map(({ at }, n) => at - (paidAt[n] ?? 0)).filter((millis) => millis >= 5000)).toEqual([]);
  expect([...paidTo(ada), ...paidTo(bo)].sort()).toEqual(Array.from({ length: 12 }, (_, n) => 30 + n));
  expect(openOf(vendors[0] as Placement)).toEqual([]);
  expect(world.log.messages).toEqual([]);
});

test('a new owner pays nothing of the former one, who finds all of it when the object comes back', () => {
  const { clock, place, service, transfers, told, allow, openOf } = start();
  const vendor = place();
  service.status = () => 500;
  vendor.pay(ada, 130);
  keep(vendor, entry(vendor), owedText(70));

  vendor.giveTo(thief);
  service.status = () => 201;
  clock.advance(30);
  allow();
  clock.advance(4000);
  const meanwhile = [
    transfers.length,
    openOf(vendor).length,
    told().filter((text) => text.includes('it cannot read')).length,
  ];
  vendor.giveTo(owner);
  clock.advance(30);
  allow();
  clock.advance(60);

  expect(meanwhile).toEqual([0, 2, 1]);
  expect(transfers.map(({ amount }) => amount).sort()).toEqual([30, 70]);
});

test('refusals that hide their reason are under 20 sales in ten minutes', () => {
  const { clock, place, service } = start();
  const vendor = place();
  service.status = () => 415;

  vendor.pay(ada, 100);
  clock.advance(600);

  expect(service.posts).toBeGreaterThan(2);
  expect(service.posts).toBeLessThan(20);
});

/** The script begins again after this many changes of its memory, as after a crash of its region. */
const crashAfter = ({ body }: Placement, changes: number) => {
  const { data } = body.prim.linkset;
  const functionsOf = data.functionsOf;
  let made = 0;
  data.functionsOf = (by) =>
    Object.fromEntries(
      Object.entries(functionsOf(by)).map(([signature, run]) => [
        signature,
        (...values: never[]) => {
          const result = run(...values);
          if (/Write|Delete/.test(signature) && ++made === changes) throw new ScriptReset();
          return result;
        },
      ]),
    );
  return () => made;
};

test('another key takes over 20 open entries: all are settled and none is paid twice, wherever the region dies', () => {
  const run = (changes: number) => {
    const { clock, place, service, sales, transfers, told, allow, cardOf, openOf, world } = start();
    const vendor = place();
    service.status = () => 500;
    for (let n = 0; n < 10; n++) keep(vendor, entry(vendor, n), owedText(10 + n));
    for (let n = 10; n < 20; n++) keep(vendor, entry(vendor, n), saleText(110 + n));
    const made = crashAfter(vendor, changes);
    service.status = () => 201;

    vendor.editNotecard('vendor', cardOf('two'));
    for (let n = 0; n < 30; n++) {
      clock.advance(10);
      allow();
    }
    const doubted = told().flatMap((text) =>
      text.includes('the region stopped') ? [Number(/L\$ (\d+) to/.exec(text)?.[1])] : [],
    );
    const paid = transfers.map(({ amount }) => amount);
    // L$ whose result the crash has swallowed are reported, and may have been paid.
    const credited = [...new Set([...paid, ...doubted])].sort();
    const twice = paid.length - new Set(paid).size;
    const errors = world.log.errors.filter((text) => !text.includes('too many HTTP requests'));
    const result = [sales.size, credited, twice, openOf(vendor), errors];
    return { made: made(), doubted: doubted.length, result };
  };
  const expected = [10, Array.from({ length: 20 }, (_, n) => 10 + n), 0, [], []];

  const whole = run(Number.POSITIVE_INFINITY);
  const crashed = Array.from({ length: whole.made }, (_, n) => run(n + 1));

  expect(whole.result).toEqual(expected);
  for (const [n, { result }] of crashed.entries()) expect([n, result]).toEqual([n, expected]);
  // While the entries are rewritten, nothing is under way.
  expect(crashed.slice(0, 42).map(({ doubted }) => doubted)).toEqual(Array(42).fill(0));
});

test('what it cannot read after the key changed in a crash is there again with the former key', () => {
  const { clock, place, transfers, told, allow, cardOf } = start();
  const vendor = place();
  vendor.freeze(true);
  keep(vendor, entry(vendor), owedText(70));

  vendor.editNotecard('vendor', cardOf('two'));
  vendor.script.begin();
  vendor.freeze(false);
  clock.advance(100);
  allow();
  clock.advance(100);
  const unread = told().filter((text) => text.includes('it cannot read')).length;
  vendor.editNotecard('vendor', cardOf('one'));
  for (let n = 0; n < 3; n++) {
    clock.advance(50);
    allow();
  }

  expect(unread).toBe(1);
  expect(transfers.map(({ amount }) => amount)).toEqual([70]);
});

test.each([0, 1])(
  'a reset 15 s after line %i of a new notecard was lost leaves nothing that it cannot read',
  (lost) => {
    let lostNow = -1;
    const bringsLine = (_: string, line: number): boolean => line !== lostNow;
    const keepsLine = (_: string, line: number): boolean => line !== lost;
    const { clock, place, transfers, told, allow, cardOf } = start({ region: { bringsLine, keepsLine } });
    const vendor = place();
    keep(vendor, entry(vendor), saleText(170));

    lostNow = lost;
    vendor.editNotecard('vendor', cardOf('two'));
    clock.advance(2);
    lostNow = -1;
    clock.advance(13);
    vendor.script.send('on_rez', 0);
    for (let n = 0; n < 3; n++) {
      clock.advance(50);
      allow();
    }

    expect(told().filter((text) => text.includes('it cannot read'))).toEqual([]);
    expect(transfers.map(({ amount }) => amount)).toEqual([70]);
  },
);

test('another script in its prim stops it: no payment is sold twice, and the owner is told of each', () => {
  const { clock, world, place, sales, told, allow } = start();
  const vendor = place();

  const second = vendor.drop('second.lsl', scriptOf('vendor'));
  clock.advance(5);
  vendor.pay(ada, 130);
  clock.advance(60);
  const meanwhile = [sales.size, vendor.body.payPrice.filter((sum) => sum > 0).length];
  second.take();
  clock.advance(10);
  allow();
  clock.advance(2);
  vendor.pay(ada, 130);
  clock.advance(10);

  expect(meanwhile).toEqual([0, 0]);
  expect(told().join()).toContain('take the other script out of this prim.');
  expect(
    told().filter((text) => text.includes(`L$ 130 from secondlife:///app/agent/${ada}/about came while`)),
  ).toHaveLength(2);
  expect(sales.size).toBe(1);
  expect(world.log.errors).toEqual([]);
});

test('L$ that arrive after another script erased the memory leave nothing to report, and nothing open', () => {
  const { clock, world, place, transfers, sales, openOf } = start({
    transfer: (_to, _amount, answer) => clock.after(10, () => answer(undefined)),
  });
  const vendor = place();
  const other = linked(world, vendor, 'llLinksetDataReset();');
  vendor.pay(ada, 130);
  clock.advance(5);

  other.touch(thief);
  clock.advance(300);

  expect([transfers.length, sales.size, openOf(vendor)]).toEqual([1, 1, []]);
});

test('a memory that another script erased is told with how much was open', () => {
  const { clock, world, place, service, told } = start();
  const vendor = place();
  const other = linked(world, vendor, 'llLinksetDataReset();');
  service.status = () => 500;
  vendor.pay(ada, 130);
  vendor.pay(bo, 130);

  other.touch(thief);
  clock.advance(30);

  expect(told().join()).toContain('another script has erased its memory, with 2 open payments.');
});

test('a memory that is erased and filled with the same names at once is told all the same', () => {
  const { clock, world, place, service, told } = start();
  const vendor = place();
  const forged = '"sis:v:" + (string)llGetLinkKey(1) + ":" + (string)llGenerateKey()';
  const forge = `llLinksetDataWrite(${forged}, "O");`;
  const other = linked(world, vendor, `llLinksetDataReset(); ${forge.repeat(3)}`);
  service.status = () => 500;
  vendor.pay(ada, 130);

  other.touch(thief);
  vendor.pay(bo, 130);
  clock.advance(30);

  expect(told().join()).toContain('another script has erased its memory, with 1 open payments.');
});

test('a memory that is erased while the vendor reads another notecard is told', () => {
  const { clock, world, place, service, told } = start();
  const vendor = place();
  const other = linked(world, vendor, 'llLinksetDataReset();');
  service.status = () => 500;
  vendor.pay(ada, 130);

  vendor.editNotecard('vendor', vendor.body.prim.notecards.vendor?.slice() ?? []);
  other.touch(thief);
  clock.advance(60);

  expect(told().join()).toContain('another script has erased its memory, with 1 open payments.');
});

test('takes no payment while its memory is nearly full', () => {
  const { clock, place } = start();
  const vendor = place();
  const before = vendor.body.payPrice[1];

  vendor.body.functions['integer llLinksetDataWrite(string, string)']?.(...(['fill', 'x'.repeat(129_500)] as never[]));
  clock.advance(2000);

  expect([before, vendor.body.payPrice[1]]).toEqual([100, -1]);
});

test('one avatar cannot hold the menu: after half a minute it is for those who were refused', () => {
  const { clock, world, place } = start();
  const vendor = place();
  const menus = (who: string): number =>
    world.log.dialogs.filter(({ to, buttons }) => to === who && buttons.includes('Buy')).length;

  for (let n = 0; n < 60; n++) {
    vendor.touch(thief);
    clock.advance(5);
    vendor.touch(ada);
    clock.advance(5);
  }

  expect(menus(ada)).toBeGreaterThan(5);
});

test('two who touch it in one moment both get an answer', () => {
  const { clock, world, place } = start();
  const vendor = place();

  vendor.touch(ada, bo);
  clock.advance(3);

  expect(world.log.dialogs.map(({ to }) => to)).toEqual([ada]);
  expect(world.log.said.filter(({ to }) => to === bo).map(({ text }) => text)).toEqual([
    'Somebody else is choosing. Touch it again in a minute.',
  ]);
});

test('a buyer who has left hears by instant message, and of L$ only once they are paid', () => {
  const { clock, place, absent, told } = start({ transfer: () => undefined });
  const vendor = place();
  absent.add(ada);

  vendor.pay(ada, 130);
  clock.advance(30);

  expect(told()).toEqual(['Thank you! It is on its way. L$ 30 of it come back.']);
});

test('the text above it says what is open, and its owner hears version, memory and more at a touch', () => {
  const { clock, world, place, service } = start();
  const vendor = place();
  service.status = () => 500;
  vendor.pay(ada, 130);
  clock.advance(25);
  const above = vendor.body.seen.text;

  vendor.touch(owner);
  clock.advance(3);

  expect(above).toBe('Lamp\nL$ 100\nOpen payments: 1');
  expect(world.log.said.at(-1)?.text).toMatch(/^Vendor \d+\.\d+\.\d+: 1 open\. Memory: \d+; linkset data free: \d+\.$/);
});

test.each([
  [1, false],
  [2, false],
  [4, false],
  [4, true],
])('somebody who touches it %i times a second keeps no payment waiting (touches collapse: %s)', (times, collapses) => {
  const { clock, world, place, sales } = start({ collapsesTouches: collapses });
  const vendor = place();

  for (let n = 0; n < 300 * times; n++) {
    vendor.touch(thief);
    if (n % (10 * times) === 0) vendor.pay(bo, 100);
    clock.advance(1 / times);
  }
  clock.advance(60);

  expect([sales.size, world.log.errors]).toEqual([30, []]);
});

test('each payment that comes while its memory is full is told to its owner', () => {
  const { clock, place, told, paidTo } = start();
  const vendor = place();
  vendor.body.functions['integer llLinksetDataWrite(string, string)']?.(...(['fill', 'x'.repeat(130_900)] as never[]));

  for (let n = 0; n < 3; n++) vendor.pay(ada, 100);
  clock.advance(30);

  expect(told().filter((text) => text.includes('its memory is full. It pays L$ 100 back to'))).toHaveLength(3);
  expect(paidTo(ada)).toEqual([100, 100, 100]);
});
