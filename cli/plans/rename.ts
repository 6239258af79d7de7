import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { customerKey } from '../../lib/store/customers.ts';
import { ownersCoupons } from '../../lib/store/owner-coupons.ts';
import { ownersCards } from '../../lib/store/owner-gift-cards.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { spendKey } from '../../lib/store/spend.ts';
import type { Key } from '../../lib/table/query.ts';
import { refusedToFalse } from '../../lib/table/retry.ts';
import { db, tableName } from '../../lib/table/table.ts';

/** Sets the name on an item that holds a copy of it, if that item is there. */
const renameCopy = async ({ pk, sk }: Key, username: string, attribute = 'username'): Promise<void> => {
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: { pk, sk },
    UpdateExpression: `SET ${attribute} = :username`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':username': username },
  });
  await refusedToFalse(() => db.send(update));
};

/** Sets a resident's current name on every copy of it that a store holds, since answers carry the current name. */
export const renameEverywhere = async (store: string, { uuid, username }: Resident): Promise<void> => {
  const all = { descending: false };
  const [coupons, cards] = await Promise.all([ownersCoupons(store, uuid)(all), ownersCards(store, uuid)(all)]);
  await Promise.all([renameCopy(customerKey(store, uuid), username), renameCopy(spendKey(store, uuid), username)]);
  for (const coupon of coupons) await renameCopy(coupon, username, 'couponOwnerUsername');
  for (const card of cards) await renameCopy(card, username, 'ownerUsername');
};
