import { findProductItem } from '../../../lib/catalogue/products.ts';
import { now } from '../../../lib/clock.ts';
import { deliveriesList, deliveryAnswer, findDelivery } from '../../../lib/delivery/deliveries.ts';
import { recordDays } from '../../../lib/delivery/settings.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { readUsernames } from '../../../lib/operator/residents.ts';
import { type SendingRun, sendAgainOnce } from '../../../lib/operator/send-again.ts';
import { Problem } from '../../../lib/problem.ts';
import { message } from '../../../lib/routes/product-request.ts';
import type { Product } from '../../../lib/routes/products.ts';
import { byRank, salesList } from '../../../lib/sale/sales.ts';
import { noteInLog } from '../../../lib/store/operator-log.ts';
import {
  countsOf,
  firstOrderedAt,
  type NewVersion,
  type Owner,
  ownersOf,
  type Reach,
  type Sender,
  type Sold,
  sendVersion,
  type VersionDelivery,
  withNames,
} from '../../shared/new-version.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, InterruptedError, UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { ask, exampleId, parsedBy, parseIdOf, parseStart, unknownId } from '../terminal/input.ts';
import { pause, untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface SendOptions extends GlobalOptions {
  since: () => string;
  message: string;
  dryRun?: boolean;
  yes?: boolean;
}

const words: Record<Reach, string> = {
  has: 'has it',
  coming: 'on its way',
  failed: 'failed',
  missing: 'not sent',
};

const columns: Column<Owner>[] = [
  { heading: 'owner', cell: ({ name }) => name, wraps: true },
  { heading: 'version', cell: ({ reach }) => words[reach] },
  { heading: 'why', cell: ({ why, waits }) => why ?? (waits ? 'The box is away.' : undefined), wraps: true },
  { heading: 'delivery', cell: ({ deliveryId }) => deliveryId },
];

/** The deliveries that may say something about the version, newest first. */
async function* deliveriesOf(store: string, version: NewVersion): AsyncGenerator<VersionDelivery> {
  const { source } = await deliveriesList(store, {});
  const first = firstOrderedAt(version);
  for await (const delivery of everyRow(source, ({ id }) => id)) {
    if (delivery.createdAt < first) return;
    yield deliveryAnswer(delivery);
  }
}

const readOwners = async (store: string, version: NewVersion): Promise<Owner[]> => {
  const { source } = await salesList(store, { product: version.productId, state: 'completed' });
  const sold: Sold[] = [];
  for await (const { state, recipientUuid } of everyRow(source, byRank)) sold.push({ state, recipientUuid });
  const delivered: VersionDelivery[] = [];
  for await (const delivery of deliveriesOf(store, version)) delivered.push(delivery);
  const owners = ownersOf(version, sold, delivered);
  const names = await readUsernames(
    store,
    owners.map(({ uuid }) => uuid),
  );
  return withNames(owners, (uuid) => names.get(uuid));
};

/**
 * The version to send. Throws if the product is unknown or not for copying, or `since` is before the kept deliveries.
 */
const versionOf = (product: Product | undefined, id: string, since: string, store: string): NewVersion => {
  if (!product) throw new Failure(unknownId(store, 'product', id));
  if (!product.permissions.copy)
    throw new Failure(`${product.name} is not for copying, so nobody gets it a second time.`);
  const version = { productId: id, item: product.item, since };
  if (Date.parse(firstOrderedAt(version)) < now() - recordDays() * 86_400_000)
    throw new UsageError(`--since is too long ago: the store keeps the deliveries of ${recordDays()} days.`);
  return version;
};

const sentence = (owners: readonly Owner[]): string => {
  const { has, coming, failed, missing } = countsOf(owners);
  const parts = [
    `Delivered to ${has} of ${counted(owners.length, 'owner')}`,
    ...(coming > 0 ? [`${coming} on its way`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(missing > 0 ? [`${missing} not sent`] : []),
  ];
  return `${parts.join(', ')}.`;
};

/** Tells how far the sending came, lists the owners who do not have the version, and how to go on. */
const tell = (owners: readonly Owner[], since: string, isInterrupted: boolean): void => {
  note(sentence(owners));
  const left = owners.filter(({ reach }) => reach !== 'has');
  if (left.length === 0) return;
  print(left, columns);
  const again = `the same command again with --since ${since}: it goes on, and sends nothing twice.`;
  if (isInterrupted) throw new InterruptedError(`Interrupted. Give ${again}`);
  if (left.some(({ waits }) => waits)) note(`The box does not answer. When it is back, give ${again}`);
  throw new UnsuccessfulError();
};

const betweenLooksMillis = 1000;

/**
 * Orders a delivery. A refusal is the owner's own: the others get theirs. While another command is ordering the same
 * delivery, or if one died over it, waits: half a minute later the order is free.
 */
const orderFor = async (run: SendingRun, { uuid }: Owner, signal: AbortSignal): ReturnType<Sender['order']> => {
  for (;;)
    try {
      return { deliveryId: await sendAgainOnce(run, uuid) };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      if (error.status !== 409 || signal.aborted) return { why: error.message };
      await pause(betweenLooksMillis, signal);
    }
};

const lookAt = async (store: string, owners: readonly Owner[]): Promise<VersionDelivery[]> => {
  const ids = owners.flatMap(({ deliveryId }) => deliveryId ?? []);
  const found = await Promise.all(ids.map((id) => findDelivery(store, id)));
  return found.flatMap((delivery) => (delivery ? deliveryAnswer(delivery) : []));
};

const send = async (options: SendOptions, given: string): Promise<void> => {
  const { target, store } = await openStore(options);
  const id = parseIdOf('product')(given);
  const since = options.since();
  const product = await findProductItem(store.id, id);
  const version = versionOf(product, id, since, store.name);
  const owners = await readOwners(store.id, version);
  if (owners.length === 0) throw new Failure(`Nobody has bought ${product?.name} in ${store.name}.`);
  const { missing } = countsOf(owners);
  if (options.dryRun || missing === 0) {
    print(owners, columns);
    return note(`${sentence(owners)} Nothing was sent${options.dryRun ? ': this was a dry run' : ''}.`);
  }
  if (!options.yes) {
    const question = `${sentence(owners)} Send ${product?.name} to ${counted(missing, 'owner')}? Type send to go on.`;
    await ask(question, '--yes', (text) => (text === 'send' ? undefined : 'Type send, or press Ctrl-C.'));
  }
  const log = await openLog(target);
  await noteInLog(log('product.sent', store.id, { product: id, since, owners: missing }));
  const run = { store: store.id, name: `send ${since}`, productId: id, message: options.message };
  const progress = startProgress('Sending');
  const { signal, release } = untilInterrupted();
  try {
    await sendVersion(version, owners, {
      order: (owner) => orderFor(run, owner, signal),
      look: (coming) => lookAt(store.id, coming),
      pause: () => pause(betweenLooksMillis, signal),
      onChange: () => progress.update(countsOf(owners).has, owners.length),
      isStopped: () => signal.aborted,
    });
  } finally {
    progress.end();
    release();
  }
  tell(owners, since, signal.aborted);
};

/** Adds `store products send`. */
export const addProductsSend = (products: StoreCommand): void => {
  products
    .command('send')
    .description(
      "Sends the new version of a product to everybody who bought it, each owner once. Put it into the box first, under the name of the product's item. Lists who has it and who does not yet. The same command again goes on where it was.",
    )
    .argument('<product>', 'the id of the product')
    .requiredOption(
      '--since <time>',
      'when the new version came into the box: who got a delivery later has it. A duration ago, a day (its start, in UTC) or a time',
      parseStart,
    )
    .option('--message <text>', 'the note that comes with it, at most 1,023 bytes', parsedBy(message()), '')
    .option('--dry-run', 'list who would get it, and send nothing')
    .option('--yes', 'send without asking')
    .examples(
      `store products send ${exampleId} --since 2030-12-24T18:00Z --dry-run`,
      `store products send ${exampleId} --since 2030-12-24T18:00Z --message "Your chair, version 2" --yes`,
    )
    .runs(send);
};
