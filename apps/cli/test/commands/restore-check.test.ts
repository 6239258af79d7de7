import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { customerUpsert } from '../../../../lib/avatars/customers.ts';
import { now, timestamp } from '../../../../lib/clock.ts';
import { historyKey } from '../../../../lib/credit/history.ts';
import { parseKey } from '../../../../lib/keys.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { endKey, findKey, revokeKey } from '../../../../lib/store/api-keys.ts';
import { issueKey, rotateKey } from '../../../../lib/store/issued-keys.ts';
import { acceptFor } from '../../../../lib/store/key-requests.ts';
import { openPage } from '../../../../lib/store/open-page.ts';
import { findPage } from '../../../../lib/store/pages.ts';
import { db } from '../../../../lib/table/client.ts';
import { put } from '../../../../lib/table/language.ts';
import { type Stamped, withoutStamps } from '../../../../lib/table/stamp.ts';
import { write } from '../../../../lib/table/table.ts';
import { ensureTable } from '../../../../local/engines/table.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });

/** Copies the table as it is, as a restore does. */
const restoreTo = async (TableName: string): Promise<void> => {
  const client = new DynamoDBClient({});
  await ensureTable(client, TableName);
  client.destroy();
  const puts = (await wholeTable()).map((Item) => ({ PutRequest: { Item } }));
  for (let i = 0; i < puts.length; i += 25)
    await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts.slice(i, i + 25) } }));
};

const inTable = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const before = process.env.TABLE_NAME;
  process.env.TABLE_NAME = name;
  return work().finally(() => {
    process.env.TABLE_NAME = before;
  });
};

test('ends the keys that were revoked or rotated after the restored time, and no others', async () => {
  const { id: store } = await createStore('Restored');
  const issue = async (name: string) => (await issueKey({ store, name, scopes: ['products:read'], stage: 'test' })).key;
  const [leaked, rotated, kept] = [await issue('leaked'), await issue('rotated'), await issue('kept')];
  const signedOut = await issue('signed out');
  const invitedUntil = timestamp(now() + 60_000);
  const invitation = { store, name: 'invited', scopes: ['products:read'], stage: 'test', invitedUntil } as const;
  const { key: invited } = await issueKey(invitation);
  await restoreTo('restored');
  await revokeKey(leaked.id);
  await endKey(signedOut.id);
  await acceptFor({ store, keyId: invited.id });
  await rotateKey(rotated, timestamp(now() + 60_000), 'test');
  // The stream's consumer notes events a moment later.
  const present = async () => (await wholeTable()).filter(({ pk }) => !String(pk).endsWith('#EVENT'));
  const current = await present();

  const dry = await service.run('restore-check', '--table', 'restored', '--dry-run', '--json');
  const untouched = await inTable('restored', () => findKey(leaked.id));
  const checked = await service.run('restore-check', '--table', 'restored', '--json');
  const again = await service.run('restore-check', '--table', 'restored', '--json');

  expect(dry.rows.map(({ name }) => name).sort()).toEqual(['invited', 'leaked', 'rotated', 'signed out']);
  expect(untouched?.status).toBe('active');
  expect(checked).toMatchObject({ code: 0, rows: dry.rows });
  expect(checked.stderr).toContain('1 live key');
  expect(again.rows).toEqual([]);
  const keyOf = async (id: string) => withoutStamps({ ...(await findKey(id)) } as Stamped);
  for (const { id } of [leaked, rotated, signedOut, kept, invited])
    expect(await inTable('restored', () => keyOf(id))).toEqual(await keyOf(id));
  expect(await present()).toEqual(current);
  const log = (await inTable('restored', wholeTable)).filter(({ pk }) => pk === 'LOG#');
  expect(log.map(({ action, details }) => [action, (details as { name: string }).name]).sort()).toEqual([
    ['key.accepted', 'invited'],
    ['key.ended', 'leaked'],
    ['key.ended', 'rotated'],
    ['key.ended', 'signed out'],
  ]);
});

test('ends the pages of customers in the restored table, and none in the other', async () => {
  const { id: store } = await createStore('Pages');
  const identifier = { uuid: randomUUID() };
  await write(customerUpsert(store, { ...identifier, username: identifier.uuid }));
  const { code } = await openPage(store, identifier);
  const id = parseKey(code, 'test')?.id ?? '';
  await restoreTo('restored-pages');
  const pageThere = () => inTable('restored-pages', () => findPage(id));

  await service.run('restore-check', '--table', 'restored-pages', '--dry-run');
  const untouched = await pageThere();
  const checked = await service.run('restore-check', '--table', 'restored-pages');

  expect(untouched?.uuid).toBe(identifier.uuid);
  expect(checked.code).toBe(0);
  expect(await pageThere()).toBeUndefined();
  expect((await findPage(id))?.uuid).toBe(identifier.uuid);
});

test('says whose history is beyond their credit in the restored table', async () => {
  const { id: store } = await createStore('Half');
  const uuid = randomUUID();
  await write(customerUpsert(store, { uuid, username: uuid }));
  const row = {
    kind: 'increment',
    at: timestamp(now()),
    amount: 5,
    expired: 0,
    credit: 5,
    restrictedCredit: 0,
    unlotted: 5,
  };
  await write(put({ ...historyKey(store, uuid, 'regular', 1), ...row }));
  await restoreTo('restored-half');

  const checked = await service.run('restore-check', '--table', 'restored-half', '--dry-run');

  expect(checked).toMatchObject({ code: 0 });
  expect(checked.stderr).toContain(`The history of 1 customer of Half has changes beyond their last`);
  expect(checked.stderr).toContain(`store credit backfill --store ${store}`);
});

test('refuses a table that is not there, and the table in use', async () => {
  const [unknown, same] = await Promise.all([
    service.run('restore-check', '--table', 'nowhere'),
    service.run('restore-check', '--table', process.env.TABLE_NAME ?? ''),
  ]);

  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('There is no table nowhere');
  expect(same).toMatchObject({ code: 2, stdout: '' });
  expect(same.stderr).toContain('--against');
});
