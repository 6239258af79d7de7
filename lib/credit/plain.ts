import { customerKey } from '../table/keys.ts';
import { above, all, any, atLeast, atMost, exists, is, isKnown, missing, update } from '../table/language.ts';
import { type WriteOutcome, write } from '../table/table.ts';
import { attributes, type Change, type ChangedCredit, type CreditItem, changedCreditOf, creditLimit } from './state.ts';
import { lastChangeBy } from './writes.ts';

/**
 * Plain credit: a set or an increment without an expiry, of a customer whose lots it does not touch. It is one
 * conditional update, and reads nothing. Its condition says that no lot has a part in it, and that the limit or the
 * balance allows it. If the condition fails, nothing is done, and `found` is the customer's item, which tells why.
 * Undefined for a command that adds a lot.
 */
export const changePlain = async (change: Change): Promise<WriteOutcome<CreditItem, ChangedCredit> | undefined> => {
  const { store, uuid, type, command, cause } = change;
  if ((command.kind !== 'set' && command.kind !== 'increment') || command.expiresAt !== undefined) return undefined;
  const { balance, unlotted, lots, due } = attributes[type];
  const lastChange = lastChangeBy(change);
  const hasNoLots = any(missing(lots), is(lots, 0));
  const customer = customerKey(store, uuid);
  if (command.kind === 'set') {
    const set = { [balance]: command.credit, [unlotted]: command.credit, lastChange };
    const setting = update(customer, { set, add: { creditVersion: 1 }, when: all(exists, isKnown, hasNoLots) });
    return write<CreditItem, ChangedCredit>(setting, { answer: changedCreditOf });
  }

  const { delta } = command;
  const nothingIsDue = any(missing(due), above(due, cause.at));
  const limitAllows = any(missing(balance), atMost(balance, creditLimit() - delta));
  const balanceAllows = atLeast(balance, -delta);
  const adding = update(customer, {
    set: { lastChange },
    add: { [balance]: delta, [unlotted]: delta, creditVersion: 1 },
    when: all(exists, isKnown, ...(delta > 0 ? [nothingIsDue, limitAllows] : [hasNoLots, balanceAllows])),
  });
  return write<CreditItem, ChangedCredit>(adding, { answer: changedCreditOf });
};
