import { now } from '../../lib/clock.ts';
import { AddressRefused, checkAddress } from '../../lib/delivery/address.ts';
import { listDeliveries } from '../../lib/delivery/deliveries.ts';
import { findDispenser } from '../../lib/delivery/dispensers.ts';
import { type ApiKey, listKeys } from '../../lib/store/api-keys.ts';
import type { Store } from '../../lib/store/stores.ts';
import { isCurrent } from '../keys.ts';
import { shownTime } from '../output.ts';
import type { Target } from '../target.ts';
import { type Finding, fail, inWords, ok, warn } from './finding.ts';

/** What the doctor looks at for each store. */

const soonMillis = 14 * 86_400_000;

const endsSoon = ({ expiresAt }: ApiKey): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) - now() < soonMillis;

export const checkKeys = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `keys of ${name}`;
  const current = (await listKeys(id)).filter(isCurrent);
  if (current.length === 0)
    return [
      warn(
        check,
        'no live key: nobody can call the API',
        `Issue one: store key issue "web shop" --all-scopes --store ${id}`,
      ),
    ];
  const ending = current.filter(endsSoon);
  if (ending.length === 0) return [ok(check, `${current.length} live, none ends within 14 days`)];
  return ending.map((key) =>
    warn(
      check,
      `"${key.name}" ends ${shownTime(key.expiresAt)}`,
      `Replace it in time: store key rotate "${key.name}" --store ${id}`,
    ),
  );
};

/** The inworld script registers hourly. */
const silentMillis = 3 * 3_600_000;

const putIt = 'See that its script runs inworld, and that the region is up (inworld/README.md).';

export const checkDispenser = async ({ id, name }: Store, { kind }: Target): Promise<Finding[]> => {
  const check = `dispenser of ${name}`;
  const dispenser = await findDispenser(id);
  if (!dispenser)
    return [
      warn(check, 'none has registered: deliveries wait', 'Put one inworld (inworld/README.md), if you sell there.'),
    ];
  const { url, region, registeredAt, lostReason } = dispenser;
  if (!url) return [fail(check, `its address was lost: ${lostReason ?? 'no reason'}`, putIt)];
  try {
    await checkAddress(url);
  } catch (error) {
    const why = error instanceof AddressRefused ? error.message : (error as NodeJS.ErrnoException).code;
    return [fail(check, `its address is not one to call: ${why}`, putIt)];
  }
  const silent = now() - Date.parse(registeredAt);
  const seen = `in ${region || 'an unnamed region'}, registered ${inWords(silent)} ago`;
  return [
    kind === 'stage' && silent > silentMillis
      ? warn(check, `${seen}, though it should hourly`, putIt)
      : ok(check, seen),
  ];
};

export const checkDeliveries = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `deliveries of ${name}`;
  const some = 100;
  const [failed, waiting] = await Promise.all(
    (['failed', 'waiting'] as const).map((state) => listDeliveries(id, state)({ descending: false, limit: some })),
  );
  const count = (rows: unknown[] = []): string => (rows.length < some ? String(rows.length) : `${some} or more`);
  const detail = `${count(failed)} failed, ${count(waiting)} waiting for the dispenser`;
  if (!failed?.length && !waiting?.length) return [ok(check, detail)];
  return [warn(check, detail, `See why: store deliveries list --store ${id}`)];
};
