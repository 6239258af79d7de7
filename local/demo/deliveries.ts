import { now } from '../../lib/clock.ts';
import { claimDelivery, completeDelivery, failDelivery, letWait } from '../../lib/delivery/deliveries.ts';
import type { Resident } from '../../lib/store/residents.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoProduct } from './catalogue.ts';
import { at, buyers, day, demoUuid, friends, inDays } from './residents.ts';

const begin = async (store: string, number: number, recipient: Resident, item: string, createdAt: string) => {
  const to = { recipientUuid: recipient.uuid, recipientUsername: recipient.username };
  const order = { id: demoUuid(8, number), productId: demoProduct(item).id, item, message: '', createdAt };
  return claimDelivery({ kind: 'deliver', store, ...to, ...order }, 0);
};

/** Deliveries of the past: one that was made, and one that the dispenser refused. */
export const seedDeliveries = ({ id: store }: Store): Promise<void> =>
  at(now() - 3 * day, async () => {
    const [vendor] = friends as [Resident];
    const made = await begin(store, 1, vendor, 'Willow cottage, 100%_mesh', inDays(0));
    if (made.claimed) await completeDelivery(made.delivery);
    const refused = await begin(store, 2, vendor, 'Fireflies in a jar', inDays(0));
    if (refused.claimed) await failDelivery(refused.delivery, 'no such item: Fireflies in a jar');
  });

/** A delivery that waits for the dispenser to register again: the present one must have registered before. */
export const seedWaiting = async ({ id: store }: Store): Promise<void> => {
  const [buyer] = [...buyers] as [Resident];
  const { claimed, delivery } = await begin(store, 3, buyer, 'Harbour mirror, walnut', inDays(-1 / 24));
  if (claimed) await letWait(delivery, 'The dispenser did not answer within 25 seconds.', false);
};
