import { now, timestamp } from '../clock.ts';
import { loaded } from '../lists/source.ts';
import { invalid } from '../problem.ts';
import { decide, writeOne } from '../table/decide.ts';
import { ownedKey, partition, productKey } from '../table/keys.ts';
import { all, any, atMost, exists, is, isNew, missing, remove, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, type OutsideId, rowsOf, write } from '../table/table.ts';

/** A product's last delivery to its owner that a request has queued. */
interface QueuedDelivery {
  at: string;
  /** The delivery's id. */
  id: string;
  /** The request that queued it. */
  by: string;
  /** The queue did not confirm the message, so it may or may not have it. */
  unconfirmed?: true;
}

export interface OwnedItem extends Key {
  /** How many times they have bought it. */
  quantity: number;
  /** When they bought it first. */
  boughtAt: string;
  lastDeliveredAt?: string;
  /** When this service last sold it to them. An import sets no time, since it orders no delivery. */
  lastSoldAt?: string;
  queued?: QueuedDelivery;
}

/**
 * The write that adds purchases of a product to what a customer owns. `soldAt` is the time of a sale that this service
 * makes. Refused if the item is not as it was read.
 */
export const ownedWrite = (
  key: Key,
  owned: OwnedItem | undefined,
  boughtAt: readonly string[],
  soldAt?: string,
): Write => {
  const { lastSoldAt } = owned ?? {};
  return update(key, {
    set: {
      quantity: (owned?.quantity ?? 0) + boughtAt.length,
      boughtAt: [...boughtAt, owned?.boughtAt ?? '9'].sort()[0],
      // A sale that began later may have ended earlier.
      ...(soldAt && { lastSoldAt: lastSoldAt && lastSoldAt > soldAt ? lastSoldAt : soldAt }),
    },
    when: owned
      ? all(exists, is('quantity', owned.quantity), is('boughtAt', owned.boughtAt), is('lastSoldAt', lastSoldAt))
      : isNew,
  });
};

/** The write that takes a purchase of a product back. Refused if the item is not as it was read. */
export const ownedLess = (owned: OwnedItem): Write => {
  const { quantity } = owned;
  const asRead = all(exists, is('quantity', quantity));
  return quantity > 1 ? update(owned, { set: { quantity: quantity - 1 }, when: asRead }) : remove(owned, asRead);
};

interface OwnedProduct {
  name: string;
  permissions: { copy: boolean };
}

/**
 * The products that a customer owns, in the order of their ids. If the store has no such product, its name is empty.
 */
export const listOwned = (store: string, uuid: string) =>
  loaded(
    rowsOf<OwnedItem>({ partition: partition(store, 'OWNED', uuid) }),
    ({ sk }) => sk,
    async (rows) => {
      const products = await getMany<Key & OwnedProduct>(rows.map(({ sk }) => productKey(store, sk)));
      const known = new Map(products.map((product) => [product.sk, product]));
      return rows.map(({ sk, quantity, boughtAt, lastDeliveredAt = null }) => ({
        productId: sk,
        name: known.get(sk)?.name ?? '',
        quantity,
        boughtAt,
        lastDeliveredAt,
        canRedeliver: known.get(sk)?.permissions.copy ?? false,
      }));
    },
  );

/** Notes that the dispenser gave the product, if the recipient owns it. It may be repeated. */
export const noteDelivered = async (store: string, uuid: string, productId: string): Promise<void> => {
  const at = timestamp(now());
  const isNewer = any(missing('lastDeliveredAt'), atMost('lastDeliveredAt', at));
  await write(update(ownedKey(store, uuid, productId), { set: { lastDeliveredAt: at }, when: all(exists, isNewer) }));
};

/** A product is delivered to its owner again at most once in this time, and not within this time after a sale. */
export const redeliveryPauseMillis = 60_000;

/** The seconds, rounded up, until the product can be sent again after an order at this time; 0 if it can be now. */
const pauseAfter = (at: string | undefined): number =>
  at === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(at) + redeliveryPauseMillis - now()) / 1000));

/** The refusal of a redelivery. Inworld, the terminal knows it by the 60 seconds. */
const tooSoon = (seconds: number): Error =>
  invalid(
    'The product was sent to this customer less than 60 seconds ago. ' +
      `It can be sent again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  );

/**
 * Claims a product's redelivery for a request, for a minute. Answers the delivery. It keeps the id of an earlier
 * delivery that this request claimed before, or that the queue did not confirm: so the item is given once. Throws 400
 * if the customer does not own the product, and what `refuseOwner` throws. If the request has not claimed it before, it
 * also throws 400 within a minute of `lastOrderAt`, of a sale or of another redelivery.
 */
export const claimRedelivery = (
  key: Key,
  outside: OutsideId,
  { refuseOwner, lastOrderAt }: { refuseOwner: () => void; lastOrderAt: string | undefined },
  together: readonly Write[] = [],
): Promise<QueuedDelivery> =>
  decide(async () => {
    const { id: by } = outside;
    const owned = await get<OwnedItem>(key);
    if (!owned) throw invalid('The customer does not own the product.');
    refuseOwner();
    const { queued, lastSoldAt } = owned;
    const isRecent = pauseAfter(queued?.at) > 0;
    const isOurs = queued?.by === by;
    const queuedAt = queued?.unconfirmed ? undefined : queued?.at;
    const pause = Math.max(pauseAfter(lastOrderAt), pauseAfter(lastSoldAt), pauseAfter(queuedAt));
    if (!isOurs && pause > 0) throw tooSoon(pause);
    const id = queued && (isOurs || isRecent) ? queued.id : by;
    const mark: QueuedDelivery = { at: timestamp(now()), id, by };
    // A sale since the read begins another minute.
    const asRead = all(exists, is('queued', queued), is('lastSoldAt', lastSoldAt));
    return writeOne(update(key, { set: { queued: mark }, when: asRead }), { result: () => mark, outside, together });
  });

/** Notes that the queue did not confirm a claimed delivery. The next request in that minute orders it again. */
export const leaveUnconfirmed = async (key: Key, mark: QueuedDelivery): Promise<void> => {
  await write(update(key, { set: { queued: { ...mark, unconfirmed: true } }, when: is('queued', mark) }));
};
