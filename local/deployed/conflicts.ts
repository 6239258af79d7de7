import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Refuses a call about an item that a transaction is writing, as DynamoDB does. The engines of this machine do not. A
 * transaction holds its items until the engine has answered, and for at least `holdMillis`.
 */

// biome-ignore lint/suspicious/noExplicitAny: a call's body is looked at member by member.
type Body = any;

/** An answer with which DynamoDB refuses a call. */
export interface Conflict {
  error: string;
  body: object;
}

const itemName = ({ TableName, Key, Item }: Body): string => {
  const { pk, sk } = Key ?? Item;
  return `${TableName} ${pk.S} ${sk.S}`;
};

/** The items with which a call can be in conflict. */
const itemsOf = (operation: string, body: Body): string[] => {
  if (/^Transact(Write|Get)Items$/.test(operation))
    return body.TransactItems.map((item: Body) => itemName(Object.values(item)[0]));
  return /^(Put|Update|Delete)Item$/.test(operation) ? [itemName(body)] : [];
};

const refusal = (operation: string, isHeld: readonly boolean[]): Conflict => {
  const reason = 'Transaction is ongoing for the item';
  if (!operation.startsWith('Transact')) return { error: 'TransactionConflictException', body: { message: reason } };
  const codes = isHeld.map((held) => (held ? 'TransactionConflict' : 'None'));
  return {
    error: 'TransactionCanceledException',
    body: {
      Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
      CancellationReasons: codes.map((Code) => ({ Code, ...(Code !== 'None' && { Message: reason }) })),
    },
  };
};

export const newConflicts = (holdMillis: number) => {
  /** The items that transactions hold, and the token of each transaction. */
  const held = new Map<string, string>();
  /** Answers the refusal of a call, or a function to await before the call's answer is passed on. */
  return (operation: string, body: Body): Conflict | (() => Promise<void>) => {
    const items = itemsOf(operation, body);
    const token: string = body.ClientRequestToken ?? '';
    if (items.some((item) => token !== '' && held.get(item) === token))
      return { error: 'TransactionInProgressException', body: { Message: 'The transaction is in progress.' } };
    const isHeld = items.map((item) => held.has(item));
    if (isHeld.includes(true)) return refusal(operation, isHeld);
    if (operation !== 'TransactWriteItems') return async () => {};
    for (const item of items) held.set(item, token);
    const hold = sleep(holdMillis);
    return async () => {
      await hold;
      for (const item of items) held.delete(item);
    };
  };
};
