import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { type PresetName, presetNames, presets } from '../../../lib/routes/key-presets.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { type ApiKey, endKey, findKey, revokeKey } from '../../../lib/store/api-keys.ts';
import { issueKey, rotateKey } from '../../../lib/store/issued-keys.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { intercept } from '../../support/faults.ts';
import { putAll } from '../../support/seed.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

/** Extensions, *Keys*, sentence by sentence, from outside. */

const start = Date.parse('2027-01-01T00:30:00.000Z');
const at = (hours: number): string => timestamp(start + hours * 3_600_000);

setClock(start);
const service = await startTestService();

/** A store of its own, with a key of all scopes or of these. */
const newStore = async (of: readonly Scope[] = scopes, expiresAt?: string) => {
  setClock(start);
  const { id: store } = await createStore('Corner Shop');
  const { key, text } = await issueKey({ store, name: 'owner', scopes: of, stage: 'test', expiresAt });
  return { store, id: key.id, text, call: service.callAs(text) };
};

type Caller = ReturnType<typeof service.callAs>;

/** Issues a key through the API. */
const issue = async (call: Caller, body: object = { preset: 'shop' }) => {
  const answer = await call('POST', '/v1/keys', { name: 'made', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { ...answer.body, call: service.callAs(answer.body.key ?? answer.body.code) };
};

/** The rows of the log of a store, the oldest first. */
const logOf = async (store: string) =>
  (await wholeTable(`LOG#${store}`)).map(({ by, action, details }) => [by, action, (details as { key: string }).key]);

/** Lets the gateway forget what the authorizer said. */
const waitForGateway = (): void => setClock(start + 61_000);

describe('issuing', () => {
  test('201s with the key, which works at once; no other answer has it, and the table has only its hash', async () => {
    const { id: owner, store, call } = await newStore();

    const made = await call('POST', '/v1/keys', { name: ' Web shop ', preset: 'shop', expiresAt: at(24) });

    const { key, code, ...rest } = made.body;
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/v1/keys/${rest.id}`);
    expect(rest).toEqual({
      ...{ id: key.slice(9, 21), name: 'Web shop', preset: 'shop', scopes: ['products:read', 'categories:read'] },
      ...{ state: 'active', createdAt: at(0), expiresAt: at(24), lastUsedAt: null, invitedUntil: null, endedAt: null },
      ...{ issuedBy: { id: owner, name: 'owner' }, replaces: null },
    });
    expect(code).toBeNull();
    expect((await service.callAs(key)('GET', '/v1/products')).status).toBe(200);
    expect((await service.callAs(key)('GET', '/v1/coupons')).status).toBe(403);
    // The first use is noted by the authorizer.
    expect((await call('GET', `/v1/keys/${rest.id}`)).body).toEqual({ ...rest, lastUsedAt: at(0) });
    const hash = (await findKey(rest.id))?.hash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const secret = key.slice(22, 65);
    expect(JSON.stringify(await wholeTable())).not.toContain(secret);
    const answers = [await call('GET', '/v1/keys'), await call('GET', '/v1/store')].map(({ body }) => body);
    expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${hash}|${secret}`));
    expect(await logOf(store)).toContainEqual([`key ${owner}`, 'key.issued', rest.id]);
  });

  test.each<[string, object]>([
    ['a preset and scopes', { name: 'x', preset: 'shop', scopes: ['products:read'] }],
    ['neither', { name: 'x' }],
    ['an unknown scope', { name: 'x', scopes: ['self'] }],
    ['a scope twice', { name: 'x', scopes: ['products:read', 'products:read'] }],
    ['no scope', { name: 'x', scopes: [] }],
    ['an unknown preset', { name: 'x', preset: 'king' }],
    ['no name', { preset: 'shop' }],
    ['an empty name', { name: ' ', preset: 'shop' }],
    ['a name of 256 characters', { name: 'x'.repeat(256), preset: 'shop' }],
    ['an end in the past', { name: 'x', preset: 'shop', expiresAt: at(0) }],
    ['an invitation of no hour', { name: 'x', preset: 'shop', inviteHours: 0 }],
    ['an invitation of more than a week', { name: 'x', preset: 'shop', inviteHours: 169 }],
  ])('400s for %s, and makes nothing', async (_, body) => {
    const { call } = await newStore();
    await call('GET', '/v1/store');
    const before = await wholeTable();

    const { status } = await call('POST', '/v1/keys', body);

    expect(status).toBe(400);
    expect(await wholeTable()).toEqual(before);
  });

  test('answers scopes in their fixed order, and a preset by exactly its scopes', async () => {
    const { call } = await newStore();
    const mixed = await issue(call, { scopes: ['sales:read', 'coupons:read', 'products:read'] });
    const exact = await issue(call, { scopes: ['categories:read', 'products:read'] });

    expect([mixed.scopes, mixed.preset]).toEqual([['coupons:read', 'products:read', 'sales:read'], null]);
    expect(exact.preset).toBe('shop');
  });

  test('a name has up to 255 characters, and names need not differ', async () => {
    const { call } = await newStore();
    const name = 'é'.repeat(255);

    const made = [await issue(call, { name, preset: 'shop' }), await issue(call, { name, preset: 'shop' })];

    expect(made.map((key) => key.name)).toEqual([name, name]);
    expect((await made[0].call('GET', '/v1/store')).body.key.name).toBe(name);
  });
});

describe('never more than one has', () => {
  test.each(presetNames)('a key with %s and keys:write covers only what it has', async (name) => {
    const held = [...new Set<Scope>([...presets[name].scopes, 'keys:write'])];
    const { store, call } = await newStore(held);
    const lacking = scopes.filter((scope) => !held.includes(scope));

    expect((await call('POST', '/v1/keys', { name: 'same', scopes: held, expiresAt: at(1) })).status).toBe(201);
    for (const scope of lacking) {
      const other = await issueKey({ store, name: 'more', scopes: [scope], stage: 'test' });
      await call('GET', '/v1/store');
      const before = await wholeTable();
      const path = `/v1/keys/${other.key.id}`;
      const refused = [
        await call('POST', '/v1/keys', { name: 'x', scopes: [scope] }),
        await call('PUT', path, { name: 'x' }),
        await call('POST', `${path}/actions/rotate`),
        await call('POST', `${path}/actions/revoke`),
      ];
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      for (const { body } of refused) expect(body.detail).toContain(scope);
      expect(await wholeTable()).toEqual(before);
    }
  });

  test('names all scopes that it lacks, and an owner’s key is neither made nor ended by a lesser one', async () => {
    const { store, id } = await newStore();
    const lesser = await issueKey({ store, name: 'lesser', scopes: ['keys:write', 'keys:read'], stage: 'test' });
    const call = service.callAs(lesser.text);

    const { body } = await call('POST', '/v1/keys', { name: 'x', scopes: ['sales:refund', 'coupons:read'] });
    const made = await call('POST', '/v1/keys', { name: 'x', preset: 'all', expiresAt: at(1) });
    const ended = await call('POST', `/v1/keys/${id}/actions/revoke`);

    expect(body.detail).toMatch(/coupons:read, sales:refund\.$/);
    expect([made.status, ended.status]).toEqual([403, 403]);
  });

  test.each(presetNames.filter((name) => name !== 'all'))(
    'the preset %s reaches no row that changes keys',
    async (name) => {
      const { store, call: owner } = await newStore();
      const target = await issue(owner, { preset: 'shop' });
      const { text } = await issueKey({ store, name, scopes: presets[name].scopes, stage: 'test' });
      const call = service.callAs(text);
      const path = `/v1/keys/${target.id}`;

      const answers = [
        await call('POST', '/v1/keys', { name: 'x', preset: name }),
        await call('PUT', path, { name: 'x' }),
        await call('POST', `${path}/actions/rotate`),
        await call('POST', `${path}/actions/revoke`),
      ];

      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      const mayRead = (presets[name as PresetName].scopes as readonly Scope[]).includes('keys:read');
      expect((await call('GET', '/v1/keys')).status).toBe(mayRead ? 200 : 403);
    },
  );

  test('faults of form come before 404, that before 403, that before the state', async () => {
    const { call: lesser } = await newStore(['keys:write']);
    const { store, call } = await newStore();
    const gone = await issue(call);
    await call('POST', `/v1/keys/${gone.id}/actions/revoke`);
    const small = service.callAs((await issueKey({ store, name: 's', scopes: ['keys:write'], stage: 'test' })).text);
    const rotate = async (by: Caller, id: string, body = {}) =>
      (await by('POST', `/v1/keys/${id}/actions/rotate`, body)).status;

    expect(await rotate(small, 'unknownKey00', { overlapHours: 169 })).toBe(400);
    expect(await rotate(small, 'unknownKey00')).toBe(404);
    expect(await rotate(lesser, gone.id)).toBe(404);
    expect(await rotate(small, gone.id)).toBe(403);
    expect(await rotate(call, gone.id)).toBe(400);
  });

  test('an id of another form is 404 on GET, and 400 else', async () => {
    const { call } = await newStore();
    for (const id of ['short', 'thirteenChars', 'unknown-Key0', randomUUID()]) {
      const path = `/v1/keys/${id}`;
      const answers = [
        await call('GET', path),
        await call('PUT', path, { name: 'x' }),
        await call('POST', `${path}/actions/revoke`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 400, 400]);
    }
  });
});

describe('the list', () => {
  test('has every key of the store by id, in any state, each with who issued it', async () => {
    const { id, call } = await newStore();
    const active = await issue(call);
    const revoked = await issue(call);
    await call('POST', `/v1/keys/${revoked.id}/actions/revoke`);
    const rotated = await issue(call);
    const next = (await call('POST', `/v1/keys/${rotated.id}/actions/rotate`)).body;
    const brief = await issue(call, { preset: 'shop', expiresAt: at(0.001) });
    const invited = await issue(call, { preset: 'shop', inviteHours: 1 });
    setClock(start + 10_000);

    const { body } = await call('GET', '/v1/keys');

    const expected = { [id]: 'active', [active.id]: 'active', [revoked.id]: 'revoked', [rotated.id]: 'rotated' };
    Object.assign(expected, { [next.id]: 'active', [brief.id]: 'expired', [invited.id]: 'invited' });
    const states = body.data.map((key: { id: string; state: string }) => [key.id, key.state]);
    expect(states).toEqual(Object.entries(expected).sort(([a], [b]) => (a < b ? -1 : 1)));
    const issuers = body.data.filter((key: { issuedBy: unknown }) => key.issuedBy !== null);
    expect(issuers).toHaveLength(6);
    for (const state of ['active', 'revoked', 'rotated', 'expired', 'invited']) {
      const some = (await call('GET', `/v1/keys?state=${state}`)).body.data;
      expect(some).toEqual(body.data.filter((key: { state: string }) => key.state === state));
    }
    expect((await call('GET', '/v1/keys?state=gone')).status).toBe(400);
    const ends = Object.fromEntries(body.data.map((key: { id: string; endedAt: string }) => [key.id, key.endedAt]));
    expect([ends[revoked.id], ends[brief.id], ends[rotated.id]]).toEqual([at(0), at(0.001), null]);
    expect(JSON.stringify(body)).not.toContain('ash');
  });

  test('names the issuer as it is called now', async () => {
    const { id, call } = await newStore();
    const made = await issue(call);

    await call('PUT', `/v1/keys/${id}`, { name: 'Rosa' });

    expect((await call('GET', `/v1/keys/${made.id}`)).body.issuedBy).toEqual({ id, name: 'Rosa' });
  });

  test('goes on by a cursor, also where a filter leaves keys out', async () => {
    const { call } = await newStore();
    for (let count = 0; count < 6; count++) {
      const { id } = await issue(call);
      if (count % 2) await call('POST', `/v1/keys/${id}/actions/revoke`);
    }
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: string = cursor && `&cursor=${cursor}`;
      const { body } = await call('GET', `/v1/keys?state=revoked&limit=1${next}`);
      for (const { id } of body.data) found.push(id);
      cursor = body.pagination.nextCursor;
    }
    expect(found).toHaveLength(3);
  });
});

test('PUT renames any key that one covers, oneself too, and logs it; the same name changes nothing', async () => {
  const { id, store, call } = await newStore();
  const made = await issue(call);

  const other = await call('PUT', `/v1/keys/${made.id}`, { name: 'Box' });
  const self = await call('PUT', `/v1/keys/${id}`, { name: 'Rosa' });
  const logged = await logOf(store);
  const again = await call('PUT', `/v1/keys/${made.id}`, { name: 'Box' });

  expect([other.status, self.status, again.status]).toEqual([200, 200, 200]);
  expect([other.body.name, self.body.name]).toEqual(['Box', 'Rosa']);
  expect(logged.filter(([, action]) => action === 'key.changed')).toEqual([
    [`key ${id}`, 'key.changed', made.id],
    [`key ${id}`, 'key.changed', id],
  ]);
  expect(await logOf(store)).toEqual(logged);
});

describe('rotating', () => {
  test('gives the successor the same name, scopes and life; the old one works through the overlap', async () => {
    const { id, store, call } = await newStore();
    const old = await issue(call, { name: 'Box', preset: 'shop', expiresAt: at(1000) });
    setClock(start + 2 * 3_600_000);

    const { status, body, headers } = await call('POST', `/v1/keys/${old.id}/actions/rotate`, { overlapHours: 2 });

    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/keys/${body.id}`);
    expect(body).toMatchObject({ name: 'Box', scopes: old.scopes, replaces: old.id, expiresAt: at(1002), code: null });
    expect(body.issuedBy).toEqual({ id, name: 'owner' });
    const next = service.callAs(body.key);
    const both = async () => [
      (await old.call('GET', '/v1/products')).status,
      (await next('GET', '/v1/products')).status,
    ];
    expect(await both()).toEqual([200, 200]);
    expect((await call('GET', `/v1/keys/${old.id}`)).body).toMatchObject({ state: 'rotated', expiresAt: at(4) });
    setClock(start + 4 * 3_600_000 + 61_000);
    expect(await both()).toEqual([401, 200]);
    expect((await call('GET', `/v1/keys/${old.id}`)).body).toMatchObject({ state: 'expired', endedAt: at(4) });
    expect(await logOf(store)).toContainEqual([`key ${id}`, 'key.rotated', body.id]);
  });

  test('lets no key live longer than it was given, and is 400 unless it is active', async () => {
    const { call } = await newStore();
    const old = await issue(call, { preset: 'shop', expiresAt: at(1) });

    const first = await call('POST', `/v1/keys/${old.id}/actions/rotate`, { expiresAt: at(50) });
    const second = await call('POST', `/v1/keys/${old.id}/actions/rotate`);

    expect([first.status, first.body.expiresAt, second.status]).toEqual([201, at(50), 400]);
    expect((await call('GET', `/v1/keys/${old.id}`)).body.expiresAt).toBe(at(1));
    const invited = await issue(call, { preset: 'shop', inviteHours: 1 });
    expect((await call('POST', `/v1/keys/${invited.id}/actions/rotate`)).status).toBe(400);
  });

  test('of two at once one does it', async () => {
    const { call } = await newStore();
    const old = await issue(call);
    const rotate = () => call('POST', `/v1/keys/${old.id}/actions/rotate`);

    const answers = await Promise.all([rotate(), rotate()]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const successors = (await call('GET', '/v1/keys')).body.data.filter(
      (key: { replaces: string }) => key.replaces === old.id,
    );
    expect(successors).toHaveLength(1);
  });

  test('a key can rotate itself, without an overlap too, and is 401 then', async () => {
    const { id, call } = await newStore();

    const { status, body } = await call('POST', `/v1/keys/${id}/actions/rotate`, { overlapHours: 0 });
    const again = await call('POST', '/v1/keys', { name: 'x', preset: 'shop' });

    expect([status, body.replaces, again.status]).toEqual([201, id, 401]);
    expect((await service.callAs(body.key)('GET', '/v1/keys')).status).toBe(200);
  });
});

describe('revoking', () => {
  test('ends the key for ever, is idempotent, and leaves what it has issued', async () => {
    const { id, store, call } = await newStore();
    const thief = await issue(call, { scopes: ['keys:write', 'products:read'] });
    const child = await issue(thief.call, { scopes: ['products:read'] });
    await thief.call('GET', '/v1/products');

    const first = await call('POST', `/v1/keys/${thief.id}/actions/revoke`);
    setClock(start + 1000);
    const again = await call('POST', `/v1/keys/${thief.id}/actions/revoke`);
    const logged = (await logOf(store)).filter(([, action]) => action === 'key.revoked');

    expect([first.status, first.body.state, first.body.endedAt]).toEqual([200, 'revoked', at(0)]);
    expect(again.body).toEqual(first.body);
    expect(logged).toEqual([[`key ${id}`, 'key.revoked', thief.id]]);
    // The gateway remembers the key for a minute, but the rows of keys do not take it.
    expect((await thief.call('GET', '/v1/products')).status).toBe(200);
    expect((await thief.call('POST', '/v1/keys', { name: 'x', scopes: ['products:read'] })).status).toBe(401);
    waitForGateway();
    expect((await thief.call('GET', '/v1/products')).status).toBe(401);
    expect((await child.call('GET', '/v1/products')).status).toBe(200);
    expect((await call('GET', `/v1/keys/${child.id}`)).body).toMatchObject({
      state: 'active',
      issuedBy: { id: thief.id },
    });
  });

  test.each(['invited', 'active', 'rotated', 'expired'])('takes a key that is %s', async (state) => {
    const { call } = await newStore();
    const key = await issue(call, { preset: 'shop', expiresAt: at(2), ...(state === 'invited' && { inviteHours: 1 }) });
    if (state === 'rotated') await call('POST', `/v1/keys/${key.id}/actions/rotate`);
    if (state === 'expired') setClock(start + 3 * 3_600_000);
    expect((await call('GET', `/v1/keys/${key.id}`)).body.state).toBe(state);

    expect((await call('POST', `/v1/keys/${key.id}/actions/revoke`)).body.state).toBe('revoked');
  });

  test('is 400 for the asking key, which ends by its own row', async () => {
    const { id, call } = await newStore();

    expect((await call('POST', `/v1/keys/${id}/actions/revoke`)).status).toBe(400);
    expect((await call('GET', '/v1/store')).status).toBe(200);
  });

  test('of two owners who revoke each other at once one stays', async () => {
    for (let round = 0; round < 20; round++) {
      const { id: first, store, call } = await newStore();
      const second = await issueKey({ store, name: 'second', scopes, stage: 'test' });
      const other = service.callAs(second.text);

      const answers = await Promise.all([
        call('POST', `/v1/keys/${second.key.id}/actions/revoke`),
        other('POST', `/v1/keys/${first}/actions/revoke`),
      ]);

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
      const states = [(await findKey(first))?.status, (await findKey(second.key.id))?.status];
      expect(states.sort()).toEqual(['active', 'revoked']);
    }
  });
});

describe('an invitation', () => {
  const invite = async (body: object = {}) => {
    const owner = await newStore();
    const invited = await issue(owner.call, { name: 'Tom', preset: 'support', inviteHours: 24, ...body });
    return { owner, invited, call: service.callAs(invited.code) };
  };
  const [shown, accept] = ['/v1/store/key/invitation', '/v1/store/key/actions/accept'];

  test('can do nothing, and its code opens two rows alone, which no other key opens', async () => {
    const { owner, invited, call } = await invite();

    expect([invited.key, invited.state, invited.invitedUntil]).toEqual([null, 'invited', at(24)]);
    for (const [method, path] of [
      ['GET', '/v1/store'],
      ['GET', '/v1/products'],
      ['GET', '/v1/keys'],
      ['POST', '/v1/keys'],
      ['POST', '/v1/store/key/actions/end'],
    ] as const)
      expect((await call(method, path)).status, path).toBe(401);
    const asked = await owner.call('GET', shown);
    expect([asked.status, (await owner.call('POST', accept)).status]).toEqual([403, 403]);
    expect(asked.body.detail).toBe('The API key lacks the code of an invitation, which this endpoint needs.');
    expect(await call('GET', shown)).toMatchObject({
      status: 200,
      body: {
        store: { id: owner.store, name: 'Corner Shop' },
        name: 'Tom',
        preset: 'support',
        expiresAt: null,
        invitedUntil: at(24),
      },
    });
  });

  test('becomes a key under the same id with a secret of its own; reading it uses nothing up', async () => {
    const { owner, invited, call } = await invite({ expiresAt: at(500) });
    await call('GET', shown);

    const accepted = await call('POST', accept);

    expect(accepted.status).toBe(200);
    expect(accepted.body).toMatchObject({
      id: invited.id,
      state: 'active',
      invitedUntil: at(24),
      expiresAt: at(500),
      code: null,
    });
    expect(accepted.body.key).not.toBe(invited.code);
    expect(accepted.body.lastUsedAt).toBeNull();
    const person = service.callAs(accepted.body.key);
    expect((await person('GET', '/v1/products')).status).toBe(200);
    expect(await logOf(owner.store)).toContainEqual([`key ${invited.id}`, 'key.accepted', invited.id]);
    for (const again of [await call('POST', accept), await call('GET', shown)])
      expect(again).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(`used already, at ${at(0)}`) },
      });
    setClock(start + 24 * 3_600_000);
    expect([(await call('POST', accept)).status, (await call('GET', shown)).status]).toEqual([401, 401]);
    expect((await person('GET', '/v1/products')).status).toBe(200);
  });

  test('accepted twice at once makes one key, and one Idempotency-Key gets the first answer', async () => {
    const { call } = await invite();

    const answers = await Promise.all([call('POST', accept), call('POST', accept)]);
    const ok = answers.filter(({ status }) => status === 200);
    const other = await invite();
    const key = { 'Idempotency-Key': 'once' };
    const first = await other.call('POST', accept, undefined, key);
    const again = await other.call('POST', accept, undefined, key);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await service.callAs(ok[0]?.body.key)('GET', '/v1/store')).status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('ends: after its hours, at the end of its key, and when it is revoked', async () => {
    const late = await invite();
    setClock(start + 24 * 3_600_000);
    expect((await late.call('POST', accept)).status).toBe(401);
    expect((await late.owner.call('GET', `/v1/keys/${late.invited.id}`)).body).toMatchObject({
      state: 'expired',
      endedAt: at(24),
    });

    const ended = await invite({ expiresAt: at(1) });
    setClock(start + 3_600_000);
    expect((await ended.call('POST', accept)).status).toBe(401);
    expect((await ended.owner.call('GET', `/v1/keys/${ended.invited.id}`)).body).toMatchObject({
      state: 'expired',
      endedAt: at(1),
    });

    const revoked = await invite();
    await revoked.owner.call('POST', `/v1/keys/${revoked.invited.id}/actions/revoke`);
    expect((await revoked.call('POST', accept)).status).toBe(401);
    expect((await findKey(revoked.invited.id))?.hash).toBeUndefined();
  });

  test('is void once its issuer was revoked by another key or the operator, and not where that one ended itself', async () => {
    const byIssuer = async () => {
      const { store, call } = await newStore();
      const issuer = await issue(call, { scopes: ['keys:write', 'products:read'] });
      const invited = await issue(issuer.call, { scopes: ['products:read'], inviteHours: 5 });
      return { store, owner: call, issuer, invited };
    };
    const revoked = await byIssuer();
    await revoked.owner('POST', `/v1/keys/${revoked.issuer.id}/actions/revoke`);
    const operators = await byIssuer();
    await revokeKey(operators.issuer.id);
    for (const { owner, invited } of [revoked, operators]) {
      const answers = [await invited.call('GET', shown), await invited.call('POST', accept)];
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect((await owner('GET', `/v1/keys/${invited.id}`)).body).toMatchObject({ state: 'revoked', endedAt: at(0) });
      expect((await owner('GET', '/v1/keys?state=invited')).body.data).toEqual([]);
    }

    const ended = await byIssuer();
    await endKey(ended.issuer.id);
    const rotated = await byIssuer();
    await rotated.owner('POST', `/v1/keys/${rotated.issuer.id}/actions/rotate`, { overlapHours: 0 });
    for (const { invited } of [ended, rotated]) expect((await invited.call('POST', accept)).status).toBe(200);
  });

  test('an accepted key stays when its issuer is revoked', async () => {
    const { call } = await newStore();
    const issuer = await issue(call, { scopes: ['keys:write', 'products:read'] });
    const invited = await issue(issuer.call, { scopes: ['products:read'], inviteHours: 5 });
    const { key } = (await invited.call('POST', accept)).body;

    await call('POST', `/v1/keys/${issuer.id}/actions/revoke`);

    expect((await service.callAs(key)('GET', '/v1/products')).status).toBe(200);
  });

  test('is never accepted while its issuer is revoked at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const { call } = await newStore();
      const issuer = await issue(call, { scopes: ['keys:write', 'products:read'] });
      const invited = await issue(issuer.call, { scopes: ['products:read'], inviteHours: 5 });

      const [accepted] = await Promise.all([
        invited.call('POST', accept),
        call('POST', `/v1/keys/${issuer.id}/actions/revoke`),
      ]);

      const { state } = (await call('GET', `/v1/keys/${invited.id}`)).body;
      expect([accepted.status, state]).toEqual(accepted.status === 200 ? [200, 'active'] : [400, 'revoked']);
    }
  });
});

describe('a key that has ended, while the gateway lets it in', () => {
  const end = (id: string) => write(update(sharedKey('KEY', id), { set: { status: 'revoked', revokedAt: at(0) } }));

  test('is 401 on every row that changes keys, and nothing is made', async () => {
    const { id, call } = await newStore();
    const target = await issue(call);
    await end(id);
    const before = await wholeTable();

    const path = `/v1/keys/${target.id}`;
    const answers = [
      await call('POST', '/v1/keys', { name: 'x', preset: 'shop' }),
      await call('PUT', path, { name: 'x' }),
      await call('PUT', `/v1/keys/${id}`, { name: 'x' }),
      await call('POST', `${path}/actions/rotate`),
      await call('POST', `/v1/keys/${id}/actions/rotate`),
      await call('POST', `${path}/actions/revoke`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await wholeTable()).toEqual(before);
  });

  test('does not see the kept answer of an Idempotency-Key again', async () => {
    const { id, call } = await newStore();
    const key = { 'Idempotency-Key': 'issue-1' };
    const body = { name: 'x', preset: 'shop' };
    const first = await call('POST', '/v1/keys', body, key);
    const again = await call('POST', '/v1/keys', body, key);
    await end(id);
    const after = await call('POST', '/v1/keys', body, key);

    expect([first.status, again.status, after.status]).toEqual([201, 201, 401]);
    expect(again.body).toEqual(first.body);
    expect(JSON.stringify(after.body)).not.toContain(first.body.id);
  });

  /** Makes this change when a request has read all that it needs, just before its transaction is sent. */
  const justBefore = (work: () => Promise<unknown>): void => {
    const stop = intercept(async ({ operation }, send) => {
      if (operation !== 'TransactWriteItems') return send();
      stop();
      await work();
      return send();
    });
  };

  test.each<[string, (call: Caller, target: string, own: string) => ReturnType<Caller>]>([
    ['issue', (call) => call('POST', '/v1/keys', { name: 'x', preset: 'shop' })],
    ['rename', (call, id) => call('PUT', `/v1/keys/${id}`, { name: 'x' })],
    ['rename itself', (call, _, own) => call('PUT', `/v1/keys/${own}`, { name: 'x' })],
    ['rotate', (call, id) => call('POST', `/v1/keys/${id}/actions/rotate`)],
    ['rotate itself', (call, _, own) => call('POST', `/v1/keys/${own}/actions/rotate`)],
    ['revoke', (call, id) => call('POST', `/v1/keys/${id}/actions/revoke`)],
  ])('can not %s if it is revoked after it was read', async (_, act) => {
    const { id, store, call } = await newStore();
    const target = await issue(call);
    await call('GET', '/v1/store');
    const log = await logOf(store);
    justBefore(() => revokeKey(id));

    expect((await act(call, target.id, id)).status).toBe(401);
    expect(await logOf(store)).toEqual(log);
    expect(await findKey(target.id)).toMatchObject({ status: 'active', name: 'made' });
  });

  test('a rotation finds that another was faster, and an invitation that its issuer was revoked', async () => {
    const { call } = await newStore();
    const old = await issue(call);
    justBefore(async () => rotateKey((await findKey(old.id)) as ApiKey, at(1), 'test'));
    const second = await call('POST', `/v1/keys/${old.id}/actions/rotate`);

    const issuer = await issue(call, { scopes: ['keys:write', 'products:read'] });
    const invited = await issue(issuer.call, { scopes: ['products:read'], inviteHours: 5 });
    justBefore(() => revokeKey(issuer.id));
    const accepted = await invited.call('POST', '/v1/store/key/actions/accept');

    expect([second.status, accepted.status]).toEqual([400, 400]);
    expect((await findKey(invited.id))?.hash).toBeUndefined();
  });

  test('an expired one likewise', async () => {
    const { call } = await newStore(scopes, at(1));
    await call('POST', '/v1/keys', { name: 'x', preset: 'shop' });
    setClock(start + 3_600_000 - 1000);
    await call('GET', '/v1/keys');
    expect((await call('POST', '/v1/keys', { name: 'x', preset: 'shop' })).status).toBe(201);
    setClock(start + 3_600_000);
    expect((await call('POST', '/v1/keys', { name: 'x', preset: 'shop' })).status).toBe(401);
  });
});

test('the record of a request keeps its answer sealed', async () => {
  const { store, call } = await newStore();
  const key = { 'Idempotency-Key': 'sealed' };
  const { body } = await call('POST', '/v1/keys', { name: 'x', preset: 'shop' }, key);

  const records = await wholeTable(`${store}#REQUEST`);

  expect(records).toHaveLength(1);
  expect(JSON.stringify(records)).not.toContain(body.key.slice(22, 65));
});

describe('limits', () => {
  test('20 keys and invitations in a clock hour, rotations included; then 429 until the next', async () => {
    const { store, call } = await newStore();
    const made = [];
    for (let count = 0; count < 18; count++)
      made.push(await issue(call, { preset: 'shop', ...(count % 2 && { inviteHours: 1 }) }));
    await call('POST', `/v1/keys/${made[0].id}/actions/rotate`);
    await issue(call);

    const refused = await call('POST', '/v1/keys', { name: 'x', preset: 'shop' });
    const rotated = await call('POST', `/v1/keys/${made[2].id}/actions/rotate`);

    expect([refused.status, rotated.status]).toEqual([429, 429]);
    expect(refused.headers.get('retry-after')).toBe('1800');
    expect((await call('POST', `/v1/keys/${made[2].id}/actions/revoke`)).status).toBe(200);
    await issueKey({ store, name: 'by the command', scopes: [], stage: 'test' });
    setClock(start + 1_800_000);
    expect((await call('POST', '/v1/keys', { name: 'x', preset: 'shop' })).status).toBe(201);
  });

  test('at once no more than 20 get through', async () => {
    const { call } = await newStore();

    const answers = await Promise.all(
      Array.from({ length: 26 }, () => call('POST', '/v1/keys', { name: 'x', preset: 'shop' })),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  });

  test('10,000 ever', async () => {
    const { store, call } = await newStore();
    await putAll([{ pk: `${store}#COUNT`, sk: 'keys', total: 9999, hour: '2026-12-31T00', inHour: 20 }]);

    await issue(call);
    const { status, body } = await call('POST', '/v1/keys', { name: 'x', preset: 'shop' });

    expect([status, body.detail]).toEqual([400, expect.stringContaining('10,000')]);
  });

  test('a key with keys:write ends within 366 days, on a deployment', async () => {
    const { store } = await newStore();
    process.env.KEY_STAGE = 'live';
    try {
      const { key, text } = await issueKey({ store, name: 'owner', scopes, stage: 'live' });
      const call = service.callAs(text);
      const send = (more: object) => call('POST', '/v1/keys', { name: 'x', preset: 'all', ...more });
      const day = 24;

      const answers = [
        await send({}),
        await send({ expiresAt: at(367 * day) }),
        await send({ expiresAt: at(366 * day) }),
      ];
      const rotate = `/v1/keys/${key.id}/actions/rotate`;
      const late = await call('POST', rotate, { expiresAt: at(367 * day) });
      const rotated = await call('POST', rotate);
      const shop = await call('POST', '/v1/keys', { name: 'x', preset: 'shop' });

      expect(answers.map(({ status }) => status)).toEqual([400, 400, 201]);
      expect([late.status, rotated.status, rotated.body.expiresAt]).toEqual([400, 201, at(366 * day)]);
      expect([shop.status, shop.body.expiresAt]).toEqual([201, null]);
      const next = await call('POST', `/v1/keys/${answers[2]?.body.id}/actions/rotate`);
      expect(next.body.expiresAt).toBe(at(366 * day));
    } finally {
      process.env.KEY_STAGE = 'test';
    }
  });
});
