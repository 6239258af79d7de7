import { Option } from 'commander';
import { journalRows } from '../../../lib/events/journal.ts';
import type { JournalRow } from '../../../lib/routes/journal.ts';
import { type JournalKind, journalKindNames } from '../../../lib/routes/journal-kinds.ts';
import { keyId } from '../../../lib/routes/wire.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { parseCount, parsedBy, parseStart } from '../terminal/input.ts';
import { type Column, printUpTo } from '../terminal/output.ts';

interface JournalOptions extends GlobalOptions {
  kind?: JournalKind;
  subject?: string;
  key?: string;
  from?: () => string;
  to?: () => string;
  limit: number;
}

const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const shownChanges = ({ changes }: JournalRow): string =>
  changes
    .map(({ field, before, after, hidden }) =>
      hidden ? `${field} changed` : `${field}: ${shownValue(before)} -> ${shownValue(after)}`,
    )
    .join(', ');

const columns: Column<JournalRow>[] = [
  { heading: 'at', cell: ({ at }) => `${at.slice(0, 19).replace('T', ' ')}Z` },
  { heading: 'by', cell: ({ by }) => by.name ?? by.id ?? by.type, wraps: true },
  { heading: 'kind', cell: ({ kind }) => kind },
  { heading: 'thing', cell: ({ subject }) => subject.name ?? subject.id ?? subject.type, wraps: true },
  { heading: 'changes', cell: shownChanges, wraps: true },
];

const show = async ({ kind, subject, key, from, to, limit, ...options }: JournalOptions): Promise<void> => {
  const { store } = await openStore(options);
  const span = { from: from?.(), to: to?.() };
  if (span.from !== undefined && span.to !== undefined && span.to <= span.from)
    throw new UsageError(`--to ${span.to} must be later than --from ${span.from}.`);
  const rows: JournalRow[] = [];
  // One row more than the limit tells whether there are more.
  for await (const row of journalRows(store.id, { kind, subject, key, ...span })) if (rows.push(row) > limit) break;
  printUpTo(limit, rows, columns, `The journal of ${store.name} has no such row.`);
};

const moment = 'a duration ago (30d), a day (2027-12-31) or a time';

export const addJournal = (program: StoreCommand): void => {
  program
    .command('journal')
    .description(
      'Shows who changed what in a store, the newest first, with the values before and after: products, prices, coupons, categories, customers, credit, gift cards, rules, keys and more. Sales and deliveries have lists of their own.',
    )
    .addOption(new Option('--kind <kind>', 'only changes of this kind').choices(journalKindNames))
    .option('--subject <id>', 'only changes of the thing with this id, such as a product or a customer')
    .addOption(new Option('--key <id>', 'only changes that the key with this id has made').argParser(parsedBy(keyId())))
    .addOption(new Option('--from <when>', `only changes from then on: ${moment}`).argParser(parseStart))
    .addOption(new Option('--to <when>', `only changes before then: ${moment}`).argParser(parseStart))
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store journal', 'store journal --kind product.changed --from 30d', 'store journal --subject <id> --json')
    .runs(show);
};
