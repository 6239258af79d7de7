import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { logSink } from '../log.ts';
import { findCustomerItem, getCustomerItem, uuidOf } from '../store/customers.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { transact, write } from '../table/table.ts';
import { type Cause, type CreditLot, readOpenLots, settle, settleOrLeave } from './lots.ts';
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
} from './rules.ts';
import {
  attributes,
  type Change,
  type CreditItem,
  type CustomerCredit,
  creditLimit,
  creditOf,
  holdingOf,
} from './state.ts';
import { fastUpdate, fitsOne, writesOf } from './writes.ts';

/** The result of a change. */
interface Changed {
  credit: CustomerCredit;
  closed: Plan<CreditLot>['closed'];
}

/**
 * Has the rules decide about a customer and their lots. The lots were read after the customer: where both together are
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
  const holding = holdingOf(item, type);
  let plan: Plan<CreditLot>;
  try {
    plan = decide(holding, open, command, cause.at, creditLimit());
  } catch (refusal) {
    if (!touchesNoLot(holding, command, cause.at) && (await hasMoved())) return undefined;
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
 * transaction, if the customer's credit has not changed since; else it decides anew. The part that does not fit into one
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
    // A set closes every lot by the change of the epoch; so many could not be marked in its transaction anyway.
    const tooMany = command.kind === 'set' && !fitsOne(holding.lots);
    const open =
      tooMany || touchesNoLot(holding, command, cause.at)
        ? []
        : await readOpenLots(
            store,
            uuid,
            type,
            { epoch: item[attributes[type].epoch] ?? '', due: holding.due ?? '' },
            command,
            cause.at,
          );
    const plan = await planOf(change, item, open);
    if (!plan) {
      await pauseOvertaken(attempt);
      continue;
    }
    if (command.kind === 'reconcile' && plan.closed.length === 0) return { credit: creditOf(item), closed: [] };
    const { writes, pending } = writesOf(change, item, plan, tooMany);
    const { balance, due } = attributes[type];
    const after: CreditItem = { ...item, [balance]: plan.holding.balance, [due]: plan.holding.due };
    if (await transact(writes, { answer: creditOf(after) })) {
      await pauseOvertaken(attempt);
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
  const fast = fastUpdate(change);
  const outcome = fast && (await write<CreditItem, CustomerCredit>(fast, { answer: creditOf }));
  if (outcome?.done) return outcome.result;
  return (await changeByPlan(change, outcome?.found)).credit;
};

/** Closes a customer's due lots, of both types, and finishes a pending large change. Answers the lots it closed. */
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
