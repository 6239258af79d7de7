import { Option } from 'commander';
import { newId } from '../../../lib/clock.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { knownResidents } from '../../../lib/operator/residents.ts';
import { getSale as row, type Sale, type SaleState, saleStates } from '../../../lib/routes/sales.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { getSale, type SaleItem, saleOf, salesList } from '../../../lib/sale/sales.ts';
import { productKey } from '../../../lib/store/memberships.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { orUnknown } from '../terminal/errors.ts';
import { parseCount, parseIdOf, parseReference, parseResident, reasonOption, unknownId } from '../terminal/input.ts';
import { type Column, grouped, isJson, note, print, printUpTo, shownTime } from '../terminal/output.ts';

/** A sale as the API answers it. */
const shown = (sale: SaleItem): Sale => row.response.parse(saleOf(sale, false));

const stateStyles = { completed: 'green', refused: 'yellow', refunded: 'red' } as const;

/** The names of the avatars and products of sales; an avatar or product without one is called by its UUID. */
const readNames = async (
  store: string,
  sales: readonly Sale[],
): Promise<(uuid: string | null) => string | undefined> => {
  const avatars = sales.flatMap(({ buyerUuid, recipientUuid, shares }) => [
    ...[buyerUuid, recipientUuid].filter((uuid) => uuid !== null),
    ...shares.map(({ residentUuid }) => residentUuid),
  ]);
  const [residents, products] = await Promise.all([
    knownResidents(store, [...new Set(avatars)]),
    getMany<Key & { name: string }>(sales.map(({ productId }) => productKey(store, productId))),
  ]);
  const names = new Map<string, string>([
    ...residents.map(({ uuid, username }) => [uuid, username] as const),
    ...products.map(({ sk, name }) => [sk, name] as const),
  ]);
  return (uuid) => (uuid === null ? undefined : (names.get(uuid) ?? uuid));
};

type NameLookup = Awaited<ReturnType<typeof readNames>>;

const saleColumns = (nameOf: NameLookup): Column<Sale>[] => [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'when', cell: ({ at }) => shownTime(at) },
  {
    heading: 'state',
    cell: ({ state, refusal }) => (refusal === null ? state : `${state}: ${refusal}`),
    style: ({ state }) => stateStyles[state],
  },
  { heading: 'total', cell: ({ total }) => total },
  { heading: 'credit', cell: ({ credit, restrictedCredit }) => credit + restrictedCredit },
  { heading: 'paid', cell: ({ paid }) => paid },
  { heading: 'refund', cell: ({ refund }) => refund },
  {
    heading: 'product, buyer',
    cell: ({ productId, buyerUuid, recipientUuid }) =>
      [
        nameOf(productId),
        nameOf(buyerUuid) ?? 'unknown',
        ...(recipientUuid === buyerUuid ? [] : [`for ${nameOf(recipientUuid) ?? 'unknown'}`]),
      ].join(', '),
    wraps: true,
  },
];

interface ListOptions extends GlobalOptions {
  buyer?: Identifier;
  product?: string;
  state?: SaleState;
  limit: number;
}

const list = async (options: ListOptions): Promise<void> => {
  const { id, name } = (await openStore(options)).store;
  const { buyer, product, state, limit } = options;
  const { source } = await salesList(id, { buyer, product, state });
  const sales = (await source({ descending: false, limit: limit + 1 })).map(shown);
  printUpTo(limit, sales, saleColumns(await readNames(id, sales)), `${name} has no such sale.`);
};

const shareColumns = (nameOf: NameLookup): Column<Sale['shares'][number]>[] => [
  { heading: 'owed to', cell: ({ residentUuid }) => nameOf(residentUuid) },
  { heading: 'L$', cell: ({ amount }) => amount },
  { heading: 'share', cell: ({ kind, percent }) => `${kind} ${percent} %` },
];

const printSale = async (store: string, sale: Sale): Promise<void> => {
  const nameOf = await readNames(store, [sale]);
  print(sale, saleColumns(nameOf));
  if (isJson()) return;
  if (sale.shares.length > 0) print(sale.shares, shareColumns(nameOf));
  if (sale.refundedAt !== null) note(`It was refunded ${shownTime(sale.refundedAt)}.`);
  if (sale.deliveryId !== null) note(`Its delivery: store deliveries show ${sale.deliveryId}`);
};

const show = async (options: GlobalOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  await printSale(store.id, shown(await orUnknown(getSale(store.id, id), unknownId(store.name, 'sale', id))));
};

interface RefundOptions extends GlobalOptions {
  reason?: string;
  reference?: string;
}

const refund = async (options: RefundOptions, id: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const { reason, reference } = options;
  const log = await openLog(target);
  const author = { by: `operator ${newId()}`, ...(reason && { reason }), ...(reference && { reference }) };
  const before = await orUnknown(getSale(store.id, id), unknownId(store.name, 'sale', id));
  const logged = log('sale.refunded', store.id, { sale: id, buyer: before.buyerUuid });
  const sale = row.response.parse(await refundSale(store.id, id, author, { together: logged }));
  await printSale(store.id, sale);
  const due = sale.refund - sale.change;
  if (before.state === 'refunded') note('It was refunded before, so nothing was changed.');
  else if (due > 0)
    note(`Now give L$ ${grouped(due)} back to the buyer inworld. The credit that paid is back already.`);
};

/** Adds `store sales list|show|refund`. */
export const addSales = (program: StoreCommand): void => {
  const sales = program.command('sales').description('Sales: list, show, refund.');

  sales
    .command('list')
    .description('Lists sales, the newest first.')
    .option('--buyer <resident>', 'only sales to this buyer, by username or avatar UUID', parseResident)
    .option('--product <id>', 'only sales of the product with this UUID', parseIdOf('product'))
    .addOption(new Option('--state <state>', 'only sales in this state').choices(saleStates))
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples(
      'store sales list',
      'store sales list --state refused',
      'store sales list --buyer "Ada Lovelace" --limit 1000 --json',
    )
    .runs(list);

  sales
    .command('show')
    .description('Shows a sale: its price, how it was paid, who has a share, and its delivery.')
    .argument('<id>', 'UUID of the sale', parseIdOf('sale'))
    .examples('store sales show 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90')
    .runs(show);

  sales
    .command('refund')
    .description(
      'Refunds a completed sale: credit, stock, coupon use, spend and ownership go back at once. You give the L$ back inworld.',
    )
    .argument('<id>', 'UUID of the sale', parseIdOf('sale'))
    .option(...reasonOption)
    .option('--reference <text>', 'such as the number of a ticket, at most 100 characters', parseReference)
    .examples('store sales refund 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90 --reason "Bought twice" --reference T-17')
    .runs(refund);
};
