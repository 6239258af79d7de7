import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { nearestOf } from '../../../shared/nearest.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';

const service = await startForCli({ demo: false });

const run = (...args: string[]) => service.run(...args, '--store', demo);

const fileOf = (name: string, ...lines: string[]): string => {
  const path = join(service.dir, name);
  writeFileSync(path, lines.join('\n'));
  return path;
};

test('an unknown column is refused with the one that was most likely meant', async () => {
  const csv = await run('import', 'credit', fileOf('a.csv', 'resident,ammount', 'ada,1'));
  const ndjson = await run(
    'import',
    'credit',
    fileOf('a.ndjson', '{"resident":"ada","Expires":"2099-01-01","amount":1}'),
  );
  const far = await run('import', 'credit', fileOf('b.csv', 'resident,colour', 'ada,1'));

  expect(csv.stderr).toMatch(/there is no column "ammount". Did you mean amount\?/);
  expect(ndjson.stderr).toMatch(/Did you mean expiresAt\?/);
  expect(far.stderr).not.toMatch(/Did you mean/);
  expect(
    ['Name', 'price_', 'Descripton', 'xyz', ''].map((word) => nearestOf(word, ['name', 'price', 'description'])),
  ).toEqual(['name', 'price', 'description', undefined, undefined]);
});

test('an import of credit tells the sums before and after, brings reason and reference into history', async () => {
  const [a, b] = [await newResident(), await newResident()];
  const file = fileOf(
    'credit.csv',
    'resident,amount,expiresAt,reason,reference',
    `${a.username},10,,Old balance,T-1`,
    `${a.username},20,2099-01-01T00:00:00Z,Prize,T-2`,
    `${b.username},5,,,`,
  );

  const imported = await run('import', 'credit', file);
  const historyOf = async ({ username }: typeof a, changes: number): Promise<string> =>
    // The stream tells of each change a moment later.
    vi.waitFor(
      async () => {
        const { rows } = await run('credit', 'history', username, '--json');
        expect(rows).toHaveLength(changes);
        return JSON.stringify(rows);
      },
      { timeout: 10_000, interval: 50 },
    );
  const history = await historyOf(a, 2);

  expect(imported.stdout).toMatch(/CREATED.*\n.*\n *L\$ IN ALL.*\n *regular +\d+ +\d+ +\+35/);
  expect(history).toContain('"reason":"Old balance","reference":"T-1"');
  expect(history).toContain('"reason":"Prize","reference":"T-2"');
  expect(await historyOf(b, 1)).toContain('"reason":null,"reference":null');
});

test('an import that is refused says that it has written nothing, a dry run what it would write', async () => {
  const a = await newResident();
  const file = fileOf('bad.csv', 'resident,amount', `${a.username},1`, 'nobody.known,1');

  const refused = await run('import', 'credit', file, '--json');
  const dry = await run('import', 'credit', file, '--dry-run');

  expect(refused.rows[0]).toMatchObject({ created: 0, changed: 0, rejected: 1, imported: false });
  expect(dry.stdout).toMatch(/TO CREATE/);
});

test('an audit against an old export tells each sum that differs, and both totals', async () => {
  const [a, b] = [await newResident(), await newResident()];
  await changeCredit(demo, { uuid: a.uuid }, 'regular', { kind: 'increment', delta: 70 }, { by: 'x' });
  const right = fileOf('right.csv', 'resident,credit,spent', `${a.uuid},70,0`, `${b.username},0,`);
  const wrong = fileOf('wrong.csv', 'resident,credit,restrictedCredit', `${a.username},71,0`, 'nobody.known,1,1');

  const same = await run('audit', '--against', right);
  const differs = await run('audit', '--against', wrong);
  const empty = await run('audit', '--against', fileOf('empty.csv', 'resident', a.uuid));

  expect([same.code, differs.code, empty.code]).toEqual([0, 1, 1]);
  expect(same.stdout).toMatch(/credit +2 +70 +70 +0\nspent +1 +0 +0 +0/);
  expect(differs.stdout).toMatch(/line 2: .*: credit is 71 in the file, 70 here\./);
  expect(differs.stderr).toMatch(/line 3: resident "nobody.known" is not a known resident/);
  expect(empty.stderr).toMatch(/The file has no sums/);
});
