import { redeliver as orderRedelivery } from '../../../lib/delivery/order.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { listOwned } from '../../../lib/store/owned.ts';
import { openLog } from '../deployment/log.ts';
import type { GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { orUnknown } from '../terminal/errors.ts';
import { parseCount, parseIdOf, parseMessage, parseResident, unknownId } from '../terminal/input.ts';
import { type Column, note, print, printUpTo, shownTime } from '../terminal/output.ts';
import { openResident } from './credit-history.ts';

type OwnedRow = Awaited<ReturnType<ReturnType<typeof listOwned>>>[number];

const ownedColumns: Column<OwnedRow>[] = [
  { heading: 'product', cell: ({ productId }) => productId },
  { heading: 'name', cell: ({ name }) => name || undefined, wraps: true },
  { heading: 'bought', cell: ({ quantity }) => quantity },
  { heading: 'first', cell: ({ boughtAt }) => shownTime(boughtAt) },
  { heading: 'last delivery', cell: ({ lastDeliveredAt }) => shownTime(lastDeliveredAt ?? undefined) },
];

const products = async (options: GlobalOptions & { limit: number }, identifier: Identifier): Promise<void> => {
  const { store, uuid, username } = await openResident(options, identifier);
  const rows = await listOwned(store.id, uuid)({ descending: false, limit: options.limit + 1 });
  printUpTo(options.limit, rows, ownedColumns, `${username} owns no product of ${store.name}.`);
};

type RedeliveryRow = Awaited<ReturnType<typeof orderRedelivery>>;

const orderedColumns: Column<RedeliveryRow>[] = [
  { heading: 'delivery', cell: ({ deliveryId }) => deliveryId },
  { heading: 'product', cell: ({ productId }) => productId },
  { heading: 'to', cell: ({ recipientUsername }) => recipientUsername },
];

const redeliver = async (
  options: GlobalOptions & { message: string },
  identifier: Identifier,
  productId: string,
): Promise<void> => {
  const { target, store, uuid } = await openResident(options, identifier);
  const log = await openLog(target);
  const ordered = await orUnknown(
    orderRedelivery(
      store.id,
      { uuid },
      productId,
      options.message,
      log('product.redelivered', store.id, { product: productId, to: uuid }),
    ),
    unknownId(store.name, 'product', productId),
  );
  print(ordered, orderedColumns);
  note(`It is on the queue. See how it goes with: store deliveries show ${ordered.deliveryId}`);
};

/** Adds `store customer products|redeliver`. */
export const addCustomers = (program: StoreCommand): void => {
  const customer = program
    .command('customer')
    .description('A customer: the products that they own, and delivering one again.');

  customer
    .command('products')
    .description('Lists the products that a customer owns, with the first purchase and the last delivery of each.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store customer products ada.lovelace', 'store customer products "Ada Lovelace" --json')
    .runs(products);

  customer
    .command('redeliver')
    .description(
      'Delivers a product again to a customer who owns it, if its permissions let them have copies; at most once a minute.',
    )
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .argument('<product>', 'UUID of the product, as store customer products lists it', parseIdOf('product'))
    .option('--message <text>', 'a note that goes with the item, at most 1023 bytes', parseMessage, '')
    .examples(
      'store customer redeliver ada.lovelace 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90',
      'store customer redeliver ada 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90 --message "Here it is again."',
    )
    .runs(redeliver);
};
