import { Argument, Option } from 'commander';
import { findUuid } from '../../../lib/avatars/residents.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { beginPayouts, resumePayouts } from '../../../lib/operator/begin-payouts.ts';
import { countSales, findUncountedSales, type UncountedSale } from '../../../lib/operator/repair-payouts.ts';
import { payByHand } from '../../../lib/payout/claim.ts';
import { findPayee } from '../../../lib/payout/payees.ts';
import { getPayout, payoutAnswers, payoutsList } from '../../../lib/payout/payouts.ts';
import { settlePayout } from '../../../lib/payout/settle.ts';
import { type PayoutAnswer, type PayoutState, payoutStates, type Settlement } from '../../../lib/routes/payouts.ts';
import { noteInLog } from '../../../lib/store/operator-log.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, orUnknown, UsageError } from '../terminal/errors.ts';
import {
  ask,
  parseAmount,
  parseCount,
  parseIdOf,
  parseReference,
  parseResident,
  unknownId,
} from '../terminal/input.ts';
import { type Column, counted, grouped, note, print, printUpTo, shownTime } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

const stateStyles = { claimed: undefined, unknown: 'yellow', paid: 'green', failed: 'red' } as const;

const columns: Column<PayoutAnswer>[] = [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'to', cell: ({ username }) => username },
  { heading: 'L$', cell: ({ amount }) => amount },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'when', cell: ({ createdAt }) => shownTime(createdAt) },
  { heading: 'ended', cell: ({ endedAt }) => shownTime(endedAt ?? undefined) },
  { heading: 'transaction', cell: ({ transactionId }) => transactionId ?? undefined },
  { heading: 'error, reference', cell: ({ error, reference }) => [error, reference].filter(Boolean).join(', ') },
];

interface ShowOptions extends GlobalOptions {
  state?: PayoutState;
  payee?: Identifier;
  limit: number;
}

const show = async (options: ShowOptions, id: string | undefined): Promise<void> => {
  const { state, payee, limit } = options;
  if (id !== undefined && (state || payee)) throw new UsageError('Give either an id, or --state and --payee.');
  const { store } = await openStore(options);
  if (id !== undefined)
    return print(await orUnknown(getPayout(store.id, id), unknownId(store.name, 'payout', id)), columns);
  const { source } = await payoutsList(store.id, { state, payee });
  const rows = await source({ descending: false, limit: limit + 1 });
  printUpTo(limit, await payoutAnswers(store.id, rows), columns, `${store.name} has no such payout.`);
};

interface SettleOptions extends GlobalOptions {
  transaction?: string;
  reference?: string;
}

const settle = async (options: SettleOptions, id: string, result: Settlement['result']): Promise<void> => {
  const { target, store } = await openStore(options);
  const unknown = unknownId(store.name, 'payout', id);
  const before = await orUnknown(getPayout(store.id, id), unknown);
  const { transaction: transactionId, reference } = options;
  const logged = (await openLog(target))('payout.settled', store.id, {
    payout: id,
    uuid: before.residentUuid,
    amount: before.amount,
    from: before.state,
    to: result,
  });
  print(await orUnknown(settlePayout(store.id, id, { result, transactionId, reference }, logged), unknown), columns);
  const sum = `L$ ${grouped(before.amount)}`;
  if (before.state !== result) note(result === 'paid' ? `${sum} count as paid.` : `${sum} are owed again.`);
};

const pay = async (
  options: GlobalOptions & { reference?: string },
  identifier: Identifier,
  amount: number,
): Promise<void> => {
  const { target, store } = await openStore(options);
  const uuid = await findUuid(store.id, identifier);
  if (uuid === undefined)
    throw new Failure(`${store.name} knows nobody by that name: see store payouts, or give the UUID.`);
  const { reference } = options;
  const logged = (await openLog(target))('payout.paid', store.id, { uuid, amount });
  print(await payByHand(store.id, { uuid }, { amount, reference }, logged), columns);
  const left = (await findPayee(store.id, uuid))?.owed ?? 0;
  note(`Noted as paid by hand; no L$ have moved. L$ ${grouped(left)} are still owed to them.`);
};

interface BeginOptions extends GlobalOptions {
  keep?: boolean;
  yes?: boolean;
}

/** Counts debts of sales that the stream's consumer has missed, and shows the progress. */
const countAll = async (store: string, sales: readonly UncountedSale[]): Promise<void> => {
  const progress = startProgress('Counting sales');
  await countSales(store, sales, (count) => progress.update(count, sales.length)).finally(progress.end);
};

const findAll = (store: string): Promise<UncountedSale[]> => {
  const progress = startProgress('Looking through sales');
  return findUncountedSales(store, (count) => progress.update(count)).finally(progress.end);
};

const begin = async (options: BeginOptions): Promise<void> => {
  const { keep = false } = options;
  const { target, store } = await openStore(options);
  const question = `Begin payouts of ${store.name} on ${target.name}, and book all that it owes by now as paid by hand? Type begin to go on.`;
  if (!options.yes && !keep)
    await ask(question, '--yes, or --keep', (answer) =>
      answer === 'begin' ? undefined : 'Type begin, or press Ctrl-C.',
    );
  const log = await openLog(target);
  const begun = await beginPayouts(
    store.id,
    keep,
    (booked) => log('payouts.begun', store.id, { ...(keep ? { kept: true } : booked) }),
    async (id) => countAll(id, await findAll(id)),
  );
  const { payees, amount, before } = begun;
  print({ payees, amount, begunBefore: before ?? null }, [
    { heading: 'booked as paid', cell: (row) => `L$ ${grouped(row.amount)}` },
    { heading: 'to', cell: (row) => counted(row.payees, 'avatar') },
  ]);
  note(
    before === undefined
      ? `Payouts of ${store.name} have begun: a cashier can claim them.`
      : `They were begun ${shownTime(before)}, so nothing was changed.`,
  );
};

const resume = async (options: GlobalOptions & { yes?: boolean }): Promise<void> => {
  const { target, store } = await openStore(options);
  const question = `Does ${store.name} on ${target.name} owe nothing any more that was paid after the restored time? Run store reconcile --book first. Type resume to go on.`;
  if (!options.yes)
    await ask(question, '--yes', (answer) => (answer === 'resume' ? undefined : 'Type resume, or press Ctrl-C.'));
  const stoppedAt = await resumePayouts(store.id, (await openLog(target))('payouts.resumed', store.id, {}));
  print({ stoppedAt: stoppedAt ?? null }, [
    { heading: 'stopped since', cell: (row) => shownTime(row.stoppedAt ?? undefined) },
  ]);
  note(
    stoppedAt === undefined
      ? 'They were not stopped, so nothing was changed.'
      : `Payouts of ${store.name} go on: a cashier can claim them.`,
  );
};

const uncountedColumns: Column<UncountedSale>[] = [
  { heading: 'sale', cell: ({ saleId }) => saleId },
  { heading: 'when', cell: ({ at }) => shownTime(at) },
  { heading: 'avatars', cell: ({ payees }) => payees },
  { heading: 'L$', cell: ({ amount }) => amount },
];

const repair = async (options: GlobalOptions & { dryRun?: boolean }): Promise<void> => {
  const { target, store } = await openStore(options);
  const sales = await findAll(store.id);
  print(sales, uncountedColumns, 'All that sales owe is counted.');
  if (sales.length === 0) return;
  if (options.dryRun) {
    note('Nothing was changed: this was a dry run.');
    throw new Failure(`What ${counted(sales.length, 'sale')} owe is not counted.`);
  }
  await countAll(store.id, sales);
  await noteInLog((await openLog(target))('payouts.repaired', store.id, { sales: sales.length }));
  note(`Counted what ${counted(sales.length, 'sale')} owe. Check the whole store now: store audit`);
};

const repairRule = `
What sales owe is counted from the table's stream, which keeps a change for 24 hours. What it has lost by then is found here: each sale says
whether it is counted, so nothing counts twice, also while the store is open. One of just now may be shown, and count by itself.`;

/** Adds `store payouts show|settle|pay|begin|resume|repair`. */
export const addPayoutActions = (group: StoreCommand): void => {
  const reference = [
    '--reference <text>',
    'such as the number of a receipt, at most 100 characters',
    parseReference,
  ] as const;
  const id = '00000011-dede-4ede-8ede-000000000002';

  group
    .command('show')
    .description('Shows one payout, or lists payouts, the newest first.')
    .argument('[id]', 'UUID of the payout', parseIdOf('payout'))
    .addOption(new Option('--state <state>', 'only payouts in this state').choices(payoutStates))
    .option('--payee <resident>', 'only payouts to this avatar, by username or avatar UUID', parseResident)
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store payouts show', 'store payouts show --state unknown', `store payouts show ${id}`)
    .runs(show);

  group
    .command('settle')
    .description(
      'Says how a payout ended that is unknown, or corrects one that is paid or failed. What has failed is owed again.',
    )
    .argument('<id>', 'UUID of the payout', parseIdOf('payout'))
    .addArgument(new Argument('<result>', 'how it ended').choices(['paid', 'failed']))
    .option('--transaction <uuid>', "the transfer's UUID in the account's L$ history", parseIdOf('transaction'))
    .option(...reference)
    .examples(`store payouts settle ${id} paid --reference "History of May"`, `store payouts settle ${id} failed`)
    .runs(settle);

  group
    .command('pay')
    .description('Notes that you have paid somebody by hand, at most what is owed to them. It moves no L$.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .argument('<amount>', 'L$ that you have paid', parseAmount)
    .option(...reference)
    .examples('store payouts pay ada.lovelace 250', 'store payouts pay "Ada Lovelace" 250 --reference "By me, 3 May"')
    .runs(pay);

  group
    .command('begin')
    .description(
      'Lets cashiers claim payouts from now on. What is owed by then is booked as paid by hand, since you have paid it so far.',
    )
    .option('--keep', 'book nothing: what is owed by now can be claimed')
    .option('--yes', 'do not ask, for use without a terminal')
    .examples('store payouts begin', 'store payouts begin --keep', 'store payouts begin --yes --stage prod')
    .runs(begin);

  group
    .command('resume')
    .description('Lets payouts go on after a restore, which has stopped them since the table owes what was paid since.')
    .option('--yes', 'do not ask, for use without a terminal')
    .examples('store payouts resume', 'store payouts resume --yes --stage prod')
    .runs(resume);

  group
    .command('repair')
    .description('Counts what sales owe where the stream has lost it. Shows these sales.')
    .option('--dry-run', 'only show them; exit code 1 if there are any')
    .addHelpText('after', repairRule)
    .examples('store payouts repair --dry-run', 'store payouts repair')
    .runs(repair);
};
