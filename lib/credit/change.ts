import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { logSink } from '../log.ts';
import type { CustomerCredit } from '../routes/credit.ts';
import { findCustomerItem, getCustomerItem, uuidOf } from '../store/customers.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { transact, write } from '../table/table.ts';
import {
  type Cause,
  type CreditLot,
  isCurrent,
  isWhole,
  type LotsRead,
  readLots,
  settle,
  settleOrLeave,
} from './lots.ts';
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
import { attributes, type Change, type CreditItem, creditLimit, creditOf, holdingOf } from './state.ts';
import { fastUpdate, fitsOne, writesOf } from './writes.ts';

/** The result of a change. */
interface Changed {
  credit: CustomerCredit;
  closed: Plan<CreditLot>['closed'];
}

/** Logs books that do not add up, for the alarm, and throws: nothing is written on top of them. */
const failBooks = ({ store, uuid, type }: Change, fault: string): never => {
  logSink.write({ level: 'ERROR', invariant: fault, store, customer: uuid, type });
  throw new Error(`The books do not add up: ${fault}.`);
};

/**
 * Has the rules decide about a customer and their lots. Where another writer may have come in between the two reads there
 * is no plan, and both are read again: a refusal, and a plan whose lots no transaction checks, need a look at one moment.
 */
const planOf = async (
  change: Change,
  item: CreditItem,
  lots: LotsRead | undefined,
): Promise<Plan<CreditLot> | undefined> => {
  const { type, command, cause } = change;
  const open = lots?.open ?? [];
  let plan: Plan<CreditLot>;
  try {
    plan = decide(holdingOf(item, type), open, command, cause.at, creditLimit());
  } catch (refusal) {
    if (lots && !(await isCurrent(item, open))) return undefined;
    throw refusal;
  }
  if (lots && !fitsOne(plan.closed.length) && !(await isCurrent(item, open))) return undefined;
  const fault = booksFault(plan.holding);
  if (fault === undefined) return plan;
  return (await isCurrent(item, open)) ? failBooks(change, fault) : undefined;
};

/** Reads after which lots that do not belong to their customer's item are a fault, and not another writer's change. */
const maxReads = 5;

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
    const needsLots = !tooMany && !touchesNoLot(holding, command, cause.at);
    const lots = needsLots ? await readLots(store, item, type, command, cause.at) : undefined;
    const isTorn = lots !== undefined && !isWhole(item, type, lots);
    if (isTorn && attempt >= maxReads && (await isCurrent(item, lots.open)))
      failBooks(change, `${lots.open.length} open lots were read, which are not those of ${JSON.stringify(holding)}`);
    const plan = isTorn ? undefined : await planOf(change, item, lots);
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
