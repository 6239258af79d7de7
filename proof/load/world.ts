import type { Resident } from '../../lib/store/residents.ts';
import { randomFrom } from '../../test/support/faults.ts';
import type { Service } from './client.ts';

/**
 * The knowledge of one client. It alone changes its own rows, one request after another, so it knows the right answer
 * to each. All clients change hot customers and shared categories at once.
 */
export interface World {
  index: number;
  service: Service;
  /** A whole number from 0 up to `limit`. */
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T | undefined;
  /** A text that nothing else in the run has. */
  unique: (prefix: string) => string;
  /** Residents whom only this client uses. */
  customers: readonly Resident[];
  /** Residents whom all clients use. */
  hot: readonly Resident[];
  /** The resident whose credit is counted without Idempotency-Keys. */
  counted: Resident;
  own: { products: string[]; coupons: string[]; cards: string[]; categories: string[] };
  /** Products of which all clients sell the last copies. */
  limited: readonly { id: string; price: number }[];
  /** Of the store, each by its id. Nobody changes them. */
  webhooks: readonly string[];
  /** Categories that all clients put their products into. */
  shared: readonly string[];
}

/** An action of a client. The weight says how often it is chosen. */
export interface Action {
  weight: number;
  run: (world: World) => Promise<void>;
}

export const createWorld = (
  index: number,
  seed: number,
  others: Pick<World, 'service' | 'customers' | 'hot' | 'counted' | 'shared' | 'limited' | 'webhooks'>,
): World => {
  const random = randomFrom(seed + 1000 * (index + 1));
  const below = (limit: number): number => Math.floor(random() * limit);
  let made = 0;
  return {
    index,
    ...others,
    below,
    pick: (items) => items[below(items.length)],
    unique: (prefix) => `${prefix}-c${index}x${made++}`,
    own: { products: [], coupons: [], cards: [], categories: [] },
  };
};

/** Runs a random action, by weight. */
export const act = async (world: World, actions: readonly Action[]): Promise<void> => {
  let rest = world.below(actions.reduce((sum, { weight }) => sum + weight, 0));
  const action = actions.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  await action?.run(world);
};

/** Adds a fault for each member of an answered row that differs from the ledger. */
export const compare = ({ service }: World, what: string, body: Record<string, unknown>, known: object): void => {
  for (const [name, value] of Object.entries(known))
    if (body?.[name] !== value)
      service.ledger.fault(
        `${what}: ${name} is ${JSON.stringify(body?.[name])}, but ${JSON.stringify(value)} was acknowledged`,
      );
};

/** Adds a fault if the ids of an answered list differ from the ledger. */
export const compareIds = (
  { service }: World,
  what: string,
  rows: { id: string }[],
  known: readonly string[],
): void => {
  const [answered, expected] = [rows.map(({ id }) => id).sort(), known.toSorted()];
  if (answered.join() !== expected.join())
    service.ledger.fault(
      `${what}: ${answered.length} rows were answered (${answered}), not the ${expected.length} (${expected})`,
    );
};
