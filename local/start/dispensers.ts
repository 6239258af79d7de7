import { findDispenser, hasHadBox } from '../../lib/delivery/dispensers.ts';
import { register } from '../../lib/delivery/register.ts';
import { invalid } from '../../lib/problem.ts';
import { findStore, listStores } from '../../lib/store/stores.ts';
import { type LocalDispenser, startDispenser } from './dispenser.ts';

/** The key id that marks the service's own dispensers. */
const keyId = 'stand-in';

/**
 * Says whether the store's box should be the service's own. If somebody else's box is lost for a while, deliveries wait
 * for it. A removed box does not come back by itself.
 */
const isOurs = async (store: string): Promise<boolean> => {
  const found = await findDispenser(store);
  return found ? found.keyId === keyId : !(await hasHadBox(store));
};

const placeDispenser = async (store: string): Promise<LocalDispenser> => {
  const dispenser = await startDispenser(async (url) => {
    if (!(await isOurs(store))) throw invalid('The box of npm start was removed from this store, or replaced.');
    return (await register(store, { url, region: 'Loopback', items: [], keyId })).secret;
  });
  if (await isOurs(store)) await dispenser.registerAgain();
  return dispenser;
};

/** Gives every store a dispenser on the made-up grid: existing stores now, later ones when theirs is needed. */
export const startDispensers = async () => {
  const dispensers = new Map<string, Promise<LocalDispenser>>();
  const ensure = async (store: string): Promise<LocalDispenser | undefined> => {
    if (!dispensers.has(store) && (await findStore(store))) dispensers.set(store, placeDispenser(store));
    return dispensers.get(store);
  };
  await Promise.all((await listStores()).map(({ id }) => ensure(id)));
  return {
    ensure,
    stop: async (): Promise<void> => {
      const placed = await Promise.all(dispensers.values());
      await Promise.all(placed.map(({ stop }) => stop()));
    },
  };
};
