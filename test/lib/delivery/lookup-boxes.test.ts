import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findDispenser, loseAddress, registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { answerLookUp, lookUpsPerMinute } from '../../../lib/delivery/lookup.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { avatarAt } from '../../../local/grid/grid.ts';
import { ofGrid, placeDispenser, type Respond, saying } from '../../support/look-ups.ts';
import { freshTable } from '../../support/service.ts';

/** Look-ups of a store with several boxes. */

process.env.DISPENSER_LOOPBACK = 'allowed';
await freshTable();

let met = 0;
const silent: Respond = () => undefined;

/** A store whose boxes a, b and so on answer so. */
const storeWith = async (...responds: Respond[]) => {
  const { id: store } = await createStore(`Store ${randomUUID()}`);
  const boxes: Awaited<ReturnType<typeof placeDispenser>>[] = [];
  for (const [place, respond] of responds.entries())
    boxes.push(await placeDispenser(store, respond, String.fromCharCode(97 + place)));
  const avatar = avatarAt(810_000 + met++);
  const { uuid } = avatar;
  const ask = () => answerLookUp({ store, identifier: { uuid }, isRead: false, millis: 20_000 });
  return { store, avatar, ask, asked: () => boxes.map(({ asked }) => asked.length) };
};

test.each<[string, Respond]>([
  ['is gone', saying('', 404)],
  ['has given its address back', saying('', 410)],
  ['is old', saying('', 400)],
  ['is silent for a second', silent],
  ['ends the connection', (_, response) => response.destroy()],
])('the next box is asked where one %s', async (_, respond) => {
  const { ask, avatar, asked } = await storeWith(respond, ofGrid, ofGrid);

  expect(await ask()).toEqual({ resident: avatar });
  expect(asked()).toEqual([1, 1, 0]);
});

test.each<[string, Respond, object]>([
  ['nobody', saying('-'), { isNobody: true }],
  ['an error', saying('', 500), {}],
  ['another form', saying('hello'), {}],
  ['a refused signature', saying('', 401), {}],
])('no other box is asked after %s', async (_, respond, answer) => {
  const { ask, asked } = await storeWith(respond, ofGrid);

  expect(await ask()).toEqual(answer);
  expect(asked()).toEqual([1, 0]);
});

test('a box without an address, or at which nobody listens, leaves the look-up to the next', async () => {
  const { store, ask, avatar, asked } = await storeWith(ofGrid, ofGrid);
  await loseAddress(store, (await findDispenser(store, 'a'))?.url ?? '', 'gone', { name: 'a' });
  const url = 'http://127.0.0.1:1/';
  await registerDispenser(store, { name: '0', url, region: '', items: [], keyId: 'test' });

  expect(await ask()).toEqual({ resident: avatar });
  expect(asked()).toEqual([0, 1]);
  expect(await findDispenser(store, '0')).toMatchObject({ url, unreachable: { url } });
});

test('boxes that are all old are not asked again until one registers anew', async () => {
  const { store, ask, asked } = await storeWith(saying('', 400), saying('', 400));

  const answers = [await ask(), await ask()];
  await registerDispenser(store, { name: 'c', url: 'http://127.0.0.1:1/', region: '', items: [], keyId: 'test' });

  expect([...answers, await ask()]).toEqual([{ isUnasked: true }, { isUnasked: true }, {}]);
  expect(asked()).toEqual([1, 1]);
});

test('a look-up that asks several boxes counts as one', async () => {
  const { ask, asked } = await storeWith(saying('', 404), saying('-'));

  for (let count = 0; count < lookUpsPerMinute; count++) expect(await ask()).toEqual({ isNobody: true });

  expect([await ask(), asked()]).toEqual([{}, [lookUpsPerMinute, lookUpsPerMinute]]);
});

test('the boxes share the time of the request', async () => {
  const { store, asked } = await storeWith(silent, silent, silent, silent, silent);
  const { uuid } = avatarAt(1);
  const start = performance.now();

  const answer = await answerLookUp({ store, identifier: { uuid }, isRead: false, millis: 3000 });

  expect(answer).toEqual({});
  expect(performance.now() - start).toBeGreaterThan(2500);
  expect(asked().slice(3)).toEqual([0, 0]);
});
