import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { forgetResidents } from '../../../../lib/avatars/residents.ts';
import { putResident } from '../../../../lib/operator/residents.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { tellResident } from '../../../../lib/store/tell-resident.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { checkDispenser } from '../../books/doctor-store.ts';
import type { Target } from '../../deployment/target.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });

const customer = async (who: string): Promise<string | undefined> => {
  forgetResidents();
  const { body } = await service.call('GET', `/v1/customers/${who}`, service.service.keys.all);
  return body.uuid && `${body.uuid} ${body.username}`;
};

test('tells all stores of an avatar, and moves a name that a store has for another', async () => {
  const [right, wrong] = [randomUUID(), randomUUID()];
  await tellResident(service.service.store.id, { uuid: wrong, username: 'mona.moved' }, 'request');
  expect(await customer('mona.moved')).toBe(`${wrong} mona.moved`);

  const added = await service.run('resident', 'add', right, 'Mona Moved', '--former', 'mona.before', '--json');

  expect(added).toMatchObject({ code: 0, rows: [{ uuid: right, username: 'mona.moved', outcome: 'created' }] });
  for (const name of ['mona.moved', 'mona.before']) expect(await customer(name)).toBe(`${right} mona.moved`);
  expect(await customer(wrong)).toBe(`${wrong} ${wrong}`);
  const shown = await service.run('resident', 'show', 'mona.before', '--json');
  expect(shown.rows).toEqual(
    ['Demo Store', 'Other Store'].map((store) => ({
      ...{ store, uuid: right, username: 'mona.moved' },
      ...{ names: ['mona.moved', 'mona.before'], source: 'operator' },
    })),
  );
});

test('takes names as people copy them, and finds a store by what looks like its name', async () => {
  const uuid = randomUUID();
  await service.run('resident', 'add', `{${uuid}}`, 'Nora  Newly\u200b', '--former', 'nora.once', '--json');
  const profile = `secondlife:///app/agent/${uuid}/about`;

  for (const copied of ['Nora the New (nora.newly)', 'Nora\u00a0Newly', ` {${uuid}}`, profile]) {
    const { rows } = await service.run('resident', 'show', copied, '--json');
    expect([copied, rows[0]?.uuid]).toEqual([copied, uuid]);
    const credit = await service.run('credit', 'show', copied, '--store', 'demo\u200b store', '--json');
    expect([copied, credit.code, credit.rows[0]?.uuid]).toEqual([copied, 0, uuid]);
  }
});

test('refuses a name that is the current one of another resident, and says what to do', async () => {
  const ran = await service.run('resident', 'add', randomUUID(), 'vera.vendor');

  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/vera\.vendor is the current name of the resident .*: store resident add /);
});

test.each([
  [['resident', 'add', 'me', 'ada'], /must be the UUID of an avatar/],
  [['resident', 'add', randomUUID(), 'a b c'], /must be a username/],
  [['resident', 'show', '?'], /must be a username/],
])('refuses %s', async (args, message) => {
  const ran = await service.run(...args);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(message);
});

test('an unknown resident is a failure that names the command that adds one', async () => {
  const ran = await service.run('resident', 'show', 'nobody.knows');

  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/store resident add/);
});

test('the doctor warns when a store has no dispenser, which is so on its first day', async () => {
  const table = process.env.TABLE_NAME;
  await freshTable();
  const store = await createStore('Empty');
  const found = async () =>
    (await checkDispenser(store, { kind: 'stage' } as Target)).map(({ state, detail }) => [state, detail]);

  expect(await found()).toEqual([['warn', expect.stringContaining('no call about an avatar succeeds')]]);
  await putResident({ uuid: randomUUID(), username: 'somebody' });
  expect(await found()).toEqual([['warn', expect.stringContaining('deliveries wait')]]);
  process.env.TABLE_NAME = table;
});
