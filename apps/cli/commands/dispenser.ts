import { listDeliveries } from '../../../lib/delivery/deliveries.ts';
import {
  type Dispenser,
  dispenserAnswer,
  findDispenser,
  listBoxes,
  mainBox,
} from '../../../lib/delivery/dispensers.ts';
import type { DispenserRow } from '../../../lib/routes/dispenser.ts';
import { findKey } from '../../../lib/store/api-keys.ts';
import { removeBox, rotateSecret } from '../deployment/dispenser.ts';
import { shown } from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { ask } from '../terminal/input.ts';
import { type Column, isInteractive, note, print, shownTime } from '../terminal/output.ts';

interface NamedOptions extends GlobalOptions {
  name?: string;
}

/** A dispenser as it is shown: never with its secrets. */
interface ShownDispenser extends Pick<Dispenser, 'region' | 'registeredAt' | 'oldSecretUntil'> {
  url: string | undefined;
  /** The key that registered it; undefined where the table lacks it. */
  key: { name: string; prefix: string; state: string } | undefined;
  /** The time at which the newest delivery that was given was given. */
  lastDeliveredAt: string | undefined;
  lostAt: string | undefined;
  lostReason: string | undefined;
}

const columns: Column<ShownDispenser>[] = [
  { heading: 'address', cell: ({ url }) => url ?? 'lost', style: ({ url }) => (url ? 'green' : 'red'), wraps: true },
  { heading: 'region', cell: ({ region }) => region || undefined, wraps: true },
  {
    heading: 'key',
    cell: ({ key }) => key && `${key.name}, ${key.prefix}, ${key.state}`,
    style: ({ key }) => (key && key.state !== 'active' ? 'yellow' : undefined),
    wraps: true,
  },
  { heading: 'registered', cell: ({ registeredAt }) => shownTime(registeredAt) },
  { heading: 'last delivery', cell: ({ lastDeliveredAt }) => shownTime(lastDeliveredAt) },
  { heading: 'lost', cell: ({ lostAt, lostReason }) => lostAt && `${shownTime(lostAt)}: ${lostReason}`, wraps: true },
];

const dispenserApiKey = async (id: string, target: Target): Promise<ShownDispenser['key']> => {
  const found = await findKey(id);
  if (!found) return undefined;
  const { name, prefix, state } = shown(found, target);
  return { name, prefix, state };
};

const noBox = (name: string): Failure =>
  new Failure(`The store has no dispenser ${name}. List them: store dispenser list`);

/** The box of that name; without a name the main one, or else the one that is asked first. */
const findBox = async (store: string, name: string | undefined): Promise<Dispenser | undefined> => {
  const found = await findDispenser(store, name);
  if (!found && name !== undefined) throw noBox(name);
  return found ?? (await listBoxes(store))[0];
};

const show = async (options: NamedOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const dispenser = await findBox(store.id, options.name);
  if (!dispenser) return print([], columns, `No dispenser of ${store.name} has registered yet: see inworld/README.md.`);
  const [newest] = await listDeliveries(store.id, 'delivered')({ descending: true, limit: 1 });
  const { url, region, keyId, registeredAt, oldSecretUntil, lostAt, lostReason } = dispenser;
  const key = await dispenserApiKey(keyId, target);
  const lastDeliveredAt = newest?.deliveredAt;
  print<ShownDispenser>(
    { url, region, key, registeredAt, lastDeliveredAt, lostAt, lostReason, ...(oldSecretUntil && { oldSecretUntil }) },
    columns,
  );
};

const listColumns: Column<DispenserRow>[] = [
  { heading: 'name', cell: ({ name }) => name },
  { heading: 'priority', cell: ({ priority }) => String(priority) },
  { heading: 'region', cell: ({ region }) => region ?? undefined, wraps: true },
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => (state === 'lost' ? 'red' : 'green') },
  { heading: 'registered', cell: ({ registeredAt }) => shownTime(registeredAt) },
  { heading: 'lost', cell: ({ lostAt }) => (lostAt === null ? undefined : shownTime(lostAt)) },
  { heading: 'last error', cell: ({ lastError }) => lastError ?? undefined, wraps: true },
];

const list = async (options: GlobalOptions): Promise<void> => {
  const { store } = await openStore(options);
  const rows = (await listBoxes(store.id)).map(dispenserAnswer);
  print(rows, listColumns, `No dispenser of ${store.name} has registered yet: see inworld/README.md.`);
};

const remove = async (options: GlobalOptions & { yes?: boolean }, name: string): Promise<void> => {
  const { target, store } = await openStore(options);
  if (!(await findDispenser(store.id, name))) throw noBox(name);
  const question = `Remove the dispenser ${name} of ${store.name} on ${target.name}? Type its name to go on.`;
  if (!options.yes && isInteractive())
    await ask(question, '--yes', (answer) => (answer === name ? undefined : `Type ${name}, or press Ctrl-C.`));
  const logged = (await openLog(target))('dispenser.removed', store.id, { name });
  if (!(await removeBox(store.id, name, logged))) throw noBox(name);
  note(`Removed ${name}. Take its script or notecard away inworld: it comes back when it registers.`);
};

const rotate = async (options: NamedOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const { oldSecretUntil } = await rotateSecret(
    store.id,
    log('dispenser.rotated', store.id, options.name === undefined ? {} : { name: options.name }),
    options.name,
  );
  print({ rotated: true, oldSecretUntil }, [
    { heading: 'rotated', cell: () => 'yes' },
    { heading: 'the old secret ends', cell: () => shownTime(oldSecretUntil) },
  ]);
  note('The box learns the new secret when it registers: at its next delivery, or within the hour. Deliveries go on.');
};

export const addDispenser = (program: StoreCommand): void => {
  const dispenser = program
    .command('dispenser')
    .description('The boxes that hand out products: list, show, rotate a secret, remove.');
  const nameOption = ['--name <name>', `the box of that name; ${mainBox} without it`] as const;

  dispenser
    .command('list')
    .description('Lists the boxes in the order in which they are asked, and which are lost.')
    .examples('store dispenser list', 'store dispenser list --json')
    .runs(list);

  dispenser
    .command('show')
    .description('Shows where the dispenser is, which key registered it, and when. Never shows its secret.')
    .option(...nameOption)
    .examples('store dispenser show', 'store dispenser show --store "My Store" --json')
    .runs(show);

  dispenser
    .command('rotate')
    .description('Makes a new secret for the dispenser. The old one stays good for 15 minutes.')
    .option(...nameOption)
    .examples('store dispenser rotate')
    .runs(rotate);

  dispenser
    .command('remove')
    .argument('<name>', 'the name of the box')
    .description(
      'Removes a box that is gone for good: no delivery waits for it any more. Deliveries that it may have given wait until they are retried.',
    )
    .option('--yes', 'do not ask at a terminal')
    .examples('store dispenser remove main', 'store dispenser remove main --yes')
    .runs(remove);
};
