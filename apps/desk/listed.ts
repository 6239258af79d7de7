import type { ProductResponse } from '../client/client.ts';
import type { Session } from './session.ts';

/** A product, and whether it is listed, which only the service's lists tell. */
export interface ShownProduct {
  product: ProductResponse;
  isListed: boolean;
}

/** Reads a product with its version. It is not listed if the list of unlisted products has it. */
export const readProduct = async ({ client }: Session, id: string, signal?: AbortSignal): Promise<ShownProduct> => {
  const given = signal ? { signal } : {};
  const product = await client.get('/v1/products/{id}', { path: { id }, ...given });
  const { active } = product;
  const search = [...product.name].slice(0, 100).join('');
  for await (const { id: other } of client.rows('/v1/products', {
    query: { listed: false, active, search, limit: 1000 },
    ...given,
  }))
    if (other === product.id) return { product, isListed: false };
  return { product, isListed: true };
};
