import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Avatar } from '../../local/grid/grid.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import type { Actor } from './actor.ts';
import type { Api, Body } from './api.ts';
import type { Grid, Region } from './regions.ts';
import { strangerSource } from './stranger.ts';

/** A store of the service with its objects in the grid, and the merchant who owns them. */

export interface Stall {
  object: Placement;
  region: Region;
}

export interface Mall {
  store: { id: string; name: string };
  owner: string;
  api: Api;
  products: Map<string, Body>;
  /** Copies too, and those that take the place of one that was taken and rezzed. */
  vendors: (Stall & { productId: string })[];
  /** The product of each vendor that there has ever been, by its prim. */
  productOf: Map<string, string>;
  /** The notecards of a vendor, with one key or the other. */
  notecardsOf: (productId: string) => string[][];
  /** Objects of others, with a script that meddles with the memory of what they are linked with. */
  strangers: Stall[];
  terminals: Stall[];
  boxes: Stall[];
  coupons: string[];
  /** The cards that each avatar was given and has not tried to redeem. */
  cards: Map<string, string[]>;
  allCards: string[];
  /** By id: the L$ of each card that was granted. */
  granted: Map<string, number>;
  /** By reference: credit that the merchant gave or took. */
  grants: Map<string, { uuid: string; amount: number }>;
  /** L$ that the merchant gave back by hand. */
  refunds: Map<string, { sale: Body; amount: number; isPaid: boolean }>;
}

export type Sources = Record<'vendor' | 'dispenser' | 'terminal', string>;

type Keys = Record<'vendor' | 'otherVendor' | 'dispenser' | 'terminal', string>;

const inworld = join(import.meta.dirname, '../../inworld');

/** The shipped scripts, of which a folder may have others. */
export const sourcesOf = (folder = inworld): Sources => {
  const read = (name: string): string => {
    const path = join(folder, `${name}.lsl`);
    return readFileSync(existsSync(path) ? path : join(inworld, `${name}.lsl`), 'utf8');
  };
  return { vendor: read('vendor'), dispenser: read('dispenser'), terminal: read('terminal') };
};

const vendorsEach = 8;
/** Who owns the meddling scripts, and gets the L$ that they ask for. */
export const stranger = '66666666-6666-4666-8666-666666666666';

interface Plan {
  store: { id: string; name: string };
  owner: Avatar;
  api: Api;
  keys: Keys;
  sources: Sources;
  regions: readonly Region[];
  avatars: readonly Avatar[];
  actor: Actor;
}

/** Makes the products of a store, and places its objects. The boxes stand in the first region. */
export const openMall = async ({ store, owner, api, keys, sources, regions, avatars, actor }: Plan): Promise<Mall> => {
  const products = new Map<string, Body>();
  const coupons: string[] = [];
  for (let n = 0; n < vendorsEach; n++) {
    const body = {
      name: `${n % 3 === 0 ? 'Long-named '.repeat(4) : ''}Lamp ${n}`,
      item: `Lamp ${n} of ${store.id}`,
      price: n === 0 ? 1 : 10 + actor.below(300),
      blockCredits: n % 4 === 3,
      permissions: { copy: n % 5 !== 4 },
      ...(n % 4 === 2 && { limited: true, availableAmount: 40 }),
      ...(n % 3 === 1 && { profitShares: [{ userUuid: avatars[n]?.uuid, percent: 10 }] }),
    };
    const product = await api.must('POST', '/v1/products', body);
    products.set(product.id, { ...body, id: product.id });
  }
  const expiration = '2199-12-31T00:00:00Z';
  for (const discount of [10, 25, 100]) {
    const code = `WORLD${discount}`;
    const ownerIdentifier = avatars[discount % avatars.length]?.uuid;
    const more = { usesPerCustomer: discount === 100 ? 1 : 0, ownerProfit: 5 };
    await api.must('POST', '/v1/coupons', { code, discount, expiration, ownerIdentifier, ...more });
    coupons.push(code);
  }

  const common = { owner: owner.uuid, items: [] };
  const lines = (key: string): string[] => ['service = https://service.example', `key = ${key}`];
  const [home] = regions as [Region, ...Region[]];
  const items = [...products.values()].map(({ item }) => ({ name: item }));
  const rezBox = (name: string): Stall => ({
    region: home,
    object: home.rez({
      ...common,
      name,
      items: [...items],
      script: sources.dispenser,
      notecards: { dispenser: lines(keys.dispenser) },
    }),
  });
  const notecardsOf = (productId: string): string[][] =>
    [keys.vendor, keys.otherVendor].map((key) => [...lines(key), `product = ${productId}`]);
  const vendors = [...products.keys()].map((productId, n) => {
    const region = regions[n % regions.length] as Region;
    const notecards = { vendor: notecardsOf(productId)[0] ?? [] };
    return { region, productId, object: region.rez({ ...common, name: 'vendor', script: sources.vendor, notecards }) };
  });
  const terminals = regions.slice(0, 2).map((region) => ({
    region,
    object: region.rez({
      ...common,
      name: 'terminal',
      script: sources.terminal,
      notecards: { terminal: lines(keys.terminal) },
    }),
  }));
  const boxes = [rezBox('box'), rezBox('standby')];
  const strangers = regions.slice(0, 2).map((region) => ({
    region,
    object: region.rez({ owner: stranger, name: 'decoration', script: strangerSource, notecards: {}, items: [] }),
  }));
  // In the first region the vendors stand on a counter with the box, in the others on a wall; a stranger's script is in
  // two.
  for (const [n, region] of regions.entries()) {
    const here = [...vendors, ...strangers].filter((stall) => stall.region === region);
    region.link(...here.map(({ object }) => object), ...(n === 0 && boxes[0] ? [boxes[0].object] : []));
  }
  return {
    ...{ store, owner: owner.uuid, api, products, vendors, terminals, coupons, boxes, notecardsOf, strangers },
    productOf: new Map(vendors.map(({ object, productId }) => [object.body.id, productId])),
    cards: new Map(),
    allCards: [],
    granted: new Map(),
    grants: new Map(),
    refunds: new Map(),
  };
};

/** The merchant touches the boxes, and the vendors without a price, which ask for their permission again. */
export const touchOwn = ({ boxes, vendors, owner }: Mall): void => {
  for (const { object, region } of boxes) region.touch(object, owner);
  for (const { object, region } of vendors)
    if (!object.body.seen.payPrice.some((sum) => sum > 0)) region.touch(object, owner);
};

/** Objects were copied, or took the place of others. */
export const replaceStalls = (mall: Mall, copies: ReadonlyMap<Placement, Placement>, isCopy: boolean): void => {
  for (const stall of [...mall.vendors, ...mall.boxes, ...mall.terminals, ...mall.strangers]) {
    const object = copies.get(stall.object);
    if (!object) continue;
    if ('productId' in stall) mall.productOf.set(object.body.id, String(stall.productId));
    if (!isCopy) stall.object = object;
    else if ('productId' in stall) mall.vendors.push({ ...stall, object } as Mall['vendors'][number]);
  }
};

const stepsOf = (mall: Mall, grid: Grid, actor: Actor, avatars: readonly Avatar[], note: (what: string) => void) => {
  const { api } = mall;
  let references = 0;
  const reference = (): string => `${mall.store.id}-${++references}`;
  /** The body of an answer; undefined where the service does not know the avatar yet. */
  const unlessUnknown = async (path: string, body?: object): Promise<Body> => {
    const answer = await api.call('POST', path, body);
    if (answer.status < 300) return answer.body;
    if (answer.status !== 404) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    note('merchant: named an avatar whom nobody knew');
  };
  const price = async (): Promise<void> => {
    const product = actor.pick([...mall.products.values()]);
    product.price = 5 + actor.below(300);
    await api.must('PUT', `/v1/products/${product.id}`, product);
    note('merchant: new price');
  };
  const pause = async (close: () => Promise<unknown>, open: () => Promise<unknown>, what: string): Promise<void> => {
    await close();
    note(what);
    await actor.wait(actor.between(10, 60));
    await open();
  };
  const withdraw = (): Promise<void> => {
    const product = actor.pick([...mall.products.values()]);
    const put = (active: boolean) => api.must('PUT', `/v1/products/${product.id}`, { ...product, active });
    return pause(
      () => put(false),
      () => put(true),
      'merchant: took a product off sale',
    );
  };
  const ban = (): Promise<void> => {
    const path = `/v1/customers/${actor.pick(avatars)?.uuid}/actions`;
    return pause(
      () => unlessUnknown(`${path}/ban`),
      () => unlessUnknown(`${path}/unban`),
      'merchant: banned somebody',
    );
  };
  const closeStore = (): Promise<void> =>
    pause(
      () => api.must('POST', '/v1/store/actions/close', { reason: 'lunch' }),
      () => api.must('POST', '/v1/store/actions/open'),
      'merchant: closed the store',
    );
  const grant = async (): Promise<void> => {
    const { uuid = '' } = actor.pick(avatars) ?? {};
    const [name, amount] = [reference(), 5 + actor.below(200)];
    const which = actor.chance(25) ? 'increment-restricted-credit' : 'increment-credit';
    const expiresAt = actor.chance(50)
      ? { expiresAt: new Date(grid.clock.now() + actor.between(600, 1800) * 1000).toISOString() }
      : {};
    const given = await unlessUnknown(`/v1/customers/${uuid}/actions/${which}`, {
      delta: amount,
      reference: name,
      ...expiresAt,
    });
    if (!given) return;
    mall.grants.set(name, { uuid, amount });
    note('merchant: gave credit');
  };
  const giveCard = async (): Promise<void> => {
    const { uuid = '' } = actor.pick(avatars) ?? {};
    const body = { credit: 1 + actor.below(150), transfer: actor.chance(50) };
    const card = await unlessUnknown(`/v1/customers/${uuid}/actions/grant-gift-card`, body);
    if (!card) return;
    mall.cards.set(uuid, [...(mall.cards.get(uuid) ?? []), card.id]);
    mall.allCards.push(card.id);
    mall.granted.set(card.id, body.credit);
    note('merchant: gave a card');
  };
  const refund = async (): Promise<void> => {
    const { body } = await api.call('GET', '/v1/sales?state=completed&limit=50');
    const sale = actor.pick<Body>(body.data);
    if (!sale) return;
    const name = reference();
    const answer = await api.call('POST', `/v1/sales/${sale.id}/actions/refund`, { reference: name });
    if (answer.status !== 200 || answer.body.refundReference !== name) return;
    note('merchant: refunded a sale');
    const amount = answer.body.refund - answer.body.change;
    mall.refunds.set(sale.id, { sale: answer.body, amount, isPaid: amount === 0 });
    payRefunds(mall, grid);
  };
  const spend = async (): Promise<void> => {
    const amount = grid.book.balanceOf(mall.owner);
    if (!grid.book.move({ reason: 'spent', from: mall.owner, to: bank, amount, of: '' })) return;
    note('merchant: had no L$ for a while');
    await actor.wait(actor.between(20, 60));
    grid.book.move({ reason: 'earned', from: bank, to: mall.owner, amount, of: '' });
  };
  const lookAround = async (): Promise<void> => {
    touchOwn(mall);
    note('merchant: touched what needs it');
  };
  return [
    lookAround,
    price,
    price,
    withdraw,
    ban,
    closeStore,
    grant,
    grant,
    grant,
    giveCard,
    giveCard,
    refund,
    refund,
    spend,
  ];
};

/** Where L$ come from and go to that the merchant spends elsewhere. */
export const bank = 'bank';

/** Gives back by hand what refunds of sales owe. */
export const payRefunds = (mall: Mall, { book }: Grid): void => {
  for (const refund of mall.refunds.values()) {
    const { sale, amount, isPaid } = refund;
    if (isPaid) continue;
    const paid = book.move({ reason: 'refund', from: mall.owner, to: sale.buyerUuid, amount, of: sale.id });
    refund.isPaid = paid !== undefined;
  }
};

/**
 * In the evening the merchant compares what the vendors told with the account's transactions and the store's sales, and
 * pays what is missing. Answers what was told without a reason.
 */
export const payClaims = (
  mall: Mall,
  grid: Grid,
  missing: () => readonly { key: string; amount: number }[],
): string[] => {
  const { givings, copies, book } = grid;
  const faults: string[] = [];
  // A claim of an exact sum first, then the lowest bound: otherwise a payment of which any part may be owed takes the
  // sum that only another claim explains.
  const claims = grid.claims
    .filter((claim) => mall.productOf.has(claim.by))
    .sort((a, b) => Number(a.isUpTo) - Number(b.isUpTo) || a.amount - b.amount);
  for (const { by, to, amount, isUpTo, text } of claims) {
    const isInDoubt = givings.some((one) => one.isDoubtful && one.by === by && one.to === to && one.amount === amount);
    if (text.includes('is open') && !isInDoubt && !copies.has(by)) faults.push(`told without a reason: ${text}`);
    // On a wall that was copied, any vendor may have found what another's original kept: the message names the sale.
    const isOf = (key: string): boolean =>
      copies.has(by) ? key.endsWith(` ${to}`) : key === `${mall.productOf.get(by)} ${to}`;
    const found = missing()
      .filter((one) => isOf(one.key) && (isUpTo ? one.amount <= amount : one.amount === amount))
      .sort((a, b) => b.amount - a.amount)[0];
    const product = found?.key.split(' ')[0];
    const of = [...mall.productOf].find(([, one]) => one === product)?.[0] ?? by;
    if (found) book.move({ reason: 'by hand', from: mall.owner, to, amount: found.amount, of });
  }
  return faults;
};

/** Lets the merchant act until the day is over. */
export const manage = async (
  mall: Mall,
  grid: Grid,
  actor: Actor,
  avatars: readonly Avatar[],
  note: (what: string) => void,
  isOver: () => boolean,
): Promise<void> => {
  const steps = stepsOf(mall, grid, actor, avatars, note);
  while (!isOver()) {
    await actor.pick(steps)?.();
    await actor.wait(actor.between(2, 12));
    payRefunds(mall, grid);
  }
};
