import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { customerKey } from '../store/customers.ts';
import { sendOnce } from '../table/retry.ts';
import { tableName } from '../table/table.ts';
import {
  attributes,
  type Change,
  type CreditItem,
  type CustomerCredit,
  creditLimit,
  creditOf,
  refusedItem,
} from './state.ts';

/** What a first attempt came to: the new balances, or the item (if there is one) whose state refused it. */
export type Attempt = { done: CustomerCredit } | { refused: CreditItem | undefined };

/**
 * The fast path: what touches no lot is one conditional update, without a read. Its condition says that nothing is due
 * or in lots, and that the limit or the balance allows it; a refusal brings the item, which tells why.
 */
export const addUnlotted = async ({ store, uuid, type, command, cause }: Change): Promise<Attempt> => {
  const { balance, unlotted, lots, due } = attributes[type];
  const noLots = `(attribute_not_exists(${lots}) OR ${lots} = :zero)`;
  const values: Record<string, unknown> = { ':one': 1 };
  let update = '';
  let condition = '';
  if (command.kind === 'set') {
    update = `SET ${balance} = :credit, ${unlotted} = :credit ADD creditVersion :one`;
    condition = noLots;
    Object.assign(values, { ':credit': command.credit, ':zero': 0 });
  } else if (command.kind === 'increment') {
    update = `ADD ${balance} :delta, ${unlotted} :delta, creditVersion :one`;
    values[':delta'] = command.delta;
    if (command.delta > 0) {
      condition = `(attribute_not_exists(${due}) OR ${due} > :at) AND (attribute_not_exists(${balance}) OR ${balance} <= :room)`;
      Object.assign(values, { ':at': cause.at, ':room': creditLimit() - command.delta });
    } else {
      condition = `${noLots} AND ${balance} >= :amount`;
      Object.assign(values, { ':amount': -command.delta, ':zero': 0 });
    }
  }
  try {
    const { Attributes } = await sendOnce(
      new UpdateCommand({
        TableName: tableName(),
        Key: customerKey(store, uuid),
        UpdateExpression: update,
        ConditionExpression: `attribute_exists(pk) AND ${condition}`,
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { done: creditOf(Attributes as CreditItem) };
  } catch (error) {
    return { refused: refusedItem(error) };
  }
};
