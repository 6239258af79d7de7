import { findStoredProduct, productsNamed, type StoredProduct } from '../catalogue/products.ts';
import { now, timestamp } from '../clock.ts';
import { scripts } from '../delivery/address.ts';
import { checkSent } from '../delivery/register.ts';
import { invalid } from '../problem.ts';
import type { VendorAnswer, VendorRegistration } from '../routes/vendors.ts';
import { answer, type Decision, decide, writeAll, writeOne } from '../table/decide.ts';
import { vendorCountKey, vendorKey } from '../table/keys.ts';
import { all, any, below, exists, is, isNew, missing, put, update } from '../table/language.ts';
import { getMany } from '../table/table.ts';
import { findVendor, isOverdue, lostMillis, selling, type VendorItem, vendorAnswers } from './vendors.ts';

/** The partition of the index with the vendors of all stores, by the time at which the sweep looks at them. */
export const dueList = 'VENDOR#DUE';

const maxVendors = 10_000;

/** A registration that changes nothing is written again after this time. */
const quietMillis = 3_600_000;

const maxChoices = 9;

/** The fields that a vendor tells about itself at each registration. */
const toldOf = ({ name, region, position, script, url }: VendorRegistration) => ({
  name,
  region,
  position,
  script,
  url,
});

type Told = ReturnType<typeof toldOf>;

const isSame = (vendor: VendorItem, told: Told): boolean =>
  (Object.keys(told) as (keyof Told)[]).every((name) => vendor[name] === told[name]);

const isNews = (vendor: VendorItem, told: Told): boolean =>
  !isSame(vendor, told) || vendor.lostAt !== undefined || now() >= Date.parse(vendor.seenAt) + quietMillis;

/**
 * The attributes that a registration sets. Only the sweep moves `due` on, so a later registration writes to no index.
 */
const seen = (told: Told, at: string, isDue: boolean) => ({
  ...told,
  seenAt: at,
  lostAt: undefined,
  ...(!isDue && { dues: dueList, due: timestamp(Date.parse(at) + lostMillis) }),
});

/** The first registration of a vendor. Throws 400 if the store has too many. */
const first = (store: string, uuid: string, told: Told, product: StoredProduct | undefined): Decision<VendorItem> => {
  const at = timestamp(now());
  const set = { ...seen(told, at, false), ...selling(store, product?.sk) };
  const present = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) as typeof set;
  const item: VendorItem = { ...vendorKey(store, uuid), ...present, registeredAt: at };
  const count = vendorCountKey(store);
  const counted = update(count, { add: { count: 1 }, when: any(missing('count'), below('count', maxVendors)) });
  return writeAll([put(item, isNew), counted], {
    result: item,
    ifRefused: (refused) => {
      if (refused.by(item) || !refused.by(count)) return undefined;
      throw invalid(`A store has at most ${maxVendors} vendors: delete those that are gone.`);
    },
  });
};

/** A further registration. It sets a product only while the vendor has none. */
const again = (vendor: VendorItem, store: string, told: Told, picked: StoredProduct | undefined) =>
  writeOne<VendorItem, VendorItem>(
    update(vendor, {
      set: { ...seen(told, timestamp(now()), vendor.due !== undefined), ...(picked && selling(store, picked.sk)) },
      // If the sweep has noted meanwhile that the vendor is lost, the step is asked again: the vendor needs its place
      // in the sweep's list back.
      when: all(exists, is('lostAt', vendor.lostAt), picked && missing('productId')),
    }),
    { result: (item) => item },
  );

/**
 * Registers a vendor, and answers what it sells. The reads are eventually consistent, so a write is on condition that
 * what was read still holds. Throws 400 for an address that must not be called, and beyond 10,000 vendors in a store.
 */
export const registerVendor = async (
  store: string,
  uuid: string,
  registration: VendorRegistration,
): Promise<VendorAnswer> => {
  const { productId, picked, search } = registration;
  const told = toldOf(registration);
  const [known] = await getMany<VendorItem>([vendorKey(store, uuid)]);
  if (told.url !== undefined && told.url !== known?.url) await checkSent(told.url, scripts, 'the address of a script');
  const vendor = await decide<VendorItem>(async (attempt) => {
    const found = attempt === 1 ? known : await findVendor(store, uuid);
    const mayPick = !found || (picked && found.productId === undefined);
    const product = mayPick && productId !== undefined ? await findStoredProduct(store, productId) : undefined;
    if (!found) return first(store, uuid, told, product);
    return product || isNews(found, told) || isOverdue(found) ? again(found, store, told, product) : answer(found);
  });
  const [[shown], choices] = await Promise.all([
    vendorAnswers(store, [vendor]),
    search === undefined ? undefined : productsNamed(store, search, maxChoices),
  ]);
  return { ...(shown as VendorAnswer), ...(choices && { choices }) };
};
