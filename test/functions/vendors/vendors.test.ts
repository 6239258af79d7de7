import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handler as sweep } from '../../../functions/expiry-sweep.ts';
import { sweepAccess } from '../../../infra/permissions.ts';
import { timestamp } from '../../../lib/clock.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { vendorCountKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { findVendor } from '../../../lib/vendor/vendors.ts';
import { asFunction } from '../../support/access.ts';
import { unitsOf } from '../../support/budgets-whole.ts';
import { contextWith, startTestQueue } from '../../support/deliveries.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { type Call, setClock, startTestService } from '../../support/service.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
const [minute, hour] = [60_000, 3_600_000];
const { lookup } = resolver;

let service: Awaited<ReturnType<typeof startTestService>>;
let store: string;
let call: Call;

beforeEach(async () => {
  resolver.lookup = async () => [{ address: '8.8.8.8' }];
  setClock(start);
  await startTestQueue();
  service = await startTestService();
  await keepHistory();
  store = (await createStore('Vendors')).id;
  call = service.callAs(await service.keyWith(scopes, store));
});
afterEach(() => {
  resolver.lookup = lookup;
});

const at = (millis: number): string => timestamp(start + millis);
const told = { name: 'Chair vendor', region: 'Cloud Edge' };
const url = (path = 'one'): string => `https://sim.agni.secondlife.io:12043/cap/${path}`;
const register = (uuid: string, fields: object = {}, as = call) =>
  as('PUT', `/v1/vendors/${uuid}`, { ...told, ...fields });
const show = async (uuid: string) => (await call('GET', `/v1/vendors/${uuid}`)).body;
const setProduct = (uuid: string, productId: unknown) => call('PUT', `/v1/vendors/${uuid}/product`, { productId });
const list = async (query = '') => (await call('GET', `/v1/vendors${query}`)).body.data;
const product = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/v1/products', { name: 'Chair', price: 100, ...fields })).body.id;
const sweepNow = () => asFunction('expiry-sweep', sweepAccess, () => sweep({}, contextWith(minute)));

/** The vendor's events so far, each with its data. */
const events = async () => {
  await catchUp();
  setClock(start + 100 * hour);
  const { data } = (await call('GET', '/v1/events?limit=100')).body;
  return data.filter(({ type }: { type: string }) => type.startsWith('vendor.'));
};

describe('a registration', () => {
  test('200s with the vendor and the product that it names first', async () => {
    const uuid = randomUUID().toUpperCase();
    const demoId = await product({ name: 'Chair demo' });
    const id = await product({ demoId, limited: true, availableAmount: 0 });

    const { status, body } = await register(uuid, { position: '<1, 2, 3>', script: 'vendor.lsl', productId: id });

    const shown = {
      ...{ id, name: 'Chair', price: 100, activePrice: 100, changesAt: null, active: true, soldOut: true, demoId },
      image: '00000000-0000-0000-0000-000000000000',
      permissions: { copy: true, modify: false, transfer: false },
    };
    const vendor = {
      ...{ uuid: uuid.toLowerCase(), ...told, position: '<1, 2, 3>', script: 'vendor.lsl', state: 'active' },
      ...{ product: shown, registeredAt: at(0), seenAt: at(0) },
    };
    expect([status, body]).toEqual([200, vendor]);
    expect(await show(uuid)).toEqual(vendor);
    expect(await list()).toEqual([vendor]);
  });

  test('names the product first, or where a person has picked it and there is none, and never otherwise', async () => {
    const [first, other] = [await product(), await product({ active: false })];
    const uuid = randomUUID();
    const sold = async (fields: object) => (await register(uuid, fields)).body.product?.id;

    expect(await sold({ productId: randomUUID() })).toBeUndefined();
    expect(await sold({ productId: first })).toBeUndefined();
    expect(await sold({ productId: randomUUID(), picked: true })).toBeUndefined();
    expect(await sold({ productId: other, picked: true })).toBe(other);
    expect(await sold({ productId: first, picked: true })).toBe(other);
    expect(await sold({})).toBe(other);
    await setProduct(uuid, null);
    expect(await sold({ productId: first })).toBeUndefined();
  });

  test('of two at once with other products one counts, and the store has one vendor more', async () => {
    const [first, other] = [await product(), await product()];
    const uuid = randomUUID();

    const answers = await Promise.all([register(uuid, { productId: first }), register(uuid, { productId: other })]);

    const { productId } = (await findVendor(store, uuid)) ?? {};
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.product.id))).toEqual(new Set([productId]));
    await call('DELETE', `/v1/vendors/${uuid}`);
    await register(uuid);
    expect(await list()).toHaveLength(1);
  });

  test('replaces what it tells; empty texts are as left out, and null is no address', async () => {
    const uuid = randomUUID();
    await register(uuid, { position: 'here', script: 'x', url: url() });

    setClock(start + 1);
    const { body } = await register(uuid, { name: 'Renamed', position: ' ', script: '', url: null });

    expect(body).toMatchObject({ name: 'Renamed', position: null, script: null, registeredAt: at(0), seenAt: at(1) });
    expect((await findVendor(store, uuid))?.url).toBeUndefined();
  });

  test('400s for bad input, all of its faults at once, and changes nothing', async () => {
    const uuid = randomUUID();
    const bad = {
      ...{ name: 'x'.repeat(64), region: '', position: 'x'.repeat(41), script: 5, url: '', productId: 'chair' },
      ...{ picked: 'yes', search: 'x'.repeat(101) },
    };

    const { status, body } = await register(uuid, bad);
    const nil = await register('00000000-0000-0000-0000-000000000000');
    const addresses = ['http://sim.agni.secondlife.io/cap/x', 'https://example.org/cap/x', url('x'.repeat(500)), ' '];

    expect(status).toBe(400);
    expect(body.errors.map((text: string) => text.split(' ')[0]).sort()).toEqual(
      Object.keys(bad)
        .filter((name) => name !== 'url')
        .sort(),
    );
    expect(nil.body.detail).toBe('uuid must be the UUID of an object.');
    for (const address of addresses) expect((await register(uuid, { url: address })).status, address).toBe(400);
    expect((await register(uuid, { productId: null })).status).toBe(400);
    expect((await call('GET', `/v1/vendors/${uuid}`)).status).toBe(404);
  });

  test('writes at most once an hour while nothing changes', async () => {
    const uuid = randomUUID();
    await register(uuid, { url: url() });
    const seenAfter = async (millis: number, fields: object = {}) => {
      setClock(start + millis);
      return Date.parse((await register(uuid, { url: url(), ...fields })).body.seenAt) - start;
    };

    expect(await seenAfter(hour - 1)).toBe(0);
    expect(await seenAfter(hour)).toBe(hour);
    expect(await seenAfter(hour + 5, { position: 'moved' })).toBe(hour + 5);
  });

  test('1,000 in an hour that change nothing take at most 1,000 read and 100 write units', async () => {
    const id = await product();
    const vendors = Array.from({ length: 100 }, () => randomUUID());
    for (const uuid of vendors) await register(uuid, { url: url(), productId: id });
    setClock(start + 2 * hour);
    // The authorizer keeps its answer for a minute.
    await register(randomUUID());

    const units = await unitsOf(async () => {
      for (let round = 0; round < 10; round++) {
        setClock(start + 2 * hour + round * 5000);
        for (const uuid of vendors) await register(uuid, { url: url() });
      }
    });

    expect(units).toEqual({ reads: 1000, writes: 100 });
  });

  test('answers choices: up to nine active products whose name holds the text, by name and then id', async () => {
    const names = [...'dcbaefghij'].map((letter) => `${letter} 50%_Mesh`);
    for (const name of names) await product({ name, listed: false });
    const alike = [await product({ name: 'a 50%_Mesh', bloggable: true }), await product({ name: 'A 50%_MESH' })];
    await product({ name: 'a 50%_mesh', active: false });
    await product({ name: 'Table', description: '50%_mesh' });

    const { body } = await register(randomUUID(), { search: '50%_MESH' });
    const nothing = await register(randomUUID(), { search: '50_' });
    const none = await register(randomUUID(), { search: '  ' });

    const expected = ['A 50%_MESH', 'a 50%_Mesh', ...[...'abcdefg'].map((letter) => `${letter} 50%_Mesh`)];
    expect(body.choices.map(({ name }: { name: string }) => name)).toEqual(expected);
    expect(body.choices[0]).toEqual({ id: alike[1], name: 'A 50%_MESH' });
    const twins = body.choices.slice(1, 3).map(({ id }: { id: string }) => id);
    expect(twins).toEqual(twins.toSorted());
    expect(nothing.body.choices).toEqual([]);
    expect('choices' in none.body).toBe(false);
  });

  test('400s beyond 10,000 vendors of a store, until one is deleted', async () => {
    const [known, stranger] = [randomUUID(), randomUUID()];
    await register(known);
    await write(update(vendorCountKey(store), { set: { count: 10_000 } }));

    const refused = await register(stranger);
    const again = await register(known, { position: 'moved' });
    await call('DELETE', `/v1/vendors/${known}`);

    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('at most 10000 vendors')]);
    expect(again.status).toBe(200);
    expect((await register(stranger)).status).toBe(200);
  });
});

describe('changesAt', () => {
  test.each([
    ['the beginning of a discount', { value: 50, type: 0, startDate: at(hour), endDate: at(2 * hour) }, hour],
    ['the end of one that runs', { value: 50, type: 0, startDate: null, endDate: at(2 * hour) }, 2 * hour],
    ['nothing, where the discount takes nothing off', { value: 0, type: 1, startDate: at(1), endDate: at(2) }, null],
    ['nothing, where it is over', { value: 5, type: 1, startDate: at(-2), endDate: at(-1) }, null],
    ['nothing, where it never ends', { value: 5, type: 1, startDate: null, endDate: null }, null],
  ])('is %s', async (_, discount, millis) => {
    const uuid = randomUUID();

    const { body } = await register(uuid, { productId: await product({ discount }) });

    expect(body.product.changesAt).toBe(millis === null ? null : at(millis));
  });
});

describe('a vendor', () => {
  test('is lost 30 hours after it was seen: read at once, noted by the sweep, and back when it registers', async () => {
    const uuid = randomUUID();
    const id = await product();
    await register(uuid, { productId: id });
    setClock(start + 20 * hour);
    await register(uuid);
    setClock(start + 50 * hour - 1);
    await sweepNow();
    expect(await show(uuid)).toMatchObject({ state: 'active', seenAt: at(20 * hour) });
    expect(await list('?state=lost')).toEqual([]);
    setClock(start + 50 * hour);
    expect((await list('?state=lost')).map(({ uuid: one }: { uuid: string }) => one)).toEqual([uuid]);
    expect(await list('?state=active')).toEqual([]);

    await sweepNow();
    await sweepNow();
    expect(await show(uuid)).toMatchObject({ state: 'lost' });
    setClock(start + 51 * hour);
    expect((await register(uuid)).body).toMatchObject({ state: 'active', seenAt: at(51 * hour), registeredAt: at(0) });
    setClock(start + 81 * hour);
    await sweepNow();

    const sold = expect.objectContaining({ id });
    expect((await events()).map(({ type, at: time, data }: Record<string, object>) => [type, time, data])).toEqual([
      ['vendor.registered', at(0), expect.objectContaining({ uuid, state: 'active', product: sold })],
      ['vendor.lost', at(50 * hour), expect.objectContaining({ uuid, state: 'lost', product: sold })],
      ['vendor.registered', at(51 * hour), expect.objectContaining({ uuid, state: 'active' })],
      ['vendor.lost', at(81 * hour), expect.objectContaining({ uuid, state: 'lost' })],
    ]);
  });

  test('is told what it sells by a person: 400 for an unknown product, 404 for an unknown vendor', async () => {
    const uuid = randomUUID();
    const id = await product();
    await register(uuid);

    const set = await setProduct(uuid, id);
    const unknown = await setProduct(uuid, randomUUID());
    const missing = await call('PUT', `/v1/vendors/${uuid}/product`, {});
    const none = await setProduct(uuid, null);

    expect([set.status, set.body.product.id]).toEqual([200, id]);
    expect([unknown.status, missing.status]).toEqual([400, 400]);
    expect([none.status, none.body.product]).toEqual([200, null]);
    expect((await setProduct(randomUUID(), id)).status).toBe(404);
    expect((await setProduct('x', id)).status).toBe(400);
  });

  test('is deleted once, and is new when it registers again', async () => {
    const uuid = randomUUID();
    await register(uuid, { productId: await product() });

    const first = await call('DELETE', `/v1/vendors/${uuid}`);
    const again = await call('DELETE', `/v1/vendors/${uuid}`);
    setClock(start + 5);
    const { body } = await register(uuid);

    expect([first.status, again.status]).toEqual([204, 404]);
    expect((await call('DELETE', '/v1/vendors/x')).status).toBe(400);
    expect(body).toMatchObject({ product: null, registeredAt: at(5) });
    expect((await events()).map(({ type }: { type: string }) => type)).toEqual([
      'vendor.registered',
      'vendor.registered',
    ]);
  });

  test('is found by its product, and only in its store; 404 for an id that is no UUID', async () => {
    const [chair, table] = [await product(), await product()];
    const uuids = Array.from({ length: 3 }, () => randomUUID()).sort();
    for (const uuid of uuids) await register(uuid, { productId: chair });
    await setProduct(uuids[1] as string, table);
    const other = service.callAs(await service.keyWith(scopes, (await createStore('Other')).id));
    const idsOf = async (query: string) => (await list(query)).map(({ uuid }: { uuid: string }) => uuid);

    expect(await idsOf('?limit=2')).toEqual(uuids.slice(0, 2));
    expect(await idsOf(`?product=${chair}&state=active`)).toEqual([uuids[0], uuids[2]]);
    expect(await idsOf(`?product=${table}`)).toEqual([uuids[1]]);
    expect(await idsOf(`?product=${randomUUID()}`)).toEqual([]);
    expect((await call('GET', '/v1/vendors?state=gone')).status).toBe(400);
    expect((await call('GET', '/v1/vendors/x')).status).toBe(404);
    expect((await other('GET', `/v1/vendors/${uuids[0]}`)).status).toBe(404);
    expect((await other('GET', '/v1/vendors')).body.data).toEqual([]);
    expect((await other('DELETE', `/v1/vendors/${uuids[0]}`)).status).toBe(404);
  });

  test('each row has its scope', async () => {
    const uuid = randomUUID();
    await register(uuid);
    const statuses = async (scope: Scope) => {
      const as = service.callAs(await service.keyWith([scope], store));
      const answers = [
        await register(uuid, {}, as),
        await as('GET', `/v1/vendors/${uuid}`),
        await as('GET', '/v1/vendors'),
        await as('PUT', `/v1/vendors/${uuid}/product`, { productId: null }),
        await as('DELETE', `/v1/vendors/${uuid}`),
      ];
      return answers.map(({ status }) => status);
    };

    expect(await statuses('vendors:register')).toEqual([200, 403, 403, 403, 403]);
    expect(await statuses('vendors:read')).toEqual([403, 200, 200, 403, 403]);
    expect(await statuses('vendors:write')).toEqual([403, 403, 403, 200, 204]);
  });
});
