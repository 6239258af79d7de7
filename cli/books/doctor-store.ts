import { now } from '../../lib/clock.ts';
import { AddressRefused, checkAddress } from '../../lib/delivery/address.ts';
import { listDeliveries } from '../../lib/delivery/deliveries.ts';
import { findDispenser } from '../../lib/delivery/dispensers.ts';
import { everyRow } from '../../lib/lists/source.ts';
import { type ApiKey, findKey } from '../../lib/store/api-keys.ts';
import { listProducts } from '../../lib/store/products.ts';
import { findStore, isOpen, type Store } from '../../lib/store/stores.ts';
import { listKeys } from '../deployment/api-keys.ts';
import { isCurrent } from '../deployment/keys.ts';
import { knowsAnybody } from '../deployment/scan.ts';
import type { Target } from '../deployment/target.ts';
import { grouped, shownTime } from '../terminal/output.ts';
import { type Finding, failIf, inWords, ok, warnIf } from './finding.ts';

/** The doctor's checks of one store. */

/** A closed store refuses every sale, which nobody may remember. */
export const checkOpen = async ({ id, name }: Store): Promise<Finding[]> => {
  const store = await findStore(id);
  const check = `sales of ${name}`;
  if (!store || isOpen(store)) return [ok(check, 'open')];
  const why = store.changed?.reason ? `: ${store.changed.reason}` : '';
  return [warnIf(check, [`closed since ${shownTime(store.changed?.at)}${why}`, `Open it: store open ${id}`])];
};

const soonMillis = 14 * 86_400_000;

const endsSoon = ({ expiresAt }: ApiKey): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) - now() < soonMillis;

export const checkKeys = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `keys of ${name}`;
  const current = (await listKeys(id)).filter(isCurrent);
  const ending = current.filter(endsSoon);
  const fix = `Issue one: store key issue "web shop" --preset shop --store ${id}`;
  if (current.length === 0) return [warnIf(check, ['no live key: nobody can call the API', fix])];
  if (ending.length === 0) return [ok(check, `${current.length} live, none ends within 14 days`)];
  return ending.map((key) =>
    warnIf(check, [
      `"${key.name}" ends ${shownTime(key.expiresAt)}`,
      `Replace it in time: store key rotate "${key.name}" --store ${id}`,
    ]),
  );
};

/** The inworld script registers hourly. */
const silentMillis = 3 * 3_600_000;

const scriptFix = 'See that its script runs inworld, and that the region is up (inworld/README.md).';

export const checkDispenser = async ({ id, name }: Store, { kind }: Target): Promise<Finding[]> => {
  const check = `dispenser of ${name}`;
  const dispenser = await findDispenser(id);
  const place = 'If you sell inworld, place one there (inworld/README.md).';
  // Without either, every call about an avatar is answered 404 or 400.
  const nobody = 'none has registered, and nobody has told of a resident: no call about an avatar succeeds';
  const tell = `${place} Or tell of residents: store resident import residents.csv`;
  if (!dispenser && !(await knowsAnybody(id))) return [failIf(check, [nobody, tell])];
  if (!dispenser) return [warnIf(check, ['none has registered: deliveries wait', place])];
  const { url, region, registeredAt, lostReason, keyId = '' } = dispenser;
  if (!url) return [failIf(check, [`its address was lost: ${lostReason ?? 'no reason'}`, scriptFix])];
  try {
    await checkAddress(url);
  } catch (error) {
    const why = error instanceof AddressRefused ? error.message : (error as NodeJS.ErrnoException).code;
    return [failIf(check, [`its address must not be called: ${why}`, scriptFix])];
  }
  const silent = now() - Date.parse(registeredAt);
  const seen = `in ${region || 'an unnamed region'}, registered ${inWords(silent)} ago`;
  const key = keyId === '' ? undefined : await findKey(keyId);
  if (key && !isCurrent(key)) {
    const ended = `${seen} with the key "${key.name}", which is revoked, expired or rotated: it cannot register again`;
    const fix = `Put another key into its notecard: store key issue box --preset dispenser --store ${id}`;
    return [warnIf(check, [ended, fix])];
  }
  const isLate = kind === 'stage' && silent > silentMillis;
  return [warnIf(check, isLate && [`${seen}, though it should register hourly`, scriptFix], seen)];
};

const shownItems = 5;

/** Compares the active products with the items that the dispenser told at its last registration, if it told any. */
export const checkItems = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `items of ${name}`;
  const { url, items = [], registeredAt = '' } = (await findDispenser(id)) ?? {};
  if (!url || items.length === 0) return [];
  const held = new Set(items);
  const missing = new Set<string>();
  for await (const product of everyRow(listProducts(id, {}), (one) => one.id))
    if (!held.has(product.item)) missing.add(`"${product.item}"`);
  const told = `as the box told ${inWords(now() - Date.parse(registeredAt))} ago`;
  const some = [...missing].slice(0, shownItems).join(', ');
  const more = missing.size > shownItems ? ` and ${grouped(missing.size - shownItems)} more` : '';
  const fault = `active products are delivered as ${some}${more}, which it does not hold, ${told}`;
  const fix = 'Put these items into the box. It tells what it holds within a minute.';
  return [warnIf(check, missing.size > 0 && [fault, fix], `all active products are in the box, ${told}`)];
};

const limit = 100;

const countOf = ({ length }: readonly unknown[]): string => (length < limit ? String(length) : `${limit} or more`);

/** An operator has a day to see a delivery that failed. Later it stands in the lists only. */
const failedMillis = 24 * 3_600_000;

/**
 * The deliveries of a store that need a person: those that failed within a day, and those that wait longer than a box
 * that registers takes to come back.
 */
export const checkDeliveries = async ({ id, name }: Store): Promise<Finding[]> => {
  const [failed, waiting] = await Promise.all([
    listDeliveries(id, 'failed')({ descending: true, limit }),
    listDeliveries(id, 'waiting')({ descending: false, limit }),
  ]);
  const detail = `${countOf(failed)} failed, ${countOf(waiting)} waiting for the dispenser`;
  const since = (time: string): number => now() - Date.parse(time);
  const lately = failed.filter(({ failedAt, createdAt }) => since(failedAt ?? createdAt) < failedMillis);
  const stuck = waiting.filter(({ createdAt }) => since(createdAt) > silentMillis);
  const faults = [
    ...(lately.length > 0 ? [`${countOf(lately)} failed within a day`] : []),
    ...(stuck.length > 0 ? [`${countOf(stuck)} waiting for more than ${inWords(silentMillis)}`] : []),
  ];
  const fix = `See why: store deliveries list --store ${id}`;
  return [warnIf(`deliveries of ${name}`, faults.length > 0 && [`${detail}: ${faults.join(', ')}`, fix], detail)];
};
