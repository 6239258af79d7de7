import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Identifier } from '../identifier.ts';
import { notFound } from '../problem.ts';
import { isRecorded, transactOnce } from '../table/idempotency.ts';
import { pastConflicts } from '../table/retry.ts';
import { db, tableName } from '../table/table.ts';
import {
  birth,
  type Customer,
  type CustomerItem,
  customerKey,
  getCustomer,
  getCustomerItem,
  getResident,
  readCustomer,
  subscribed,
  uuidOf,
} from './customers.ts';
import type { Resident } from './residents.ts';

/** The update that sets (or removes) attributes of a customer who is there, or of the `stranger` of that name. */
const changing = (store: string, uuid: string, values: Record<string, unknown>, stranger: string | undefined) => {
  const names = Object.keys(values);
  const set = names.filter((name) => values[name] !== undefined);
  const removed = names.filter((name) => values[name] === undefined);
  const born = stranger === undefined ? undefined : birth(store, stranger);
  const births = born?.parts.filter(({ name }) => !names.includes(name)) ?? [];
  const sets = [...births.map((part) => part.set), ...set.map((name) => `#${name} = :${name}`)];
  const expressions = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
  ];
  const valuesOfAll = {
    ...Object.fromEntries(births.map(({ name }) => [`:${name}`, born?.values[`:${name}`]])),
    ...Object.fromEntries(set.map((name) => [`:${name}`, values[name]])),
  };
  return {
    TableName: tableName(),
    Key: customerKey(store, uuid),
    UpdateExpression: expressions.join(' '),
    ...(stranger === undefined && { ConditionExpression: 'attribute_exists(pk)' }),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ...(sets.length > 0 && { ExpressionAttributeValues: valuesOfAll }),
  };
};

/** Sets (or, where the value is undefined, removes) attributes of a customer. Throws 404 for no such resident. */
const change = async (store: string, identifier: Identifier, values: Record<string, unknown>): Promise<Customer> => {
  const uuid = await uuidOf(identifier);
  if (isRecorded()) {
    const item = await getCustomerItem(store, uuid);
    const customer = readCustomer({ ...item, ...values });
    const update = changing(store, uuid, values, item.flags === undefined ? item.username : undefined);
    if (await transactOnce([{ Update: update }], customer)) throw notFound();
    return customer;
  }
  for (let stranger: Resident | undefined; ; ) {
    const update = changing(store, uuid, values, stranger?.username);
    try {
      const { Attributes } = await pastConflicts(() =>
        db.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' })),
      );
      return readCustomer(Attributes as CustomerItem);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      stranger = await getResident({ uuid });
    }
  }
};

/** Sets what is given; what is left out stays. Throws 404. */
export const updateCustomer = async (
  store: string,
  identifier: Identifier,
  { discount, newsSubscriber }: { discount?: number | undefined; newsSubscriber?: boolean | undefined },
): Promise<Customer> => {
  if (discount === undefined && newsSubscriber === undefined) return getCustomer(store, identifier);
  return change(store, identifier, {
    ...(discount !== undefined && { discount }),
    ...(newsSubscriber !== undefined && subscribed(store, newsSubscriber)),
  });
};

/** A ban without a reason leaves the reason of an earlier one. Throws 404. */
export const banCustomer = (store: string, identifier: Identifier, reason: string | undefined): Promise<Customer> =>
  change(store, identifier, { isBanned: true, ...(reason !== undefined && { banReason: reason }) });

/** Throws 404. */
export const unbanCustomer = (store: string, identifier: Identifier): Promise<Customer> =>
  change(store, identifier, { isBanned: false, banReason: undefined });
