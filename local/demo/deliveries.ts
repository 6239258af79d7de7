import { claimDelivery, completeDelivery, failDelivery } from '../../lib/delivery/deliveries.ts';
import type { Resident } from '../../lib/store/residents.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoUuid, friends, inDays } from './residents.ts';

/** Deliveries of the past: one that was made, and one that the dispenser refused. */
export const seedDeliveries = async ({ id: store }: Store): Promise<void> => {
  const [vendor] = friends as [Resident];
  const recipient = { recipientUuid: vendor.uuid, recipientUsername: vendor.username };
  const begin = async (number: number, item: string) => {
    const order = { id: demoUuid(8, number), productId: demoUuid(3, number), item, message: '', createdAt: inDays(-3) };
    return claimDelivery({ kind: 'deliver', store, ...recipient, ...order }, 0);
  };
  const [made, refused] = [await begin(1, '100%_off'), await begin(2, 'Nameless wonder')];
  if (made.claimed) await completeDelivery(made.delivery);
  if (refused.claimed) await failDelivery(refused.delivery, 'no such item: Nameless wonder');
};
