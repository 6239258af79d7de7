import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { customerUpsert, findCustomerItem } from '../../lib/avatars/customers.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { asDecided, type CreditLot, lotType, newLot } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, dueShardOf, storedChange } from '../../lib/credit/state.ts';
import { checksumOf, storedChecksum } from '../../lib/credit/whole-lots.ts';
import { auditCredit } from '../../lib/operator/audit-credit.ts';
import { db, tableName } from '../../lib/table/client.ts';
import { customerKey } from '../../lib/table/keys.ts';
import { write } from '../../lib/table/table.ts';
import { newResident } from './residents.ts';

export const newCustomer = async (): Promise<string> => (await newResident()).uuid;

/** Makes a customer with these lots and `unlotted` regular credit, as increments would. */
export const customerWithLots = async (
  store: string,
  lots: readonly { amount: number; expiresAt: string }[],
  unlotted = 0,
): Promise<string> => {
  const uuid = await newCustomer();
  const epoch = newId();
  const cause = { at: timestamp(now()), by: 'seed' };
  const puts = lots.map((lot) => ({
    PutRequest: { Item: newLot(store, uuid, 'regular', epoch, lot, cause, 0) },
  }));
  for (let i = 0; i < puts.length; i += 25)
    await db.send(new BatchWriteCommand({ RequestItems: { [tableName()]: puts.slice(i, i + 25) } }));
  await write(customerUpsert(store, { uuid, username: 'seeded' }));
  const due = lots.map(({ expiresAt }) => expiresAt).sort()[0];
  const values = {
    credit: lots.reduce((sum, { amount }) => sum + amount, unlotted),
    creditUnlotted: unlotted,
    creditLots: lots.length,
    creditVersion: 1,
    lastChange: storedChange({ kind: 'import', at: cause.at, types: [{ type: 'regular' }] }),
    ...(due && { creditEpoch: epoch, creditDue: due, due, dues: dueShardOf(uuid) }),
  };
  const names = Object.keys(values);
  await db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: customerKey(store, uuid),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    }),
  );
  return uuid;
};

/** A valid checksum must equal the checksum of the open lots. */
const markFaults = (item: CreditItem, lots: readonly CreditLot[]): string[] =>
  creditTypes.flatMap((type) => {
    const mark = storedChecksum(item, type);
    const open = lots.map((lot) => asDecided(lot, item)).filter((lot) => lot.state === 'open' && lotType(lot) === type);
    return mark === undefined || mark === checksumOf(open) ? [] : [`${type}: the mark ${mark} is not that of the lots`];
  });

/** A customer's stored credit: their item, their lots and the faults of their books. */
export const creditOf = async (
  store: string,
  uuid: string,
): Promise<{ item: CreditItem; lots: CreditLot[]; faults: string[] }> => {
  const item = (await findCustomerItem(store, uuid)) as CreditItem;
  const lots = await listLots(store, uuid);
  return { item, lots, faults: [...auditCredit(item, lots), ...markFaults(item, lots)] };
};

/** The number of lots in each state. */
export const statesOf = (lots: readonly CreditLot[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { state } of lots) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};
