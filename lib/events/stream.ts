import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { now } from '../clock.ts';
import { demandKnown } from '../shape.ts';
import type { Key } from '../table/schema.ts';

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

/** The kinds of items whose changes make history, sums of days or events, with the number of parts in their keys. */
const partNames = {
  CUSTOMER: 2,
  LOT: 3,
  GIFTCARD: 2,
  SALE: 2,
  DELIVERY: 2,
  DISPENSER: 2,
  PRODUCT: 2,
  APPLIED: 3,
  PAYOUT: 2,
  VENDOR: 2,
} as const;

export type Kind = keyof typeof partNames | 'STORE';

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
  /** When it was written, in seconds since 1970. */
  writtenSeconds: number;
  sequenceNumber: string | undefined;
}

/** An item's kind, its store and the third part of its partition key; undefined if its changes make nothing. */
const parseKey = ({ pk, sk }: Key): Pick<ItemChange, 'kind' | 'store' | 'part'> | undefined => {
  const parts = pk.split('#');
  const [first = '', second = '', part] = parts;
  // The item of a store has the store's id in its own key.
  if (first === 'STORE' && pk === sk) return { kind: 'STORE', store: second, part };
  const kind = second in partNames ? (second as keyof typeof partNames) : undefined;
  return kind && parts.length === partNames[kind] ? { kind, store: first, part } : undefined;
};

type Image = Parameters<typeof unmarshall>[0];

/**
 * The change in a record; undefined for a removal and for an item of another kind. Throws if it cannot be read:
 * LaterShape if a later version can read it.
 */
export const changeOf = ({ dynamodb = {} }: DynamoDBRecord): ItemChange | undefined => {
  const { Keys, NewImage, OldImage, SequenceNumber, ApproximateCreationDateTime = now() / 1000 } = dynamodb;
  const key = { pk: Keys?.pk?.S ?? '', sk: Keys?.sk?.S ?? '' };
  const place = parseKey(key);
  if (!NewImage || !place) return undefined;
  return {
    ...place,
    key,
    before: OldImage && (unmarshall(OldImage as Image) as Key),
    after: demandKnown(unmarshall(NewImage as Image) as Key),
    writtenSeconds: ApproximateCreationDateTime,
    sequenceNumber: SequenceNumber,
  };
};
