/**
 * Sends the new version of a product to everybody who owns it, each owner once. The deliveries themselves say who has
 * it: so a run that ended anywhere goes on, at the desk or in the command.
 */

/** A sale of the product. */
export interface Sold {
  state: string;
  recipientUuid: string | null;
}

/** A delivery, as the API answers it. */
export interface VersionDelivery {
  id: string;
  state: 'queued' | 'waiting' | 'delivered' | 'failed';
  productId: string;
  item: string;
  recipientUuid: string;
  createdAt: string;
  endedAt: string | null;
  lastError: string | null;
}

/** The new version: since this time the box has it, under the item of the product. */
export interface NewVersion {
  productId: string;
  item: string;
  since: string;
}

/**
 * `has`: it was delivered. `coming`: a delivery is on its way. `failed`: its delivery was given up. `missing`: nothing
 * was sent yet.
 */
export type Reach = 'has' | 'coming' | 'failed' | 'missing';

export interface Owner {
  uuid: string;
  name: string;
  reach: Reach;
  /** The last delivery to them. */
  deliveryId?: string;
  /** The box does not answer, so the delivery waits for it. */
  waits?: boolean;
  /** Why the delivery failed, or could not be ordered. */
  why?: string;
}

const dayMillis = 86_400_000;

/** A delivery goes on for at most this many days, so older ones do not bring a version. */
const openDays = 14;

/** Deliveries that were ordered before this time say nothing about the version. */
export const firstOrderedAt = ({ since }: Pick<NewVersion, 'since'>): string =>
  new Date(Date.parse(since) - openDays * dayMillis).toISOString();

/** The pseudonym of an erased avatar is a UUID of version 8. Nothing can be delivered to it. */
const isPseudonym = (uuid: string): boolean => uuid[14] === '8';

/**
 * How far a delivery brought its recipient; undefined for a delivery of something else, or of the version of the item
 * before it.
 */
const reachOf = (version: NewVersion, { productId, item, state, endedAt }: VersionDelivery): Reach | undefined => {
  if (productId !== version.productId || item !== version.item) return undefined;
  if (state === 'queued' || state === 'waiting') return 'coming';
  if (endedAt === null || endedAt < version.since) return undefined;
  return state === 'delivered' ? 'has' : 'failed';
};

/** The state of an owner, as a delivery to them tells it. */
const heardFrom = (reach: Reach, { id, state, lastError }: VersionDelivery): Partial<Owner> => ({
  reach,
  deliveryId: id,
  ...(state === 'waiting' && { waits: true }),
  ...(state === 'failed' && lastError !== null && { why: lastError }),
});

const order: readonly Reach[] = ['has', 'coming', 'failed', 'missing'];

/** Notes on each owner how far the deliveries to them came. Of several, the one that came furthest counts. */
const hear = (version: NewVersion, owners: ReadonlyMap<string, Owner>, deliveries: Iterable<VersionDelivery>): void => {
  const best = new Map<Owner, [reach: Reach, delivery: VersionDelivery]>();
  for (const delivery of deliveries) {
    const owner = owners.get(delivery.recipientUuid);
    const reach = owner && reachOf(version, delivery);
    if (!owner || !reach) continue;
    const [other = 'missing'] = best.get(owner) ?? [];
    if (order.indexOf(reach) < order.indexOf(other)) best.set(owner, [reach, delivery]);
  }
  for (const [owner, [reach, delivery]] of best) {
    delete owner.waits;
    Object.assign(owner, heardFrom(reach, delivery));
  }
};

/**
 * The owners of a product, still without names: the recipients of its completed sales. `deliveries` are all that were
 * ordered since `firstOrderedAt`, in any order.
 */
export const ownersOf = (
  version: NewVersion,
  sales: Iterable<Sold>,
  deliveries: Iterable<VersionDelivery>,
): Owner[] => {
  const owners = new Map<string, Owner>();
  for (const { state, recipientUuid: uuid } of sales)
    if (state === 'completed' && uuid !== null && !isPseudonym(uuid) && !owners.has(uuid))
      owners.set(uuid, { uuid, name: uuid, reach: 'missing' });
  hear(version, owners, deliveries);
  return [...owners.values()];
};

/** Gives owners the names that are known, and sorts them by these. */
export const withNames = (owners: readonly Owner[], nameOf: (uuid: string) => string | undefined): Owner[] =>
  owners
    .map((owner) => ({ ...owner, name: nameOf(owner.uuid) ?? owner.uuid }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));

/** How many owners have it, wait for it, failed to get it, or were sent nothing. */
export const countsOf = (owners: readonly Owner[]): Record<Reach, number> => {
  const counts = { has: 0, coming: 0, failed: 0, missing: 0 };
  for (const { reach } of owners) counts[reach] += 1;
  return counts;
};

/** At most this many deliveries are on their way at once, so that buyers do not wait behind them. */
const mostOnTheWay = 10;

/** The means of the desk, or of the command, to send. */
export interface Sender {
  /** Orders the delivery, once however often it is called for an owner and a version. `why`: the service refuses it. */
  order: (owner: Owner) => Promise<{ deliveryId?: string } | { why: string }>;
  /** The last deliveries to these owners. One whose first attempt has not begun may be missing. */
  look: (owners: readonly Owner[]) => Promise<readonly VersionDelivery[]>;
  /** Waits between two looks. */
  pause: () => Promise<void>;
  /** Is told after each change of the owners. */
  onChange: () => void;
  isStopped: () => boolean;
}

/**
 * Sends the version to the owners who are missing, a few at a time, and follows the deliveries. Changes the owners.
 * Ends when all have it or cannot get it, when it is stopped, and when the box is away, so that all that is on its way
 * waits for it.
 */
export const sendVersion = async (version: NewVersion, owners: readonly Owner[], sender: Sender): Promise<void> => {
  const left = owners.filter(({ reach }) => reach === 'missing').values();
  const coming = (): Owner[] => owners.filter(({ reach }) => reach === 'coming');
  let isAllOrdered = false;
  const orderNext = async (): Promise<void> => {
    const { value: owner } = left.next();
    if (!owner) {
      isAllOrdered = true;
      return;
    }
    delete owner.why;
    const ordered = await sender.order(owner);
    Object.assign(owner, ordered, !('why' in ordered) && { reach: 'coming' });
    sender.onChange();
  };
  for (;;) {
    while (!isAllOrdered && !sender.isStopped() && coming().length < mostOnTheWay) await orderNext();
    if (sender.isStopped() || coming().length === 0) return;
    await sender.pause();
    const followed = coming();
    hear(version, new Map(followed.map((owner) => [owner.uuid, owner])), await sender.look(followed));
    sender.onChange();
    const onTheWay = coming();
    if (onTheWay.length > 0 && onTheWay.every(({ waits }) => waits)) return;
  }
};
