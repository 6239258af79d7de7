import { listProducts } from '../../../lib/catalogue/products.ts';
import { now } from '../../../lib/clock.ts';
import { AddressError, checkAddress } from '../../../lib/delivery/address.ts';
import { listDeliveries } from '../../../lib/delivery/deliveries.ts';
import { type Dispenser, listBoxes, mainBox } from '../../../lib/delivery/dispensers.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { payoutsList } from '../../../lib/payout/payouts.ts';
import { type ApiKey, findKey } from '../../../lib/store/api-keys.ts';
import { listKeys } from '../../../lib/store/issued-keys.ts';
import { findStore, isOpen, type Store } from '../../../lib/store/stores.ts';
import { isCurrent } from '../deployment/keys.ts';
import { knowsAnybody } from '../deployment/scan.ts';
import type { Target } from '../deployment/target.ts';
import { grouped, shownTime } from '../terminal/output.ts';
import { type Finding, failIf, inWords, ok, warnIf } from './finding.ts';

/** The doctor's checks of one store. */

/** A closed store refuses every sale, and people forget that they closed it. */
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
  const unending = current.filter(({ scopes, expiresAt }) => scopes.includes('keys:write') && expiresAt === undefined);
  const found = [
    ...ending.map((key) =>
      warnIf(check, [
        `"${key.name}" ends ${shownTime(key.expiresAt)}`,
        `Replace it in time: store key rotate "${key.name}" --store ${id}`,
      ]),
    ),
    ...unending.map((key) =>
      warnIf(check, [
        `"${key.name}" can make keys, and never ends`,
        `Give it an end: store key rotate "${key.name}" --expires 365d --store ${id}`,
      ]),
    ),
  ];
  return found.length > 0 ? found : [ok(check, `${current.length} live, none ends within 14 days`)];
};

/** The inworld script registers hourly. */
const silentMillis = 3 * 3_600_000;

const scriptFix = 'See that its script runs inworld, and that the region is up (apps/inworld/README.md).';

/** The finding about one box. */
const checkBox = async (box: Dispenser, check: string, { id }: Store, { kind }: Target): Promise<Finding> => {
  const { url, region, registeredAt, lostReason, keyId } = box;
  if (!url) return failIf(check, [`its address was lost: ${lostReason ?? 'no reason'}`, scriptFix]);
  try {
    await checkAddress(url);
  } catch (error) {
    const why = error instanceof AddressError ? error.message : (error as NodeJS.ErrnoException).code;
    return failIf(check, [`its address must not be called: ${why}`, scriptFix]);
  }
  const silent = now() - Date.parse(registeredAt);
  const seen = `in ${region || 'an unnamed region'}, registered ${inWords(silent)} ago`;
  const key = await findKey(keyId);
  if (key && !isCurrent(key)) {
    const ended = `${seen} with the key "${key.name}", which is revoked, expired or rotated: it cannot register again`;
    const fix = `Put another key into its notecard: store key issue box --preset dispenser --store ${id}`;
    return warnIf(check, [ended, fix]);
  }
  const isLate = kind === 'stage' && silent > silentMillis;
  return warnIf(check, isLate && [`${seen}, though it should register hourly`, scriptFix], seen);
};

export const checkDispenser = async (store: Store, target: Target): Promise<Finding[]> => {
  const check = `dispenser of ${store.name}`;
  const boxes = await listBoxes(store.id);
  // If a store has no box and knows no resident, the API answers every call about an avatar with 404 or 400.
  const nobody = 'none has registered, and nobody has told of a resident: no call about an avatar succeeds';
  const place = 'If you sell inworld, place one there (apps/inworld/README.md).';
  const tell = `${place} Or tell of residents: store resident import residents.csv`;
  if (boxes.length === 0 && !(await knowsAnybody(store.id))) return [warnIf(check, [nobody, tell])];
  if (boxes.length === 0) return [warnIf(check, ['none has registered: deliveries wait', place])];
  const called = (name: string): string => (name === mainBox ? check : `dispenser ${name} of ${store.name}`);
  return Promise.all(boxes.map((box) => checkBox(box, called(box.name), store, target)));
};

const shownItems = 5;

/**
 * Compares the active products with the items that the boxes named when they last registered. A box that named no items
 * may hold any, so then there is no finding.
 */
export const checkItems = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `items of ${name}`;
  const boxes = (await listBoxes(id)).filter(({ url }) => url !== undefined);
  if (boxes.length === 0 || boxes.some(({ items }) => items.length === 0)) return [];
  const held = new Set(boxes.flatMap(({ items }) => items));
  const earliest = Math.min(...boxes.map(({ registeredAt }) => Date.parse(registeredAt)));
  const missing = new Set<string>();
  for await (const product of everyRow(listProducts(id, {}), (one) => one.id))
    if (!held.has(product.item)) missing.add(`"${product.item}"`);
  const told = `as ${boxes.length > 1 ? 'the boxes' : 'the box'} told ${inWords(now() - earliest)} ago`;
  const some = [...missing].slice(0, shownItems).join(', ');
  const more = missing.size > shownItems ? ` and ${grouped(missing.size - shownItems)} more` : '';
  const fault = `active products are delivered as ${some}${more}, which ${boxes.length > 1 ? 'none of them holds' : 'it does not hold'}, ${told}`;
  const fix = 'Put these items into the box. It tells what it holds within a minute.';
  return [
    warnIf(
      check,
      missing.size > 0 && [fault, fix],
      `all active products are in ${boxes.length > 1 ? 'a box' : 'the box'}, ${told}`,
    ),
  ];
};

const limit = 100;

const countText = ({ length }: readonly unknown[]): string => (length < limit ? String(length) : `${limit} or more`);

/** A restored table stops payouts. A payout whose outcome is unknown waits for a person. */
export const checkPayouts = async ({ id, name }: Store): Promise<Finding[]> => {
  const check = `payouts of ${name}`;
  const { payoutsBegunAt, payoutsStoppedAt } = (await findStore(id)) ?? {};
  if (payoutsBegunAt === undefined) return [];
  if (payoutsStoppedAt !== undefined) {
    const fix = `Book what was paid since: store reconcile --book. Then: store payouts resume --store ${id}`;
    return [warnIf(check, [`stopped since the table was restored, ${shownTime(payoutsStoppedAt)}`, fix])];
  }
  const unknown = await (await payoutsList(id, { state: 'unknown' })).source({ descending: false, limit });
  const fault = `of ${countText(unknown)} nobody knows whether they were paid`;
  const fix = `See the account's L$ history, or give it to store reconcile: store payouts show --state unknown --store ${id}`;
  return [warnIf(check, unknown.length > 0 && [fault, fix], 'begun; none is unknown')];
};

/** The doctor reports a failed delivery for a day. After that only the lists show it. */
const failedMillis = 24 * 3_600_000;

/**
 * Warns of deliveries that need a person: they failed within a day, or have waited longer than a box needs to register
 * again.
 */
export const checkDeliveries = async ({ id, name }: Store): Promise<Finding[]> => {
  const [failed, waiting] = await Promise.all([
    listDeliveries(id, 'failed')({ descending: true, limit }),
    listDeliveries(id, 'waiting')({ descending: false, limit }),
  ]);
  const detail = `${countText(failed)} failed, ${countText(waiting)} waiting for the dispenser`;
  const since = (time: string): number => now() - Date.parse(time);
  const lately = failed.filter(({ failedAt, createdAt }) => since(failedAt ?? createdAt) < failedMillis);
  const stuck = waiting.filter(({ createdAt }) => since(createdAt) > silentMillis);
  const faults = [
    ...(lately.length > 0 ? [`${countText(lately)} failed within a day`] : []),
    ...(stuck.length > 0 ? [`${countText(stuck)} waiting for more than ${inWords(silentMillis)}`] : []),
  ];
  const fix = `See why: store deliveries list --store ${id}`;
  return [warnIf(`deliveries of ${name}`, faults.length > 0 && [`${detail}: ${faults.join(', ')}`, fix], detail)];
};
