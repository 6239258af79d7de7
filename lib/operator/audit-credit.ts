import { asDecided, type CreditLot } from '../credit/lot.ts';
import { creditTypes, type Ending } from '../credit/rules.ts';
import { attributes, type CreditItem, dueShardOf, holdingOf } from '../credit/state.ts';

const endings: readonly Ending[] = ['drained', 'expired', 'superseded'];

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const lotFaults = (lot: CreditLot): string[] => {
  const faults: string[] = [];
  if (!isAmount(lot.remaining) || !isAmount(lot.amount) || lot.remaining > lot.amount)
    faults.push(`lot ${lot.sk} has ${lot.remaining} of ${lot.amount} left`);
  if (lot.state === 'open') return lot.remaining > 0 ? faults : [...faults, `open lot ${lot.sk} is empty`];
  if (!endings.includes(lot.state)) faults.push(`lot ${lot.sk} has the state ${lot.state}`);
  if (!lot.endedAt || !lot.endedBy) faults.push(`lot ${lot.sk} does not say when and by what it ended`);
  if (lot.state === 'drained' && lot.remaining !== 0) faults.push(`drained lot ${lot.sk} has ${lot.remaining} left`);
  return faults;
};

/**
 * Checks what must always hold for a customer's credit: the balance is the unlotted part plus the rest of the open
 * lots, nothing is negative, closed lots say how they ended, and counts and due times are right. Answers a sentence for
 * each fault. `item` and `lots` are raw items, read at one moment.
 */
export const auditCredit = (item: CreditItem, lots: readonly CreditLot[]): string[] => {
  const decided = lots.map((lot) => asDecided(lot, item));
  const faults = decided.flatMap(lotFaults);
  for (const type of creditTypes) {
    const { balance, unlotted, lots: count, due } = holdingOf(item, type);
    const { [attributes[type].epoch]: epoch, [attributes[type].newest]: newest } = item;
    const open = decided.filter(({ sk, state }) => state === 'open' && sk.startsWith(`${type}#`));
    const strays = open.filter(({ sk }) => !sk.startsWith(`${type}#${epoch}#`));
    for (const { sk } of strays) faults.push(`lot ${sk} is open in an epoch that is over`);
    const inLots = open.reduce((sum, { remaining }) => sum + remaining, 0);
    if (!isAmount(balance) || !isAmount(unlotted)) faults.push(`${type}: balance ${balance}, unlotted ${unlotted}`);
    if (balance !== unlotted + inLots)
      faults.push(`${type}: balance ${balance} is not ${unlotted} + ${inLots} in lots`);
    if (count !== open.length) faults.push(`${type}: ${count} open lots are counted, ${open.length} are there`);
    const first = open.map(({ expiresAt }) => expiresAt).sort()[0];
    if (due !== first) faults.push(`${type}: next due ${due}, but the first lot ends ${first}`);
    // A reader of open lots looks for this lot. If no lot is open, an erasure may have begun to move them.
    if (newest !== undefined && open.length > 0 && !lots.some(({ sk }) => sk === newest))
      faults.push(`${type}: the lot that was added last, ${newest}, is not there`);
  }
  const next = item.pending?.at ?? [item.creditDue, item.restrictedDue].filter((time) => time !== undefined).sort()[0];
  if (item.due !== next || item.dues !== (next && dueShardOf(item.sk)))
    faults.push(`the sweep looks for the customer at ${item.due} in ${item.dues}, not at ${next}`);
  return faults.map((fault) => `customer ${item.sk}: ${fault}.`);
};

/** Checks the credit of every customer among raw items of one store's table, lots without a customer included. */
export const auditTable = (items: readonly Record<string, unknown>[]): string[] => {
  const lotsOf = new Map<string, CreditLot[]>();
  for (const item of items as unknown as readonly CreditLot[]) {
    const [, customer] = item.pk.split('#LOT#');
    const lots = customer && lotsOf.get(customer);
    if (lots) lots.push(item);
    else if (customer) lotsOf.set(customer, [item]);
  }
  const customers = (items as unknown as readonly CreditItem[]).filter(({ pk }) => pk.endsWith('#CUSTOMER'));
  const known = new Set(customers.map(({ sk }) => sk));
  const strays = [...lotsOf.keys()].filter((uuid) => !known.has(uuid));
  return [
    ...customers.flatMap((item) => auditCredit(item, lotsOf.get(item.sk) ?? [])),
    ...strays.map((uuid) => `customer ${uuid}: there are lots, but no customer.`),
  ];
};
