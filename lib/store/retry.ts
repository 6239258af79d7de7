import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
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
import { source } from '../clock.ts';
import { notFound, unavailable } from '../http/problem.ts';
import { db, dbOnce } from './table.ts';

const maxAttempts = 8;

/** Waits before attempt number `attempt` (from 1): jittered, doubling from 20 ms. Throws 503 when it has lasted too long. */
export const pause = async (attempt: number): Promise<void> => {
  if (attempt >= maxAttempts) throw unavailable();
  await sleep(source.random() * Math.min(20 * 2 ** attempt, 1000));
};

const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionInProgressException',
]);

/** Whether the table refused a call for want of capacity, after the SDK's own retries. Nothing was written. */
export const isThrottle = (error: unknown): boolean => error instanceof Error && throttles.has(error.name);

const isConflict = (code: string | undefined): boolean =>
  code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded';

/** Why one item of a transaction refused: what the table holds in its place, if anything. */
export interface Refusal {
  refused: boolean;
  item?: Record<string, unknown>;
}

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Writes all of these items or none. Answers undefined when they are written; else, per item, whether its condition
 * refused and (with `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`) the item as it is. Conflicts with other writers
 * are tried again; 503 when they last.
 */
export const transact = async (TransactItems: TransactItem[]): Promise<Refusal[] | undefined> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await db.send(new TransactWriteCommand({ TransactItems }));
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed'))
        return reasons.map(({ Code, Item }) => ({
          refused: Code === 'ConditionalCheckFailed',
          ...(Item && { item: unmarshall(Item) }),
        }));
      if (!reasons.some(({ Code }) => isConflict(Code))) throw error;
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
      if (!isThrottle(error) && !(error instanceof TransactionConflictException)) throw error;
      await pause(attempt);
    }
  }
};

/** A write whose condition is that the item exists: throws 404 where it does not. */
export const refusedToNotFound = async <T>(write: Promise<T>): Promise<T> => {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw notFound();
    throw error;
  }
};
