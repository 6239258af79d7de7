import { newId } from '../clock.ts';
import { birth, customerKey } from '../store/customers.ts';
import type { TransactItem } from '../table/retry.ts';
import { tableName } from '../table/table.ts';
import { type CreditLot, closing, newLot, type Pending, reducing } from './lots.ts';
import { pendingOf } from './pending.ts';
import { earliest, type Plan } from './rules.ts';
import { attributes, type Change, type CreditItem, dueShardOf, holdingOf, otherType } from './state.ts';

const maxItems = 100;

/** Whether a transaction holds so many lots beside the customer, a new lot and a request's record. */
export const fitsOne = (lots: number): boolean => lots + 3 <= maxItems;

/** The update of a customer's item that a plan makes, if the customer's credit is still at `version`. */
export const updateOf = (
  { store, uuid, type, cause }: Omit<Change, 'command'>,
  item: CreditItem,
  { holding }: Pick<Plan, 'holding'>,
  epoch: string | undefined,
  pending: Pending | undefined,
  imported: Pick<CreditItem, 'importedVersion' | 'importedCredit' | 'importedRestricted'> = {},
): TransactItem => {
  const names = attributes[type];
  const version = item.creditVersion ?? 0;
  // While a large change has something left to be written, the sweep must find the customer at once.
  const due = pending ? cause.at : earliest(holding.due, item[attributes[otherType(type)].due]);
  const values: Record<string, unknown> = {
    [names.balance]: holding.balance,
    [names.unlotted]: holding.unlotted,
    [names.lots]: holding.lots,
    [names.due]: holding.due,
    ...(epoch !== undefined && { [names.epoch]: epoch }),
    ...(pending && { pending }),
    ...imported,
    creditVersion: version + 1,
    dues: due && dueShardOf(uuid),
    due,
  };
  const all = Object.keys(values);
  const set = all.filter((name) => values[name] !== undefined);
  const removed = all.filter((name) => values[name] === undefined);
  const born = birth(store, item.username);
  return {
    Update: {
      TableName: tableName(),
      Key: customerKey(store, uuid),
      UpdateExpression: [
        `SET ${[born.set, ...set.map((name) => `#${name} = :${name}`)].join(', ')}`,
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
      ].join(' '),
      ConditionExpression: version > 0 ? '#creditVersion = :version' : 'attribute_not_exists(#creditVersion)',
      ExpressionAttributeNames: Object.fromEntries(all.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...born.values,
        ...Object.fromEntries(set.map((name) => [`:${name}`, values[name]])),
        ...(version > 0 && { ':version': version }),
      },
    },
  };
};

/**
 * The transaction that carries out a plan, and, where it does not hold all that the plan does to lots, what it leaves to
 * be written. `tooMany`: the lots that a set closes were not even read.
 */
export const writesOf = (
  change: Change,
  item: CreditItem,
  plan: Plan<CreditLot>,
  tooMany: boolean,
): { items: TransactItem[]; pending: Pending | undefined } => {
  const { store, uuid, type, command, cause } = change;
  const version = item.creditVersion ?? 0;
  const isFirst = holdingOf(item, type).lots === 0 || command.kind === 'set';
  const newEpoch = plan.added && isFirst ? newId() : undefined;
  const touched = plan.closed.length + (plan.reduced ? 1 : 0);
  const pending = tooMany || !fitsOne(touched) ? pendingOf(change, item, plan) : undefined;
  const items: TransactItem[] = [updateOf(change, item, plan, newEpoch, pending)];
  if (plan.added) {
    const epoch = newEpoch ?? item[attributes[type].epoch] ?? '';
    items.push({
      Put: { TableName: tableName(), Item: newLot(store, uuid, type, epoch, plan.added, cause, version) },
    });
  }
  if (pending) return { items, pending };
  items.push(...plan.closed.map(({ lot, how }) => ({ Update: closing(lot, how, cause) })));
  if (plan.reduced)
    items.push({ Update: reducing(plan.reduced.lot, plan.reduced.lot.remaining, plan.reduced.remaining) });
  return { items, pending };
};
