import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { owner } from './shop.ts';
import { ada, bo, linkScript, notesOf, openTill, thief, writeAs } from './till.ts';

/**
 * The cashier pays each payout once or never, whatever happens to its object, its memory, its neighbours and its
 * answers.
 */

type Till = ReturnType<typeof openTill>;

test('pays what is owed, one payout after another, and reports each with the id of its transfer', () => {
  const { clock, books, bank, place, moved, reports, ends } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  const seen: string[][] = [];
  bank.transfer = (_to, _amount, answer, by) => {
    seen.push(notesOf(by));
    clock.after(3, () => answer());
  };
  const cashier = place();

  clock.advance(60);

  expect(moved.map(({ to, amount }) => [to, amount])).toEqual([
    [ada, 70],
    [bo, 30],
  ]);
  const [first, second] = [...books.payouts.values()];
  const at = /^P19\d{8}/;
  expect(seen.map((notes) => notes.map((note) => note.replace(at, '')))).toEqual([
    [`${first?.id}${ada}70`],
    [`${second?.id}${bo}30`],
  ]);
  expect(reports()).toEqual([
    { result: 'paid', transactionId: first?.transactionId },
    { result: 'paid', transactionId: second?.transactionId },
  ]);
  expect(ends()).toEqual([
    ['paid', 70, null],
    ['paid', 30, null],
  ]);
  expect(notesOf(cashier)).toEqual([]);
});

test('claims nothing before its owner has allowed debit, and says what for', () => {
  const { clock, world, books, place, claims, allow, ends } = openTill();
  const cashier = place();
  cashier.script.begin();
  const earlier = claims().length;
  books.owed.set(ada, 70);
  clock.advance(3600);
  const before = claims().length - earlier;
  const above = cashier.body.seen.text;

  allow();
  clock.advance(60);

  expect([before, above]).toEqual([0, 'Cashier: it may not pay.']);
  expect(world.log.said.at(-1)?.text).toContain('It pays what your store owes, and at most L$ 10000 a day.');
  expect(ends()).toEqual([['paid', 70, null]]);
});

test.each([
  'INVALID_AGENT',
  'INVALID_DESTINATION',
  'INVALID_AMOUNT',
  'LINDENDOLLAR_ENTITYDOESNOTEXIST',
  'LINDENDOLLAR_INSUFFICIENTFUNDS',
  'MISSING_PERMISSION_DEBIT',
  'GROUP_OWNED',
  'TRANSFERS_DISABLED',
])('%s is reported as failed, and paid by another payout once the service claims it again', (tag) => {
  const { clock, books, bank, place, told, ends, paidTo } = openTill();
  books.owed.set(ada, 70);
  let tries = 0;
  bank.transfer = (_to, _amount, answer) => answer(++tries === 1 ? tag : undefined);
  place();

  clock.advance(3500);
  const early = ends();
  clock.advance(800);

  expect(early).toEqual([['failed', 70, tag]]);
  expect(ends()).toEqual([...early, ['paid', 70, null]]);
  expect(paidTo(ada)).toEqual([70]);
  expect(told()[0]).toContain(`Cashier: it could not pay: ${tag}.`);
});

test('a payout that the service names in two answers is paid once, and told to its owner', () => {
  const { clock, books, service, place, told, paidTo } = openTill();
  books.owed.set(ada, 70);
  let first: object | undefined;
  service.says = (path, fields) => {
    if (!path.endsWith('/claim')) return fields;
    first ??= fields;
    return first;
  };
  place();

  clock.advance(3600);

  expect(paidTo(ada)).toEqual([70]);
  expect(told()[0]).toContain(`it paid L$ 70 to secondlife:///app/agent/${ada}/about: it has paid that before`);
});

test.each(['EXPIRED', 'SERVICE_ERROR', 'LINDENDOLLAR_BADCLOCKSKEW', 'SOMETHING_NEW', 'THROTTLE'])(
  'after %s nobody knows: it is reported as unknown, told to its owner, and never paid again',
  (tag) => {
    const { clock, books, bank, place, tries, told, ends } = openTill();
    books.owed.set(ada, 70);
    bank.transfer = (_to, _amount, answer) => answer(tag);
    place();

    clock.advance(90_000);

    expect(tries).toHaveLength(1);
    expect(ends()).toEqual([['unknown', 70, tag]]);
    expect(told()).toEqual([
      `Cashier: nobody knows whether it paid L$ 70 to secondlife:///app/agent/${ada}/about: ${tag}. Look at your ` +
        `transactions, and let the operator settle payout ${[...books.payouts.keys()][0]}.`,
    ]);
  },
);

test('THROTTLED is asked again after 30 seconds, and paid once', () => {
  const { clock, books, bank, place, tries, ends, paidTo } = openTill();
  books.owed.set(ada, 70);
  bank.transfer = (_to, _amount, answer) => answer(tries.length < 4 ? 'THROTTLED' : undefined);
  place();

  clock.advance(300);

  expect(tries.slice(1).map((at, n) => Math.round((at - (tries[n] ?? 0)) / 1000))).toEqual([30, 30, 30]);
  expect(paidTo(ada)).toEqual([70]);
  expect(ends()).toEqual([['paid', 70, null]]);
});

test('a transfer that stays THROTTLED begins within five minutes of the claim or never, and has failed', () => {
  const { clock, books, bank, place, tries, claims, ends } = openTill();
  books.owed.set(ada, 70);
  bank.transfer = (_to, _amount, answer) => answer('THROTTLED');
  place();

  clock.advance(900);

  const since = tries.map((at) => (at - (claims()[0]?.at ?? 0)) / 1000);
  expect(tries.length).toBeGreaterThan(8);
  expect(Math.max(...since)).toBeLessThan(300);
  expect(ends()).toEqual([['failed', 70, 'THROTTLED']]);
});

test('a lost answer to the claim is asked for under the same key, and paid once', () => {
  const { clock, service, books, place, claims, ends, paidTo } = openTill();
  books.owed.set(ada, 70);
  service.loses = () => claims().length === 1;
  place();

  clock.advance(300);

  expect(new Set(claims().map(({ id }) => id)).size).toBe(claims().length - 1);
  expect(paidTo(ada)).toEqual([70]);
  expect(ends()).toEqual([['paid', 70, null]]);
});

test('an answer to the claim that comes after five minutes is never paid, and has failed', () => {
  const { clock, service, books, place, tries, ends } = openTill();
  books.owed.set(ada, 70);
  const began = clock.now();
  service.loses = () => clock.now() < began + 320_000;
  place();

  clock.advance(1200);

  expect(tries).toEqual([]);
  expect(ends()).toEqual([['failed', 70, 'the answer to the claim came too late']]);
});

test('an answer that is held up for more than five minutes in a script that does not run is never paid', () => {
  const { clock, service, books, place, tries, ends } = openTill();
  books.owed.set(ada, 70);
  service.seconds = 5;
  const cashier = place();
  clock.advance(1);
  cashier.freeze(true);

  clock.advance(400);
  cashier.freeze(false);
  clock.advance(60);

  expect(tries).toEqual([]);
  expect(ends().map(([state]) => state)).toEqual(['failed']);
});

/** The stages of a payout at which something happens to the cashier. */
const moments = ['the claim is sent', 'the transfer is under way', 'the report is sent'] as const;
type Moment = (typeof moments)[number];

/** Stops at this moment: the service or the bank holds its answer back until it is told to go on. */
const stopAt = (till: Till, moment: Moment) => {
  const { clock, service, bank, books } = till;
  let isOn = true;
  books.owed.set(ada, 70);
  const held: (() => void)[] = [];
  bank.transfer = (_to, _amount, answer) => {
    if (moment === moments[1] && isOn) held.push(() => answer());
    else clock.after(0.5, () => answer());
  };
  service.loses = (path) =>
    isOn && path.endsWith(moment === moments[0] ? '/claim' : '/report') && moment !== moments[1];
  const cashier = till.place();
  clock.advance(12);
  const goOn = (): void => {
    isOn = false;
    for (const answer of held.splice(0)) answer();
  };
  return { cashier, goOn };
};

test.each(moments)('what it had claimed before a restart of the region while %s is paid once or never', (moment) => {
  const till = openTill();
  const { clock, world, books, ends, tries } = till;
  const { cashier, goOn } = stopAt(till, moment);

  world.restart();
  goOn();
  books.owed.set(bo, 5);
  clock.advance(700);

  const isPaid = moment === moments[2];
  const why = 'claimed before a restart, a reset or a copy of the cashier';
  expect(ends()).toEqual([isPaid ? ['paid', 70, null] : ['unknown', 70, why], ['paid', 5, null]]);
  expect(tries).toHaveLength(moment === moments[0] ? 1 : 2);
  expect(notesOf(cashier)).toEqual([]);
});

test.each(moments)('what it had claimed before a reset while %s is paid once or never', (moment) => {
  const till = openTill();
  const { clock, books, ends, tries, allow } = till;
  const { cashier, goOn } = stopAt(till, moment);

  cashier.script.begin();
  goOn();
  books.owed.set(bo, 5);
  clock.advance(30);
  allow();
  clock.advance(700);

  expect(ends().map(([state, amount]) => [state, amount])).toEqual([
    [moment === moments[2] ? 'paid' : 'unknown', 70],
    ['paid', 5],
  ]);
  expect(tries).toHaveLength(moment === moments[0] ? 1 : 2);
});

test.each(moments)('taken and rezzed while %s it pays nothing of what it had claimed', (moment) => {
  const till = openTill();
  const { clock, world, books, ends, tries, allow } = till;
  const { cashier, goOn } = stopAt(till, moment);

  const [rezzed] = world.copy(cashier);
  cashier.take();
  goOn();
  books.owed.set(bo, 5);
  clock.advance(30);
  allow();
  clock.advance(700);

  expect(ends().map(([state, amount]) => [state, amount])).toEqual([
    [moment === moments[2] ? 'paid' : 'unknown', 70],
    ['paid', 5],
  ]);
  expect(tries).toHaveLength(moment === moments[0] ? 1 : 2);
  expect(notesOf(rezzed as Placement)).toEqual([]);
});

test.each(moments)('a copy that is made while %s pays nothing of it: the original does, once', (moment) => {
  const till = openTill();
  const { clock, world, ends, moved, allow } = till;
  const { cashier, goOn } = stopAt(till, moment);

  const [copy] = world.copy(cashier);
  clock.advance(20);
  allow();
  goOn();
  clock.advance(700);

  expect(moved.map(({ to, amount, by }) => [to, amount, by === cashier.body.id])).toEqual([[ada, 70, true]]);
  expect(ends()).toEqual([['paid', 70, null]]);
  expect([notesOf(cashier), notesOf(copy as Placement)]).toEqual([[], []]);
});

test('two cashiers pay each payout once, also as one object', () => {
  const { clock, world, books, bank, place, moved, ends } = openTill();
  for (let n = 0; n < 20; n++) books.owed.set(randomUUID(), n + 1);
  bank.transfer = (_to, _amount, answer) => clock.after(3, () => answer());
  const [one, other] = [place(), place()];
  world.link(one, other);

  clock.advance(600);

  expect(moved.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  expect(new Set(moved.map(({ by }) => by))).toEqual(new Set([one.body.id, other.body.id]));
  expect(ends().every(([state]) => state === 'paid')).toBe(true);
});

test('pays and reports nothing of notes that another script forges, and leaves them as they are', () => {
  const { clock, world, books, place, reports, paidTo, moved } = openTill();
  const cashier = place();
  const value = `P${Math.floor(clock.now() / 1000)}${randomUUID()}${thief}800`;
  const names = [
    `sis:c:${cashier.body.id}:n${randomUUID()}`,
    `sis:c:${randomUUID()}:n${randomUUID()}`,
    `sis:c:${cashier.body.id}:d2020-01-01`,
  ];
  const other = linkScript(
    world,
    cashier,
    names.map((name, n) => `llLinksetDataWrite("${name}", "${n < 2 ? value : '1,2,3'}");`).join('\n'),
  );

  other.touch(thief);
  cashier.script.begin();
  books.owed.set(ada, 70);
  clock.advance(30);
  for (const { answer } of world.log.dialogs.splice(0)) answer('Allow');
  clock.advance(100_000);

  expect([paidTo(ada), moved.length]).toEqual([[70], 1]);
  expect(reports()).toHaveLength(1);
  expect(names.map((name) => cashier.body.linksetData.get(name)?.value)).toEqual([value, value, '1,2,3']);
});

test('pays nothing and deletes nothing while it finds a note of its own that it cannot read', () => {
  const { clock, books, place, claims, told, paidTo, cardOf, allow } = openTill();
  books.owed.set(ada, 70);
  const cashier = place(cardOf('two'));
  const name = `sis:c:${cashier.body.id}:n${randomUUID()}`;
  clock.advance(60);
  writeAs(cashier, name, `R${Math.floor(clock.now() / 1000)}${randomUUID()}{"result":"paid"}`, 'another');
  cashier.script.begin();
  const before = claims().length;
  books.owed.set(ada, 30);
  clock.advance(10);
  allow();

  cashier.touch(owner);
  clock.advance(7200);

  expect(claims().length).toBe(before);
  expect(paidTo(ada)).toEqual([70]);
  expect(cashier.body.linksetData.has(name)).toBe(true);
  expect(told()[0]).toContain('Cashier: it cannot read some of its memory (1): another key, owner or script wrote it.');
});

test('a new owner pays nothing that the former one had claimed', () => {
  const till = openTill();
  const { clock, world, tries, claims, allow } = till;
  const { cashier, goOn } = stopAt(till, moments[1]);
  world.balances.set(thief, 1000);

  cashier.giveTo(thief);
  goOn();
  clock.advance(30);
  allow();
  clock.advance(3600);

  expect(tries).toHaveLength(1);
  expect(claims()).toHaveLength(1);
  expect(notesOf(cashier)).toHaveLength(1);
});

test('with another script in its prim it pays nothing, not even what it has claimed', () => {
  const till = openTill();
  const { clock, service, books, place, tries, ends, told } = till;
  books.owed.set(ada, 70);
  service.seconds = 5;
  const cashier = place();
  clock.advance(1);
  const script = 'default { state_entry() { } }';

  cashier.drop('decoration', script);
  clock.advance(3600);

  expect(tries).toEqual([]);
  expect(ends().map(([state]) => state)).toEqual(['claimed']);
  expect(told()[0]).toContain('take the other script out of this prim: it could read the key.');
});

test('a result that never comes is unknown after 90 seconds, and keeps no other payee waiting', () => {
  const { clock, books, bank, place, tries, ends } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  bank.transfer = (to, _amount, answer) => (to === ada ? undefined : answer());
  place();

  clock.advance(85);
  const early = ends().map(([state]) => state);
  clock.advance(60);

  expect(early).toEqual(['claimed']);
  expect(tries).toHaveLength(2);
  expect(ends()).toEqual([
    ['unknown', 70, 'nobody said how it ended'],
    ['paid', 30, null],
  ]);
});

test('a result that comes later than that counts after all', () => {
  const { clock, books, bank, place, ends, paidTo } = openTill();
  books.owed.set(ada, 70);
  bank.transfer = (_to, _amount, answer) => clock.after(200, () => answer());
  const cashier = place();

  clock.advance(300);

  expect(paidTo(ada)).toEqual([70]);
  expect(ends()).toEqual([['paid', 70, null]]);
  expect(notesOf(cashier)).toEqual([]);
});

test('while the service is away it keeps the report, claims nothing else, and pauses longer and longer', () => {
  const { clock, service, books, place, claims, reports, ends, moved } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  let isAway = true;
  service.refuses = (path) => (isAway && path.endsWith('/report') ? 503 : undefined);
  place();

  clock.advance(3000);
  const [tries, claimed, paid] = [reports().length, claims().length, moved.length];
  isAway = false;
  clock.advance(1500);

  expect([claimed, paid]).toEqual([1, 1]);
  expect(tries).toBeLessThan(12);
  expect(ends().map(([state]) => state)).toEqual(['paid', 'paid']);
});

test('a report that fails for ever keeps the others waiting for an hour, and no longer', () => {
  const { clock, service, books, place, ends } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  service.refuses = (path) => (path.includes([...books.payouts.keys()][0] ?? '?') ? 500 : undefined);
  place();

  clock.advance(3000);
  const early = ends().length;
  clock.advance(3000);

  expect(early).toBe(1);
  expect(ends()[1]).toEqual(['paid', 30, null]);
});

test('a claim that a refused status answers is given up, and a wrong address is not believed', () => {
  const { clock, service, books, place, ends, claims } = openTill();
  books.owed.set(ada, 70);
  const began = clock.now();
  // A web server other than this service answers without a problem.
  service.refuses = () => (clock.now() < began + 120_000 ? 404 : undefined);
  place();

  clock.advance(600);

  expect(new Set(claims().map(({ id }) => id)).size).toBeLessThan(claims().length);
  expect(ends()).toEqual([['paid', 70, null]]);
});

test('pays no more than the limit of the day, which begins anew at midnight in UTC, and tells once a day', () => {
  const { clock, books, place, cardOf, moved, told } = openTill({ at: Date.parse('2027-05-10T22:00:00Z') });
  books.owed.set(ada, 5000).set(bo, 3000);
  place(cardOf('one', 'limit = 1000', 'minimum = 10'));

  clock.advance(3600);
  const before = moved.map(({ amount }) => amount);
  clock.advance(2 * 3600);
  const first = told();
  clock.advance(86_400);

  expect(before).toEqual([1000]);
  expect(moved.map(({ to, amount }) => [to, amount])).toEqual(Array(3).fill([ada, 1000]));
  expect(new Set(moved.map(({ at }) => new Date(at).toISOString().slice(0, 10))).size).toBe(3);
  expect(first).toEqual(['Cashier: on 2027-05-10 it paid L$ 1000 in 1 payouts.']);
  expect(told()).toEqual([...first, 'Cashier: on 2027-05-11 it paid L$ 1000 in 1 payouts.']);
});

test('a payee who is owed L$ 50,000 with a limit of 10,000 a day is paid in five parts', () => {
  const { clock, books, place, moved, ends } = openTill();
  books.owed.set(ada, 50_000);
  place();

  clock.advance(6 * 86_400);

  expect(moved.map(({ amount }) => amount)).toEqual(Array(5).fill(10_000));
  expect(new Set(moved.map(({ at }) => Math.floor(at / 86_400_000))).size).toBe(5);
  expect(books.owed.get(ada)).toBe(0);
  expect(ends().every(([state]) => state === 'paid')).toBe(true);
});

test('a transfer that begins before midnight and ends after it counts for the day on which it began', () => {
  const { clock, books, bank, place, cardOf, moved, told } = openTill({ at: Date.parse('2027-05-10T23:59:30Z') });
  books.owed.set(ada, 1500);
  bank.transfer = (_to, _amount, answer) => clock.after(60, () => answer());
  place(cardOf('one', 'limit = 1000'));

  clock.advance(7200);

  expect(moved.map(({ amount }) => amount)).toEqual([1000, 500]);
  expect(told()).toEqual(['Cashier: on 2027-05-10 it paid L$ 1000 in 1 payouts.']);
});

test.each(['reset', 'restart', 'rezzed', 'erased', 'erased and reset', 'edited'])(
  'what it paid today counts for the limit after: %s',
  (what) => {
    const { clock, world, books, place, cardOf, moved, allow } = openTill();
    const card = cardOf('one', 'limit = 1000');
    books.owed.set(ada, 5000);
    const cashier = place(card);
    clock.advance(60);

    if (what === 'reset') cashier.script.begin();
    if (what === 'restart') world.restart();
    if (what === 'edited')
      cashier.editNotecard(
        'cashier',
        card.map((line) => line.replace('key = one', 'key = two')),
      );
    if (what.startsWith('erased')) linkScript(world, cashier, 'llLinksetDataReset();').touch(thief);
    if (what === 'erased and reset') {
      clock.advance(700);
      cashier.script.begin();
    }
    if (what === 'rezzed') {
      world.copy(cashier);
      cashier.take();
    }
    clock.advance(30);
    allow();
    clock.advance(3600);

    expect(moved.map(({ amount }) => amount)).toEqual([1000]);
  },
);

test('L$ that have surely not moved leave the limit as it was, and those of which nobody knows take from it', () => {
  const { clock, books, bank, place, cardOf, moved, tries } = openTill();
  books.owed.set(ada, 600).set(bo, 900);
  bank.transfer = (to, _amount, answer) => answer(to === ada ? 'LINDENDOLLAR_ENTITYDOESNOTEXIST' : undefined);
  place(cardOf('one', 'limit = 1000'));
  clock.advance(3000);
  const first = moved.map(({ amount }) => amount);
  bank.transfer = (_to, _amount, answer) => answer('EXPIRED');

  clock.advance(8000);

  expect(first).toEqual([900]);
  expect(tries).toHaveLength(3);
});

test('an account that is closed keeps nobody waiting', () => {
  const { clock, books, bank, place, paidTo, ends } = openTill();
  const payees = [ada, ...Array.from({ length: 10 }, () => randomUUID())];
  for (const payee of payees) books.owed.set(payee, 10);
  bank.transfer = (to, _amount, answer) => answer(to === ada ? 'LINDENDOLLAR_ENTITYDOESNOTEXIST' : undefined);
  place();

  clock.advance(120);

  expect(payees.slice(1).map(paidTo)).toEqual(Array(10).fill([10]));
  expect(ends()[0]?.[0]).toBe('failed');
});

test('three in a row that were not paid stop it, through a reset too, until its owner touches it', () => {
  const { clock, books, bank, place, tries, told, allow, ends } = openTill();
  for (let n = 0; n < 9; n++) books.owed.set(randomUUID(), 10);
  bank.transfer = (_to, _amount, answer) => answer('LINDENDOLLAR_INSUFFICIENTFUNDS');
  const cashier = place();
  clock.advance(7200);
  const stopped = tries.length;
  cashier.script.begin();
  clock.advance(10);
  allow();
  clock.advance(600);
  cashier.touch(thief);
  clock.advance(7200);
  const [after, above] = [tries.length, cashier.body.seen.text];
  bank.transfer = (_to, _amount, answer) => answer();

  cashier.touch(owner);
  clock.advance(600);

  expect([stopped, after, above]).toEqual([3, 3, 'Cashier: stopped. Its owner may touch it.']);
  expect(told().filter((text) => text.includes('three payouts in a row were not paid.'))).toHaveLength(1);
  expect(ends().filter(([state]) => state === 'paid')).toHaveLength(9);
});

test('three that are not paid stop it only in a row', () => {
  const { clock, books, bank, place, tries, ends } = openTill();
  for (let n = 0; n < 12; n++) books.owed.set(randomUUID(), 10);
  bank.transfer = (_to, _amount, answer) => answer(tries.length % 3 === 0 ? undefined : 'INVALID_AGENT');
  place();

  clock.advance(300);

  expect(ends()).toHaveLength(12);
});

test('a permission that is withdrawn while a payout is claimed makes it fail, and nothing more is claimed until it is back', () => {
  const { clock, service, books, place, tries, ends, claims, allow, paidTo } = openTill();
  books.owed.set(ada, 70);
  service.seconds = 5;
  const cashier = place();
  clock.advance(1);

  cashier.body.forgetPermissions();
  clock.advance(7200);
  const [early, asked] = [ends(), claims().length];
  cashier.touch(owner);
  clock.advance(2);
  allow();
  clock.advance(60);

  expect([tries.length, asked]).toEqual([1, 1]);
  expect(early).toEqual([['failed', 70, 'MISSING_PERMISSION_DEBIT']]);
  expect(paidTo(ada)).toEqual([70]);
});

test.each(moments)(
  'with another key, put in while %s, each note is read with the old pass and written with the new',
  (moment) => {
    const till = openTill();
    const { clock, service, ends, tries, cardOf, claims } = till;
    const { cashier, goOn } = stopAt(till, moment);

    cashier.editNotecard('cashier', cardOf('two'));
    clock.advance(30);
    const keys = [...new Set(service.requests.map(({ key }) => key))];
    goOn();
    clock.advance(700);
    till.books.owed.set(bo, 5);
    clock.advance(700);

    // The key that claimed says how it ended, if it can.
    expect(keys).toEqual(moment === moments[2] ? ['one', 'two'] : ['one']);
    expect(ends()).toEqual([
      ['paid', 70, null],
      ['paid', 5, null],
    ]);
    expect(tries).toHaveLength(2);
    expect(claims().at(-1)?.key).toBe('two');
    expect(notesOf(cashier)).toEqual([]);
    expect([...cashier.body.linksetData.keys()].filter((name) => name.includes('+'))).toEqual([]);
  },
);

test('a key that was changed while the script did not run is not taken over until the former one is back', () => {
  const till = openTill();
  const { clock, claims, cardOf, allow, ends, told } = till;
  const { cashier, goOn } = stopAt(till, moments[2]);
  cashier.body.prim.notecards.cashier = cardOf('two');
  cashier.script.begin();
  goOn();
  clock.advance(10);
  allow();
  till.books.owed.set(bo, 5);
  clock.advance(3600);
  const [asked, kept] = [claims().length, notesOf(cashier)];

  cashier.editNotecard('cashier', cardOf('one'));
  clock.advance(10);
  allow();
  clock.advance(600);

  expect([asked, kept.length]).toEqual([1, 1]);
  expect(told().join()).toContain('Put the former key back, or the script into a new object.');
  expect(ends()).toEqual([
    ['paid', 70, null],
    ['paid', 5, null],
  ]);
});

test('another address and another limit come into force without a reset, and a notecard with a fault pays nothing', () => {
  const { clock, books, place, cardOf, moved, claims, told } = openTill();
  const cashier = place(cardOf('one', 'limit = 100'));
  books.owed.set(ada, 1000);
  clock.advance(700);

  cashier.editNotecard('cashier', ['service = https://s.example', 'key = one']);
  clock.advance(600);
  const asked = claims().length;
  cashier.editNotecard('cashier', ['service = https://other.example/v1/', 'key = one', 'limit = 300']);
  clock.advance(700);

  expect(claims().length).toBeGreaterThan(asked);
  expect(moved.map(({ amount }) => amount)).toEqual([100, 200]);
  expect(told()[0]).toContain('the notecard lacks its line "limit = ...", with the most L$ that it may pay a day.');
});

test('a service that names more than it was asked for is paid nothing', () => {
  const { clock, world, service, books, place, cardOf, tries, ends } = openTill();
  books.owed.set(ada, 100);
  service.says = (path, fields) =>
    path.endsWith('/claim') && 'payout' in fields ? { payout: { ...(fields.payout as object), amount: 900 } } : fields;
  const cashier = place(cardOf('one', 'limit = 500'));

  clock.advance(60);

  expect(tries).toEqual([]);
  expect(ends()).toEqual([['failed', 100, 'L$ 900 are more than the limit leaves']]);
  cashier.touch(owner);
  clock.advance(1);
  expect(world.log.said.at(-1)?.text).toContain('today it paid L$ 0 in 0 payouts. L$ 500 of the limit are left.');
});

test('without room for a note it pays nothing, and without room for a claim it claims nothing', () => {
  const { clock, service, books, place, tries, ends, claims, told } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  service.seconds = 5;
  const cashier = place();
  clock.advance(1);
  for (let n = 0; n < 40; n++) writeAs(cashier, `other:${n}`, 'x'.repeat(n < 30 ? 4200 : 500), 'another');
  for (let n = 0; n < 4000; n++) writeAs(cashier, `o${n}`, 'x', 'another');

  clock.advance(7200);

  expect([tries.length, claims().length]).toEqual([0, 1]);
  expect(ends()).toEqual([['failed', 70, 'its memory is full']]);
  expect(told().join()).toContain('its memory is full, or another script keeps it from writing.');
});

test('a transfer that waits after THROTTLED in a script that does not run is not begun later', () => {
  const { clock, books, bank, place, tries, ends } = openTill();
  books.owed.set(ada, 70);
  bank.transfer = (_to, _amount, answer) => answer(tries.length === 1 ? 'THROTTLED' : undefined);
  const cashier = place();
  clock.advance(5);

  cashier.freeze(true);
  clock.advance(400);
  cashier.freeze(false);
  clock.advance(60);

  expect(tries).toHaveLength(1);
  expect(ends()).toEqual([['failed', 70, 'too late']]);
});

test('a report that the service refuses is told to its owner, and keeps nothing waiting', () => {
  const { clock, service, books, place, told, ends } = openTill();
  books.owed.set(ada, 70).set(bo, 30);
  service.says = (path, fields) => (path.endsWith('/report') && told().length === 0 ? { id: 'x' } : fields);
  const cashier = place();
  clock.advance(15);
  const [first] = books.payouts.values();
  if (first) Object.assign(first, { state: 'failed', transactionId: null });
  books.payouts.delete(first?.id ?? '');

  clock.advance(700);

  expect(told().join()).toContain(`the service did not take the report that payout ${first?.id} is paid: `);
  expect(ends()).toEqual([['paid', 30, null]]);
  expect(notesOf(cashier)).toEqual([]);
});

test('its owner hears at a touch what it paid, what is left and what is open, with version and memory', () => {
  const { clock, world, books, place } = openTill();
  books.owed.set(ada, 70);
  const cashier = place();
  clock.advance(60);

  cashier.touch(thief, owner);
  clock.advance(3);

  expect(world.log.said.at(-1)?.text).toMatch(
    /^Cashier \d+\.\d+\.\d+: today it paid L\$ 70 in 1 payouts\. L\$ 9930 of the limit are left\. 0 payouts are open, and it cannot read 0\. Memory: \d+; linkset data free: \d+\.$/,
  );
  expect(world.log.messages).toEqual([]);
});

test('the longest answers and the fullest memory leave it room, with a tenth less heap too', () => {
  const { clock, world, service, books, bank, place, cardOf, allow } = openTill();
  const long = '#'.padEnd(1024, 'y');
  const card = [...cardOf('one', 'limit = 2147483647', 'minimum = 1', 'hold = 30'), long, long.replace('#', 'y')];
  const cashier = place(card);
  const time = Math.floor(clock.now() / 1000);
  // The notes in an object that was copied again and again, and notes that another key or script left.
  for (let n = 0; n < 600; n++) {
    const note = `P${time}${randomUUID()}${ada}${n + 1}`;
    const report = `R${time}${randomUUID()}{"result":"unknown","error":"${'e'.repeat(91)}"}`;
    writeAs(cashier, `sis:c:${randomUUID()}:n${randomUUID()}`, n % 2 ? note : report, n % 3 ? 'one' : 'another');
  }
  for (let n = 0; n < 20; n++) books.owed.set(randomUUID(), 100_000_000);
  let status: number | undefined = 500;
  service.refuses = () => status;
  service.says = (path, fields) => ({ ...fields, ...(path.endsWith('/claim') ? {} : { x: 'ü'.repeat(1000) }) });
  bank.transfer = (_to, _amount, answer) => answer('X'.repeat(300));
  cashier.script.begin();
  clock.advance(10);
  allow();
  clock.advance(4000);
  status = undefined;
  for (let hour = 0; hour < 24; hour++) {
    cashier.touch(owner, ada, bo);
    clock.advance(3600);
  }
  cashier.editNotecard('cashier', [...card.slice(0, 1), 'key = two', ...card.slice(2)]);
  clock.advance(3600);

  const { peak, code } = cashier.script.memory();
  expect(peak).toBeLessThan(62_000);
  expect(peak - code).toBeLessThan(0.9 * (65_536 - code));
  expect(world.log.errors).toEqual([]);
});
