import type { Context, DynamoDBRecord } from 'aws-lambda';
import { handler as sweepHandler } from '../../functions/expiry-sweep.ts';
import { handler as consumerHandler } from '../../functions/stream-consumer.ts';
import { handleMessage } from '../../lib/delivery/deliver.ts';
import { decodeMessage } from '../../lib/delivery/message.ts';
import type { Key } from '../../lib/table/schema.ts';
import { recordOf as recordOfImages } from '../../test/support/stream-records.ts';
import type { Machine, Message } from './machine.ts';
import type { Shard, ShardedStream, StreamRecord } from './shards.ts';

/** The functions that no client calls: the stream's consumer, the delivery worker and the sweep. */

const recordOf = ({ number, millis, written: { before, after } }: StreamRecord, arn: string): DynamoDBRecord => {
  const { dynamodb } = recordOfImages(before as Key | undefined, after as Key | undefined, millis);
  return { eventID: `${arn} ${number}`, dynamodb: { ...dynamodb, SequenceNumber: String(number) } };
};

/** Passes the consumer at most `size` records of a shard, beginning with `start`. Answers how many it has processed. */
const consume = async (
  { arn }: ShardedStream,
  { id, records }: Shard,
  start: number,
  size: number,
): Promise<number> => {
  const batch = records.slice(start, start + size).map((record) => recordOf(record, arn));
  const { batchItemFailures } = await consumerHandler({ Records: batch, shardId: id, eventSourceARN: arn });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
  return first < 0 ? batch.length : first;
};

const remove = <T>(from: T[], item: T): void => {
  const place = from.indexOf(item);
  if (place >= 0) from.splice(place, 1);
};

/**
 * Consumes some records of a shard, in their order. If the consumer fails, dies or is slow, the next batch has the same
 * records again, cut elsewhere. Now and then processed records come back.
 */
export const consumeSome = async (machine: Machine): Promise<void> => {
  const { random, stream, time, isInOrder } = machine;
  const shards = stream.readable(time);
  if (shards.length === 0) return;
  const shard = random.of(shards);
  const start = isInOrder || !random.chance(0.2) ? shard.done : Math.max(0, shard.done - random.below(16));
  shard.takenUntil = isInOrder ? Number.POSITIVE_INFINITY : time + (random.chance(0.2) ? random.below(100) : 60_000);
  try {
    shard.done = Math.max(shard.done, start + (await consume(stream, shard, start, 1 + random.below(16))));
  } finally {
    // The next batch comes in another millisecond.
    machine.after(1, () => Object.assign(shard, { takenUntil: 0 }));
  }
};

/** Consumes the whole stream. */
export const consumeAll = async ({ stream }: Machine): Promise<void> => {
  while (!stream.isRead())
    for (const shard of stream.readable(Number.POSITIVE_INFINITY)) {
      const count = await consume(stream, shard, shard.done, 100);
      if (count === 0) throw new Error('The consumer failed though nothing did.');
      shard.done += count;
    }
};

const handle = async (machine: Machine, message: Message): Promise<void> => {
  const decoded = decodeMessage(message.body);
  // There are no vendors here, so nobody is told of a change.
  if (decoded?.kind === 'product-changed') return remove(machine.queue, message);
  if (decoded?.kind !== 'deliver') {
    // In this world the queue of failures is the same queue.
    machine.alarms.push(message.body);
    return remove(machine.queue, message);
  }
  const { againSeconds } = await handleMessage(decoded);
  if (againSeconds === undefined) remove(machine.queue, message);
  else message.visible = machine.time + Math.max(againSeconds, 1) * 1000;
};

/** Handles some messages of the queue. If its worker dies over a message, that comes back. */
export const deliverSome = async (machine: Machine): Promise<void> => {
  const { queue, random, time } = machine;
  const some = queue.filter(({ visible }) => visible <= time).slice(0, 3);
  for (const message of some) {
    message.visible = time + 1000 + random.below(60_000);
    await handle(machine, message);
  }
};

/** Handles messages until the queue is empty. */
export const deliverAll = async (machine: Machine): Promise<void> => {
  for (let message = machine.queue[0]; message; message = machine.queue[0]) {
    machine.time = Math.max(machine.time, message.visible);
    await handle(machine, message);
    machine.queue.sort((a, b) => a.visible - b.visible);
  }
};

/** Runs the sweep for this many milliseconds. */
export const sweepOnce = async (machine: Machine, millis: number): Promise<void> => {
  const end = machine.time + millis;
  await sweepHandler(undefined, {
    getRemainingTimeInMillis: () => end - machine.time,
    awsRequestId: 'simulated',
  } as Context);
};
