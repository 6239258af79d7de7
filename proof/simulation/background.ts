import type { Context, DynamoDBRecord } from 'aws-lambda';
import { handler as sweepHandler } from '../../functions/expiry-sweep.ts';
import { handler as consumerHandler } from '../../functions/stream-consumer.ts';
import { handleMessage } from '../../lib/delivery/deliver.ts';
import { decodeMessage } from '../../lib/delivery/message.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Machine, Message } from './machine.ts';

/** The functions that nobody asks for: the stream's consumer, the delivery worker and the sweep. */

const attributeOf = (value: unknown): object => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  if (value instanceof Set) return { SS: [...value] };
  return { M: imageOf(value as Item) };
};

const images = new WeakMap<Item, Record<string, object>>();

/** An item as a record of the stream has it. */
const imageOf = (item: Item): Record<string, object> => {
  let image = images.get(item);
  if (!image) {
    image = {};
    for (const name in item) image[name] = attributeOf(item[name]);
    images.set(item, image);
  }
  return image;
};

type Record_ = Machine['stream'][number];

const recordOf = ({ id, millis, written: { key, before, after } }: Record_): DynamoDBRecord =>
  ({
    eventID: id,
    dynamodb: {
      Keys: { pk: { S: key.pk }, sk: { S: key.sk } },
      ...(after && { NewImage: imageOf(after) }),
      ...(before && { OldImage: imageOf(before) }),
      SequenceNumber: id,
      ApproximateCreationDateTime: Math.floor(millis / 1000),
    },
  }) as unknown as DynamoDBRecord;

/** Hands records to the consumer. Answers those that it is not done with. */
const consume = async (records: readonly Record_[]): Promise<Set<Record_>> => {
  const { batchItemFailures } = await consumerHandler({ Records: records.map(recordOf) });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return new Set(records.filter(({ id }) => failed.has(id)));
};

const remove = <T>(from: T[], item: T): void => {
  const place = from.indexOf(item);
  if (place >= 0) from.splice(place, 1);
};

const itemOf = ({ written: { key } }: Record_): string => `${key.pk} ${key.sk}`;

/**
 * The items of which a consumer has records now, for machines whose stream is read in the order of each item, as Lambda
 * does.
 */
const underWay = new WeakMap<Machine, Set<string>>();

/** Has the machine's stream read in the order of each item from now on. */
export const readInOrder = (machine: Machine): void => void underWay.set(machine, new Set());

/**
 * In the place of each record the first one of its item, then the next; none of an item that another consumer has
 * records of.
 */
const inOrder = (stream: readonly Record_[], picked: readonly Record_[], busy: ReadonlySet<string>): Record_[] => {
  const counts = new Map<string, number>();
  for (const item of picked.map(itemOf)) counts.set(item, (counts.get(item) ?? 0) + 1);
  return stream.filter((record) => {
    const left = busy.has(itemOf(record)) ? 0 : (counts.get(itemOf(record)) ?? 0);
    counts.set(itemOf(record), left - 1);
    return left > 0;
  });
};

/**
 * Consumes some records of the stream, some of which come again later: in any order, unless it is read in that of each
 * item.
 */
export const consumeSome = async (machine: Machine): Promise<void> => {
  const { random, stream } = machine;
  const picked: Record_[] = [];
  for (let left = 1 + random.below(16); left > 0 && stream.length > 0; left--) picked.push(random.of(stream));
  const busy = underWay.get(machine);
  const records = busy ? inOrder(stream, picked, busy) : picked;
  const items = new Set(records.map(itemOf));
  for (const item of items) busy?.add(item);
  // The next batch comes in another millisecond.
  const failed = await consume(records).finally(() =>
    machine.after(1, () => items.forEach((item) => void busy?.delete(item))),
  );
  for (const record of records) if (!failed.has(record) && !random.chance(0.15)) remove(stream, record);
};

/** Consumes the whole stream. */
export const consumeAll = async (machine: Machine): Promise<void> => {
  while (machine.stream.length > 0) {
    const records = machine.stream.slice(0, 100);
    const failed = await consume(records);
    for (const record of records) if (!failed.has(record)) remove(machine.stream, record);
    if (failed.size > 0) throw new Error(`The consumer failed with ${failed.size} records though nothing did.`);
  }
};

const handle = async (machine: Machine, message: Message): Promise<void> => {
  const decoded = decodeMessage(message.body);
  if (decoded?.kind !== 'deliver') throw new Error(`The queue has a message that is no order: ${message.body}`);
  const { againSeconds } = await handleMessage(decoded);
  if (againSeconds === undefined) remove(machine.queue, message);
  else message.visible = machine.time + Math.max(againSeconds, 1) * 1000;
};

/** Handles some messages of the queue. One that its worker died over comes back. */
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

/** Runs the sweep for so many milliseconds. */
export const sweepOnce = async (machine: Machine, millis: number): Promise<void> => {
  const end = machine.time + millis;
  await sweepHandler(undefined, {
    getRemainingTimeInMillis: () => end - machine.time,
    awsRequestId: 'simulated',
  } as Context);
};
