import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { now } from '../clock.ts';
import { demandKnown } from '../shape.ts';
import type { Key } from '../table/schema.ts';

/**
 * Lambda's call of the stream's consumer, whose records are of one shard. Lambda names the shard, since the event
 * source has a tumbling window.
 */
export interface ShardEvent extends DynamoDBStreamEvent {
  shardId?: string;
  eventSourceARN?: string;
}

/** Lambda takes an answer without `state` for a failure where there is a window. */
export interface ShardAnswer extends DynamoDBBatchResponse {
  state: Record<string, never>;
}

/**
 * The kinds of item whose changes history, days or events tell of, each with the number of parts of its partition key.
 */
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

/** A write of an item, as a record of the table's stream tells of it. */
export interface ItemChange<T = object> {
  kind: Kind;
  store: string;
  /** The last part of the partition key, where that has three. */
  part: string | undefined;
  key: Key;
  /** The item before; absent where it is new. */
  before: (T & Key) | undefined;
  after: T & Key;
  /** When it was written, in seconds since 1970. */
  writtenSeconds: number;
  sequenceNumber: string | undefined;
}

/** An item's kind, its store and the third part of its partition key; undefined where nothing tells of it. */
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
 * The change that a record tells of; undefined for a removal, and for an item of another kind. Throws where it cannot
 * be read: LaterShape, where a later version can.
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
