import { expect, test } from 'vitest';
import { handler } from '../../../functions/own-key/end-key.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { findKey, keyFacts, revokeKey } from '../../../lib/store/api-keys.ts';
import { issueKey, markStoreGone, rotateKey } from '../../../lib/store/issued-keys.ts';
import { logOf } from '../../../lib/store/operator-log.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import { removeMany } from '../../../lib/table/table.ts';
import { answerLost, intercept } from '../../support/faults.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

const start = Date.parse('2027-01-01T00:00:00.000Z');
const path = '/v1/store/key/actions/end';

setClock(start);
const service = await startTestService();

/** A key of a store of its own. */
const newKey = async () => {
  setClock(start);
  const { id: store } = await createStore('Corner Shop');
  const { key, text } = await issueKey({ store, name: 'desk', scopes: ['products:read'], stage: 'test' });
  const call = service.callAs(text);
  return { store, key, text, call, end: (headers = {}) => call('POST', path, undefined, headers) };
};

/** The rows of the log of a store, without their keys. */
const logRows = async (store: string) =>
  (await wholeTable(`LOG#${store}`)).map(({ at, by, action, details }) => ({ at, by, action, details }));

/** Calls the function with a key that the gateway let in before. */
const endRemembered = async (store: string, keyId: string, more: object = {}) => {
  const requestContext = { requestId: 'r', path, authorizer: { store, keyId, ...more } };
  return (await handler({ requestContext } as never, {} as never)).statusCode;
};

test('204s for a key without any scope, which is 401 for ever after, and the operator’s log says when and which', async () => {
  const { store, key, text, call, end } = await newKey();

  const ended = await end();
  setClock(start + 61_000);
  const after = [await call('GET', '/v1/store'), await end(), await call('GET', '/v1/products')];

  expect([ended.status, ended.body]).toEqual([204, undefined]);
  expect(after.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(await findKey(key.id)).toMatchObject({ status: 'revoked', revokedAt: timestamp(start) });
  const row = { at: timestamp(start), by: `key ${key.id}`, action: 'key.ended', store };
  const details = { key: key.id, name: 'desk', scopes: ['products:read'] };
  const log = (await wholeTable('LOG#')).filter(({ by }) => by === row.by);
  expect(log).toEqual(['LOG#', `LOG#${store}`].map((pk) => ({ pk, sk: expect.any(String), ...row, details })));
  expect(JSON.stringify(log)).not.toContain(text.slice(22));
});

test('204s again while the gateway remembers the key, and writes nothing more', async () => {
  const { store, key, end } = await newKey();
  await end();
  const before = await wholeTable();
  setClock(start + 30_000);

  const again = await end();

  expect(again.status).toBe(204);
  expect(await wholeTable()).toEqual(before);
  expect(await logRows(store)).toHaveLength(1);
  expect(await findKey(key.id)).toMatchObject({ revokedAt: timestamp(start) });
});

test('ends no other key, whatever the body names', async () => {
  const { store, key, call } = await newKey();
  const other = await issueKey({ store, name: 'desk', scopes: ['products:read'], stage: 'test' });

  const { status } = await call('POST', path, {
    id: other.key.id,
    key: other.text,
    name: 'desk',
    store: service.store,
  });

  expect(status).toBe(204);
  expect((await findKey(key.id))?.status).toBe('revoked');
  expect((await findKey(other.key.id))?.status).toBe('active');
  expect((await service.callAs(other.text)('GET', '/v1/products')).status).toBe(200);
  expect((await service.call('GET', '/v1/store')).status).toBe(200);
});

test('of ten ends at once one is noted, and all are 204', async () => {
  const { store, end } = await newKey();

  const answers = await Promise.all(Array.from({ length: 10 }, () => end()));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  expect(await logRows(store)).toHaveLength(1);
});

test('beside a revocation by the operator the key is ended once, and the log has the one that came first', async () => {
  const { store, key } = await newKey();
  const revoke = () => revokeKey(key.id, logOf('user ada')('key.revoked', store, keyFacts(key)));

  const [status] = await Promise.all([endRemembered(store, key.id), revoke()]);
  await revoke();

  expect(status).toBe(204);
  const rows = await logRows(store);
  expect(rows).toHaveLength(1);
  expect(['key.ended', 'key.revoked']).toContain(rows[0]?.action);
});

test('beside a rotation the key ends, and its successor lives on where there is one', async () => {
  const { key, end } = await newKey();
  const { key: early, end: endEarly } = await newKey();

  const [ended, rotated] = await Promise.allSettled([end(), rotateKey(key, timestamp(now() + 86_400_000), 'test')]);
  const later = await rotateKey(early, timestamp(now() + 86_400_000), 'test');
  const endedLater = await endEarly();

  expect(ended).toMatchObject({ status: 'fulfilled', value: { status: 204 } });
  expect(endedLater.status).toBe(204);
  for (const { id } of [key, early]) expect((await findKey(id))?.status).toBe('revoked');
  const successors = [later.text, ...(rotated.status === 'fulfilled' ? [rotated.value.text] : [])];
  for (const text of successors) expect((await service.callAs(text)('GET', '/v1/products')).status).toBe(200);
  if (rotated.status === 'rejected') expect(rotated.reason).toMatchObject({ status: 400 });
});

test('an Idempotency-Key answers the same again, also for a key that the operator had revoked', async () => {
  const [mine, revoked] = [await newKey(), await newKey()];
  const headers = { 'Idempotency-Key': 'sign-out' };
  // The gateway remembers the key for this method and path.
  const bad = await revoked.end({ 'Idempotency-Key': '' });
  await revokeKey(revoked.key.id);

  const answers = [await mine.end(headers), await mine.end(headers), await revoked.end(headers)];

  expect([bad.status, ...answers.map(({ status }) => status)]).toEqual([400, 204, 204, 204]);
  expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true', null]);
  expect([await logRows(mine.store), await logRows(revoked.store)].map((rows) => rows.length)).toEqual([1, 0]);
});

test('an answer of the table that is lost ends the key once', async () => {
  const { store, key, end } = await newKey();
  let lost = 0;
  const stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation !== 'TransactWriteItems' || lost++ > 0) return answer;
    throw answerLost();
  });

  const { status } = await end();
  stop();

  expect([status, lost]).toEqual([204, 2]);
  expect((await findKey(key.id))?.status).toBe('revoked');
  expect(await logRows(store)).toHaveLength(1);
});

test('ends no key where the log cannot be written', async () => {
  const { key, end } = await newKey();
  const stop = intercept(async ({ input }, send) => {
    if (!JSON.stringify(input).includes('LOG#')) return send();
    throw Object.assign(new Error('The log is full.'), { $fault: 'client' });
  });

  const { status } = await end();
  stop();

  expect(status).toBe(500);
  expect((await findKey(key.id))?.status).toBe('active');
});

test('404s for the key of a deleted store, 401s for a key that is not there, and writes nothing', async () => {
  const { store, key, end } = await newKey();
  await markStoreGone(key.id);
  const before = await wholeTable();

  const known = await end();
  const remembered = await endRemembered(store, key.id);
  await removeMany([sharedKey('KEY', key.id)]);
  const missing = await endRemembered(store, key.id);

  expect([known.status, remembered, missing]).toEqual([404, 404, 401]);
  const left = before.filter(({ pk }) => pk !== `KEY#${key.id}`).map(({ lastUsedAt: _, ...item }) => item);
  expect((await wholeTable()).map(({ lastUsedAt: _, ...item }) => item)).toEqual(left);
});

test('its row of the log ends with those of the command, where the deployment says so', async () => {
  const { store, end } = await newKey();
  process.env.OPERATOR_LOG_DAYS = '30';

  await end();

  const [row] = await wholeTable(`LOG#${store}`);
  expect(row?.ttl).toBe(start / 1000 + 30 * 86_400);
});
