import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../clock.ts';
import { logSink } from '../log.ts';
import { customerKey } from '../store/customers.ts';
import { refusedToFalse } from '../table/retry.ts';
import { db, tableName } from '../table/table.ts';
import { type CreditLot, carryOut, endOfEpoch, type Pending } from './lots.ts';
import { earliest, type Plan } from './rules.ts';
import { attributes, type Change, type CreditItem } from './state.ts';

/** What a large change leaves to be written after its transaction. */
export const pendingOf = (
  { type, command, cause }: Change,
  item: CreditItem,
  { closed, reduced }: Plan<CreditLot>,
): Pending => {
  const { epoch: epochName, due } = attributes[type];
  const epoch = item[epochName] ?? '';
  return {
    id: newId(),
    type,
    epoch,
    from: item[due] ?? '',
    how: command.kind === 'set' ? 'superseded' : 'drained',
    through: command.kind === 'set' ? endOfEpoch(type, epoch) : (closed.at(-1)?.lot.sk ?? ''),
    version: item.creditVersion ?? 0,
    ...cause,
    ...(reduced && { reduced: { sk: reduced.lot.sk, from: reduced.lot.remaining, to: reduced.remaining } }),
  };
};

/** Writes what an earlier large change left to be written, and notes that it is done. */
export const settle = async (store: string, item: CreditItem): Promise<void> => {
  if (!item.pending) return;
  await carryOut(store, item.sk, item.pending);
  // While a change is pending nothing else moves the due times: all who would, settle first.
  const due = earliest(item.creditDue, item.restrictedDue);
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: customerKey(store, item.sk),
    UpdateExpression: due ? 'SET due = :due REMOVE pending' : 'REMOVE pending, dues, due',
    ConditionExpression: 'pending.id = :id',
    ExpressionAttributeValues: { ':id': item.pending.id, ...(due && { ':due': due }) },
  });
  await refusedToFalse(() => db.send(update));
};

/** The change itself is made: that its lots could not all be marked is no failure of it. The sweep will do it. */
export const settleOrLeave = async (store: string, item: CreditItem): Promise<void> => {
  try {
    await settle(store, item);
  } catch (error) {
    logSink.write({ level: 'WARN', unsettled: item.sk, stack: error instanceof Error ? error.stack : String(error) });
  }
};
