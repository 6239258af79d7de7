import { expect, test } from 'vitest';
import { intercept } from '../../../../test/support/faults.ts';
import { keepHistory } from '../../../../test/support/history.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../../../test/support/service.ts';
import { erasePerson, findPerson } from '../../person/erase.ts';

setClock(Date.parse('2028-02-29T12:00:00.000Z'));
const service = await startTestService();
await keepHistory();
const { store, call } = service;

const erase = (uuid: string, forfeit = false) => erasePerson(store, uuid, forfeit, () => []);

const openPage = async (uuid: string): Promise<string> =>
  (await call('POST', `/v1/customers/${uuid}/actions/open-page`)).body.code;

const beginPage = async (uuid: string) =>
  service.callAs((await service.callAs(await openPage(uuid))('POST', '/v1/me/actions/begin')).body.token);

/** The items that name the avatar. */
const namedIn = async (uuid: string): Promise<unknown[]> =>
  (await wholeTable()).filter(
    (item) => !/^(?:RESIDENT|NAME)#/.test(String(item.pk)) && JSON.stringify(item).includes(uuid),
  );

test('ends the codes and pages of an avatar first, before anything of theirs is gone', async () => {
  const { uuid } = await newResident();
  await call('PUT', `/v1/customers/${uuid}`, { discount: 5 });
  const [page, code] = [await beginPage(uuid), await openPage(uuid)];
  expect((await page('GET', '/v1/me')).status).toBe(200);
  const removed: string[] = [];
  const stop = intercept(async ({ input, isWrite }, send) => {
    if (isWrite) removed.push(JSON.stringify(input));
    return send();
  });

  await erase(uuid);
  stop();

  expect(removed[0]).toContain('PAGE#');
  expect((await page('GET', '/v1/me')).status).toBe(401);
  expect((await page('POST', '/v1/me/giftcards/actions/redeem')).status).toBe(401);
  expect((await service.callAs(code)('POST', '/v1/me/actions/begin')).status).toBe(401);
  expect(await namedIn(uuid)).toEqual([]);
});

test('a page in a loop of GETs delays no erasure', async () => {
  const { uuid } = await newResident();
  await call('PUT', `/v1/customers/${uuid}`, { discount: 5 });
  const page = await beginPage(uuid);
  let isOver = false;
  const loop = async (): Promise<number> => {
    let last = 200;
    while (!isOver && last === 200) last = (await page('GET', '/v1/me')).status;
    return last;
  };

  const looping = loop();
  await erase(uuid);
  isOver = true;
  await looping;

  expect((await page('GET', '/v1/me')).status).toBe(401);
  expect(await namedIn(uuid)).toEqual([]);
});

test('a stranger of whom the store has nothing but a page is erased by ending it', async () => {
  const { uuid } = await newResident();
  const page = await beginPage(uuid);
  expect((await findPerson(store, uuid)).map(({ sort }) => sort.words[0])).toEqual(['page']);

  await erase(uuid);

  expect((await page('GET', '/v1/me')).status).toBe(401);
  expect(await findPerson(store, uuid)).toEqual([]);
});

test('an erasure that is refused leaves the page', async () => {
  const { uuid } = await newResident();
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 5 });
  const page = await beginPage(uuid);

  await expect(erase(uuid)).rejects.toThrow();

  expect((await page('GET', '/v1/me')).body.credit).toBe(5);
});
