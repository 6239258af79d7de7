import { setTimeout as sleep } from 'node:timers/promises';
import { now, timestamp } from '../clock.ts';
import { checkAddress, scripts } from '../delivery/address.ts';
import { post, until } from '../delivery/call.ts';
import type { Handling } from '../delivery/deliver.ts';
import type { ProductChange, VendorChange } from '../delivery/message.ts';
import { sendMessages } from '../delivery/queue.ts';
import { perProcess } from '../process.ts';
import { partition, vendorKey } from '../table/keys.ts';
import { above, all, any, atMost, is, missing, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { write } from '../table/table.ts';
import { findVendor, isOverdue, rowsOfProduct, type VendorItem } from './vendors.ts';

/**
 * Tells vendors that what they show has changed: docs/adr/0059-vendors.md. No call is guaranteed. A vendor registers
 * after such a call, and reads the answer.
 */

/**
 * A vendor is not told again within this time: ten seconds, and a reserve, since one call may take longer on its way
 * than the next.
 */
const quietMillis = 10_250;

/** The time between two calls for one store: over a twentieth of a second, since clocks and networks are uneven. */
const spacingMillis = 55;

/** A call waits for its turn at most this long. If others are still ahead, its message comes back later. */
const mostAheadMillis = 1000;

const callMillis = 5000;

/** One message tells at most this many vendors of a product. */
const vendorsAtOnce = 1000;

const callsKey = (store: string): Key => ({ pk: partition(store, 'UNITS'), sk: 'vendor-calls' });

/** The time of a store's next call, in milliseconds; undefined if too many are ahead. */
const nextTurn = async (store: string): Promise<number | undefined> => {
  const at = now();
  const key = callsKey(store);
  const end = { [ttlAttribute]: Math.ceil(at / 1000) + 3600 };
  const behind = update(key, {
    add: { usedUntil: spacingMillis },
    set: end,
    when: all(above('usedUntil', at), atMost('usedUntil', at + mostAheadMillis)),
  });
  const fresh = update(key, {
    set: { ...end, usedUntil: at + spacingMillis },
    when: any(missing('usedUntil'), atMost('usedUntil', at)),
  });
  for (const one of [behind, fresh, behind]) {
    const outcome = await write<{ usedUntil: number }>(one);
    if (outcome.done) return outcome.result.usedUntil - spacingMillis;
  }
  return undefined;
};

/** When this process last began a call for each store, by `performance.now()`. */
const lastCalls = perProcess(() => new Map<string, number>());

/**
 * Waits for a turn. If a busy process missed some turns, it also waits for the calls ahead, so that they do not all
 * begin at once.
 */
const waitFor = async (store: string, turn: number): Promise<void> => {
  await sleep(Math.max(turn - now(), 0));
  const last = lastCalls();
  const left = () => (last.get(store) ?? Number.NEGATIVE_INFINITY) + spacingMillis - performance.now();
  for (let millis = left(); millis > 0; millis = left()) await sleep(millis);
  if (last.size > 1000) last.clear();
  last.set(store, performance.now());
};

const secondsUntil = (millis: number): number => Math.max(Math.ceil((millis - now()) / 1000), 1);

/** Calls a vendor. Never throws, and always ends within the time-out. */
const call = async (url: string): Promise<Handling> => {
  const signal = AbortSignal.timeout(callMillis);
  try {
    const address = await until(signal, checkAddress(url, scripts));
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    const { status } = await post(address, { body: 'SIS1-CHANGED', headers }, signal);
    return { outcome: status < 300 ? 'told' : `answered ${status}` };
  } catch {
    return { outcome: 'no answer' };
  }
};

/**
 * Tells a vendor of a change that was made at `at` or before, unless it was told since. Within ten seconds of the last
 * call, the message comes back after that time.
 */
const tellVendor = async ({ store, vendor: uuid, at }: VendorChange): Promise<Handling> => {
  const vendor = await findVendor(store, uuid);
  if (!vendor?.url || vendor.lostAt !== undefined || isOverdue(vendor)) return { outcome: 'not there' };
  const { url, toldAt = '' } = vendor;
  if (toldAt >= at) return { outcome: 'told since' };
  const quietUntil = toldAt === '' ? 0 : Date.parse(toldAt) + quietMillis;
  if (now() < quietUntil) return { outcome: 'too soon', againSeconds: secondsUntil(quietUntil) };
  const turn = await nextTurn(store);
  if (turn === undefined) return { outcome: 'not its turn', againSeconds: secondsUntil(now() + mostAheadMillis) };
  await waitFor(store, turn);
  // If another message has told the vendor meanwhile, this message comes back and looks again.
  const set = { toldAt: timestamp(now()) };
  const noted = await write<VendorItem>(update(vendorKey(store, uuid), { set, when: is('toldAt', vendor.toldAt) }));
  if (!noted.done) return { outcome: 'told meanwhile', againSeconds: 1 };
  return call(url);
};

/** Queues a message for each vendor of a product, spread over time as `spacingMillis` allows. */
const tellOfProduct = async ({ store, product, at, after }: ProductChange): Promise<Handling> => {
  const from = after === undefined ? {} : { from: { position: after, inclusive: false } };
  const rows = await rowsOfProduct(store, product)({ descending: false, limit: vendorsAtOnce, ...from });
  const delayOf = (index: number): number => Math.floor((index * spacingMillis) / 1000);
  const messages = rows.map(({ sk: vendor }): VendorChange => ({ kind: 'vendor-changed', store, vendor, at }));
  await sendMessages(store, messages, 'vendors', delayOf);
  const last = rows.at(-1)?.sk;
  if (last !== undefined && rows.length === vendorsAtOnce) {
    const more: ProductChange = { kind: 'product-changed', store, product, at, after: last };
    await sendMessages(store, [more], 'vendors', () => delayOf(vendorsAtOnce));
  }
  return { outcome: `vendors to tell: ${rows.length}` };
};

/** Handles a message about a change: vendors must hear of it. */
export const tellChange = (message: ProductChange | VendorChange): Promise<Handling> =>
  message.kind === 'vendor-changed' ? tellVendor(message) : tellOfProduct(message);
