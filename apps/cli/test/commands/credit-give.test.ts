import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { auditTable } from '../../../../lib/operator/audit-credit.ts';
import { getCustomer } from '../../../../lib/store/customers.ts';
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
    { to: b, amount: 7, expiresAt: later },
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

  const undone = await give(file, '--undo', '--yes', '--json');
  const again = await give(file, '--undo', '--yes', '--json');
  const anew = await give(file, ...because);

  expect(undone.rows).toMatchObject([
    { line: 2, amount: 100, takenBack: 30, why: '30 taken back, 70 spent' },
    { line: 4, amount: 50, takenBack: 30, why: '30 taken back, 20 spent or expired' },
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
  expect(auditTable(await wholeTable(demo))).toEqual([]);
});

test('an undo of what was never given is refused', async () => {
  const never = await give(fileOf([{ to: await newResident(), amount: 1 }]), '--undo', '--yes');

  expect(never.stderr).toMatch(/Nothing was given under the reference/);
});
