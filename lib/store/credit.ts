import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId, now, timestamp } from '../clock.ts';
import {
  booksFault,
  type CreditCommand,
  type CreditType,
  checkCommand,
  creditTypes,
  decide,
  isDue,
  type Plan,
  touchesNoLot,
} from '../credit/rules.ts';
import { logSink } from '../http/log.ts';
import type { Identifier } from '../identifier.ts';
import {
  type Cause,
  type CreditLot,
  carryOut,
  closing,
  endOfEpoch,
  newLot,
  type Pending,
  readOpenLots,
  reducing,
} from './credit-lots.ts';
import { attributes, type CreditItem, dueShardOf, holdingOf, otherType } from './credit-state.ts';
import { birth, customerKey, findCustomerItem, getCustomerItem, uuidOf } from './customers.ts';
import { isRecorded, transactOnce } from './request-record.ts';
import { pause, sendOnce, type TransactItem } from './retry.ts';
import { db, tableName } from './table.ts';

/** A customer's raw stored balances. */
export interface CustomerCredit {
  uuid: string;
  username: string;
  credit: number;
  restrictedCredit: number;
}

/** A change of one customer's credit of one type, by a request. */
interface Change {
  store: string;
  uuid: string;
  type: CreditType;
  command: CreditCommand;
  cause: Cause;
}

/** The largest balance that set and increment may make. */
export const creditLimit = (): number => Number(process.env.CREDIT_LIMIT ?? 1_000_000_000);

/** A transaction takes this many items; one is the customer's, one may be a new lot, one a request's record. */
const maxItems = 100;

const creditOf = ({ sk, username, credit = 0, restrictedCredit = 0 }: CreditItem): CustomerCredit => ({
  uuid: sk,
  username,
  credit,
  restrictedCredit,
});

const refusedItem = (error: unknown): CreditItem | undefined => {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item && (unmarshall(error.Item) as CreditItem);
};

/** What a first attempt came to: the new balances, or the item (if there is one) whose state refused it. */
type Attempt = { done: CustomerCredit } | { refused: CreditItem | undefined };

/**
 * The fast path: what touches no lot is one conditional update, without a read. Its condition says that nothing is due
 * or in lots, and that the limit or the balance allows it; a refusal brings the item, which tells why.
 */
const addUnlotted = async ({ store, uuid, type, command, cause }: Change): Promise<Attempt> => {
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
  const due = pending ? cause.at : earlier(holding.due, item[attributes[otherType(type)].due]);
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

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/** What a large change leaves to be written after its transaction. */
const pendingOf = (
  { type, command, cause }: Change,
  item: CreditItem,
  { closed, reduced }: Plan<CreditLot>,
): Pending => {
  const epoch = item[attributes[type].epoch] ?? '';
  return {
    id: newId(),
    type,
    epoch,
    how: command.kind === 'set' ? 'superseded' : 'drained',
    through: command.kind === 'set' ? endOfEpoch(type, epoch) : (closed.at(-1)?.lot.sk ?? ''),
    version: item.creditVersion ?? 0,
    ...cause,
    ...(reduced && { reduced: { sk: reduced.lot.sk, from: reduced.lot.remaining, to: reduced.remaining } }),
  };
};

/** Writes what an earlier large change left to be written, and notes that it is done. */
const settle = async (store: string, item: CreditItem): Promise<void> => {
  if (!item.pending) return;
  await carryOut(store, item.sk, item.pending);
  // While a change is pending nothing else moves the due times: all who would, settle first.
  const due = earlier(item.creditDue, item.restrictedDue);
  try {
    await db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: customerKey(store, item.sk),
        UpdateExpression: due ? 'SET due = :due REMOVE pending' : 'REMOVE pending, dues, due',
        ConditionExpression: 'pending.id = :id',
        ExpressionAttributeValues: { ':id': item.pending.id, ...(due && { ':due': due }) },
      }),
    );
  } catch (error) {
    refusedItem(error);
  }
};

/** The change itself is made: that its lots could not all be marked is no failure of it. The sweep will do it. */
const settleOrLeave = async (store: string, item: CreditItem): Promise<void> => {
  try {
    await settle(store, item);
  } catch (error) {
    logSink.write({ level: 'WARN', unsettled: item.sk, stack: error instanceof Error ? error.stack : String(error) });
  }
};

/** What a change came to. */
interface Changed {
  credit: CustomerCredit;
  closed: Plan<CreditLot>['closed'];
}

/**
 * What the rules make of a customer and their lots. The lots were read after the customer: where both together are
 * refused or do not add up, another writer may have come in between. Then there is no plan, and all is read again.
 */
const planOf = async (
  { store, uuid, type, command, cause }: Change,
  item: CreditItem,
  open: CreditLot[],
): Promise<Plan<CreditLot> | undefined> => {
  const hasMoved = async (): Promise<boolean> => {
    const current: CreditItem | undefined = await findCustomerItem(store, uuid);
    return current?.creditVersion !== item.creditVersion;
  };
  let plan: Plan<CreditLot>;
  try {
    plan = decide(holdingOf(item, type), open, command, cause.at, creditLimit());
  } catch (refusal) {
    if (open.length > 0 && (await hasMoved())) return undefined;
    throw refusal;
  }
  const fault = booksFault(plan.holding);
  if (fault === undefined) return plan;
  if (await hasMoved()) return undefined;
  logSink.write({ level: 'ERROR', invariant: fault, store, customer: uuid, type });
  throw new Error(`The books do not add up: ${fault}.`);
};

/**
 * The general path: reads the customer and the lots that matter, decides, and writes the whole decision in one
 * transaction, if the customer's credit has not changed since; else it decides anew. What does not fit into one
 * transaction is recorded by it, and written right afterwards.
 */
const changeByPlan = async (change: Change, found?: CreditItem): Promise<Changed> => {
  const { store, uuid, type, command, cause } = change;
  let known = found;
  for (let attempt = 1; ; attempt++) {
    const item: CreditItem = known ?? (await getCustomerItem(store, uuid));
    known = undefined;
    if (item.pending) {
      await settle(store, item);
      continue;
    }
    const holding = holdingOf(item, type);
    const epoch = item[attributes[type].epoch] ?? '';
    // A set closes every lot by the change of the epoch; so many could not be marked in its transaction anyway.
    const tooMany = command.kind === 'set' && holding.lots > maxItems;
    const open =
      tooMany || touchesNoLot(holding, command, cause.at)
        ? []
        : await readOpenLots(store, uuid, type, { epoch, due: holding.due ?? '' }, command, cause.at);
    const plan = await planOf(change, item, open);
    if (!plan) {
      await pause(attempt);
      continue;
    }
    if (command.kind === 'reconcile' && plan.closed.length === 0) return { credit: creditOf(item), closed: [] };
    const newEpoch = plan.added && (holding.lots === 0 || command.kind === 'set') ? newId() : undefined;
    const touched = plan.closed.length + (plan.reduced ? 1 : 0);
    const pending = tooMany || touched + 3 > maxItems ? pendingOf(change, item, plan) : undefined;
    const version = item.creditVersion ?? 0;
    const items: TransactItem[] = [updateOf(change, item, plan, newEpoch, pending)];
    if (plan.added)
      items.push({
        Put: {
          TableName: tableName(),
          Item: newLot(store, uuid, type, newEpoch ?? epoch, plan.added, cause, version),
        },
      });
    if (!pending) {
      items.push(...plan.closed.map(({ lot, how }) => ({ Update: closing(lot, how, cause) })));
      if (plan.reduced)
        items.push({ Update: reducing(plan.reduced.lot, plan.reduced.lot.remaining, plan.reduced.remaining) });
    }
    const { balance, due } = attributes[type];
    const after: CreditItem = { ...item, [balance]: plan.holding.balance, [due]: plan.holding.due };
    if (await transactOnce(items, creditOf(after))) {
      await pause(attempt);
      continue;
    }
    if (pending) await settleOrLeave(store, { ...after, pending });
    return { credit: creditOf(after), closed: plan.closed };
  }
};

/**
 * Changes a customer's credit of one type by a command, and answers both balances after it. Throws 400 where a rule
 * refuses it (then nothing is written), 404 for no such resident, 503 where other writers do not let it through.
 */
export const changeCredit = async (
  store: string,
  identifier: Identifier,
  type: CreditType,
  command: CreditCommand,
  by: string,
): Promise<CustomerCredit> => {
  const cause: Cause = { at: timestamp(now()), by };
  checkCommand(command, cause.at, creditLimit());
  const change: Change = { store, uuid: await uuidOf(identifier), type, command, cause };
  // A new lot, or a record of the request, takes a transaction, which does not answer with the balances: they are read.
  const isFast = !isRecorded() && command.kind !== 'reconcile' && command.expiresAt === undefined;
  const attempt: Attempt = isFast ? await addUnlotted(change) : { refused: undefined };
  if ('done' in attempt) return attempt.done;
  return (await changeByPlan(change, attempt.refused)).credit;
};

/** Closes a customer's due lots, of both types, and finishes what a large change has left. Answers the lots it closed. */
export const reconcileCredit = async (store: string, uuid: string, by: string): Promise<CreditLot[]> => {
  const cause: Cause = { at: timestamp(now()), by };
  const item: CreditItem | undefined = await findCustomerItem(store, uuid);
  if (!item) return [];
  await settle(store, item);
  const lots: CreditLot[] = [];
  for (const type of creditTypes) {
    if (!isDue(holdingOf(item, type).due, cause.at)) continue;
    const { closed } = await changeByPlan({ store, uuid, type, command: { kind: 'reconcile' }, cause });
    lots.push(...closed.map(({ lot }) => lot));
  }
  return lots;
};
