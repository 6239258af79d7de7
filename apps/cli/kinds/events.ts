import { ownersCards } from '../../../lib/catalogue/gift-cards.ts';
import { type EventItem, listStoreEvents } from '../../../lib/events/events.ts';
import { factsIn, subjectIn } from '../../../lib/events/journal-items.ts';
import type { Key } from '../../../lib/table/schema.ts';
import type { Kind } from './kind.ts';
import { findPayouts } from './payouts.ts';
import { all, type Erasure, matching, personal, replaced, tombstoneEnd } from './personal.ts';

/** The ids of the things of an avatar whose rows of the journal go with them. */
const idsOf = async (store: string, uuid: string): Promise<Set<string>> => {
  const [cards, payouts] = await Promise.all([all(ownersCards(store, uuid)), findPayouts(store, uuid)]);
  return new Set([uuid, ...[...cards, ...payouts].map(({ sk }) => sk)]);
};

/**
 * True for a row about the avatar's card or payout. The consumer may write it after an earlier pass has moved the thing
 * itself to the pseudonym.
 */
const isOfOwned = ({ data }: EventItem, uuid: string): boolean => {
  if (!data?.includes(uuid)) return false;
  const { ownerUuid, residentUuid } = JSON.parse(data) as { ownerUuid?: string; residentUuid?: string };
  return ownerUuid === uuid || residentUuid === uuid;
};

/** True if the whole item goes: an event, a row about the avatar or a thing of theirs, or about their own change. */
const goes = (item: EventItem, uuid: string, theirs: ReadonlySet<string>): boolean => {
  const facts = item.changes === undefined ? undefined : factsIn(item.rank);
  if (!facts || facts.kind === 'sale.refunded') return item.data?.includes(uuid) ?? false;
  if (theirs.has(subjectIn(item) ?? '') || isOfOwned(item, uuid)) return true;
  return item.actor === 'customer' && facts.by === uuid;
};

/** The found items that go as a whole. One look at the avatar's things decides for all of a search. */
const going = new WeakSet<EventItem>();

/** True if one of an item's values is the UUID. A text that only contains it, such as the code of a coupon, stays. */
const names = ({ data, changes }: EventItem, uuid: string): boolean =>
  [data, changes].some((text) => text?.includes(JSON.stringify(uuid)));

const findEvents = async (store: string, uuid: string): Promise<EventItem[]> => {
  const theirs = await idsOf(store, uuid);
  return matching(listStoreEvents(store), (item) => {
    const isGoing = goes(item, uuid, theirs);
    if (isGoing) going.add(item);
    return isGoing || names(item, uuid);
  });
};

/** A JSON text with the pseudonym in the place of the avatar, whose name goes too. */
const withPseudonym = (text: string, { uuid, pseudonym }: Erasure): string => {
  const value = replaced(JSON.parse(text), uuid, pseudonym) as { couponOwnerUuid?: string };
  const isOwner = value.couponOwnerUuid === pseudonym;
  return JSON.stringify(isOwner ? { ...value, couponOwnerUsername: pseudonym } : value);
};

export const events: Kind = {
  personal: [
    personal<EventItem>({
      words: ['event or row of the journal', 'events and rows of the journal'],
      effect: 'deleted; the pseudonym in rows about other things',
      find: findEvents,
      kept: (item, erasure) => {
        const { pk, sk, data, changes } = item;
        // The stream may deliver the change again. This item keeps its consumer from writing the event again.
        if (going.has(item)) return { pk, sk, ...tombstoneEnd() } as Key;
        const kept: EventItem = { ...item };
        if (data !== undefined) kept.data = withPseudonym(data, erasure);
        if (changes !== undefined) kept.changes = withPseudonym(changes, erasure);
        return kept;
      },
    }),
  ],
};
