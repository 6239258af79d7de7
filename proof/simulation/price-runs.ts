import { type StoredProduct, updateProduct } from '../../lib/catalogue/products.ts';
import {
  linesOf,
  noteLines,
  type PricedLine,
  planPrices,
  putBackLine,
  readSelected,
  setLine,
} from '../../lib/operator/prices.ts';
import type { ProductFields } from '../../lib/routes/products.ts';
import type { Key } from '../../lib/table/schema.ts';
import { type Outcome, type Part, repeatable, send, sendingOf } from './client.ts';
import type { Operation, Seen } from './operation.ts';
import type { State } from './world.ts';

/** Runs that set the price of a product, undos of these runs, and people who type prices meanwhile. */

/** The product whose price runs and people change. Its stock has no limit. */
const pricedOf = ({ world }: Part): string => world.products[1] as string;

/** Sets a price in the model as an effect tells. False if no product got this price. */
const hasPrice = (model: State, id: string, price: number, { effect }: Seen): boolean => {
  const product = model.products[id];
  if (!product || effect?.kind !== 'price' || effect.id !== id || effect.price !== price) return false;
  model.prices.earlier.push({ id, price: product.price, until: effect.shown });
  product.price = price;
  return true;
};

/**
 * Uses the price that a sale read before a change, as `base` says: a sale calculates with the prices that it has read.
 */
export const withPriceRead = <T>(model: State, id: string, read: { base: number; start: number }, sell: () => T): T => {
  const product = model.products[id];
  const known = model.prices.earlier.some((one) => one.id === id && one.price === read.base && one.until >= read.start);
  if (!product || !known) return sell();
  const { price } = product;
  product.price = read.base;
  const sold = sell();
  product.price = price;
  return sold;
};

/** A person types a price. */
const typeOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const id = pricedOf(part);
  const price = machine.random.of([60, 45, 90]);
  const stored = world.table.get({ pk: `${world.store}#PRODUCT`, sk: id }) as unknown as StoredProduct;
  const { name: called, image, listed, bloggable, permissions, discount, availableAmount, limited, item } = stored;
  const { blockCredits, description, profitShares, demoId, active } = stored;
  const fields: ProductFields = {
    ...{ name: called, image, listed, bloggable, permissions, discount, availableAmount, limited, item },
    ...{ blockCredits, description, profitShares, demoId, active, price },
  };
  const sending = sendingOf(part);
  return {
    name,
    text: `price of ${price}`,
    run: () => send(part, sending, () => updateProduct(world.store, id, fields)),
    judge: (model, seen) => {
      if (!hasPrice(model, id, price, seen)) return false;
      if (seen.effect?.kind === 'price') model.prices.typed = seen.effect.place;
      return true;
    },
  };
};

/** A noted line, and the place at which its preview had read the product. */
interface Noted {
  line: PricedLine;
  seenAt: number;
}

const setOperation = (part: Part, percent: number, onNoted: (noted: Noted | undefined) => void): Operation => {
  const { machine, world, name } = part;
  const { store } = world;
  const id = pricedOf(part);
  let noted: Noted | undefined;
  const note = async (): Promise<void> => {
    const { lines } = planPrices(await readSelected(store, { ids: [id] }), { percent });
    const seenAt = machine.place;
    const list = await noteLines(store, lines);
    const [line] = await linesOf(store, { list } as Parameters<typeof linesOf>[1]);
    noted = line && { line, seenAt };
  };
  return {
    name,
    text: `run that raises the price by ${percent} %`,
    run: async () => {
      const preview = await send(part, repeatable, note);
      if (!noted) {
        onNoted(undefined);
        return { kind: 'unknown' };
      }
      const { line } = noted;
      onNoted(noted);
      await machine.sleep(machine.random.of([0, 0, 300]));
      return preview.kind === 'answered' ? send(part, repeatable, () => setLine(store, line)) : preview;
    },
    judge: (model, seen) => {
      const { effect, outcome } = seen;
      if (!noted) return effect === undefined;
      const { line, seenAt } = noted;
      const isSet = model.prices.lines[name] !== undefined;
      if (!effect) return outcome.kind !== 'answered' || (outcome.body === 'set') === isSet;
      // Nobody has typed a price since the preview.
      if (isSet || model.prices.typed > seenAt || model.products[id]?.price !== line.before.price) return false;
      model.prices.lines[name] = 'set';
      return hasPrice(model, id, line.after.price as number, seen);
    },
  };
};

const undoOperation = (
  part: Part,
  run: string,
  noting: Promise<Noted | undefined>,
  mayBegin: Promise<unknown>,
): Operation => {
  const { world, name } = part;
  const id = pricedOf(part);
  let line: (PricedLine & Key) | undefined;
  return {
    name,
    text: `undo of ${run}`,
    run: async (): Promise<Outcome> => {
      await mayBegin;
      const key = (await noting)?.line;
      if (!key) return { kind: 'unknown' };
      line = key;
      return send(part, repeatable, () => putBackLine(world.store, key));
    },
    judge: (model, seen) => {
      const { effect, outcome } = seen;
      const [state, price] = [model.prices.lines[run], model.products[id]?.price];
      if (!line) return effect === undefined;
      const isAsSet = price === line.after.price;
      if (effect) {
        // A price that somebody has typed since stays.
        if (state !== 'set' || !isAsSet) return false;
        model.prices.lines[run] = 'put back';
        return hasPrice(model, id, line.before.price as number, seen);
      }
      if (outcome.kind !== 'answered') return outcome.kind === 'unknown';
      const told = outcome.body as Awaited<ReturnType<typeof putBackLine>>;
      if (told === 'never') return state === undefined;
      return told === 'put back' ? state === 'put back' : state === 'set' && !isAsSet;
    },
  };
};

/** A person types a price, or a run sets it, which is undone once or twice. */
export const priceOperations = (part: Part): Operation[] => {
  const { machine, name } = part;
  const { random } = machine;
  if (random.chance(0.5)) return [typeOperation(part)];
  const { promise: noting, resolve: onNoted } = Promise.withResolvers<Noted | undefined>();
  const { promise: isOver, resolve: onEnd } = Promise.withResolvers<void>();
  const setting = setOperation({ ...part, name: `${name} run` }, random.of([50, -50]), onNoted);
  const undos = ['undo', 'other undo'].slice(0, random.of([0, 1, 1, 2]));
  return [
    { ...setting, run: () => setting.run().finally(onEnd) },
    ...undos.map((text) =>
      undoOperation({ ...part, name: `${name} ${text}` }, setting.name, noting, random.chance(0.7) ? isOver : noting),
    ),
  ];
};
