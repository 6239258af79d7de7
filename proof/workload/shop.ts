import { createCategory } from '../../lib/routes/categories.ts';
import { createProduct } from '../../lib/routes/products.ts';
import { createWebhook } from '../../lib/routes/webhooks.ts';
import type { World } from './action.ts';
import { type Service, send } from './client.ts';

const sharedCategories = 3;
const limitedProducts = 4;
const copiesEach = 8;

/** Makes the categories that all clients use, the limited products that all sell, and a webhook. */
export const openShop = async (
  service: Service,
  webhook: { url: string; events: readonly string[] },
): Promise<Pick<World, 'shared' | 'limited' | 'webhooks'>> => {
  const { book } = service;
  const shared: string[] = [];
  for (let index = 0; index < sharedCategories; index++) {
    const name = `Shared ${index}`;
    const { id } = (await send(service, createCategory, { body: { name } })).body;
    shared.push(id);
    book.members.set(id, new Set());
    book.changed('CATEGORY', id, { name });
  }
  const limited: { id: string; price: number }[] = [];
  for (let index = 0; index < limitedProducts; index++) {
    const fields = { name: `Limited ${index}`, price: 10 * index };
    const body = { ...fields, limited: true, availableAmount: copiesEach };
    const { id } = (await send(service, createProduct, { body })).body;
    limited.push({ id, price: fields.price });
    book.stocks.set(id, copiesEach);
    book.changed('PRODUCT', id, { ...fields, active: true });
  }
  const { id } = (await send(service, createWebhook, { body: webhook })).body;
  return { shared, limited, webhooks: [id] };
};
