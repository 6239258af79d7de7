import { now, timestamp } from '../../../lib/clock.ts';
import { type CreditLot, lotType } from '../../../lib/credit/lot.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { creditTypes, isDue } from '../../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { findCustomerItem } from '../../../lib/store/customers.ts';
import type { GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { parseResident } from '../terminal/input.ts';
import { type Column, isJson, note, print, shownTime } from '../terminal/output.ts';
import { addCreditBackfill } from './credit-backfill.ts';
import { addCreditGive } from './credit-give.ts';
import { addCreditHistory, openResident } from './credit-history.ts';
import { addCreditRepair } from './credit-repair.ts';

interface Balance {
  type: string;
  balance: number;
  /** The part that is in no lot: it does not expire. */
  unlotted: number;
  openLots: number;
  nextExpiresAt?: string | undefined;
}

const balanceColumns: Column<Balance>[] = [
  { heading: 'type', cell: ({ type }) => type },
  { heading: 'balance', cell: ({ balance }) => balance },
  { heading: 'not in lots', cell: ({ unlotted }) => unlotted },
  { heading: 'in lots', cell: ({ balance, unlotted }) => balance - unlotted },
  { heading: 'open lots', cell: ({ openLots }) => openLots },
  { heading: 'next expiry', cell: ({ nextExpiresAt }) => shownTime(nextExpiresAt) },
];

interface ShownLot extends Pick<CreditLot, 'amount' | 'remaining' | 'expiresAt' | 'createdAt' | 'createdBy'> {
  type: string;
  /** `due`: it has expired, and the next sweep or change closes it. */
  state: string;
  endedAt: string | undefined;
  endedBy: string | undefined;
}

const shownLot = (lot: CreditLot, at: string): ShownLot => {
  const { state, amount, remaining, expiresAt, createdAt, createdBy, endedAt, endedBy } = lot;
  return {
    type: lotType(lot),
    state: state === 'open' && isDue(expiresAt, at) ? 'due' : state,
    amount,
    remaining,
    expiresAt,
    createdAt,
    createdBy,
    endedAt,
    endedBy,
  };
};

const lotColumns: Column<ShownLot>[] = [
  { heading: 'lot of', cell: ({ type }) => type },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => (state === 'open' ? 'green' : 'dim') },
  { heading: 'amount', cell: ({ amount }) => amount },
  { heading: 'left', cell: ({ remaining }) => remaining },
  { heading: 'expires', cell: ({ expiresAt }) => shownTime(expiresAt) },
  { heading: 'added, by request', cell: (lot) => `${shownTime(lot.createdAt)} ${lot.createdBy}`, wraps: true },
  {
    heading: 'ended, by request',
    cell: (lot) => lot.endedAt && `${shownTime(lot.endedAt)} ${lot.endedBy}`,
    wraps: true,
  },
];

const show = async (options: GlobalOptions, identifier: Identifier): Promise<void> => {
  const { store, uuid, username } = await openResident(options, identifier);
  const item: CreditItem | undefined = await findCustomerItem(store.id, uuid);
  const balances = creditTypes.map((type): Balance => {
    const { balance, unlotted, lots, due } = item ? holdingOf(item, type) : { balance: 0, unlotted: 0, lots: 0 };
    return { type, balance, unlotted, openLots: lots, nextExpiresAt: due };
  });
  const at = timestamp(now());
  const lots = (await listLots(store.id, uuid)).map((lot) => shownLot(lot, at));
  if (isJson()) return print({ store: store.id, uuid, username, balances, lots }, []);
  note(`${username} (${uuid}) in ${store.name}${item ? '' : ', who is no customer yet'}`);
  print(balances, balanceColumns);
  if (lots.length > 0) process.stdout.write('\n');
  print(lots, lotColumns, 'There has never been credit in lots.');
  if (item?.pending) note('A large change is still being written to the lots; "store sweep" completes it.');
  if (lots.some(({ state }) => state === 'due'))
    note('Lots that are due end with the next change or sweep: "store sweep" does it now.');
};

export const addCredit = (program: StoreCommand): void => {
  const credit = program.command('credit').description('Store credit: show, give, history, repair, backfill.');
  credit
    .command('show')
    .description('Shows a resident’s balances and every credit lot, open and closed, with how it ended.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .examples('store credit show vera.vendor', 'store credit show "Vera Vendor" --json')
    .runs(show);
  addCreditGive(credit);
  addCreditHistory(credit);
  addCreditRepair(credit);
  addCreditBackfill(credit);
};
