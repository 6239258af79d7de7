import { now, randomText, timestamp } from '../clock.ts';
import { is, update } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, upsert, write } from '../table/table.ts';

/** A store's inworld dispenser, of which there is one. */
export interface Dispenser {
  /** Absent after a call found no dispenser there, until it registers again. */
  url?: string;
  region: string;
  items: string[];
  /** Signs the requests to it. It must be known in full, so it cannot be kept as a hash. */
  secret: string;
  registeredAt: string;
  lostAt?: string;
  lostReason?: string;
}

export const dispenserKey = (store: string): Key => ({ pk: partition(store, 'DISPENSER'), sk: 'dispenser' });

/** Writes the dispenser's address. Its secret is made at the first time, and stays. */
export const registerDispenser = (
  store: string,
  { url, region, items }: Pick<Dispenser, 'region' | 'items'> & { url: string },
): Promise<Dispenser & { url: string }> =>
  upsert(dispenserKey(store), {
    set: { url, region, items, registeredAt: timestamp(now()), lostAt: undefined, lostReason: undefined },
    ifMissing: { secret: randomText(43) },
  });

export const findDispenser = (store: string): Promise<Dispenser | undefined> => get<Dispenser>(dispenserKey(store));

/** Removes `url`, at which no dispenser answers any more. An address that was registered since stays. */
export const loseAddress = async (store: string, url: string, lostReason: string): Promise<void> => {
  const set = { url: undefined, lostAt: timestamp(now()), lostReason };
  await write(update(dispenserKey(store), { set, when: is('url', url) }));
};
