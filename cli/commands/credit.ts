import { type Command, InvalidArgumentError } from 'commander';
import { now, timestamp } from '../../lib/clock.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { creditTypes, isDue } from '../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../lib/credit/state.ts';
import { type Identifier, parseIdentifier } from '../../lib/identifier.ts';
import { findCustomerItem } from '../../lib/store/customers.ts';
import { findResident } from '../../lib/store/residents.ts';
import { type Column, examples, Failure, isJson, note, print, shownTime } from '../output.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

interface Balance {
  type: string;
  balance: number;
  /** What no lot holds: it does not expire. */
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

interface ShownLot {
  type: string;
  /** `due`: its time is over, and the next sweep or change closes it. */
  state: string;
  amount: number;
  remaining: number;
  expiresAt: string;
  createdAt: string;
  createdBy: string;
  endedAt?: string | undefined;
  endedBy?: string | undefined;
}

const lotColumns: Column<ShownLot>[] = [
  { heading: 'lot of', cell: ({ type }) => type },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => (state === 'open' ? 'green' : 'dim') },
  { heading: 'amount', cell: ({ amount }) => amount },
  { heading: 'left', cell: ({ remaining }) => remaining },
  { heading: 'expires', cell: ({ expiresAt }) => shownTime(expiresAt) },
  {
    heading: 'added, by request',
    cell: ({ createdAt, createdBy }) => `${shownTime(createdAt)} ${createdBy}`,
    wraps: true,
  },
  {
    heading: 'ended, by request',
    cell: ({ endedAt, endedBy }) => endedAt && `${shownTime(endedAt)} ${endedBy}`,
    wraps: true,
  },
];

const parseResident = (text: string): Identifier => {
  const identifier = parseIdentifier(text);
  if (!identifier)
    throw new InvalidArgumentError('It must be a username (first, first.last or "First Last") or an avatar UUID.');
  return identifier;
};

const show = async (identifier: Identifier, options: GlobalOptions): Promise<void> => {
  const target = await connect(options);
  const store = await chooseStore(options.store);
  const resident = await findResident(identifier);
  if (!resident) throw new Failure(`There is no resident ${identifier.username ?? identifier.uuid} on ${target.name}.`);
  const { uuid, username } = resident;
  const item: CreditItem | undefined = await findCustomerItem(store.id, uuid);
  const at = timestamp(now());
  const balances = creditTypes.map((type): Balance => {
    const { balance, unlotted, lots, due } = item ? holdingOf(item, type) : { balance: 0, unlotted: 0, lots: 0 };
    return { type, balance, unlotted, openLots: lots, nextExpiresAt: due };
  });
  const lots = (await listLots(store.id, uuid)).map((lot): ShownLot => {
    const { amount, remaining, expiresAt, createdAt, createdBy, endedAt, endedBy } = lot;
    const state = lot.state === 'open' && isDue(expiresAt, at) ? 'due' : lot.state;
    return {
      type: lot.sk.split('#')[0] ?? '',
      state,
      amount,
      remaining,
      expiresAt,
      createdAt,
      createdBy,
      endedAt,
      endedBy,
    };
  });
  if (isJson()) return print({ store: store.id, uuid, username, balances, lots }, []);
  note(`${username} (${uuid}) in ${store.name}${item ? '' : ', who is no customer yet'}`);
  print(balances, balanceColumns);
  if (lots.length > 0) process.stdout.write('\n');
  print(lots, lotColumns, 'There has never been credit in lots.');
  if (item?.pending) note('A large change is still being written to the lots; "store sweep" completes it.');
  if (lots.some(({ state }) => state === 'due'))
    note('Lots that are due end with the next change or sweep: "store sweep" does it now.');
};

export const addCredit = (program: Command): void => {
  program
    .command('credit')
    .description('Looks into store credit.')
    .command('show')
    .description('Shows a resident’s balances and every credit lot, open and closed, with how it ended.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .addHelpText('after', examples('store credit show vera.vendor', 'store credit show "Vera Vendor" --json'))
    .action((identifier: Identifier, _, command: Command) => show(identifier, command.optsWithGlobals()));
};
