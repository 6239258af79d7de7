import { isSameText } from '../../lib/normalise.ts';
import { isUuid } from './format.ts';
import type { Session } from './session.ts';

/** Names of products, customers and vendors, which sales do not hold. Each is read once per tab. */

const known = new Map<string, Promise<string>>();

/** The name of a thing. One that cannot be read stays an id. */
const rememberName = (id: string, read: () => Promise<string>): Promise<string> => {
  const name = known.get(id) ?? read().catch(() => id.slice(0, 8));
  known.set(id, name);
  return name;
};

/** For a thing whose name has been changed. */
export const forgetName = (id: string): void => {
  known.delete(id);
};

export const productName = ({ client, can }: Session, id: string): Promise<string> =>
  rememberName(id, async () =>
    can('products:read') ? (await client.get('/v1/products/{id}', { path: { id } })).name : id.slice(0, 8),
  );

export const customerName = ({ client, can }: Session, uuid: string): Promise<string> =>
  rememberName(uuid, async () =>
    can('customers:read')
      ? (await client.get('/v1/customers/{identifier}', { path: { identifier: uuid } })).username
      : uuid,
  );

export const vendorName = ({ client, can }: Session, uuid: string): Promise<string> =>
  rememberName(uuid, async () =>
    can('vendors:read') ? (await client.get('/v1/vendors/{uuid}', { path: { uuid } })).name : uuid.slice(0, 8),
  );

const noProduct = '00000000-0000-0000-0000-000000000000';

/** The query for products whose names hold a text: the service takes 100 characters. */
export const searchFor = (text: string) => ({ search: [...text].slice(0, 100).join(''), limit: 100 });

/** The id of the product that a text names: its UUID, or the beginning of what a search finds. */
export const productOf = async ({ client, can }: Session, text: string, signal?: AbortSignal): Promise<string> => {
  if (isUuid(text) || !can('products:read')) return text;
  const { data } = await client.get('/v1/products', { query: searchFor(text), ...(signal && { signal }) });
  const exact = data.find(({ name }) => isSameText(name, text));
  return (exact ?? data[0])?.id ?? noProduct;
};
