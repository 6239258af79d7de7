import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Delivery, type DeliveryState, deliveryStates, listDeliveries } from '../../lib/delivery/deliveries.ts';
import { Problem } from '../../lib/problem.ts';
import { type DeadLetter, listDeadLetters, redriveDeadLetters, sendAgain } from '../dead-letters.ts';
import { explain } from '../errors.ts';
import { type Column, examples, Failure, isJson, note, print, shownTime, UsageError } from '../output.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

const stateStyles = { queued: 'cyan', waiting: 'yellow', delivered: 'green', failed: 'red' } as const;

const columns: Column<Delivery>[] = [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'ordered', cell: ({ createdAt }) => shownTime(createdAt) },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'tries', cell: ({ attempts }) => attempts },
  { heading: 'item, to', cell: ({ item, recipientUsername }) => `${item}, ${recipientUsername}`, wraps: true },
  { heading: 'last error', cell: ({ lastError }) => lastError, wraps: true },
];

const letterColumns: Column<DeadLetter>[] = [
  { heading: 'message', cell: ({ messageId }) => messageId },
  { heading: 'sent', cell: ({ sentAt }) => shownTime(sentAt) },
  { heading: 'readable', cell: ({ readable }) => (readable ? 'yes' : 'no') },
  { heading: 'text', cell: ({ body }) => body, wraps: true },
];

const parseLimit = (text: string): number => {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return limit;
};

const limitOption = () => new Option('--limit <number>', 'how many at the most').default(100).argParser(parseLimit);

const list = async (options: GlobalOptions & { state?: DeliveryState; limit: number }): Promise<void> => {
  await connect(options);
  const { id, name } = await chooseStore(options.store);
  const states = options.state ? [options.state] : deliveryStates.filter((state) => state !== 'delivered');
  const rows: Delivery[] = [];
  // One more than asked for tells whether there are more.
  for (const state of states) {
    const room = options.limit + 1 - rows.length;
    // The table takes no limit of 0.
    if (room === 0) break;
    rows.push(...(await listDeliveries(id, state)({ descending: false, limit: room })));
  }
  print(
    rows.slice(0, options.limit).map(recordOf),
    columns,
    `${name} has no delivery that is ${states.join(', ').replace(/, (\w+)$/, ' or $1')}.`,
  );
  if (rows.length > options.limit && !isJson()) note(`There are more: see them with --limit ${options.limit * 10}.`);
};

/** The record without the attributes that only the table has a use for. */
const recordOf = (delivery: Delivery): Delivery => {
  const {
    store,
    id,
    productId,
    recipientUuid,
    recipientUsername,
    item,
    message,
    createdAt,
    state,
    expiresAt,
    attempts,
    inARow,
    leaseUntil,
    lastError,
    deliveredAt,
  } = delivery;
  return {
    ...{ id, state, store, productId, recipientUuid, recipientUsername, item, message, createdAt, expiresAt },
    ...{ attempts, inARow, leaseUntil },
    ...(lastError !== undefined && { lastError }),
    ...(deliveredAt !== undefined && { deliveredAt }),
  };
};

const retry = async (ids: readonly string[], options: GlobalOptions & { allFailed?: boolean }): Promise<void> => {
  if (ids.length > 0 === (options.allFailed === true))
    throw new UsageError('Give the ids of deliveries, or --all-failed.');
  await connect(options);
  const store = await chooseStore(options.store);
  const failed = options.allFailed ? await listDeliveries(store.id, 'failed')({ descending: false }) : [];
  const results: { id: string; sent: boolean; error?: string }[] = [];
  for (const id of options.allFailed ? failed.map((delivery) => delivery.id) : ids) {
    try {
      await sendAgain(store.id, id.toLowerCase());
      results.push({ id, sent: true });
    } catch (error) {
      const unknown = error instanceof Problem && error.status === 404;
      results.push({ id, sent: false, error: unknown ? 'The store has no such delivery.' : explain(error) });
    }
  }
  print(
    results,
    [
      { heading: 'id', cell: ({ id }) => id },
      {
        heading: 'sent again',
        cell: ({ sent }) => (sent ? 'yes' : 'no'),
        style: ({ sent }) => (sent ? 'green' : 'red'),
      },
      { heading: 'why not', cell: ({ error }) => error, wraps: true },
    ],
    `${store.name} has no failed delivery.`,
  );
  if (results.some(({ sent }) => !sent)) throw new Failure('Not every delivery could be sent again.');
};

export const addDeliveries = (program: Command): void => {
  const deliveries = program.command('deliveries').description('Deliveries: list, send again, look into dead letters.');

  deliveries
    .command('list')
    .description(
      'Lists deliveries with their last error, the oldest first; those that were made only with --state delivered.',
    )
    .addOption(new Option('--state <state>', 'only those').choices(deliveryStates))
    .addOption(limitOption())
    .addHelpText('after', examples('store deliveries list', 'store deliveries list --state failed --json'))
    .action((_, command: Command) => list(command.optsWithGlobals()));

  deliveries
    .command('retry')
    .description('Sends deliveries again that failed, wait or hang; they have another 14 days.')
    .argument('[id...]', 'ids of deliveries')
    .option('--all-failed', 'all that failed')
    .addHelpText(
      'after',
      examples('store deliveries retry 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90', 'store deliveries retry --all-failed'),
    )
    .action((ids: string[], _, command: Command) => retry(ids, command.optsWithGlobals()));

  deliveries
    .command('dead-letters')
    .description(
      'Lists the messages that no worker could handle, of all stores. They stay, unless they are sent again.',
    )
    .option('--redrive', 'puts those that can be read on the queue again')
    .addOption(limitOption())
    .addHelpText('after', examples('store deliveries dead-letters', 'store deliveries dead-letters --redrive'))
    .action(async (_, command: Command) => {
      const options: GlobalOptions & { redrive?: boolean; limit: number } = command.optsWithGlobals();
      await connect(options);
      if (!options.redrive)
        return print(await listDeadLetters(options.limit), letterColumns, 'There are no dead letters.');
      const redriven = await redriveDeadLetters();
      print({ redriven }, [{ heading: 'sent again', cell: (result) => result.redriven }]);
    });
};
