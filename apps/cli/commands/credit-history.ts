import { Option } from 'commander';
import { listCreditHistory } from '../../../lib/credit/history-list.ts';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import type { CreditChange } from '../../../lib/routes/credit.ts';
import { findResident, type Resident } from '../../../lib/store/residents.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { parseCount, parseResident } from '../terminal/input.ts';
import { type Column, note, print, shownTime } from '../terminal/output.ts';

/** Opens the store, and finds a resident whom it knows. Throws if there is none. */
export const openResident = async (
  options: GlobalOptions,
  identifier: Identifier,
): Promise<Resident & { target: Target; store: Store }> => {
  const { target, store } = await openStore(options);
  const resident = await findResident(store.id, identifier);
  if (!resident) throw new Failure(`There is no resident ${identifier.username ?? identifier.uuid} on ${target.name}.`);
  return { target, store, ...resident };
};

interface HistoryOptions extends GlobalOptions {
  type?: CreditType;
  limit: number;
}

const causeOf = ({ reason, reference, saleId, giftCardId, keyId, requestId }: CreditChange): string | undefined => {
  const named = { reference, sale: saleId, card: giftCardId, key: keyId, request: requestId };
  const ids = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return [...(reason === null ? [] : [reason]), ...ids].join('; ') || undefined;
};

const columns: Column<CreditChange>[] = [
  { heading: '#', cell: ({ sequence }) => sequence },
  { heading: 'when', cell: ({ at }) => shownTime(at) },
  { heading: 'credit', cell: ({ type }) => type },
  { heading: 'change', cell: ({ kind }) => kind },
  {
    heading: 'L$',
    cell: ({ amount }) => amount,
    signed: true,
    style: ({ amount }) => (amount < 0 ? 'red' : 'green'),
  },
  { heading: 'expired', cell: ({ expired }) => (expired > 0 ? -expired : undefined), style: () => 'red' },
  { heading: 'regular', cell: ({ credit }) => credit },
  { heading: 'restricted', cell: ({ restrictedCredit }) => restrictedCredit },
  { heading: 'why', cell: causeOf, wraps: true },
];

const history = async (options: HistoryOptions, identifier: Identifier): Promise<void> => {
  const { store, uuid, username } = await openResident(options, identifier);
  const list = listCreditHistory(store.id, uuid, options.type);
  const rows = await list({ descending: false, limit: options.limit + 1 });
  note(`${username} (${uuid}) in ${store.name}, the newest change first`);
  const shown = rows.slice(0, options.limit).map(({ position: _, ...row }) => row);
  print(shown, columns, 'No change of credit is recorded.');
  if (rows.length > shown.length)
    note(`Earlier changes are not shown: ask for more with --limit, now ${options.limit}.`);
};

/** Adds `store credit history`. */
export const addCreditHistory = (credit: StoreCommand): void => {
  credit
    .command('history')
    .description('Shows every change of a resident’s credit: when, how much, why, and the balances after it.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .addOption(new Option('--type <type>', 'only this type of credit').choices(creditTypes))
    .option('--limit <count>', 'the most changes to show', parseCount, 50)
    .examples(
      'store credit history vera.vendor',
      'store credit history "Vera Vendor" --type restricted --limit 1000 --json',
    )
    .runs(history);
};
