import { listDeliveries } from '../../../lib/delivery/deliveries.ts';
import { type Dispenser, findDispenser, listBoxes, mainBox } from '../../../lib/delivery/dispensers.ts';
import { findKey } from '../../../lib/store/api-keys.ts';
import { removeBox, rotateSecret } from '../deployment/dispenser.ts';
import { shown } from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { printFields } from '../terminal/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { ask } from '../terminal/input.ts';
import { isInteractive, note } from '../terminal/output.ts';
import { addGroup } from './endpoints.ts';

type Opened = Awaited<ReturnType<typeof openStore>>;

interface NamedOptions extends GlobalOptions {
  name?: string;
}

const noBox = (name: string): Failure =>
  new Failure(`The store has no dispenser ${name}. List them: store dispenser list`);

/** Finds the box with a name. Without a name, finds the main box or, if there is none, the first of the list. */
const findBox = async (store: string, name: string | undefined): Promise<Dispenser | undefined> => {
  const found = await findDispenser(store, name);
  if (!found && name !== undefined) throw noBox(name);
  return found ?? (await listBoxes(store))[0];
};

/** A box as the command shows it, without its secrets. */
const readBox = async (box: Dispenser, { target, store }: Opened) => {
  const { url, region, keyId, registeredAt, oldSecretUntil, lostAt, lostReason } = box;
  const [newest] = await listDeliveries(store.id, 'delivered')({ descending: true, limit: 1 });
  const found = await findKey(keyId);
  const { name, prefix, state } = found ? shown(found, target) : {};
  // The table may lack the key that registered the dispenser.
  const key = found && { name, prefix, state };
  return { url, region, key, registeredAt, lastDeliveredAt: newest?.deliveredAt, oldSecretUntil, lostAt, lostReason };
};

const show = async (options: NamedOptions): Promise<void> => {
  const opened = await openStore(options);
  const box = await findBox(opened.store.id, options.name);
  printFields(
    box ? [await readBox(box, opened)] : [],
    [
      ['address', ({ url }) => url ?? 'lost'],
      'region',
      ['key', ({ key }) => key && `${key.name}, ${key.prefix}, ${key.state}`],
      ...(['registeredAt', 'lastDeliveredAt', 'lostAt', 'lostReason'] as const),
    ],
    `No dispenser of ${opened.store.name} has registered yet: see apps/inworld/README.md.`,
  );
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
  printFields([{ rotated: true, oldSecretUntil }], ['rotated', 'oldSecretUntil']);
  note('The box learns the new secret when it registers: at its next delivery, or within the hour. Deliveries go on.');
};

/** Adds the commands of endpoints, and others. */
export const addDispenser = (program: StoreCommand): void => {
  const dispenser = addGroup(program, 'dispenser');
  const nameOption = ['--name <name>', `the box of that name; ${mainBox} without it`] as const;

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
