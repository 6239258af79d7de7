import type { FunctionComponent } from 'preact';
import { HomePage } from './pages/home.tsx';
import { later } from './parts/later.tsx';
import type { Scope } from './session.ts';
import { texts } from './texts.ts';

type Parameters = Record<string, string>;

/**
 * Every page: a row here, a file in `pages/` whose component gets the parameters of the path, and its texts in
 * `texts.ts`. A row with a `title` is in the menu; a page whose scopes the key lacks is neither shown there nor opened.
 * Pages other than the first are imported when they are opened.
 */
export interface PageRow {
  path: string;
  title?: string;
  scopes: readonly Scope[];
  component: FunctionComponent<Parameters>;
}

const page = <P extends Parameters>(
  path: string,
  load: () => Promise<FunctionComponent<P>>,
  scopes: readonly Scope[],
  title?: string,
): PageRow => ({
  path,
  component: later(load as unknown as () => Promise<FunctionComponent<Parameters>>),
  scopes,
  ...(title !== undefined && { title }),
});

export const pages: readonly PageRow[] = [
  { path: '/', component: HomePage, scopes: [], title: texts.home.title },
  page(
    '/customers',
    async () => (await import('./pages/customers.tsx')).CustomersPage,
    ['customers:read'],
    texts.customers.title,
  ),
  page('/customers/:identifier', async () => (await import('./pages/customer.tsx')).CustomerPage, ['customers:read']),
  page('/sales', async () => (await import('./pages/sales.tsx')).SalesPage, ['sales:read'], texts.sales.title),
  page('/sales/:id', async () => (await import('./pages/sale.tsx')).SalePage, ['sales:read']),
  page(
    '/deliveries',
    async () => (await import('./pages/deliveries.tsx')).DeliveriesPage,
    ['deliveries:read'],
    texts.deliveries.title,
  ),
  page(
    '/products',
    async () => (await import('./pages/products.tsx')).ProductsPage,
    ['products:read'],
    texts.products.title,
  ),
  page('/products/new', async () => (await import('./pages/product.tsx')).NewProductPage, [
    'products:read',
    'products:write',
  ]),
  page('/products/:id', async () => (await import('./pages/product.tsx')).ProductPage, ['products:read']),
  page(
    '/categories',
    async () => (await import('./pages/categories.tsx')).CategoriesPage,
    ['categories:read'],
    texts.categories.title,
  ),
  page('/categories/:id', async () => (await import('./pages/category.tsx')).CategoryPage, ['categories:read']),
  page(
    '/coupons',
    async () => (await import('./pages/coupons.tsx')).CouponsPage,
    ['coupons:read'],
    texts.coupons.title,
  ),
  page(
    '/giftcards',
    async () => (await import('./pages/gift-cards.tsx')).GiftCardsPage,
    ['giftcards:read'],
    texts.giftCards.title,
  ),
  page('/events', async () => (await import('./pages/events.tsx')).EventsPage, ['events:read'], texts.events.title),
];
