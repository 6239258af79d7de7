import { setTimeout as sleep } from 'node:timers/promises';
import { findDispenser } from '../lib/delivery/dispensers.ts';
import { register } from '../lib/delivery/register.ts';
import { logSink } from '../lib/log.ts';
import { listStores } from '../lib/store/stores.ts';
import { type LocalDispenser, startDispenser } from './dispenser.ts';

/** By it a dispenser of this service is known from one that somebody placed and registered. */
const keyId = 'stand-in';

const pollMillis = 1000;

/** Gives every store a dispenser over the made-up grid, those that are created later included. */
export const startDispensers = async () => {
  const dispensers = new Map<string, LocalDispenser>();

  const placeOne = async (store: string): Promise<void> => {
    const dispenser = await startDispenser(
      async (url) => (await register(store, { url, region: 'Loopback', items: [], keyId })).secret,
    );
    dispensers.set(store, dispenser);
    const found = await findDispenser(store);
    if (!found?.url || found.keyId === keyId) await dispenser.registerAgain();
  };

  const seen = new Set<string>();
  const placeAll = async (): Promise<void> => {
    for (const { id, deletedAt } of await listStores()) {
      if (deletedAt || seen.has(id)) continue;
      seen.add(id);
      await placeOne(id);
    }
  };

  const stopping = new AbortController();
  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(pollMillis, undefined, { signal: stopping.signal, ref: false });
      await placeAll().catch((error: Error) => logSink.write({ level: 'ERROR', stack: error.stack }));
    }
  };

  await placeAll();
  const polling = poll().catch(() => undefined);
  return {
    of: (store: string): LocalDispenser | undefined => dispensers.get(store),
    stop: async (): Promise<void> => {
      stopping.abort();
      await polling;
      await Promise.all([...dispensers.values()].map(({ stop }) => stop()));
    },
  };
};
