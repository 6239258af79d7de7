import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { putResident } from '../../../lib/operator/residents.ts';
import { followRename, renameInStore } from '../../../lib/store/renames.ts';
import { customerKey, customerNameKey, residentKey } from '../../../lib/table/keys.ts';
import { remove } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { intercept } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { putAll } from '../../support/seed.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeEach(async () => {
  service = await startTestService();
  await keepHistory();
});

const resident = async (username: string, former: string[] = []) => {
  const uuid = randomUUID();
  await putResident({ uuid, username }, former);
  return uuid;
};
const customer = async (username: string, former: string[] = []) => {
  const uuid = await resident(username, former);
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  return uuid;
};
const find = async (prefix: string, rest = '') => {
  const { body } = await service.call('GET', `/v1/names?prefix=${encodeURIComponent(prefix)}${rest}`);
  return body.data.map(({ name, username }: { name: string; username: string }) =>
    name === username ? name : `${name}: ${username}`,
  );
};
/** Every name in the search of this store. */
const names = async () => {
  const items = await wholeTable(`${service.store}#CUSTOMER_NAME`);
  return items.map(({ sk }) => sk).sort();
};

test('finds customers by what was typed of a present or former name, in any case, with a dot or a blank', async () => {
  const vera = await customer('vera.vendor', ['vera.vale']);
  await customer('vera');
  await customer('veronica.lake');
  await resident('verena.stranger');
  await catchUp();

  expect((await service.call('GET', '/v1/names?prefix=vera%20vend')).body.data).toEqual([
    { name: 'vera.vendor', residentUuid: vera, username: 'vera.vendor' },
  ]);
  for (const typed of ['ver', 'VER', '  Ver', '\u200bve\u200dr\u200b'])
    expect(await find(typed)).toEqual(['vera', 'vera.vale: vera.vendor', 'vera.vendor', 'veronica.lake']);
  for (const typed of ['vera v', 'vera.v', 'Vera V'])
    expect(await find(typed)).toEqual(['vera.vale: vera.vendor', 'vera.vendor']);
  expect(await find('vera.')).toEqual(['vera', 'vera.vale: vera.vendor', 'vera.vendor']);
  expect(await find('Vera Res')).toEqual(['vera']);
  expect(await find('verab')).toEqual([]);
});

test('pages both ways, and 400s for what no name begins with', async () => {
  for (const name of ['ann.a', 'ann.b', 'ann.c']) await customer(name);
  await catchUp();

  const { body } = await service.call('GET', '/v1/names?prefix=ann&limit=2');
  const next = (await service.call('GET', `/v1/names?prefix=ann&limit=2&cursor=${body.pagination.nextCursor}`)).body;

  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['ann.a', 'ann.b']);
  expect(next.data.map(({ name }: { name: string }) => name)).toEqual(['ann.c']);
  expect(await find('ann', `&limit=2&cursor=${next.pagination.previousCursor}`)).toEqual(['ann.a', 'ann.b']);
  for (const prefix of ['', 'a', ' a', 'a.b.c', 'é9', 'a'.repeat(32), '%'])
    expect((await service.call('GET', `/v1/names?prefix=${encodeURIComponent(prefix)}`)).body.errors).toEqual([
      'prefix must be the beginning of a username: 2 to 63 letters and digits, with one dot or blank between first and last name.',
    ]);
  expect((await service.call('GET', '/v1/names')).status).toBe(400);
});

test('a page of 10 costs at most 2 units, however many customers there are', async () => {
  const item = (number: number) => {
    const name = `mira${String(number).padStart(5, '0')}.of${'x'.repeat(20)}`;
    return { ...customerNameKey(service.store, name), uuid: randomUUID(), username: name };
  };
  await putAll(Array.from({ length: 3_000 }, (_, number) => item(number)));

  const first = await service.call('GET', '/v1/names?prefix=mi&limit=10');
  const next = await service.call('GET', `/v1/names?prefix=mi&limit=10&cursor=${first.body.pagination.nextCursor}`);

  expect([first.body.data.length, next.body.data.length]).toEqual([10, 10]);
  for (const { cost } of [first, next]) expect(cost?.units).toBeLessThanOrEqual(2);
  expect((await service.call('GET', '/v1/names?prefix=mira00012.res&limit=10')).cost?.units).toBeLessThanOrEqual(2);
});

test('shows no other store’s customers', async () => {
  const uuid = await resident('otto.other');
  await service.callOther('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  await catchUp();

  expect(await find('ott')).toEqual([]);
  expect((await service.callOther('GET', '/v1/names?prefix=ott')).body.data).toHaveLength(1);
});

test('a new name finds the customer at once after a rename, and the old one still does', async () => {
  const uuid = await customer('old.name');
  await catchUp();

  await putResident({ uuid, username: 'new.name' });
  await followRename(residentKey(uuid));
  await catchUp();

  expect(await find('new')).toEqual(['new.name']);
  expect(await find('old')).toEqual(['old.name: new.name']);
  expect(await names()).toEqual(['new.name', 'old.name']);
});

test('a name that the operator moves to somebody else finds the earlier holder no more', async () => {
  const uuid = randomUUID();
  await service.call('PUT', `/v1/residents/${uuid}`, { username: 'shared.name' });
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  await catchUp();
  expect(await find('shar')).toEqual(['shared.name']);

  const other = await resident('shared.name');
  await renameInStore(service.store, { uuid: other, username: 'shared.name' });
  expect(await find('shar')).toEqual([]);
  await service.call('PUT', `/v1/customers/${other}`, { discount: 1 });
  await catchUp();
  await renameInStore(service.store, { uuid, username: uuid });

  expect((await service.call('GET', '/v1/names?prefix=shar')).body.data).toEqual([
    { name: 'shared.name', residentUuid: other, username: 'shared.name' },
  ]);
  expect(await names()).toEqual(['shared.name']);
});

test('a name of a customer who goes beside a consumer that is late does not stay', async () => {
  const late = await customer('late.person');
  // The customer goes between the consumer's look at them and its write.
  const goes = AsyncResource.bind(() => write(remove(customerKey(service.store, late))));
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'PutItem' && JSON.stringify(input).includes('CUSTOMER_NAME')) await goes();
    return send();
  });
  await catchUp();
  stop();
  expect(await find('late')).toEqual([]);
});

test('a late sale that makes an erased avatar a customer again brings no name back', async () => {
  const late = await customer('forgotten.person');
  // The avatar is forgotten between the consumer's look at their names and its write; a customer they are.
  const forget = AsyncResource.bind(() => write(remove(residentKey(late))));
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'PutItem' && JSON.stringify(input).includes('CUSTOMER_NAME')) await forget();
    return send();
  });

  await catchUp();
  stop();

  expect(await find('forgotten')).toEqual([]);
  expect(await names()).toEqual([]);
});
