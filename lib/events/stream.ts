import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { now } from '../clock.ts';
import { demandKnown } from '../shape.ts';
import { ofAllStores } from '../store/operator-log.ts';
import { actorOf, type Signed } from '../table/actor.ts';
import { placeOf } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { watched } from '../watched.ts';

/**
 * Lambda's call of the stream's consumer. All records come from one shard, which Lambda names because the event source
 * has a tumbling window.
 */
export interface ShardEvent extends DynamoDBStreamEvent {
  shardId?: string;
  eventSourceARN?: string;
}

/** With a window, Lambda takes an answer without `state` for a failure. */
export interface ShardAnswer extends DynamoDBBatchResponse {
  state: Record<string, never>;
}

/**
 * The kinds of items whose changes make history, sums of days, events or rows of the journal. A part is a third part of
 * the partition; `own` items are of no store's partition.
 */
const kindForms = {
  CUSTOMER: 'whole',
  LOT: 'part',
  GIFTCARD: 'whole',
  SALE: 'whole',
  DELIVERY: 'whole',
  DISPENSER: 'whole',
  PRODUCT: 'whole',
  APPLIED: 'part',
  PAYOUT: 'whole',
  VENDOR: 'whole',
  COUPON: 'whole',
  CATEGORY: 'whole',
  WEBHOOK: 'whole',
  LOG: 'whole',
  STORE: 'own',
  KEY: 'own',
} as const;

export type Kind = keyof typeof kindForms;

/** A write of an item, read from a record of the table's stream. */
export interface ItemChange<T = object> {
  kind: Kind;
  store: string;
  /** The third part of the partition key, if it has one. */
  part: string | undefined;
  key: Key;
  /** The item before the write; missing if the item is new. */
  before: (T & Key) | undefined;
  after: T & Key;
  /** Who made the change, if the write says so. */
  actor: ReturnType<typeof actorOf> | undefined;
  /** When it was written, in seconds since 1970. */
  writtenSeconds: number;
  sequenceNumber: string | undefined;
}

type Place = Pick<ItemChange, 'kind' | 'store' | 'part'>;

/** An item's kind, its store and the third part of its partition key; undefined if its changes make nothing. */
const parseKey = (key: Key, image: object): Place | undefined => {
  const { kind, store, part } = placeOf(key);
  // The log has a partition for each store, one for what concerns all, and one for everything.
  if (store === 'LOG') return kind === '' || kind === ofAllStores ? undefined : { kind: 'LOG', store: kind, part };
  if (!(kind in kindForms)) return undefined;
  const form = kindForms[kind as Kind];
  if ((form === 'own') !== (key.pk === key.sk) || (form === 'part') !== (part !== undefined)) return undefined;
  // The item of a key has its store in an attribute.
  return { kind: kind as Kind, store: kind === 'KEY' ? ((image as { store?: string }).store ?? '') : store, part };
};

type Image = Parameters<typeof unmarshall>[0];

/** The signature of this write; undefined if the item has none, or if an earlier write has left it. */
const actorIn = (before: Signed | undefined, { by }: Signed): ItemChange['actor'] =>
  by !== undefined && by !== before?.by ? actorOf(by) : undefined;

/**
 * The change in a record; undefined for a removal and for an item of another kind. Throws if it cannot be read:
 * LaterShape if a later version can read it.
 */
export const changeOf = ({ dynamodb = {} }: DynamoDBRecord): ItemChange | undefined => {
  const { Keys, NewImage, OldImage, SequenceNumber, ApproximateCreationDateTime = now() / 1000 } = dynamodb;
  const key = { pk: Keys?.pk?.S ?? '', sk: Keys?.sk?.S ?? '' };
  if (!NewImage) return undefined;
  const after = unmarshall(NewImage as Image) as Key & Signed;
  const place = parseKey(key, after);
  if (!place) return undefined;
  const before = OldImage && (unmarshall(OldImage as Image) as Key & Signed);
  return {
    ...place,
    key,
    before,
    after: demandKnown(after),
    // Items of other kinds have an attribute of the same name.
    actor: place.kind in watched ? actorIn(before, after) : undefined,
    writtenSeconds: ApproximateCreationDateTime,
    sequenceNumber: SequenceNumber,
  };
};

/** The removal of an item. */
export interface ItemRemoval<T = object> extends Omit<ItemChange<T>, 'before' | 'after' | 'actor'> {
  before: T & Key;
}

/**
 * The removal in a record; undefined for a change, for an item of another kind, and for an item whose time has ended.
 */
export const removalOf = ({ dynamodb = {}, userIdentity }: DynamoDBRecord): ItemRemoval | undefined => {
  const { Keys, NewImage, OldImage, SequenceNumber, ApproximateCreationDateTime = now() / 1000 } = dynamodb;
  if (NewImage || !OldImage || userIdentity) return undefined;
  const key = { pk: Keys?.pk?.S ?? '', sk: Keys?.sk?.S ?? '' };
  const before = unmarshall(OldImage as Image) as Key;
  const place = parseKey(key, before);
  const sequenceNumber = SequenceNumber;
  return place && { ...place, key, before, writtenSeconds: ApproximateCreationDateTime, sequenceNumber };
};
