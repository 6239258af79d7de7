import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addProduct, createCategory } from '../../lib/routes/categories.ts';
import { createCoupon } from '../../lib/routes/coupons.ts';
import { listDeliveries, retryDelivery } from '../../lib/routes/deliveries.ts';
import { createProduct, updateProduct } from '../../lib/routes/products.ts';
import { updateResident } from '../../lib/routes/residents.ts';
import { updateProductGiftCard, updateRules } from '../../lib/routes/rules.ts';
import { setVendorProduct } from '../../lib/routes/vendors.ts';
import type { Avatar } from '../../local/grid/grid.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import { type Answer, type Service, send, walk } from '../workload/client.ts';
import type { Actor } from './actor.ts';
import { plant } from './planted.ts';
import type { Region } from './regions.ts';
import { strangerSource } from './stranger.ts';

/** A store of the service, with its objects in the grid and the merchant who owns them. */

/** The body of any endpoint's answer. */
export type Body = Answer['body'];

export interface Stall {
  object: Placement;
  region: Region;
}

type Script = 'cashier' | 'vendor' | 'dispenser' | 'shelf' | 'terminal' | 'updater';

/** The text of a shipped script, with the planted fault if it belongs there. */
export const scriptOf = (name: Script, fault = ''): string => {
  const file = join(import.meta.dirname, `../../apps/inworld/${name}.lsl`);
  return plant(fault, file, readFileSync(file, 'utf8'));
};

const vendorsEach = 8;
/** This vendor has arrows over all products. It is an object of its own in each store. */
const arrowsAt = 5;
/** The avatars with these numbers own coupons of 10, 25 and 100 percent. */
const couponOwners = [10, 25, 100];
/** A discount for the group's tag, a discount by what a buyer has spent, and credit as a bonus. */
export const rules = {
  groupDiscount: 10,
  tiers: [{ from: 500, percent: 5 }],
  bonus: { percent: 5, groupPercent: 10, expiresInDays: 30, type: 'restricted' as const },
};
/** The L$ of each card that a store sells. */
export const cardCredit = 60;
/** The owner of the tampering scripts, who gets the L$ that they ask for. */
const stranger = '66666666-6666-4666-8666-666666666666';

export interface Plan {
  store: { id: string; name: string };
  owner: Avatar;
  service: Service;
  keys: Record<Exclude<Script, 'updater'> | 'otherVendor', string>;
  /** A fault to plant into a script. */
  fault: string | undefined;
  regions: readonly Region[];
  avatars: readonly Avatar[];
  /** The group that all objects are set to. */
  group: string;
  /** True: boxes with two names are in two regions. False: a box and its standby are in one. */
  isSpread: boolean;
  actor: Actor;
}

/** Makes the products and coupons of a store. */
const makeGoods = async ({ store, service, avatars, actor }: Plan) => {
  const products = new Map<string, Body>();
  // On a busy machine a look-up takes longer than the service waits for it.
  const named = [...avatars.slice(0, 3), ...couponOwners.map((place) => avatars[place % avatars.length] as Avatar)];
  for (const { uuid, username } of named) await send(service, updateResident, { params: { uuid }, body: { username } });
  for (let n = 0; n < vendorsEach; n++) {
    const body = {
      name: `${n % 3 === 0 ? 'Long-named '.repeat(4) : ''}Lamp ${n}`,
      item: `Lamp ${n} of ${store.id}`,
      price: n === 0 ? 1 : 10 + actor.below(300),
      blockCredits: n % 4 === 3,
      permissions: { copy: n % 5 !== 4 },
      ...(n % 4 === 2 && { limited: true, availableAmount: 40 }),
      ...(n % 2 === 1 && {
        profitShares: [10, 33.3].map((percent, place) => ({ userUuid: avatars[(n + place) % 3]?.uuid, percent })),
      }),
    };
    const { id } = (await send(service, createProduct, { body })).body;
    products.set(id, { ...body, id });
  }
  const coupons = couponOwners.map((discount) => ({
    ...{ code: `WORLD${discount}`, discount, expiration: '2199-12-31T00:00:00Z', ownerProfit: 5 },
    ...{ ownerIdentifier: avatars[discount % avatars.length]?.uuid, usesPerCustomer: discount === 100 ? 1 : 0 },
  }));
  for (const coupon of coupons) await send(service, createCoupon, { body: coupon });
  await send(service, updateRules, { body: rules });
  const cardProduct = [...products.keys()][1] ?? '';
  await send(service, updateProductGiftCard, { params: { id: cardProduct }, body: { credit: cardCredit } });
  const { id: category } = (await send(service, createCategory, { body: { name: 'All' } })).body;
  for (const productId of products.keys()) await send(service, addProduct, { params: { id: category, productId } });
  return { products, category, cardProduct, coupons: coupons.map(({ code }) => code) };
};

/** Places the objects of a store. The first box stands in the first region. */
const placeObjects = ({ products, category }: Awaited<ReturnType<typeof makeGoods>>, plan: Plan) => {
  const { owner, keys, fault, regions, group, isSpread } = plan;
  const lines = (key: string): string[] => ['service = https://service.example', `key = ${key}`];
  const [home, away] = regions as [Region, Region, ...Region[]];
  const rez = (region: Region, script: Script, card: string[], name: string = script, items: string[] = []): Stall => ({
    region,
    object: region.rez({
      ...{ owner: owner.uuid, group, name, script: scriptOf(script, fault), notecards: { [script]: card } },
      items: items.map((item) => ({ name: item })),
    }),
  });
  const stock = [...products.values()].map(({ item }) => item);
  const rezBox = (region: Region, name: string, settings: string[], items: string[]): Stall =>
    rez(region, 'dispenser', [...lines(keys.dispenser), ...settings], name, items);
  /** The notecards of a vendor that has its product already, with either key. */
  const notecardsOf = (productId: string): string[][] =>
    [keys.vendor, keys.otherVendor].map((key) => [...lines(key), `product = ${productId}`]);
  const vendors = [...products.keys()].map((productId, n) => ({
    productId,
    arrows: [] as Placement[],
    ...rez(regions[n % regions.length] as Region, 'vendor', lines(keys.vendor)),
  }));
  const { object: withArrows, region: there } = vendors[arrowsAt] as Stall;
  const part = (name: string, script: string, notecards = {}): Placement =>
    there.rez({ owner: owner.uuid, name, script, notecards, items: [] });
  const shelfCard = [...lines(keys.shelf), `category = ${category}`];
  const shelf = part('shelf', scriptOf('shelf', fault), { shop: shelfCard });
  const arrows = ['next', 'previous'].map((name) => part(name, 'default { state_entry() { } }'));
  there.world.link(withArrows, shelf, ...arrows);
  Object.assign(vendors[arrowsAt] ?? {}, { arrows });
  const terminals = regions.slice(0, 2).map((region) => rez(region, 'terminal', lines(keys.terminal)));
  // The first box lacks a product. The second is always asked for it.
  const lacking = isSpread ? stock[0] : undefined;
  const boxes = isSpread
    ? [rezBox(home, 'box', [], stock.slice(1)), rezBox(away, 'second box', ['name = second', 'priority = 1'], stock)]
    : [rezBox(home, 'box', [], stock), rezBox(home, 'standby', [], stock)];
  // One cashier is part of the counter with a stranger's script. The other is not linked.
  const card = [...lines(keys.cashier), 'limit = 500000', 'hold = 0'];
  const tills = regions.slice(1, 3).map((region) => rez(region, 'cashier', card));
  const strangers = regions.slice(0, 2).map((region) => ({
    region,
    object: region.rez({ owner: stranger, name: 'decoration', script: strangerSource, notecards: {}, items: [] }),
  }));
  // In each region one vendor is the root of a counter: in the first with the box, in two with a stranger's script. The
  // others are objects of their own.
  for (const [n, region] of regions.entries()) {
    const isHere = (stall: { region: Region }): boolean => stall.region === region;
    const others = [...strangers, ...tills.slice(0, 1), ...(n === 0 ? boxes.slice(0, 1) : [])].filter(isHere);
    const root = vendors.find(isHere);
    if (root) region.world.link(root.object, ...others.map(({ object }) => object));
  }
  /** The prims of all cashiers that have ever existed. */
  const cashiers = new Set(tills.map(({ object }) => object.body.id));
  return { vendors, terminals, boxes, lacking, tills, cashiers, strangers, notecardsOf };
};

/** A vendor with arrows sells any product. */
const productAt = ({
  object,
  productId,
  arrows,
}: {
  object: Placement;
  productId: string;
  arrows: Placement[];
}): string => (arrows.length > 0 ? object.body.id : productId);

/** Makes the products of a store, and places its objects. */
export const openMall = async (plan: Plan) => {
  const { store, owner, service } = plan;
  const goods = await makeGoods(plan);
  const [fault] = service.book.faults;
  if (fault) throw new Error(`The mall did not open: ${fault}`);
  const objects = placeObjects(goods, plan);
  return {
    ...{ store, owner: owner.uuid, service, ...goods, ...objects },
    /** The passes that open the entries of its scripts. */
    passes: Object.values(plan.keys).map((key) => createHmac('sha256', key).update(owner.uuid).digest('base64')),
    /** The product of each vendor that there has ever been, by its prim; of one with arrows the prim itself. */
    productOf: new Map(objects.vendors.map((stall) => [stall.object.body.id, productAt(stall)])),
    /** The cards that each avatar was given and has not tried to redeem. */
    unusedCards: new Map<string, string[]>(),
    /** The L$ and the owner of each granted card, by id. */
    granted: new Map<string, { credit: number; owner: string }>(),
    /** L$ that the merchant must still give back by hand, by the refunded sale. */
    refunds: new Map<string, { to: string; amount: number }>(),
  };
};
export type Mall = Awaited<ReturnType<typeof openMall>>;

/** The merchant says what each vendor sells, as soon as it has registered. */
export const stockVendors = async ({ service, vendors }: Mall, actor: Actor): Promise<void> => {
  for (const { object, productId } of vendors) {
    const call = { params: { uuid: object.body.id }, body: { productId }, expect: [200, 404] };
    while ((await send(service, setVendorProduct, call)).status === 404) await actor.wait(1);
  }
};

/** The merchant changes a price, and sees it at the vendor. Throws if the vendor does not hear of it. */
export const seeChange = async ({ service, vendors, products }: Mall, actor: Actor): Promise<void> => {
  const { object, productId } = vendors.at(-1) as Mall['vendors'][number];
  const product = products.get(productId);
  product.price += 1;
  await send(service, updateProduct, { params: { id: productId }, body: product });
  const isSeen = () => object.body.payPrice[1] === product.price || undefined;
  if (!(await actor.until(isSeen, 120))) throw new Error(`Vendor ${object.body.id} did not hear of a new price.`);
};

/** The merchant makes the cashiers pay now. */
export const touchTills = ({ tills, owner }: Mall): void => {
  for (const { object, region } of tills) region.touch(object, owner);
};

/** The merchant touches boxes, cashiers, and vendors without a price, which then ask for their permission again. */
export const touchOwn = (mall: Mall): void => {
  const { boxes, vendors, owner } = mall;
  touchTills(mall);
  for (const { object, region } of boxes) region.touch(object, owner);
  for (const { object, region } of vendors)
    if (!object.body.payPrice.some((sum) => sum > 0)) region.touch(object, owner);
};

/**
 * The merchant retries failed deliveries: the first box may have given the item and said later that it lacks it. Then
 * all boxes are asked.
 */
export const retryFailed = async ({ service, lacking }: Mall): Promise<void> => {
  const failed = await walk(service, listDeliveries, { query: { state: 'failed', limit: 1000 } });
  for (const { id, item, lastError } of failed)
    if (item === lacking && lastError.includes('no such item')) await send(service, retryDelivery, { params: { id } });
};

/** Gives a vendor the other key. False where the store has a single one. */
export const changeKey = ({ notecardsOf }: Mall, { object, productId }: Mall['vendors'][number]): boolean => {
  const keyIn = (lines: readonly string[] = []) => lines.find((line) => line.startsWith('key'));
  const now = keyIn(object.body.prim.notecards.vendor);
  const other = notecardsOf(productId).find((lines) => keyIn(lines) !== now);
  if (other) object.editNotecard('vendor', other);
  return other !== undefined;
};

/** Objects were copied, or took the place of others. */
export const replaceStalls = (mall: Mall, copies: ReadonlyMap<Placement, Placement>, isCopy: boolean): void => {
  for (const stall of [...mall.vendors, ...mall.boxes, ...mall.tills, ...mall.terminals, ...mall.strangers]) {
    const object = copies.get(stall.object);
    if (!object) continue;
    if ('productId' in stall) {
      const { productId, arrows } = stall as Mall['vendors'][number];
      mall.productOf.set(object.body.id, productAt({ object, productId, arrows }));
      // The service does not know this vendor. Its notecard says what it sells at first.
      const card = object.body.prim.notecards.vendor ?? [];
      if (!card.some((line) => line.startsWith('product')))
        object.editNotecard('vendor', [...card, `product = ${productId}`]);
    }
    if (object.body.name === 'cashier') mall.cashiers.add(object.body.id);
    const arrowsOf = ({ arrows }: Mall['vendors'][number]) => arrows.map((arrow) => copies.get(arrow) ?? arrow);
    if (!isCopy) {
      stall.object = object;
      if ('productId' in stall) Object.assign(stall, { arrows: arrowsOf(stall as Mall['vendors'][number]) });
    } else if ('productId' in stall) {
      const original = stall as Mall['vendors'][number];
      mall.vendors.push({ ...original, object, arrows: arrowsOf(original) });
    } else if (object.body.name === 'cashier') mall.tills.push({ ...stall, object });
  }
};
