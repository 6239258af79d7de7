import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { getCustomer } from '../../../../lib/avatars/customers.ts';
import { now } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { undoCreditChange } from '../../../../lib/credit/undo.ts';
import { auditTable } from '../../../../lib/operator/audit-credit.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';

let service: Awaited<ReturnType<typeof startForCli>>;
let count = 0;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});

interface Gift {
  to: { uuid: string; username: string };
  amount: number | string;
  type?: string;
  expiresAt?: string;
}

/** Writes a file of gifts, with a reference of its own. */
const fileOf = (gifts: Gift[]) => {
  count += 1;
  const path = join(service.dir, `gifts-${count}.csv`);
  const rows = gifts.map(({ to, amount, type = '', expiresAt = '' }) => [to.username, amount, type, expiresAt].join());
  writeFileSync(path, `resident,amount,type,expiresAt\n${rows.join('\n')}\n`);
  return { path, reference: `RUN-${count}` };
};

const give = (file: { path: string; reference: string }, ...args: string[]) =>
  service.run('credit', 'give', file.path, '--reference', file.reference, '--store', demo, ...args);

const undo = ({ reference }: { reference: string }, ...args: string[]) =>
  service.run('credit', 'give', '--reference', reference, '--store', demo, '--undo', '--yes', ...args);

const because = ['--reason', 'Summer bonus', '--yes'];

const creditOf = async ({ uuid }: { uuid: string }) => {
  const { credit, restrictedCredit } = await getCustomer(demo, { uuid });
  return [credit, restrictedCredit];
};

const spend = ({ uuid }: { uuid: string }, delta: number) =>
  changeCredit(demo, { uuid }, 'regular', { kind: 'increment', delta }, { by: 'test' });

const later = '2999-01-01T00:00:00.000Z';

test('shows the sums before, gives each line once with reason and reference in history, and repeats nothing', async () => {
  const [a, b] = [await newResident(), await newResident()];
  await spend(a, 40);
  const file = fileOf([
    { to: a, amount: 100 },
    { to: b, amount: 50, type: 'restricted' },
    { to: b, amount: 7, expiresAt: '2999-01-31' },
  ]);

  const preview = await give(file, '--dry-run', ...because);
  const before = await creditOf(a);
  const given = await give(file, ...because);
  const again = await give(file, ...because);

  expect(preview.stdout).toMatch(/regular +2 +107 +40 +147\n.*restricted +1 +50 +0 +50/);
  expect(before).toEqual([40, 0]);
  expect([given.code, again.code]).toEqual([0, 0]);
  expect([await creditOf(a), await creditOf(b)]).toEqual([
    [140, 0],
    [7, 50],
  ]);
  const lots = await service.run('credit', 'lots', b.username, '--store', demo, '--json');
  expect(lots.rows).toMatchObject([{ amount: 7, expiresAt: '2999-01-31T23:59:59.999Z' }]);
  expect(again.stderr).toMatch(/what is given already is not given again/);
  const history = async () =>
    JSON.stringify((await service.run('credit', 'history', a.username, '--store', demo, '--json')).rows);
  // The stream makes history, a moment later.
  await expect.poll(history, { timeout: 20_000 }).toContain('"reason":"Summer bonus","reference":"RUN-1"');
  expect((await service.run('log', '--limit', '1', '--json', '--store', demo)).rows[0]).toMatchObject({
    action: 'credit.given',
    details: { reference: file.reference, lines: 3, regular: 107, restricted: 50 },
  });
});

test('refuses another file or reason under the same reference, and bad lines before the first is given', async () => {
  const a = await newResident();
  const file = fileOf([{ to: a, amount: 5 }]);
  await give(file, ...because);
  const other = { ...fileOf([{ to: a, amount: 6 }]), reference: file.reference };

  const refused = await give(other, ...because);
  const reasoned = await give(file, '--reason', 'Another', '--yes');
  const bad = await give(
    fileOf([
      { to: a, amount: 0 },
      { to: { uuid: '', username: 'nobody.known' }, amount: 1 },
      { to: a, amount: 2 },
    ]),
    ...because,
  );
  const twice = await give(
    fileOf([
      { to: a, amount: 1 },
      { to: a, amount: 2 },
    ]),
    ...because,
  );
  const limit = await give(fileOf([{ to: a, amount: 1_000_000_000 }]), ...because);
  const past = await give(fileOf([{ to: a, amount: 1, expiresAt: '2020-01-01T00:00:00Z' }]), ...because);
  const reasonless = await give(fileOf([{ to: a, amount: 1 }]), '--yes');

  expect([refused, reasoned, bad, twice, limit, past, reasonless].map(({ code }) => code)).toEqual([
    1, 1, 1, 1, 1, 1, 2,
  ]);
  expect(refused.stderr).toMatch(/Another file was given under the reference/);
  expect(reasoned.stderr).toMatch(/has the reason "Summer bonus"/);
  expect(bad.stderr).toMatch(/line 2: amount 0 .*\nline 3: resident "nobody.known" is not a known resident/);
  expect(twice.stderr).toMatch(/must be unique: line 2 has it too/);
  expect(limit.stderr).toMatch(/would hold 1000000005, above 1000000000/);
  expect(past.stderr).toMatch(/expiresAt .* must be in the future/);
  expect(await creditOf(a)).toEqual([5, 0]);
});

test('a line whose answer is lost is given once, whether or not the table has taken it, also years later', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => newResident()));
  const file = fileOf(people.map((to, i) => ({ to, amount: 10 + i, ...(i % 2 && { expiresAt: later }) })));
  let lost = 0;
  const codes: number[] = [];
  for (const isWritten of [true, false, true]) {
    const stop = intercept(async ({ input }, send) => {
      if (!JSON.stringify(input).includes('#GIVEN') || !('TransactItems' in input) || lost++ % 3 > 0) return send();
      if (isWritten) await send();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', $fault: 'client' });
    });
    codes.push((await give(file, ...because)).code);
    stop();
  }
  await service.advance(3 * 365 * 86_400);

  const last = await give(file, ...because);

  expect(lost).toBeGreaterThan(3);
  expect(codes).toContain(1);
  expect(last.code).toBe(0);
  expect(await Promise.all(people.map(creditOf))).toEqual(people.map((_, i) => [10 + i, 0]));
  expect(auditTable(await wholeTable(demo))).toEqual([]);
});

test('two commands with one file at the same time give each line once', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => newResident()));
  const file = fileOf(people.map((to) => ({ to, amount: 3 })));
  const line = ['credit', 'give', file.path, '--reference', file.reference, '--store', demo, ...because];

  const ran = await service.runTogether(line, line);
  const last = await give(file, ...because);

  expect(ran.map(({ code }) => code)).toContain(0);
  expect(last.code).toBe(0);
  expect(await Promise.all(people.map(creditOf))).toEqual(people.map(() => [3, 0]));
});

test('an undo takes back at most what is left of each gift, once, and lists the rest', async () => {
  const [whole, spent, mixed, lot] = await Promise.all(Array.from({ length: 4 }, () => newResident()));
  if (!whole || !spent || !mixed || !lot) throw new Error();
  await changeCredit(
    demo,
    { uuid: lot.uuid },
    'regular',
    { kind: 'increment', delta: 9, expiresAt: later },
    { by: 'x' },
  );
  const file = fileOf([
    { to: whole, amount: 100 },
    { to: spent, amount: 100 },
    { to: mixed, amount: 100 },
    { to: lot, amount: 50, expiresAt: '2998-01-01T00:00:00.000Z' },
  ]);
  await give(file, ...because);
  await spend(spent, -70);
  await spend(mixed, 500);
  await spend(lot, -20);

  const undone = await undo(file, '--json');
  const again = await undo(file, '--json');
  const anew = await give(file, ...because);
  const withFile = await give(file, '--undo', '--yes');

  expect(undone.rows).toMatchObject([
    { line: 2, username: spent.username, amount: 100, takenBack: 30, why: '30 taken back, 70 spent' },
    { line: 4, username: lot.username, amount: 50, takenBack: 30, why: '30 taken back, 20 spent or expired' },
  ]);
  expect(again.rows).toEqual(undone.rows);
  expect(undone.stderr).toMatch(/Taken back: L\$ 260 of 350/);
  expect(await Promise.all([whole, spent, mixed, lot].map(creditOf))).toEqual([
    [0, 0],
    [0, 0],
    [500, 0],
    [9, 0],
  ]);
  expect(anew.stderr).toMatch(/was undone at/);
  expect([withFile.code, withFile.stderr]).toEqual([2, expect.stringMatching(/--undo takes no file/)]);
  expect(auditTable(await wholeTable(demo))).toEqual([]);
});

const june = '2990-06-30T00:00:00.000Z';
const december = '2990-12-31T00:00:00.000Z';

test.each<[string, Omit<Gift, 'to'>[][], number[]]>([
  [
    'the later end first',
    [
      [
        { amount: 50, expiresAt: december },
        { amount: 50, expiresAt: june },
      ],
    ],
    [0],
  ],
  [
    'the earlier end first',
    [
      [
        { amount: 50, expiresAt: june },
        { amount: 50, expiresAt: december },
      ],
    ],
    [0],
  ],
  ['permanent credit beside a lot', [[{ amount: 50 }, { amount: 50, expiresAt: june }]], [0]],
  [
    'two runs, the first undone first',
    [[{ amount: 50, expiresAt: december }], [{ amount: 50, expiresAt: june }]],
    [0, 1],
  ],
  [
    'two runs, the last undone first',
    [[{ amount: 50, expiresAt: december }], [{ amount: 50, expiresAt: june }]],
    [1, 0],
  ],
])('an undo of gifts that nobody has spent takes all of it back: %s', async (_, runs, order) => {
  const to = await newResident();
  const files = runs.map((gifts) => fileOf(gifts.map((gift) => ({ to, ...gift }))));
  for (const file of files) await give(file, ...because);

  const undone = [];
  for (const place of order) undone.push(await undo(files[place] as (typeof files)[number]));

  expect(undone.map(({ code }) => code)).toEqual(order.map(() => 0));
  expect(await creditOf(to)).toEqual([0, 0]);
});

test('a line that was undone by its number counts as taken back, and permanent credit that came later is not taken', async () => {
  const [byNumber, bought] = [await newResident(), await newResident()];
  const file = fileOf([
    { to: byNumber, amount: 50 },
    { to: bought, amount: 50 },
  ]);
  await give(file, ...because);
  await spend(byNumber, -20);
  await spend(bought, -50);
  await spend(bought, 50);
  await undoCreditChange(demo, { uuid: byNumber.uuid }, 1, { by: 'the desk' });

  const undone = await undo(file, '--json');

  expect(undone.rows.map(({ takenBack, why }: { takenBack: number; why: string }) => [takenBack, why])).toEqual([
    [30, '30 taken back, 20 spent'],
    [0, '0 taken back, 50 spent'],
  ]);
  expect([await creditOf(byNumber), await creditOf(bought)]).toEqual([
    [0, 0],
    [50, 0],
  ]);
});

test('hours later an undo takes what is left, and a run that was stopped gives what it can and lists the rest', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, () => newResident()));
  const [a, b, c, d, e] = people as [Gift['to'], Gift['to'], Gift['to'], Gift['to'], Gift['to']];
  const soon = new Date(now() + 3_600_000).toISOString();
  const gifts = (one: Gift['to'], other: Gift['to'], ...more: Gift[]) =>
    fileOf([{ to: one, amount: 70 }, { to: other, amount: 5, expiresAt: soon }, ...more]);
  const [whole, stopped] = [gifts(a, b), gifts(c, d, { to: e, amount: 9 })];
  await give(whole, ...because);
  const stop = intercept(async ({ input }, send) => {
    if (!JSON.stringify(input).includes('#GIVEN')) return send();
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', $fault: 'client' });
  });
  const killed = await give(stopped, ...because);
  stop();
  await service.run('resident', 'erase', e.uuid, '--all-stores', '--yes');
  await service.advance(2 * 3600);

  const undone = await undo(whole, '--json');
  const wentOn = await give(stopped, ...because, '--json');
  const again = await give(stopped, ...because, '--json');

  expect(undone.rows).toMatchObject([{ line: 2, amount: 5, takenBack: 0, why: '0 taken back, 5 spent or expired' }]);
  expect([killed.code, wentOn.code, again.code]).toEqual([1, 1, 1]);
  expect(wentOn.rows).toMatchObject([
    { line: 2, why: expect.stringMatching(/expiresAt .* must be in the future/) },
    { line: 3, why: expect.stringMatching(/is not a known resident/) },
  ]);
  expect(wentOn.stderr).toMatch(/Given: 1 of 3 lines/);
  expect(await Promise.all([a, b, c, d].map(creditOf))).toEqual([
    [0, 0],
    // It has expired, and no sweep has closed it yet.
    [5, 0],
    [70, 0],
    [0, 0],
  ]);
});

test('an undo of what was never given is refused', async () => {
  const never = await undo({ reference: 'NEVER' });

  expect(never.stderr).toMatch(/Nothing was given under the reference/);
});
