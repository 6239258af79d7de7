import { Option } from 'commander';
import { type Delivery, deliveriesList, getDelivery, listDeliveries } from '../../../lib/delivery/deliveries.ts';
import { retryDelivery } from '../../../lib/delivery/order.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { type DeadLetter, listDeadLetters, redriveDeadLetters } from '../../../lib/operator/dead-letters.ts';
import { type DeliveryState, deliveryStates } from '../../../lib/routes/deliveries.ts';
import type { Store } from '../../../lib/store/stores.ts';
import type { ttlAttribute } from '../../../lib/table/schema.ts';
import { connect, type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { explain, Failure, orUnknown, UsageError } from '../terminal/errors.ts';
import { parseCount, parseIdOf, parseResident, unknownId } from '../terminal/input.ts';
import { type Column, print, printUpTo, shownTime } from '../terminal/output.ts';

const stateStyles = { queued: 'cyan', waiting: 'yellow', delivered: 'green', failed: 'red' } as const;

/** The record without the attributes that only the table uses. */
type ShownDelivery = Omit<Delivery, typeof ttlAttribute>;

const columns: Column<ShownDelivery>[] = [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'ordered', cell: ({ createdAt }) => shownTime(createdAt) },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'tries', cell: ({ attempts }) => attempts },
  { heading: 'item, to', cell: ({ item, recipientUsername }) => `${item}, ${recipientUsername}`, wraps: true },
  { heading: 'last error', cell: ({ lastError }) => lastError, wraps: true },
];

const deliveryRecord = (delivery: Delivery): ShownDelivery => {
  const { id, state, store, productId, recipientUuid, recipientUsername, item, message, ...others } = delivery;
  const { createdAt, expiresAt, attempts, inARow, leaseUntil, lastError, deliveredAt } = others;
  return {
    id,
    state,
    store,
    productId,
    recipientUuid,
    recipientUsername,
    item,
    createdAt,
    expiresAt,
    ...(message !== undefined && { message }),
    attempts,
    inARow,
    leaseUntil,
    ...(lastError !== undefined && { lastError }),
    ...(deliveredAt !== undefined && { deliveredAt }),
  };
};

const untried = ' One that no worker has tried yet has no record.';

interface ListOptions extends GlobalOptions {
  state?: DeliveryState;
  recipient?: Identifier;
  limit: number;
}

/** Rows of the states in turn, or of one recipient's deliveries, up to `limit`. */
const rowsFor = async (store: string, states: DeliveryState[], { state, recipient }: ListOptions, limit: number) => {
  if (recipient) {
    const { source } = await deliveriesList(store, { state, recipient });
    return source({ descending: false, limit });
  }
  const rows: Delivery[] = [];
  for (const one of states) {
    const room = limit - rows.length;
    // The table takes no limit of 0.
    if (room > 0) rows.push(...(await listDeliveries(store, one)({ descending: false, limit: room })));
  }
  return rows;
};

const list = async (options: ListOptions): Promise<void> => {
  const { id, name } = (await openStore(options)).store;
  const isWanted = (state: DeliveryState) => options.recipient !== undefined || state !== 'delivered';
  const states = options.state ? [options.state] : deliveryStates.filter(isWanted);
  const rows = await rowsFor(id, states, options, options.limit + 1);
  const none = `${name} has no delivery that is ${states.join(', ').replace(/, (\w+)$/, ' or $1')}.`;
  printUpTo(options.limit, rows.map(deliveryRecord), columns, none);
};

const show = async (options: GlobalOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  print(
    deliveryRecord(await orUnknown(getDelivery(store.id, id), `${unknownId(store.name, 'delivery', id)}${untried}`)),
    columns,
  );
};

interface RetryOutcome {
  id: string;
  sent: boolean;
  error?: string;
}

const retriedColumns: Column<RetryOutcome>[] = [
  { heading: 'id', cell: ({ id }) => id },
  {
    heading: 'sent again',
    cell: ({ sent }) => (sent ? 'yes' : 'no'),
    style: ({ sent }) => (sent ? 'green' : 'red'),
  },
  { heading: 'why not', cell: ({ error }) => error, wraps: true },
];

const retryOne = async ({ id: store, name }: Store, id: string): Promise<RetryOutcome> => {
  try {
    const retried = retryDelivery(store, id.toLowerCase(), { hanging: true });
    await orUnknown(retried, unknownId(name, 'delivery', id));
    return { id, sent: true };
  } catch (error) {
    return { id, sent: false, error: explain(error) };
  }
};

const retry = async (options: GlobalOptions & { allFailed?: boolean }, given: string[]): Promise<void> => {
  if (given.length > 0 === (options.allFailed === true))
    throw new UsageError('Give the ids of deliveries, or --all-failed.');
  const { store } = await openStore(options);
  const failed = options.allFailed ? await listDeliveries(store.id, 'failed')({ descending: false }) : [];
  const results: RetryOutcome[] = [];
  for (const id of [...given, ...failed.map((delivery) => delivery.id)]) results.push(await retryOne(store, id));
  print(results, retriedColumns, `${store.name} has no failed delivery.`);
  if (results.some(({ sent }) => !sent)) throw new Failure('Not every delivery could be sent again.');
};

const letterColumns: Column<DeadLetter>[] = [
  { heading: 'message', cell: ({ messageId }) => messageId },
  { heading: 'sent', cell: ({ sentAt }) => shownTime(sentAt) },
  { heading: 'readable', cell: ({ readable }) => (readable ? 'yes' : 'no') },
  { heading: 'text', cell: ({ body }) => body, wraps: true },
];

const deadLetters = async (options: GlobalOptions & { redrive?: boolean; limit: number }): Promise<void> => {
  await connect(options);
  if (!options.redrive) return print(await listDeadLetters(options.limit), letterColumns, 'There are no dead letters.');
  print({ redriven: await redriveDeadLetters() }, [{ heading: 'sent again', cell: ({ redriven }) => redriven }]);
};

export const addDeliveries = (program: StoreCommand): void => {
  const deliveries = program.command('deliveries').description('Deliveries: list, show, retry, dead letters.');
  const limit = ['--limit <number>', 'how many at most', parseCount, 100] as const;

  deliveries
    .command('list')
    .description('Lists deliveries with their last error, the oldest first. Delivered ones need --state delivered.')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .option(
      '--recipient <resident>',
      'only deliveries to this avatar, the newest first, delivered ones too',
      parseResident,
    )
    .option(...limit)
    .examples(
      'store deliveries list',
      'store deliveries list --state failed --json',
      'store deliveries list --recipient ada.lovelace',
    )
    .runs(list);

  deliveries
    .command('show')
    .description('Shows a delivery: its state, its attempts and its last error.')
    .argument('<id>', 'UUID of the delivery', parseIdOf('delivery'))
    .examples('store deliveries show 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90')
    .runs(show);

  deliveries
    .command('retry')
    .description('Sends deliveries again that failed, wait or hang. They are tried for another 14 days.')
    .argument('[id...]', 'ids of deliveries')
    .option('--all-failed', 'all deliveries that failed')
    .examples('store deliveries retry 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90', 'store deliveries retry --all-failed')
    .runs(retry);

  deliveries
    .command('dead-letters')
    .description(
      'Lists the messages, of all stores, that no worker could handle. They stay unless they are sent again.',
    )
    .option('--redrive', 'put the readable messages on the queue again')
    .option(...limit)
    .examples('store deliveries dead-letters', 'store deliveries dead-letters --redrive')
    .runs(deadLetters);
};
