import { now } from '../../lib/clock.ts';
import type { Store } from '../../lib/store/stores.ts';
import { registerVendor } from '../../lib/vendor/register.ts';
import { findVendor } from '../../lib/vendor/vendors.ts';
import { at, day, demoUuid } from './residents.ts';

/** Vendors in the store's shop. `seen` is the number of days since they last registered. The second is lost. */
const demoVendors = [
  { id: demoUuid(13, 1), name: 'Bench vendor', position: '<128, 64, 22>', productId: demoUuid(3, 1), seen: 0 },
  { id: demoUuid(13, 2), name: 'Old vendor', position: '<12, 200, 31>', productId: demoUuid(3, 3), seen: 3 },
] as const;

export const seedVendors = async ({ id: store }: Store): Promise<void> => {
  for (const { id, seen, ...told } of demoVendors) {
    if (await findVendor(store, id)) continue;
    const registration = { ...told, region: 'Cloud Edge', script: 'vendor.lsl', url: undefined, search: undefined };
    await at(now() - seen * day, () => registerVendor(store, id, { ...registration, picked: false }));
  }
};
