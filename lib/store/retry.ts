import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  TransactWriteCommand,
  type TransactWriteCommandInput,
  type UpdateCommand,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId, source } from '../clock.ts';
import { notFound, unavailable } from '../http/problem.ts';
import { dbOnce } from './table.ts';

const maxAttempts = 8;

/** Waits before attempt number `attempt` (from 1): jittered, doubling from 20 ms. Throws 503 when it has lasted too long. */
export const pause = async (attempt: number): Promise<void> => {
  if (attempt >= maxAttempts) throw unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, 1000));
};

const throttles = new Set(['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException']);

/** Whether the table refused a call for want of capacity. */
export const isThrottle = (error: unknown): boolean => error instanceof Error && throttles.has(error.name);

/** Whether the table refused a write of one item because another writer's transaction holds it. */
export const isConflict = (error: unknown): boolean => error instanceof TransactionConflictException;

const isPassing = (code: string | undefined): boolean =>
  code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded';

/** How often a transaction is sent whose answer does not come; each time may take as long as a request's timeout. */
const maxUnanswered = 3;

/** Whether a failure leaves open what the table has done: it did not answer, or does not know itself. */
const isUnanswered = (error: unknown): boolean =>
  !(error instanceof DynamoDBServiceException) ||
  error.$fault === 'server' ||
  error.name === 'TransactionInProgressException';

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
  const unanswered: unknown[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      await dbOnce.send(command);
      return undefined;
    } catch (error) {
      if (error instanceof TransactionCanceledException) {
        const reasons = error.CancellationReasons ?? [];
        if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed'))
          return reasons.map(({ Code, Item }) => ({
            refused: Code === 'ConditionalCheckFailed',
            ...(Item && { item: unmarshall(Item) }),
          }));
        if (!reasons.some(({ Code }) => isPassing(Code))) throw error;
      } else if (isUnanswered(error)) unanswered.push(error);
      else if (!isThrottle(error)) throw error;
      if (unanswered.length >= maxUnanswered) throw error;
      if (attempt >= maxAttempts && unanswered.length > 0) throw unanswered[0];
      await pause(attempt);
    }
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
