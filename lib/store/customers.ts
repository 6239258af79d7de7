import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Resident } from './residents.ts';
import { db, partition, tableName } from './table.ts';

export const customerKey = (store: string, uuid: string) => ({ pk: partition(store, 'CUSTOMER'), sk: uuid });

/**
 * Makes a resident a customer of the store, if they are none yet: from then on they are in the store's list. To be
 * called by whatever first writes something about them. One write; it changes nothing about a customer who is there.
 */
export const touchCustomer = async (store: string, { uuid, username }: Resident): Promise<void> => {
  await db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: customerKey(store, uuid),
      UpdateExpression: 'SET username = if_not_exists(username, :username), flags = if_not_exists(flags, :flags)',
      ExpressionAttributeValues: { ':username': username, ':flags': partition(store, 'CUSTOMER', 'news0') },
    }),
  );
};
