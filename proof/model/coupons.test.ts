import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { issueKey } from '../../cli/deployment/api-keys.ts';
import { createStore } from '../../cli/deployment/stores.ts';
import { timestamp } from '../../lib/clock.ts';
import { scopes } from '../../lib/routes/route.ts';

import { createCoupon } from '../../lib/store/coupons.ts';

import { ada, bob, cleo, seedResidents } from '../../test/support/residents.ts';
import { type Call, setClock, startTestService } from '../../test/support/service.ts';
import { volume } from '../../test/support/volume.ts';
import { apply, type Choice, type CouponModel, create, replace, revoke } from './coupon-model.ts';

/** Random runs: `COUPON_MODEL_RUNS` asks for more, `COUPON_MODEL_SEED` replays some. */
const runs = Number(process.env.COUPON_MODEL_RUNS ?? volume(40, 300));
const seed = Number(process.env.COUPON_MODEL_SEED ?? Date.now() % 2 ** 31);

const start = Date.parse('2026-03-01T00:00:00.000Z');
const hourMillis = 3_600_000;

/** The service under test. Each run has a store of its own. */
interface Real {
  call: Call;
  store: string;
  products: string[];
}

const owners = [ada, bob];
const customers = [bob, cleo];

/** The coupon of a command, by its index among the existing ones. Now and then the index is out of range. */
type Pick = { by: 'id' | 'code' | 'owner'; index: number };

const choiceOf = ({ coupons }: CouponModel, { by, index }: Pick): Choice => {
  const coupon = coupons[index % (coupons.length + 1)];
  if (by === 'owner') return { couponOwnerUuid: (owners[index % 2] ?? ada).uuid };
  if (by === 'code') return { code: (index % 2 === 0 ? coupon?.code : coupon?.code.toUpperCase()) ?? 'no such code' };
  return { couponId: coupon?.id ?? 'ffffffff-0000-0000-0000-000000000000' };
};

type Command = fc.AsyncCommand<CouponModel, Real>;

/** Moves the clock between two creations. At the same time neither coupon would be the newest. */
const tick = (model: CouponModel, millis = 1): void => {
  model.now += millis;
  setClock(model.now);
};

const createCommand = (code: string, owner: number, active: boolean): Command => ({
  check: () => true,
  run: async (model, { call }) => {
    tick(model);
    const { uuid } = owners[owner] ?? ada;
    const answer = await call('POST', '/v1/coupons', { code, ownerIdentifier: uuid, active });
    const coupon = { id: answer.body.id, code, owner: uuid, active, expiration: Number.POSITIVE_INFINITY };
    expect(answer.status).toBe(create(model, coupon));
  },
  toString: () => `create ${code} of ${owner}${active ? '' : ', inactive'}`,
});

const importCommand = (code: string, owner: number, lifeHours: number): Command => ({
  check: ({ coupons }) => !coupons.some((coupon) => coupon.code.toLowerCase() === code.toLowerCase()),
  run: async (model, { store }) => {
    tick(model);
    const expiration = model.now + lifeHours * hourMillis;
    const fields = { code, discount: 0, ownerProfit: 0, active: true, bloggersSync: false };
    const resident = owners[owner] ?? ada;
    const { id } = await createCoupon(store, resident, fields, { expiration: timestamp(expiration) });
    create(model, { id, code, owner: resident.uuid, active: true, expiration });
  },
  toString: () => `import ${code} of ${owner} for ${lifeHours} h`,
});

const replaceCommand = (index: number, code: string, active: boolean): Command => ({
  check: ({ coupons }) => coupons.length > 0,
  run: async (model, { call }) => {
    const id = model.coupons[index % model.coupons.length]?.id ?? '';
    const answer = await call('PUT', `/v1/coupons/${id}`, { code, active });
    expect(answer.status).toBe(replace(model, id, code, active));
  },
  toString: () => `replace ${index}: ${code}${active ? '' : ', inactive'}`,
});

/** The scope of an application: -1 is the whole store, other numbers are products. */
const scopeOf = ({ products }: Real, scope: number): { body: object; name: string } => {
  const productId = products[scope];
  return productId === undefined
    ? { body: { scope: 0 }, name: 'store' }
    : { body: { scope: 1, productId }, name: productId };
};

const applyCommand = (pick: Pick, who: number, scope: number, hours: number): Command => ({
  check: () => true,
  run: async (model, real) => {
    const customer = customers[who] ?? bob;
    const choice = choiceOf(model, pick);
    const { body, name } = scopeOf(real, scope);
    const answer = await real.call('POST', `/v1/customers/${customer.uuid}/actions/apply-coupon`, {
      ...choice,
      ...body,
      expiresInHours: hours,
    });
    const { status, ...wanted } = apply(model, customer.uuid, name, choice, hours);
    expect(answer.status).toBe(status);
    if ('expiresAt' in wanted) expect(answer.body).toMatchObject({ ...wanted, expiresAt: timestamp(wanted.expiresAt) });
  },
  toString: () => `apply by ${pick.by} ${pick.index} to ${who} at ${scope} for ${hours} h`,
});

const revokeCommand = (pick: Pick, who: number, scope: number): Command => ({
  check: () => true,
  run: async (model, real) => {
    const customer = customers[who] ?? bob;
    const choice = choiceOf(model, pick);
    const { body, name } = scopeOf(real, scope);
    const path = `/v1/customers/${customer.uuid}/actions/revoke-coupon`;
    const answer = await real.call('POST', path, { ...choice, ...body });
    const { status, ...wanted } = revoke(model, customer.uuid, name, choice);
    expect(answer.status).toBe(status);
    if ('revoked' in wanted) expect(answer.body).toEqual(wanted);
  },
  toString: () => `revoke by ${pick.by} ${pick.index} from ${who} at ${scope}`,
});

/** Moves the clock to the next expiry, to a millisecond before it, or by some hours. */
const waitCommand = (how: 'before' | 'at' | 'hours', hours: number): Command => ({
  check: () => true,
  run: async (model) => {
    const ends = [...model.applications.map(({ expiresAt }) => expiresAt), ...model.coupons.map((c) => c.expiration)];
    const next = Math.min(...ends.filter((end) => end > model.now + 1));
    if (how === 'hours' || next === Number.POSITIVE_INFINITY) tick(model, hours * hourMillis);
    else tick(model, next - model.now - (how === 'before' ? 1 : 0));
  },
  toString: () => `wait ${how} ${hours}`,
});

const codes = fc.constantFrom('spring', 'SPRING', 'Summer', 'summer', 'Été', 'ÉTÉ', 'x1');
const pick = fc.record({ by: fc.constantFrom('id', 'code', 'owner'), index: fc.nat(6) });
const either = fc.nat(1);
const scope = fc.integer({ min: -1, max: 1 });
const hours = fc.constantFrom(1, 2, 24, 168);

const commands = fc.commands(
  [
    fc.tuple(codes, either, fc.boolean()).map((args) => createCommand(...args)),
    fc.tuple(codes, either, hours).map((args) => importCommand(...args)),
    fc.tuple(fc.nat(6), codes, fc.boolean()).map((args) => replaceCommand(...args)),
    fc.tuple(pick, either, scope, hours).map((args) => applyCommand(...args)),
    fc.tuple(pick, either, scope, hours).map((args) => applyCommand(...args)),
    fc.tuple(pick, either, scope).map((args) => revokeCommand(...args)),
    fc.tuple(fc.constantFrom('before', 'at', 'hours'), hours).map((args) => waitCommand(...args)),
  ],
  { maxCommands: 30 },
);

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  setClock(start);
  service = await startTestService();
  await seedResidents();
});

const setUp = async (): Promise<{ model: CouponModel; real: Real }> => {
  setClock(start);
  const { id: store } = await createStore('Model store');
  const call = service.callAs((await issueKey({ store, name: 'model', scopes, stage: 'test' })).text);
  const create = async (name: string) => (await call('POST', '/v1/products', { name, price: 1 })).body.id;
  const products = [await create('One'), await create('Two')];
  return { model: { now: start, coupons: [], applications: [] }, real: { call, store, products } };
};

test(`answers as the model of the contract does, in ${runs} random histories (seed ${seed})`, async () => {
  let steps = 0;
  const property = fc.asyncProperty(commands, async (history) => {
    const { model, real } = await setUp();
    await fc.asyncModelRun(() => ({ model, real }), history);
    const { data } = (await real.call('GET', '/v1/coupons?limit=1000')).body;
    const seen = data.map(({ id, code, active }: { id: string; code: string; active: boolean }) => [id, code, active]);
    expect(seen.sort()).toEqual(model.coupons.map(({ id, code, active }) => [id, code, active]).sort());
    steps += [...history].length;
  });

  await fc.assert(property, { numRuns: runs, seed });

  expect(steps).toBeGreaterThanOrEqual(runs);
}, 600_000);
