import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  type UpdateCommand,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId, source } from '../clock.ts';
import { notFound, unavailable } from '../problem.ts';
import { dbOnce, tableName } from './table.ts';

/** Waits after attempt number `attempt` (from 1): jittered, doubling from 40 ms. Throws 503 when it was the last. */
const pauseUpTo = async (longestMillis: number, attempt: number, most: number): Promise<void> => {
  if (attempt >= most) throw unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, longestMillis));
};

const maxAttempts = 8;

/** Waits before what the table was too busy for is sent again. Throws 503 when it has lasted too long. */
export const pause = (attempt: number): Promise<void> => pauseUpTo(1000, attempt, maxAttempts);

/**
 * The same after a decision that another writer has overtaken. The table is not busy then, and whoever waits long only
 * meets more writers that began meanwhile: so it is shorter, and more often.
 */
export const pauseOvertaken = (attempt: number): Promise<void> => pauseUpTo(200, attempt, 20);

const throttles = new Set(['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException']);

/** Whether the table refused a call for want of capacity. */
export const isThrottle = (error: unknown): boolean => error instanceof Error && throttles.has(error.name);

/** Whether the table refused a write of one item because another writer's transaction holds it. */
export const isConflict = (error: unknown): boolean => error instanceof TransactionConflictException;

const refusal = 'ConditionalCheckFailed';
const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

const isRefused = ({ CancellationReasons = [] }: TransactionCanceledException): boolean =>
  CancellationReasons.some(({ Code }) => Code === refusal);

/** Whether the table did nothing for a reason that passes. */
const isPassing = (error: unknown): boolean => {
  if (!(error instanceof TransactionCanceledException)) return isThrottle(error) || isConflict(error);
  return !isRefused(error) && (error.CancellationReasons ?? []).some(({ Code }) => passing.has(Code ?? ''));
};

/** How often a write is sent whose answer does not come; each time may take as long as a request's timeout. */
const maxUnanswered = 3;

/** Whether a failure leaves open what the table has done: it did not answer, or does not know itself. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof DynamoDBServiceException) ||
  error.$fault === 'server' ||
  error.name === 'TransactionInProgressException';

/**
 * Sends what may arrive more than once, until the table answers. 503 where conflicts or a want of capacity last; but where
 * an answer is missing too, its failure, since it may be written.
 */
const untilAnswered = async (send: () => Promise<unknown>): Promise<void> => {
  const unanswered: unknown[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      await send();
      return;
    } catch (error) {
      if (isUnanswered(error)) unanswered.push(error);
      else if (!isPassing(error)) throw error;
      if (unanswered.length >= maxUnanswered) throw error;
      if (attempt >= maxAttempts && unanswered.length > 0) throw unanswered[0];
      await pause(attempt);
    }
  }
};

/** Why one item of a transaction refused: what the table holds in its place, if anything. */
export interface Refusal {
  refused: boolean;
  item?: Record<string, unknown>;
}

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Writes all of these items or none. Answers undefined when they are written; else, per item, whether its condition
 * refused and (with `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`) the item as it is. What conflicts with other
 * writers, or is not answered, is sent again: the token makes it one transaction however often it arrives. 503 where
 * conflicts or a want of capacity last; but where an answer is missing too, its failure, since it may be written.
 */
export const transact = async (TransactItems: TransactItem[]): Promise<Refusal[] | undefined> => {
  const command = new TransactWriteCommand({ TransactItems, ClientRequestToken: newId() });
  try {
    await untilAnswered(() => dbOnce.send(command));
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException) || !isRefused(error)) throw error;
    return error.CancellationReasons?.map(({ Code, Item }) => ({
      refused: Code === refusal,
      ...(Item && { item: unmarshall(Item) }),
    }));
  }
};

/**
 * Puts an item whose key nothing else has. It may be sent again, since the table then refuses it: what is there is what
 * was sent before. Fails as `transact` does.
 */
export const putOnce = async (Item: Record<string, unknown>): Promise<void> => {
  const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
  try {
    await untilAnswered(() => dbOnce.send(new PutCommand({ TableName: tableName(), Item, ...isNew })));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};

/**
 * Sends a write that must not be done twice. It is sent again only where the table has said that it did nothing: for
 * want of capacity, or because of another writer's transaction. 503 when that lasts.
 */
export const sendOnce = async (command: UpdateCommand): Promise<UpdateCommandOutput> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await dbOnce.send(command);
    } catch (error) {
      if (!isThrottle(error) && !isConflict(error)) throw error;
      await pause(attempt);
    }
  }
};

/** A write whose condition is that the item exists: throws 404 where it does not. */
export const refusedToNotFound = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await pastConflicts(write);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFound();
    throw error;
  }
};

/** A write whose refusal is no failure: false where its condition refuses it. */
export const refusedToFalse = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await pastConflicts(write);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Sends a write of one item again while another writer's transaction holds the item. 503 when that lasts. */
export const pastConflicts = async <T>(send: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!isConflict(error)) throw error;
      await pause(attempt);
    }
  }
};
