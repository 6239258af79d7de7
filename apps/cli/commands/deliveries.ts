import { listDeliveries } from '../../../lib/delivery/deliveries.ts';
import { retryDelivery } from '../../../lib/delivery/order.ts';
import { listDeadLetters, redriveDeadLetters } from '../../../lib/operator/dead-letters.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { connect, type GlobalOptions, openStore } from '../deployment/target.ts';
import { printFields } from '../terminal/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { explain, Failure, orUnknown, UsageError } from '../terminal/errors.ts';
import { parseCount, unknownId } from '../terminal/input.ts';
import { addGroup } from './endpoints.ts';

interface RetryOutcome {
  id: string;
  sent: boolean;
  error?: string;
}

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
  printFields(results, ['id', 'sent', 'error'], `${store.name} has no failed delivery.`);
  if (results.some(({ sent }) => !sent)) throw new Failure('Not every delivery could be sent again.');
};

const deadLetters = async (options: GlobalOptions & { redrive?: boolean; limit: number }): Promise<void> => {
  await connect(options);
  if (options.redrive) return printFields([{ redriven: await redriveDeadLetters() }], ['redriven']);
  const letters = await listDeadLetters(options.limit);
  printFields(letters, ['messageId', 'sentAt', 'readable', 'body'], 'There are no dead letters.');
};

/** Adds the commands of endpoints, `retry` and `dead-letters`. */
export const addDeliveries = (program: StoreCommand): void => {
  const deliveries = addGroup(program, 'deliveries');

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
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store deliveries dead-letters', 'store deliveries dead-letters --redrive')
    .runs(deadLetters);
};
