import type { Resident } from '../../lib/avatars/residents.ts';
import { createCategory } from '../../lib/routes/categories.ts';
import { registerDispenser } from '../../lib/routes/dispenser.ts';
import { createProduct } from '../../lib/routes/products.ts';
import { createWebhook } from '../../lib/routes/webhooks.ts';
import { type Gift, startDispenser } from '../../local/start/dispenser.ts';
import { randomFrom } from '../../test/support/faults.ts';
import type { World } from './action.ts';
import { categoryActions } from './actions/categories.ts';
import { couponActions } from './actions/coupons.ts';
import { creditActions } from './actions/credit.ts';
import { customerActions } from './actions/customers.ts';
import { walkActions } from './actions/lists.ts';
import { productActions } from './actions/products.ts';
import { otherActions, pageActions } from './actions/reads.ts';
import { saleActions } from './actions/sales.ts';
import type { Book } from './book.ts';
import { type Service, send } from './client.ts';
import { createTally } from './tally.ts';

/** Clients of one store that play all actions, and what they share: residents, a shop and a dispenser. */

const actions = [
  ...creditActions,
  ...customerActions,
  ...productActions,
  ...categoryActions,
  ...couponActions,
  ...saleActions,
  ...walkActions,
  ...pageActions,
  ...otherActions,
];
/** Each action as often as its weight says. */
const weighted = actions.flatMap(({ weight, run }) => Array.from({ length: weight }, () => run));

const sharedCategories = 3;
const limitedProducts = 4;
const copiesEach = 8;

interface Options {
  seed: number;
  clients: number;
  customersEach: number;
  /** The number of residents that all clients use. */
  hotCount: number;
  tellResident: (resident: Resident) => Promise<unknown>;
  /** The store's only webhook. */
  webhook: { url: string; events: readonly string[] };
}

/** Makes the categories that all clients use, the limited products that all sell, and a webhook. */
const openShop = async (service: Service, webhook: Options['webhook']) => {
  const { book } = service;
  const shared: string[] = [];
  for (let index = 0; index < sharedCategories; index++) {
    const name = `Shared ${index}`;
    const { id } = (await send(service, createCategory, { body: { name } })).body;
    shared.push(id);
    book.members.set(id, new Set());
    book.changed('CATEGORY', id, { name });
  }
  const limited: { id: string; price: number }[] = [];
  for (let index = 0; index < limitedProducts; index++) {
    const fields = { name: `Limited ${index}`, price: 10 * index };
    const body = { ...fields, limited: true, availableAmount: copiesEach };
    const { id } = (await send(service, createProduct, { body })).body;
    limited.push({ id, price: fields.price });
    book.stocks.set(id, copiesEach);
    book.changed('PRODUCT', id, { ...fields, active: true });
  }
  const { id } = (await send(service, createWebhook, { body: webhook })).body;
  return { shared, limited, webhooks: [id] } satisfies Partial<World>;
};

/** The choices of one client, and its unique texts. */
const createChoices = (index: number, seed: number) => {
  const random = randomFrom(seed + 1000 * (index + 1));
  const below = (limit: number): number => Math.floor(random() * limit);
  let made = 0;
  return {
    ...{ index, below },
    pick: <T>(items: readonly T[]): T | undefined => items[below(items.length)],
    unique: (prefix: string): string => `${prefix}-c${index}x${made++}`,
  };
};

/** Tells the service of the residents, opens shop and dispenser, and starts the clients. */
export const startTraffic = async (service: Service, options: Options) => {
  const { seed, clients, customersEach, hotCount, tellResident, webhook } = options;
  const residents: Resident[] = Array.from({ length: 1 + hotCount + clients * customersEach }, (_, index) => ({
    uuid: `10ad10ad-0000-4000-8000-${String(index).padStart(12, '0')}`,
    username: `resident${index}.tester`,
  }));
  for (const resident of residents) await tellResident(resident);
  const [counted, ...others] = residents as [Resident, ...Resident[]];
  const shop = await openShop(service, webhook);
  const dispenser = await startDispenser(
    async (url) =>
      (await send(service, registerDispenser, { body: { url, region: 'Loopback', items: [] } })).body.secret,
  );
  await dispenser.registerAgain();
  let isEnding = false;
  const runClient = async (_: unknown, index: number): Promise<void> => {
    const from = hotCount + index * customersEach;
    const customers = others.slice(from, from + customersEach);
    const world: World = {
      ...{ service, customers, hot: others.slice(0, hotCount), counted, ...shop, ...createChoices(index, seed) },
      own: { products: [], coupons: [], cards: [], categories: [] },
    };
    while (!isEnding)
      await world
        .pick(weighted)?.(world)
        .catch((error: Error) => service.book.fault(error.message));
  };
  const running = Array.from({ length: clients }, runClient);
  return {
    residents,
    dispenser,
    /** Ends the clients, each after its present action. */
    end: async (): Promise<void> => {
      isEnding = true;
      await Promise.all(running);
    },
    stop: (): Promise<void> => {
      isEnding = true;
      return dispenser.stop();
    },
  };
};

export type Traffic = Awaited<ReturnType<typeof startTraffic>>;

/** How much was acknowledged, with which results. */
export const figuresOf = ({ rows, sales, credit, seen, deliveries }: Book, gifts: readonly Gift[]) => ({
  rows: Object.fromEntries(Object.entries(rows).map(([kind, some]) => [kind, some.size])),
  sales: createTally([...sales.values()].map(({ answer }) => answer.state)).toJSON(),
  credit: createTally(credit.map(({ outcome }) => outcome)).toJSON(),
  reads: seen.length,
  deliveries: {
    acknowledged: deliveries.size,
    given: gifts.length,
    orderedTwice: gifts.length - new Set(gifts.map(({ message }) => message)).size,
  },
});
