import { listDeliveries } from '../../lib/delivery/deliveries.ts';
import { type Dispenser, findDispenser } from '../../lib/delivery/dispensers.ts';
import { findKey } from '../../lib/store/api-keys.ts';
import { rotateSecret } from '../deployment/dispenser.ts';
import { shown } from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { type Column, note, print, shownTime } from '../terminal/output.ts';

/** A dispenser as it is shown: never with its secrets. */
interface ShownDispenser extends Pick<Dispenser, 'region' | 'registeredAt' | 'oldSecretUntil'> {
  url: string | undefined;
  /** The key that registered it; undefined where a registration of an earlier version does not say. */
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

const keyOf = async (id: string | undefined, target: Target): Promise<ShownDispenser['key']> => {
  const found = id === undefined ? undefined : await findKey(id);
  if (!found) return undefined;
  const { name, prefix, state } = shown(found, target);
  return { name, prefix, state };
};

const show = async (options: GlobalOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const dispenser = await findDispenser(store.id);
  if (!dispenser) return print([], columns, `No dispenser of ${store.name} has registered yet: see inworld/README.md.`);
  const [newest] = await listDeliveries(store.id, 'delivered')({ descending: true, limit: 1 });
  const { url, region, keyId, registeredAt, oldSecretUntil, lostAt, lostReason } = dispenser;
  const key = await keyOf(keyId, target);
  const lastDeliveredAt = newest?.deliveredAt;
  print<ShownDispenser>(
    { url, region, key, registeredAt, lastDeliveredAt, lostAt, lostReason, ...(oldSecretUntil && { oldSecretUntil }) },
    columns,
  );
};

const rotate = async (options: GlobalOptions): Promise<void> => {
  const { target, store } = await openStore(options);
  const log = await openLog(target);
  const { oldSecretUntil } = await rotateSecret(store.id, log('dispenser.rotated', store.id, {}));
  print({ rotated: true, oldSecretUntil }, [
    { heading: 'rotated', cell: () => 'yes' },
    { heading: 'the old secret ends', cell: () => shownTime(oldSecretUntil) },
  ]);
  note('The box learns the new secret when it registers: at its next delivery, or within the hour. Deliveries go on.');
};

export const addDispenser = (program: StoreCommand): void => {
  const dispenser = program
    .command('dispenser')
    .description('The box that hands out products: show, rotate its secret.');

  dispenser
    .command('show')
    .description('Shows where the dispenser is, which key registered it, and when. Never shows its secret.')
    .examples('store dispenser show', 'store dispenser show --store "My Store" --json')
    .runs(show);

  dispenser
    .command('rotate')
    .description('Makes a new secret for the dispenser. The old one stays good for 15 minutes.')
    .examples('store dispenser rotate')
    .runs(rotate);
};
