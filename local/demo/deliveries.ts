import type { Resident } from '../../lib/avatars/residents.ts';
import { idAt, now } from '../../lib/clock.ts';
import {
  claimDelivery,
  completeDelivery,
  failDelivery,
  letWait,
  listDeliveries,
} from '../../lib/delivery/deliveries.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoProduct } from './catalogue.ts';
import { at, buyers, day, demoUuid, friends, inDays } from './residents.ts';

const begin = async (store: string, id: string, recipient: Resident, item: string, createdAt: string) => {
  const to = { recipientUuid: recipient.uuid, recipientUsername: recipient.username };
  const order = { id, productId: demoProduct(item).id, item, message: '', createdAt };
  return claimDelivery({ kind: 'deliver', store, ...to, ...order }, 0);
};

/**
 * Makes two past deliveries. One was made, and the dispenser refused the other. Lists are sorted by id, and these ids
 * are below the ids of all sales' deliveries, so they are the oldest.
 */
export const seedDeliveries = ({ id: store }: Store): Promise<void> =>
  at(now() - 30 * day, async () => {
    const [vendor, renamed] = friends as [Resident, Resident];
    const made = await begin(store, demoUuid(8, 1), renamed, 'Fireflies in a jar', inDays(0));
    if (made.claimed) await completeDelivery(made.delivery);
    const refused = await begin(store, demoUuid(8, 2), vendor, 'Fireflies in a jar', inDays(0));
    if (refused.claimed) await failDelivery(refused.delivery, 'no such item: Fireflies in a jar');
  });

/** Makes a delivery that waits until the dispenser registers again. Call it after the dispenser has registered. */
export const seedWaiting = async ({ id: store }: Store): Promise<void> => {
  // An interrupted run may have made it already.
  if ((await listDeliveries(store, 'waiting')({ descending: false, limit: 1 })).length > 0) return;
  const [buyer] = [...buyers] as [Resident];
  const item = 'Harbour mirror, walnut';
  const { claimed, delivery } = await begin(store, idAt(now() - day / 24), buyer, item, inDays(-1 / 24));
  if (claimed) await letWait(delivery, 'The dispenser did not answer within 25 seconds.');
};
