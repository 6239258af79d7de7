import { expect, test } from 'vitest';
import { parseKey } from '../../../lib/keys.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { revokeKey } from '../../../lib/store/api-keys.ts';
import { issueKey, markStoreGone } from '../../../lib/store/issued-keys.ts';
import { findStore } from '../../../lib/store/stores.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

const start = Date.parse('2027-01-01T00:00:00.000Z');

setClock(start);
const service = await startTestService();

/** A store of its own, with a key that may close it. */
const newStore = async () => {
  const { id } = await createStore('Corner Shop');
  const issued = await issueKey({ store: id, name: 'till', scopes: ['store:write'], stage: 'test' });
  const call = service.callAs(issued.text);
  return {
    id,
    keyId: issued.key.id,
    call,
    read: async () => (await call('GET', '/v1/store')).body,
    act: (action: string, body?: unknown, headers = {}) => call('POST', `/v1/store/actions/${action}`, body, headers),
  };
};

test('200s for a key without any scope, with its store and itself, and never with its hash', async () => {
  const { id } = await createStore('Corner Shop');
  const expiresAt = '2028-01-01T00:00:00.000Z';
  const { key, text } = await issueKey({ store: id, name: 'bare', scopes: [], stage: 'test', expiresAt });

  const answer = await service.callAs(text)('GET', '/v1/store');

  expect([answer.status, answer.body]).toEqual([
    200,
    { id, name: 'Corner Shop', open: true, key: { id: key.id, name: 'bare', scopes: [], expiresAt } },
  ]);
});

test('answers the scopes in the order of the contract, and null for a key that does not end', async () => {
  const key = await service.keyWith(['giftcards:redeem', 'coupons:read']);

  const { body } = await service.callAs(key)('GET', '/v1/store');

  expect(body.key).toEqual({
    id: parseKey(key, 'test')?.id,
    name: 'test',
    scopes: ['giftcards:redeem', 'coupons:read'],
    expiresAt: null,
  });
});

test('401s for a key that is revoked, 404s for one whose store was deleted', async () => {
  const revoked = await service.keyWith([]);
  const orphan = await service.keyWith(['store:write']);
  await revokeKey(parseKey(revoked, 'test')?.id ?? '');
  await markStoreGone(parseKey(orphan, 'test')?.id ?? '');

  expect((await service.callAs(revoked)('GET', '/v1/store')).status).toBe(401);
  expect((await service.callAs(orphan)('GET', '/v1/store')).status).toBe(404);
  expect((await service.callAs(orphan)('POST', '/v1/store/actions/close')).status).toBe(404);
});

test('closes and opens its own store, with the time, the reason and the key for the operator', async () => {
  const { id, keyId, act, read } = await newStore();

  const closed = await act('close', { reason: ' Stocktaking ' });
  const whileClosed = await read();
  const item = await findStore(id);
  const opened = await act('open');

  expect([closed.status, closed.body]).toEqual([200, whileClosed]);
  expect(whileClosed).toMatchObject({ id, open: false, key: { id: keyId, scopes: ['store:write'] } });
  expect(item).toMatchObject({
    open: false,
    changed: { at: '2027-01-01T00:00:00.000Z', reason: 'Stocktaking', by: keyId },
  });
  expect([opened.status, opened.body, await read()]).toEqual([200, { ...whileClosed, open: true }, opened.body]);
  expect((await findStore(id))?.changed).toEqual({ at: '2027-01-01T00:00:00.000Z', reason: null, by: keyId });
  expect((await service.call('GET', '/v1/store')).body.open).toBe(true);
});

test('a closed store that is closed again, and an open one that is opened, stay as they are', async () => {
  const { id, act } = await newStore();

  const stillOpen = await act('open', { reason: 'No need' });
  const untouched = await findStore(id);
  await act('close', { reason: 'First' });
  const first = await findStore(id);
  const again = await act('close', { reason: 'Second' });

  expect([stillOpen.status, stillOpen.body.open]).toEqual([200, true]);
  expect(untouched).not.toHaveProperty('changed');
  expect([again.status, again.body.open]).toEqual([200, false]);
  expect(await findStore(id)).toEqual(first);
});

test('of ten closes at once one is kept, with its reason', async () => {
  const { id, act } = await newStore();
  const reasons = Array.from({ length: 10 }, (_, number) => `Reason ${number}`);

  const answers = await Promise.all(reasons.map((reason) => act('close', { reason })));

  expect(answers.map(({ status, body }) => [status, body.open])).toEqual(reasons.map(() => [200, false]));
  expect(reasons).toContain((await findStore(id))?.changed?.reason);
});

test('an Idempotency-Key closes once: after an open the same request answers as at first, and closes nothing', async () => {
  const { act, read } = await newStore();
  const close = () => act('close', { reason: 'Once' }, { 'Idempotency-Key': 'close' });

  const first = await close();
  await act('open');
  const repeated = await close();

  expect([first.body.open, repeated.body]).toEqual([false, first.body]);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect((await read()).open).toBe(true);
});

test('400s for a reason that is too long, no text, or has control characters, and writes nothing', async () => {
  const { act, read } = await newStore();
  // The first use of a key is noted in the table.
  await read();
  const before = await wholeTable();
  const asNull = (reason: unknown): string => (reason === null ? ', not null: leave it out' : '');

  for (const reason of ['x'.repeat(201), 7, null, 'two\nlines', 'bell\u0007'])
    for (const action of ['close', 'open']) {
      const { status, body } = await act(action, { reason });
      expect([status, body.errors], JSON.stringify(reason)).toEqual([
        400,
        [`reason must be text of at most 200 characters without control characters${asNull(reason)}.`],
      ]);
    }

  expect(await wholeTable()).toEqual(before);
});

test.each([undefined, '', '{}', { reason: '' }, { reason: 'x'.repeat(200) }])('takes the body %j', async (body) => {
  const { act } = await newStore();

  expect((await act('close', body)).status).toBe(200);
});
