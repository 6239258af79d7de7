import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { findDispenser } from '../../../lib/delivery/dispensers.ts';
import { put, unchanged } from '../../../lib/table/language.ts';
import { get, transact } from '../../../lib/table/table.ts';
import { answerLost, intercept, outcomeOf, type Send } from '../../support/faults.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService } from '../../support/service.ts';

/**
 * A write that the table carries out late, or that is sent again after somebody else's write, does not undo the newer
 * one. Each scene has an older and a newer request about one thing, and says what must be there after both.
 */

let stop = () => {};
process.env.DISPENSER_LOOPBACK = 'allowed';
const service = await startTestService();
// Without jitter, retries do not wait.
source.random = () => 0;
afterEach(() => stop());

type Request = [method: string, path: string, body?: object];

interface Scene {
  /** Part of the older request's write, by which the test knows it. */
  about: string;
  older: Request;
  newer: Request | (() => Promise<Request>);
  /** The resource that the requests are about, as it is now. */
  read: () => Promise<unknown>;
  /** After the newer request. */
  wanted: unknown;
}

const send = ([method, path, body]: Request, headers: Record<string, string> = {}) =>
  service.call(method, path, body, headers);
const made = async (path: string, body: object): Promise<string> => (await service.call('POST', path, body)).body.id;
const reading = (path: string, of: (answer: { status: number; body: never }) => unknown) => async () =>
  of((await service.call('GET', path)) as never);

const aCustomer = async (): Promise<string> => {
  const { uuid } = await newResident();
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  return `/v1/customers/${uuid}`;
};
const aCard = async (): Promise<string> =>
  `/v1/giftcards/${await made(`${await aCustomer()}/actions/grant-gift-card`, { credit: 80 })}`;
const aCoupon = async (fields = {}): Promise<{ id: string; code: string }> => {
  const [{ uuid }, code] = [await newResident(), randomUUID()];
  return { id: await made('/v1/coupons', { code, ownerIdentifier: uuid, ...fields }), code };
};
const idOf = (path: string): string => path.split('/').at(-1) ?? '';

const scenes: Record<string, () => Promise<Scene>> = {
  'the credit of a gift card': async () => {
    const path = await aCard();
    const read = reading(path, ({ body }: { body: { credit: number } }) => body.credit);
    const [older, newer]: Request[] = [80, 0].map((credit) => ['PUT', path, { credit }]) as Request[];
    return { about: idOf(path), older: older as Request, newer: newer as Request, read, wanted: 0 };
  },
  'a gift card that was disabled': async () => {
    const path = await aCard();
    return {
      about: idOf(path),
      older: ['PUT', path, { credit: 80 }],
      newer: ['POST', `${path}/actions/disable`],
      read: reading(path, ({ body }: { body: { active: boolean } }) => body.active),
      wanted: false,
    };
  },
  'the application of a coupon that was revoked': async () => {
    const [path, { id: couponId }] = [await aCustomer(), await aCoupon()];
    await service.call('POST', `${path}/actions/apply-coupon`, { couponId, scope: 0 });
    return {
      about: `#APPLIED#${idOf(path)}`,
      older: ['POST', `${path}/actions/apply-coupon`, { couponId, scope: 0 }],
      newer: ['POST', `${path}/actions/revoke-coupon`, { couponId, scope: 0 }],
      read: reading(`${path}/coupons`, ({ body }: { body: { data: unknown[] } }) => body.data),
      wanted: [],
    };
  },
  'the application of a coupon in the place of another': async () => {
    const [path, one, two] = [await aCustomer(), await aCoupon(), await aCoupon()];
    const apply = ({ id }: { id: string }): Request => [
      'POST',
      `${path}/actions/apply-coupon`,
      { couponId: id, scope: 0 },
    ];
    return {
      about: `#APPLIED#${idOf(path)}`,
      older: apply(one),
      newer: apply(two),
      read: reading(`${path}/coupons`, ({ body }: { body: { data: { code: string }[] } }) => body.data[0]?.code),
      wanted: two.code,
    };
  },
  'a ban that was lifted': async () => {
    const path = await aCustomer();
    return {
      about: idOf(path),
      older: ['POST', `${path}/actions/ban`, { reason: 'Spam' }],
      newer: ['POST', `${path}/actions/unban`],
      read: reading(path, ({ body }: { body: { isBanned: boolean } }) => body.isBanned),
      wanted: false,
    };
  },
  'the discount of a customer': async () => {
    const path = await aCustomer();
    return {
      about: idOf(path),
      older: ['PUT', path, { discount: 50 }],
      newer: ['PUT', path, { discount: 0 }],
      read: reading(path, ({ body }: { body: { discount: number } }) => body.discount),
      wanted: 0,
    };
  },
  'the price of a product': async () => {
    const path = `/v1/products/${await made('/v1/products', { name: 'Lamp', price: 1 })}`;
    return {
      about: idOf(path),
      older: ['PUT', path, { name: 'Lamp', price: 10 }],
      newer: ['PUT', path, { name: 'Lamp', price: 20 }],
      read: reading(path, ({ body }: { body: { price: number } }) => body.price),
      wanted: 20,
    };
  },
  'the fields of a coupon': async () => {
    const { id, code } = await aCoupon();
    const path = `/v1/coupons/${id}`;
    return {
      about: id,
      older: ['PUT', path, { code, discount: 50 }],
      newer: ['PUT', path, { code, discount: 0, active: false }],
      read: reading(path, ({ body }: { body: { discount: number; active: boolean } }) => [body.discount, body.active]),
      wanted: [0, false],
    };
  },
  'the code of a coupon': async () => {
    const { id, code } = await aCoupon();
    const path = `/v1/coupons/${id}`;
    return {
      about: '"TransactItems":[',
      older: ['PUT', path, { code: `other ${code}`, discount: 50 }],
      newer: ['PUT', path, { code, discount: 5 }],
      read: reading(path, ({ body }: { body: { discount: number; code: string } }) => [body.discount, body.code]),
      wanted: [5, code],
    };
  },
  'the name of a category': async () => {
    const path = `/v1/categories/${await made('/v1/categories', { name: 'First' })}`;
    return {
      about: idOf(path),
      older: ['PUT', path, { name: 'Second' }],
      newer: ['PUT', path, { name: 'Third' }],
      read: reading(path, ({ body }: { body: { name: string } }) => body.name),
      wanted: 'Third',
    };
  },
  'the address of a dispenser': async () => {
    const url = (path: string): string => `http://127.0.0.1:9/${path}`;
    await service.call('PUT', '/v1/dispenser', { url: url('first'), region: '', items: [] });
    return {
      about: '#DISPENSER',
      older: ['PUT', '/v1/dispenser', { url: url('second'), region: '', items: [] }],
      newer: ['PUT', '/v1/dispenser', { url: url('third'), region: '', items: [] }],
      read: async () => (await findDispenser(service.store))?.url,
      wanted: url('third'),
    };
  },
  'a category that was deleted': async () => {
    const name = randomUUID();
    const read = async (): Promise<{ id: string } | undefined> =>
      (await service.call('GET', '/v1/categories')).body.data.find((one: { name: string }) => one.name === name);
    return {
      about: name,
      older: ['POST', '/v1/categories', { name }],
      newer: async () => ['DELETE', `/v1/categories/${(await read())?.id}`],
      read,
      wanted: undefined,
    };
  },
};

const newerOf = async ({ newer }: Scene): Promise<Request> => (typeof newer === 'function' ? newer() : newer);

/** Calls `fail` in the place of the writes of the older request, with their number from 1. */
const inPlaceOf = ({ about }: Scene, fail: (send: Send, number: number) => Promise<unknown>): void => {
  let number = 0;
  stop = intercept(async (call, pass) => {
    if (!call.isWrite || !JSON.stringify(call.input).includes(about)) return pass();
    number += 1;
    return fail(pass, number);
  });
};

const named = Object.entries(scenes);

describe.each(named)('%s', (name, make) => {
  test('stays as it is when the first copy of an older, answered request is carried out late', async () => {
    const scene = await make();
    let late: Send | undefined;
    inPlaceOf(scene, async (pass, number) => {
      if (number > 1) return pass();
      late = pass;
      throw answerLost();
    });
    const older = await send(scene.older);
    stop();
    const newer = await send(await newerOf(scene));

    await late?.().catch(() => undefined);

    expect([older.status, newer.status].filter((status) => status >= 300)).toEqual([]);
    expect(late).toBeDefined();
    expect(await scene.read()).toEqual(scene.wanted);
  });

  test('stays as it is when an older request, whose answer was lost, is sent again', async () => {
    const scene = await make();
    let newer = 0;
    inPlaceOf(scene, async (pass, number) => {
      const answer = await pass();
      if (number > 1) return answer;
      stop();
      ({ status: newer } = await send(await newerOf(scene)));
      throw answerLost();
    });

    const older = await send(scene.older);

    expect([older.status, newer].filter((status) => status >= 300)).toEqual([]);
    expect(await scene.read()).toEqual(scene.wanted);
  });

  // Nobody knows the id of a category whose creation got no answer.
  if (name === 'a category that was deleted') return;
  test('stays as it is when an older request that got no answer is carried out late', async () => {
    const scene = await make();
    const copies: Send[] = [];
    inPlaceOf(scene, async (pass) => {
      copies.push(pass);
      throw answerLost();
    });
    const older = await send(scene.older);
    stop();
    const newer = await send(await newerOf(scene), { 'Idempotency-Key': randomUUID() });

    for (const late of copies) await late().catch(() => undefined);

    expect([older, newer].map(outcomeOf)).toEqual(['unknown', 200]);
    expect(copies.length).toBeGreaterThan(1);
    expect(await scene.read()).toEqual(scene.wanted);
  });
});

// A row of an import replaces an item as it was read.
test('an item that was replaced, and then got its first values back, is not replaced as it was first read', async () => {
  const key = { pk: randomUUID(), sk: 'card' };
  const read = () => get<object>(key);
  const replace = (credit: number, as: object | undefined) => transact([put({ ...key, credit }, unchanged(as), as)]);
  await replace(20, undefined);
  const first = await read();

  expect(await replace(50, first)).toBeUndefined();
  expect(await replace(20, await read())).toBeUndefined();

  expect(await replace(50, first)).toBeDefined();
  expect(await read()).toMatchObject({ credit: 20 });
});
