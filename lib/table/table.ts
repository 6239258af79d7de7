import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '../clock.ts';
import type { Source } from '../lists/source.ts';
import { notFound, requestRunning } from '../problem.ts';
import { demandKnown } from '../shape.ts';
import { isSignedRemoval, removalSignatures, signed } from './actor.ts';
import * as dynamodb from './dynamodb.ts';
import { CancelledError, type Engine, type Query, type Refusal, RefusedError } from './engine.ts';
import {
  type AttributeChanges,
  all,
  applied,
  exists,
  holds,
  type Item,
  isNew,
  targetOf,
  type Update,
  unchanged,
  update,
  type Write,
} from './language.ts';
import { pause, repeat, untilAnswered } from './retry.ts';
import type { Key } from './schema.ts';
import { inOrder, inPlace, newStamp, type Stamped } from './stamp.ts';

/** Calls that replace DynamoDB's. A simulation sets them. */
export const engine: Partial<Engine> = {};

/**
 * One item by its key, as it is now; undefined if there is none. `T` is the type of the items under such a key. Throws
 * 503 if only a later version of the service can read the item.
 */
export const get = async <T extends object>({ pk, sk }: Key): Promise<T | undefined> =>
  demandKnown(await (gather ?? engine.get ?? dynamodb.get)({ pk, sk })) as T | undefined;

/** Reads an item together with others. Set only while `inOneCall` runs. */
let gather: ((key: Key) => Promise<Item | undefined>) | undefined;

/**
 * Sends in one call every `get` that `read` makes before it first waits. Each item is as it was at some moment of the
 * call; two items need not be of the same moment. Eventually consistent reads cost half the units; use them only for
 * items whose write is refused if they have changed since.
 */
export const inOneCall = <T>(read: () => T, { consistent = true }: { consistent?: boolean } = {}): T => {
  const keys: Key[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const items = begun.then(async () => {
    const found = await getMany<Key & Item>(keys, { consistent });
    return new Map(found.map((item) => [nameOf(item), item]));
  });
  gather = async (key) => {
    keys.push(key);
    return (await items).get(nameOf(key));
  };
  try {
    return read();
  } finally {
    gather = undefined;
    begin();
  }
};

/** Divides items into chunks of `size`; the last may be smaller. */
export const inChunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Calls `send` with keys, then with the keys that the table had no capacity for, until none is left. */
const untilDone = async (keys: Key[], send: (some: Key[]) => Promise<Key[]>): Promise<void> => {
  let rest = keys;
  for (let attempt = 0; rest.length > 0; attempt++) {
    if (attempt > 0) await pause(attempt);
    rest = await send(rest);
  }
};

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/**
 * The items of these keys, in the keys' order, each once. Keys without an item are left out. `rows` may be rows of an
 * index, which hold more than the key. While an index catches up, it may have one item twice. If `attributes` are
 * named, an item has only these and its key.
 */
export const getMany = async <T extends Key>(
  rows: readonly Key[],
  { consistent = false, attributes }: { consistent?: boolean; attributes?: readonly string[] } = {},
): Promise<T[]> => {
  const brought = attributes && ['pk', 'sk', ...attributes];
  const keys = [...new Map(rows.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }])).values()];
  const found = new Map<string, T>();
  const getChunk = (chunk: Key[]): Promise<void> =>
    untilDone(chunk, async (some) => {
      const { items, rest } = await (engine.getSome ?? dynamodb.getSome)(some, { consistent, attributes: brought });
      for (const item of items as unknown as T[]) found.set(nameOf(item), item);
      return rest;
    });
  await Promise.all(inChunks(keys, 100).map(getChunk));
  return keys.flatMap((key) => found.get(nameOf(key)) ?? []);
};

/** Removes these items, whether they are there or not. */
export const removeMany = async (keys: readonly Key[]): Promise<void> => {
  await Promise.all(inChunks(keys, 25).map((chunk) => untilDone(chunk, engine.removeSome ?? dynamodb.removeSome)));
};

/**
 * The items of at most 100 keys as they are at one moment, in the keys' order. Other reads may see a transaction's
 * items one by one, each a little earlier or later; this read sees all of them or none.
 */
export const getTogether = async <T extends object>(keys: readonly Key[]): Promise<(T | undefined)[]> =>
  (await untilAnswered(
    () => (engine.getTogether ?? dynamodb.getTogether)(keys.map(({ pk, sk }) => ({ pk, sk }))),
    true,
  )) as (T | undefined)[];

/** The rows of one partition of the table or of an index, in the order of its sort key, within a range. */
export const rowsOf =
  <T>(list: Pick<Query, 'partition' | 'index' | 'isEventual' | 'first' | 'last' | 'contains'>): Source<T> =>
  async ({ descending, from, limit = Number.POSITIVE_INFINITY }) => {
    const found: T[] = [];
    let after: Query['after'];
    // With a filter the limit counts the rows that are read, not the rows that pass. So the first call reads twice the
    // limit, and each later call twice as many as the call before.
    let stride = list.contains ? 2 * limit : limit;
    do {
      const { items, next } = await (engine.query ?? dynamodb.query)({
        ...list,
        descending,
        from,
        limit: Number.isFinite(stride) ? stride : undefined,
        after,
      });
      found.push(...(items as T[]));
      after = next;
      stride = list.contains ? Math.min(2 * stride, 10_000) : limit - found.length;
    } while (after && found.length < limit);
    return found.slice(0, limit);
  };

/** The rows of a list from the position `first` up to `last`, at most `limit` at a time. Positions need not differ. */
export async function* pagesOf<T>(
  list: Pick<Query, 'partition' | 'index' | 'first' | 'last'>,
  limit: number,
): AsyncGenerator<T[]> {
  let after: Query['after'];
  do {
    const { items, next } = await (engine.query ?? dynamodb.query)({ ...list, descending: false, limit, after });
    yield items as T[];
    after = next;
  } while (after);
}

/** A request whose change is recorded with its answer: see idempotency.ts. */
export interface Recording {
  /** The write that completes the record. */
  completion(answer: unknown): Write;
  isComplete: boolean;
  /** The id of what the request makes outside the table. The record holds it. */
  id: string;
  /** Something outside the table may know the id. */
  isIdUsed: boolean;
}

const recordings = new AsyncLocalStorage<Recording | undefined>();

/** Runs a request's handler, and records the change that it makes by `recording`. */
export const recorded = <T>(recording: Recording, work: () => T): T => recordings.run(recording, work);

/** Runs `work` without recording its changes as the request's change. */
export const unrecorded = <T>(work: () => T): T => recordings.run(undefined, work);

/**
 * The id of what a request makes outside the table. `use` notes that something outside may know the id from now on. It
 * answers a function that takes the note back, for a write that was refused before anything learned of the id.
 */
export interface OutsideId {
  id: string;
  use: () => () => void;
}

/** The same id as `idOutside` answers, but not yet noted as known outside: the request may still be refused. */
export const futureIdOutside = (): OutsideId => {
  const recording = recordings.getStore();
  const use = () => {
    const wasUsed = recording?.isIdUsed ?? false;
    const note = (isUsed: boolean): void => {
      if (recording) recording.isIdUsed = isUsed;
    };
    note(true);
    return () => note(wasUsed);
  };
  return { id: recording?.id ?? newId(), use };
};

/**
 * The id of what a request makes outside the table, noted as known there from now on. A request with an Idempotency-Key
 * gets the same id however often it is sent: its record holds the id, and from here on the record stays even if the
 * request fails.
 */
export const idOutside = (): string => {
  const { id, use } = futureIdOutside();
  use();
  return id;
};

/** DynamoDB refuses a transaction that names an item twice, and so do all engines. */
const demandOneEach = (writes: readonly Write[]): void => {
  const names = writes.map((one) => nameOf(targetOf(one)));
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`A transaction names the item ${twice} twice.`);
};

/**
 * Carries out all of these writes or none. Answers undefined when they are carried out; otherwise it answers, per
 * write, whether its condition refused it, and the item that is there. `answer` marks the change that a request makes:
 * it is the handler's answer, which goes into the request's record in the same transaction if the request has an
 * Idempotency-Key.
 *
 * A transaction that conflicts with other writers, or is not answered, is sent again: by its token it is carried out
 * once, however often it arrives. Throws 503 if conflicts or a lack of capacity last. But if an answer is missing too,
 * it throws that failure, since the transaction may have been carried out. Throws 409 if another request has taken the
 * record over, and a plain error if two writes name one item. With `mayGiveWay` it throws a `ConflictError` as soon as
 * others hold an item, unless it may have been carried out already.
 */
export const transact = async (
  writes: readonly Write[],
  of?: { answer: unknown },
  { mayGiveWay = false } = {},
): Promise<Refusal[] | undefined> => {
  const recording = of && recordings.getStore();
  const own = [...writes.map((one) => inPlace(signed(one))), ...removalSignatures(writes)];
  const sent = recording ? [...own, recording.completion(of.answer)] : own;
  demandOneEach(sent);
  const token = newId();
  try {
    await untilAnswered(() => (engine.transact ?? dynamodb.transact)(sent, token), true, mayGiveWay);
    if (recording) recording.isComplete = true;
    return undefined;
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    if (recording && error.refusals.at(-1)?.refused) throw requestRunning();
    return error.refusals.slice(0, writes.length);
  }
};

const adds = ({ change }: Update): boolean => change.add !== undefined;

/** The outcome of a write: its result, or the item that its condition refused. */
export type WriteOutcome<T, R = T> = { done: true; result: R } | { done: false; found: T | undefined };

/** The precondition of a request with If-Match. Throws 412 unless it holds for a resource as a verb answers it. */
export type Precondition = (current: object) => void;

interface WriteOptions<T, R> {
  /** Marks the change that a request makes. Makes the handler's answer from the item that the write leaves. */
  answer?: (item: T) => R;
  /** Other writes of the same transaction. Their conditions must hold sooner or later. */
  together?: readonly Write[];
  /** Must hold for the answer made from the item that an update finds. */
  ifMatch?: Precondition | undefined;
  /** An update that adds may be repeated after a lost answer, because its condition refuses the repeat. */
  repeatable?: boolean;
}

/**
 * Sends an update, which must take its place in the order of its item's updates. If it is refused, the item's stamps
 * tell how it went. If the item's stamp, or the stamp before, is the update's own, it was carried out; in the second
 * case another update followed at once. If an answer was lost and several updates followed, nobody can know: this
 * throws the failure of the answer. Otherwise the update was not carried out, and none of its copies will be; it is
 * sent again with a newer stamp.
 */
const sendInOrder = async <T>(unsigned: Update): Promise<WriteOutcome<T>> => {
  const write = signed(unsigned) as Update;
  let stamp = newStamp();
  return repeat<WriteOutcome<T>>(async () => {
    let lost: unknown;
    const send = (earlier: unknown) => {
      lost = earlier;
      return (engine.write ?? dynamodb.write)(inOrder(write, stamp));
    };
    try {
      return { result: { done: true, result: (await untilAnswered(send, true)) as T } };
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const found: (Item & Stamped) | undefined = error.item;
      if (found?.stamp === stamp) return { result: { done: true, result: found as T } };
      const { earlierStamp = '' } = found ?? {};
      if (earlierStamp === stamp) return { result: { done: true, result: applied(write, found) as T } };
      if (lost !== undefined && earlierStamp > stamp) throw lost;
      demandKnown(found);
      if (!holds(write.change.when, found)) return { result: { done: false, found: found as T | undefined } };
      stamp = newStamp(found);
      return undefined;
    }
  });
};

/** Sends one write by itself. `isOwn` says that no other write puts an item under its key. */
const sendAlone = async <T>(unsigned: Write, repeatable: boolean, isOwn: boolean): Promise<WriteOutcome<T>> => {
  const write = signed(unsigned);
  let mayBeOurs = false;
  try {
    const send = (lost: unknown) => {
      mayBeOurs = lost !== undefined;
      return (engine.write ?? dynamodb.write)(write);
    };
    return { done: true, result: (await untilAnswered(send, repeatable)) as T };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    // The item that is there was put by an earlier attempt of this write.
    if (mayBeOurs && isOwn && write.kind === 'put' && write.when === isNew)
      return { done: true, result: write.item as T };
    return { done: false, found: demandKnown(error.item) as T | undefined };
  }
};

/**
 * Sends an update on condition that the item is as it was when the precondition held. It reads the item first, and
 * decides again whenever another writer was faster.
 */
const sendMatched = async <T, R>(
  { key, change }: Update,
  answer: (item: T) => R,
  ifMatch: Precondition,
): Promise<WriteOutcome<T, R>> => {
  // An update of an item that must not be there has nothing to read.
  let found = change.when === isNew ? undefined : await get<Item>(key);
  return repeat<WriteOutcome<T, R>>(async () => {
    if (!holds(change.when, found)) return { result: { done: false, found: found as T | undefined } };
    const current = answer(found as T) as object;
    ifMatch(current);
    // The answer has defaults for attributes that the item lacks. Another writer may set these meanwhile.
    const asRead = unchanged(found, Object.keys(current));
    const guarded = update(key, { ...change, when: all(change.when, asRead) });
    const outcome = await sendInOrder<T>(guarded);
    if (outcome.done) return { result: { done: true, result: answer(outcome.result) } };
    found = outcome.found as Item | undefined;
    return undefined;
  });
};

/**
 * Sends a write in a transaction with others. DynamoDB answers no items to a transaction. So an update is made on
 * condition that its item is as it was read, and the result is computed.
 */
const sendTogether = async <T, R>(
  write: Write,
  answer: (item: T) => R,
  others: readonly Write[],
  isRecorded: boolean,
): Promise<WriteOutcome<T, R>> =>
  repeat<WriteOutcome<T, R>>(async () => {
    const found = write.kind === 'update' ? await get<Item>(write.key) : undefined;
    if (write.kind === 'update' && !holds(write.change.when, found))
      return { result: { done: false, found: found as T | undefined } };
    const sent = write.kind === 'update' && !adds(write) ? inOrder(write, newStamp(found)) : write;
    const result = answer(applied(sent, found) as T);
    // Another writer may set an attribute that the answer has and the item lacks.
    const asRead = unchanged(found, Object.keys(result ?? {}));
    const guarded =
      sent.kind === 'update' ? update(sent.key, { ...sent.change, when: all(sent.change.when, asRead) }) : sent;
    const refusals = await transact([guarded, ...others], isRecorded ? { answer: result } : undefined);
    if (!refusals) return { result: { done: true, result } };
    return write.kind !== 'update' && refusals[0]?.refused
      ? { result: { done: false, found: refusals[0].item as T | undefined } }
      : undefined;
  });

/**
 * Carries out one write. Retries it as `transact` does; but an update that adds is not sent again after a lost answer.
 * With an Idempotency-Key the change that a request makes becomes a transaction with the request's record.
 */
export const write = async <T extends object, R = T>(
  one: Write,
  { answer, together = [], ifMatch, repeatable = false }: WriteOptions<T, R> = {},
): Promise<WriteOutcome<T, R>> => {
  const answerOf = answer ?? ((item: T) => item as unknown as R);
  if (ifMatch && one.kind === 'update') return sendMatched(one, answerOf, ifMatch);
  const isTransaction = together.length > 0 || isSignedRemoval(one);
  if (isTransaction || (answer && recordings.getStore()))
    return sendTogether(one, answerOf, together, answer !== undefined);
  const outcome = await (one.kind === 'update' && !adds(one)
    ? sendInOrder<T>(one)
    : // A repeated addition would add twice. A put and a removal leave the same however often they arrive, and nothing
      // else has the key of a new item.
      sendAlone<T>(one, repeatable || one.kind !== 'update', true));
  return outcome.done ? { done: true, result: answerOf(outcome.result) } : outcome;
};

/**
 * Carries out one write without a stamp. It is for a write that may arrive twice, or late: either its condition refuses
 * a second copy, or a second copy leaves the same item. After a lost answer the write may be refused by its own earlier
 * copy.
 */
export const writeUnstamped = <T extends object>(one: Write): Promise<WriteOutcome<T>> =>
  sendAlone<T>(one, true, false);

/** Updates an item that must be there. Answers the item that the update leaves. Throws 404 if there is none. */
export const updateExisting = async <T extends object, R = T>(
  key: Key,
  change: AttributeChanges,
  how?: WriteOptions<T, R>,
): Promise<R> => {
  const outcome = await write<T, R>(update(key, { ...change, when: all(exists, change.when) }), how);
  if (!outcome.done) throw notFound();
  return outcome.result;
};
