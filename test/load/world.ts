import type { Resident } from '../../lib/store/residents.ts';
import { randomFrom } from '../support/faults.ts';
import type { Service } from './client.ts';

/**
 * What one client knows. It alone changes what it owns, one request after another, so that it can say what each answer
 * about that must be; what is hot or shared is changed by all clients at once.
 */
export interface World {
  index: number;
  service: Service;
  /** A whole number from 0 up to `limit`. */
  below: (limit: number) => number;
  pick: <T>(items: readonly T[]) => T | undefined;
  /** A text that nothing else in the run has. */
  unique: (prefix: string) => string;
  /** Residents whom only this client has to do with. */
  customers: readonly Resident[];
  /** Residents whom every client has to do with. */
  hot: readonly Resident[];
  /** The resident whose credit is counted without Idempotency-Keys. */
  counted: Resident;
  own: { products: string[]; coupons: string[]; cards: string[]; categories: string[] };
  /** Categories that all clients put their products into. */
  shared: readonly string[];
}

/** Something that a client does now and then; the larger its weight, the more often. */
export interface Action {
  weight: number;
  run: (world: World) => Promise<void>;
}

export const createWorld = (
  index: number,
  seed: number,
  others: Pick<World, 'service' | 'customers' | 'hot' | 'counted' | 'shared'>,
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

/** Does one of the actions, as often as their weights have it. */
export const act = async (world: World, actions: readonly Action[]): Promise<void> => {
  let rest = world.below(actions.reduce((sum, { weight }) => sum + weight, 0));
  const action = actions.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  await action?.run(world);
};

/** Notes where a row that was answered differs from what is known of it. */
export const compare = ({ service }: World, what: string, body: Record<string, unknown>, known: object): void => {
  for (const [name, value] of Object.entries(known))
    if (body?.[name] !== value)
      service.ledger.fault(
        `${what}: ${name} is ${JSON.stringify(body?.[name])}, but ${JSON.stringify(value)} was acknowledged`,
      );
};

/** Notes where the ids of an answered list are not exactly those that are known. */
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
