import type { FunctionComponent } from 'preact';
import type { PageParameters, PageRow } from './page-row.ts';
import { HomePage } from './pages/home.tsx';
import { later } from './parts/later.tsx';
import type { Scope } from './session.ts';
import { texts } from './texts.ts';

const page = <P extends PageParameters>(
  path: string,
  load: () => Promise<FunctionComponent<P>>,
  scopes: readonly Scope[],
  title?: string,
): PageRow => ({
  path,
  component: later(load as unknown as () => Promise<FunctionComponent<PageParameters>>),
  scopes,
  ...(title !== undefined && { title }),
});

export const pages: readonly PageRow[] = [
  { path: '/', component: HomePage, scopes: [], title: texts.home.title },
  page(
    '/customers',
    async () => (await import('./pages/customers.tsx')).CustomersPage,
    ['customers:read'],
    texts.titles.customers,
  ),
  page('/customers/:identifier', async () => (await import('./pages/customer.tsx')).CustomerPage, ['customers:read']),
  page('/sales', async () => (await import('./pages/sales.tsx')).SalesPage, ['sales:read'], texts.titles.sales),
  page('/sales/:id', async () => (await import('./pages/sale.tsx')).SalePage, ['sales:read']),
  page('/reports', async () => (await import('./pages/reports.tsx')).ReportsPage, ['sales:read'], texts.titles.reports),
  page(
    '/payouts',
    async () => (await import('./pages/payouts.tsx')).PayoutsPage,
    ['payouts:read'],
    texts.titles.payouts,
  ),
  page(
    '/vendors',
    async () => (await import('./pages/vendors.tsx')).VendorsPage,
    ['vendors:read'],
    texts.titles.vendors,
  ),
  page('/vendors/:uuid', async () => (await import('./pages/vendor.tsx')).VendorPage, ['vendors:read']),
  page(
    '/deliveries',
    async () => (await import('./pages/deliveries.tsx')).DeliveriesPage,
    ['deliveries:read'],
    texts.titles.deliveries,
  ),
  page('/boxes', async () => (await import('./pages/boxes.tsx')).BoxesPage, ['deliveries:read'], texts.titles.boxes),
  page(
    '/products',
    async () => (await import('./pages/products.tsx')).ProductsPage,
    ['products:read'],
    texts.titles.products,
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
    texts.titles.categories,
  ),
  page('/setup/:object', async () => (await import('./pages/setup.tsx')).SetupPage, []),
  page('/categories/:id', async () => (await import('./pages/category.tsx')).CategoryPage, ['categories:read']),
  page(
    '/coupons',
    async () => (await import('./pages/coupons.tsx')).CouponsPage,
    ['coupons:read'],
    texts.titles.coupons,
  ),
  page('/rules', async () => (await import('./pages/rules.tsx')).RulesPage, ['store:write'], texts.titles.rules),
  page(
    '/giftcards',
    async () => (await import('./pages/gift-cards.tsx')).GiftCardsPage,
    ['giftcards:read'],
    texts.titles.giftCards,
  ),
  page(
    '/webhooks',
    async () => (await import('./pages/webhooks.tsx')).WebhooksPage,
    ['webhooks:write'],
    texts.titles.webhooks,
  ),
  page('/webhooks/:id', async () => (await import('./pages/webhook.tsx')).WebhookPage, ['webhooks:write']),
  page('/events', async () => (await import('./pages/events.tsx')).EventsPage, ['events:read'], texts.titles.events),
  page('/settings', async () => (await import('./pages/settings.tsx')).SettingsPage, [], texts.titles.settings),
  page('/import/:kind', async () => (await import('./pages/import.tsx')).ImportPage, []),
  page('/help', async () => (await import('./pages/help.tsx')).HelpPage, []),
];
