import { putResident } from '../../cli/deployment/residents.ts';
import { createStore } from '../../cli/deployment/stores.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { sell } from '../../lib/sale/sell.ts';
import { applyCoupon } from '../../lib/store/applied-coupons.ts';
import { createCoupon, never } from '../../lib/store/coupons.ts';
import { putGiftCard } from '../../lib/store/gift-cards.ts';
import { createProduct } from '../../lib/store/products.ts';
import { MemoryTable } from '../../test/lib/table/memory.ts';
import { productWith } from '../../test/support/rows.ts';
import { increment } from '../model/credit-model.ts';
import {
  type ModelRequest,
  type ModelSale,
  newAvatar,
  type SaleModel,
  sell as sellInModel,
} from '../model/sale-model.ts';
import { consumeAll, deliverAll } from './background.ts';
import { creditLimit } from './environment.ts';
import { Machine, type Process, works } from './machine.ts';

/** The worlds that schedules begin in: a store as the service made it, and the same as the model has it. */

/** Two seconds before midnight, so that days change while operations run. */
export const start = Date.parse('2028-02-29T23:59:58.000Z');

interface ModelCard {
  owner: string;
  credit: number;
  transfer: boolean;
  isRedeemed: boolean;
}

/** All that operations see and change. */
export interface State extends SaleModel {
  sales: Record<string, ModelSale>;
  cards: Record<string, ModelCard>;
  /** Customers whose credit more than imports has changed, by UUID. */
  touched: Record<string, true>;
  /** Rows of imports that are there, by id. */
  imported: Record<string, true>;
}

export interface World {
  store: string;
  /** Two customers, and a resident of whom the store knows nothing. */
  avatars: readonly string[];
  /** A limited one, of which two were left before the sale, and one of which there is no end. */
  products: readonly string[];
  couponId: string;
  cards: readonly string[];
  /** A sale of the limited product, partly for credit. */
  soldId: string;
  table: MemoryTable;
  state: State;
}

const uuidOf = (number: number): string => `${String(number).padStart(8, '0')}-51b0-4000-8000-000000000000`;

/** Runs work in a machine where nothing fails. */
export const quietly = async <T>(machine: Machine, process: Process, run: () => Promise<T>): Promise<T> => {
  machine.isQuiet = true;
  const work = { machine, process, operation: 'quiet', callsLeft: Number.POSITIVE_INFINITY };
  return works.run({ ...work, isDead: false, onDeath: () => undefined }, run);
};

interface Setting {
  /** Of the first customer's lots: when they come due, in milliseconds after the start. */
  lots: readonly number[];
  usesPerCustomer: number;
  /** Lots of L$ 1 besides, so that a change of all does not fit into one transaction. */
  small: number;
}

const minute = 60_000;

const settings: readonly Setting[] = [
  { lots: [], usesPerCustomer: 1, small: 0 },
  { lots: [-1, 400, 20 * minute], usesPerCustomer: 1, small: 0 },
  { lots: [-minute, -minute, 20 * minute], usesPerCustomer: 2, small: 0 },
  { lots: [200, 3000, 3000, 20 * minute], usesPerCustomer: 2, small: 0 },
  { lots: [1500], usesPerCustomer: 1, small: 0 },
  { lots: [1000, 20 * minute], usesPerCustomer: 2, small: 110 },
];

export const worldCount = settings.length;

/** The worlds with many lots cost many times as much as others. */
export const isLarge = (index: number): boolean => (settings[index]?.small ?? 0) > 0;

const never200 = { faults: 0, deaths: 0, torn: 0, staleMillis: 0 };

const build = async (index: number): Promise<World> => {
  const { lots, usesPerCustomer, small } = settings[index] as Setting;
  const table = new MemoryTable();
  const machine = new Machine(index + 1, table, start - 120 * minute, never200);
  const by = { by: 'seed' };
  return quietly(machine, { skew: 0, states: new Map() }, async () => {
    const avatars = [uuidOf(1), uuidOf(2), uuidOf(3)] as const;
    for (const [place, uuid] of avatars.entries()) await putResident({ uuid, username: `avatar${place}` });
    const { id: store } = await createStore('Simulated', 'simulated');
    await registerDispenser(store, { url: 'https://a.agni.secondlife.io/cap', region: 'x', items: [], keyId: 'key' });
    const state: State = {
      ...{ now: now(), isOpen: true, avatars: {}, products: {}, coupons: [] },
      ...{ sales: {}, cards: {}, touched: {}, imported: {} },
    };
    for (const uuid of avatars) state.avatars[uuid] = newAvatar();

    const fill = async (uuid: string, type: CreditType, amount: number, due?: number): Promise<void> => {
      const expiresAt = due === undefined ? undefined : timestamp(start + due);
      await changeCredit(store, { uuid }, type, { kind: 'increment', delta: amount, expiresAt }, by);
      const holder = (state.avatars[uuid] as (typeof state.avatars)[string]).credit[type];
      increment(holder, amount, due === undefined ? undefined : start + due, now(), creditLimit);
      state.touched[uuid] = true;
    };
    for (const due of lots) await fill(avatars[0], 'regular', 10, due);
    // A refund joins lots beyond 40 expiries, which the model of sales does not.
    for (let i = 0; i < small; i++) await fill(avatars[0], 'regular', 1, 19 * minute + (i % 11) * 10);
    await fill(avatars[0], 'regular', 20);
    for (const type of creditTypes) await fill(avatars[1], type, 15, 2500);
    await fill(avatars[1], 'regular', 40);
    await fill(avatars[0], 'restricted', 25);

    const plain = { off: undefined, active: true, blockCredits: false, shares: [] };
    const first = await createProduct(store, productWith({ limited: true, availableAmount: 3 }));
    const second = await createProduct(store, productWith({ price: 60 }));
    state.products[first.id] = { ...plain, price: 100, limited: true, stock: 3 };
    state.products[second.id] = { ...plain, price: 60, limited: false, stock: 0 };

    const fields = { ownerProfit: 0, active: true, bloggersSync: false };
    const owner = { uuid: avatars[1], username: 'avatar1' };
    const coupon = await createCoupon(store, owner, { code: 'HALF', discount: 50, ...fields }, { usesPerCustomer });
    const lapsed = await createCoupon(store, owner, { code: 'MOST', discount: 90, ...fields }, {});
    await applyCoupon(store, { uuid: avatars[0] }, { couponId: coupon.id, expiresInHours: 24 });
    // It has lapsed when a schedule begins, and the table still has it.
    await applyCoupon(store, { uuid: avatars[0] }, { couponId: lapsed.id, expiresInHours: 1, productId: first.id });
    const applications = { store: { couponId: coupon.id, expiresAt: now() + 24 * 60 * minute } };
    Object.assign(state.avatars[avatars[0]] as object, { applications });
    state.coupons.push({
      ...{ id: coupon.id, owner: avatars[1], discount: 50, ownerProfit: 0, usesPerCustomer },
      ...{ active: true, expiration: Date.parse(never) },
    });

    const cards: string[] = [];
    const newCard = async (place: 0 | 1, credit: number, transfer: boolean): Promise<void> => {
      const holder = { uuid: avatars[place], username: `avatar${place}` };
      const { id } = await putGiftCard(store, holder, { credit, texture: null, transfer, active: true });
      state.cards[id] = { owner: holder.uuid, credit, transfer, isRedeemed: false };
      cards.push(id);
    };
    await newCard(0, 35, false);
    await newCard(1, 20, true);

    machine.time = start - 30 * minute;
    const soldId = newId();
    const asked: ModelRequest = { productId: first.id, buyer: avatars[0], recipient: avatars[0], useCredit: true };
    const request = { buyerIdentifier: { uuid: avatars[0] }, recipientIdentifier: undefined, message: '' };
    state.now = now();
    await sell(store, { ...request, id: soldId, productId: first.id, paid: 40, useCredit: true }, by);
    state.sales[soldId] = sellInModel(state, asked, 40, undefined);
    await consumeAll(machine);
    await deliverAll(machine);
    await consumeAll(machine);
    const products = [first.id, second.id];
    return { store, avatars, products, couponId: coupon.id, cards, soldId, table, state };
  });
};

const worlds: (Promise<World> | undefined)[] = [];

/** The world of a number. It is made once: schedules take copies of its table and state. */
export const worldOf = (index: number): Promise<World> => {
  worlds[index] ??= build(index);
  return worlds[index];
};
