import type { Session } from '../session.ts';

/** Says how far a store has come with its first steps. */
export interface FirstDayState {
  /** The id of a product, if there is one. */
  product: string | undefined;
  hasBox: boolean;
  hasVendor: boolean;
  hasSale: boolean;
}

/** Set on this device when somebody has hidden the steps of a store. */
const hiddenName = ({ store }: Session): string => `desk.firstDay.${store.id}`;

export const hideFirstDay = (session: Session): void => localStorage.setItem(hiddenName(session), 'hidden');

/** Undefined if all steps are done or somebody has hidden them, and for a key that may not see them. */
export const readFirstDay = async (
  session: Session,
  hasBox: boolean,
  signal: AbortSignal,
): Promise<FirstDayState | undefined> => {
  const { client, can } = session;
  if (!can('deliveries:read', 'products:read', 'products:write', 'sales:read', 'vendors:read')) return undefined;
  if (localStorage.getItem(hiddenName(session)) !== null) return undefined;
  const one = { limit: 1 };
  const [delivered, vendors] = await Promise.all([
    client.get('/v1/deliveries', { query: { ...one, state: 'delivered' }, signal }),
    client.get('/v1/vendors', { query: one, signal }),
  ]);
  const hasDelivered = delivered.data.length > 0;
  const hasVendor = vendors.data.length > 0;
  // Only a store with a product and a box has delivered something.
  if (hasDelivered && hasVendor) return undefined;
  const [products, sales] = await Promise.all([
    client.get('/v1/products', { query: one, signal }),
    client.get('/v1/sales', { query: { ...one, state: 'completed' }, signal }),
  ]);
  const hasSale = hasDelivered || sales.data.length > 0;
  const product = products.data[0]?.id;
  return product && hasBox && hasVendor && hasSale ? undefined : { product, hasBox, hasVendor, hasSale };
};
