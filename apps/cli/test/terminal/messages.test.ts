import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';

import { runInProcess, startForCli } from '../support/cli.ts';

const { dir, run } = await startForCli({ demo: false });

const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

test('a dry run of bad rows advises only options that were not given', async () => {
  const path = file('bad.csv', 'name,price\nA,x\n');
  const dry = ['import', 'products', path, '--store', 'Demo Store', '--dry-run'];

  const plain = await run(...dry);
  const skipping = await run(...dry, '--skip-rejects');

  const bad = '1 of 1 row cannot be imported. Nothing was written: this was a dry run.';
  expect(plain).toMatchObject({ code: 1, stderr: expect.stringContaining(`${bad} Correct the lines above.`) });
  expect(skipping).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${bad} Without --dry-run the others are imported.`),
  });
});

test('a missing local service is a failure, not a usage error, and a broken service.json is explained', async () => {
  const broken = join(dir, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'service.json'), '{"baseUrl":');

  const [none, local, cut] = await Promise.all([
    runInProcess(['list', '--data-dir', join(dir, 'none')]),
    runInProcess(['list', '--local', '--data-dir', join(dir, 'none')]),
    runInProcess(['list', '--data-dir', broken]),
  ]);

  expect([none?.code, local?.code, cut?.code]).toEqual([1, 1, 1]);
  expect(cut?.stderr).toMatch(
    /service\.json is broken, or was written by another version .*Start the service again: npm start/,
  );
});

const nobodys = '0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90';

test.each([
  ['sale', ['sales', 'show'], 'See store sales list.'],
  ['sale', ['sales', 'refund'], 'See store sales list.'],
  ['delivery', ['deliveries', 'show'], 'See store deliveries list.'],
  ['gift card', ['giftcards', 'show'], 'See its owner at the desk.'],
  ['webhook', ['webhooks', 'show'], 'See store webhooks list.'],
  ['vendor', ['vendors', 'show'], 'See store vendors list.'],
])(
  'says where the id of a %s is found, for a text that is none and for one that is unknown (%s)',
  async (kind, command, where) => {
    const [slip, unknown] = await Promise.all([run(...command, '123'), run(...command, nobodys)]);

    const fault = `error: 123 is not the id of a ${kind}: it must be a UUID, such as ${nobodys}. ${where}\n`;
    expect(slip).toMatchObject({ code: 2, stdout: '', stderr: fault });
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain(`error: Demo Store has no ${kind} ${nobodys}. ${where}`);
  },
);

test('a delivery that is to be sent again and is unknown is named with the place where ids are found', async () => {
  const retried = await run('deliveries', 'retry', '123', nobodys);

  expect(retried).toMatchObject({ code: 1, stderr: 'error: Not every delivery could be sent again.\n' });
  for (const id of ['123', nobodys])
    expect(retried.stdout).toContain(`Demo Store has no delivery ${id}. See store deliveries list.`);
});

test('without a command shows the help, and nothing is wrong', async () => {
  const all = await runInProcess([]);
  const group = await runInProcess(['key']);

  expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: store '), stderr: '' });
  expect(group).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: store key '), stderr: '' });
});

test('says which version it is', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));

  expect(await runInProcess(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('counts one thing in the singular', async () => {
  await createStore('Lonely');

  const deleted = await run('delete', 'Lonely', '--confirm', 'Lonely', '--export-to', join(dir, 'lonely'), '--no-wait');

  expect(deleted.stderr).toMatch(/Exported to .*: rules 0, residents 0, categories 0, /);
  expect(deleted.stderr).toMatch(/Deleted Lonely: \d+ items?\./);
  expect(deleted.stderr).not.toMatch(/\b1 items\b/);
});

test('notes show the name of a store without what would steer the terminal', async () => {
  const { id } = await createStore('Red\u001b[31m\u001b]0;title\u0007 shop\u202e\nsecond line');

  const [desk, closed, webhooks] = [
    await run('desk', '--store', id),
    await run('close', id, '--reason', 'stocktaking'),
    await run('webhooks', 'list', '--store', id),
  ];

  expect(desk.stderr).toContain('at the desk of Red shop\ufffd second line until');
  const printed = [desk, closed, webhooks].map(({ stderr }) => stderr).join('');
  for (const steering of ['\u001b', '\u0007', '\u202e']) expect(printed).not.toContain(steering);
});
