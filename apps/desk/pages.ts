import activity from 'lucide/dist/esm/icons/activity.mjs';
import archive from 'lucide/dist/esm/icons/archive.mjs';
import chartColumn from 'lucide/dist/esm/icons/chart-column.mjs';
import gift from 'lucide/dist/esm/icons/gift.mjs';
import house from 'lucide/dist/esm/icons/house.mjs';
import keyRound from 'lucide/dist/esm/icons/key-round.mjs';
import layoutGrid from 'lucide/dist/esm/icons/layout-grid.mjs';
import notebook from 'lucide/dist/esm/icons/notebook-text.mjs';
import box from 'lucide/dist/esm/icons/package.mjs';
import settings from 'lucide/dist/esm/icons/settings.mjs';
import shoppingBag from 'lucide/dist/esm/icons/shopping-bag.mjs';
import slidersHorizontal from 'lucide/dist/esm/icons/sliders-horizontal.mjs';
import store from 'lucide/dist/esm/icons/store.mjs';
import ticketPercent from 'lucide/dist/esm/icons/ticket-percent.mjs';
import truck from 'lucide/dist/esm/icons/truck.mjs';
import users from 'lucide/dist/esm/icons/users.mjs';
import wallet from 'lucide/dist/esm/icons/wallet.mjs';
import webhook from 'lucide/dist/esm/icons/webhook.mjs';
import type { FunctionComponent } from 'preact';
import type { Scope } from '../../lib/routes/scopes.ts';
import type { MenuEntry, PageParameters, PageRow } from './page-row.ts';
import { HomePage } from './pages/home.tsx';
import { later } from './parts/later.tsx';
import { texts } from './texts.ts';

const t = texts.titles;

const page = <P extends PageParameters>(
  path: string,
  load: () => Promise<FunctionComponent<P>>,
  scopes: readonly Scope[],
  menu?: MenuEntry,
): PageRow => ({
  path,
  component: later(load as unknown as () => Promise<FunctionComponent<PageParameters>>),
  scopes,
  ...(menu && { menu }),
});

/** The pages, in the order of the menu. */
export const pages: readonly PageRow[] = [
  { path: '/', component: HomePage, scopes: [], menu: { title: texts.home.title, icon: house } },
  page('/sales', async () => (await import('./pages/sales.tsx')).SalesPage, ['sales:read'], {
    title: t.sales,
    icon: shoppingBag,
    group: 'sell',
  }),
  page('/sales/:id', async () => (await import('./pages/sale.tsx')).SalePage, ['sales:read']),
  page('/products', async () => (await import('./pages/products.tsx')).ProductsPage, ['products:read'], {
    title: t.products,
    icon: box,
    group: 'sell',
  }),
  page('/products/new', async () => (await import('./pages/product.tsx')).NewProductPage, [
    'products:read',
    'products:write',
  ]),
  page('/products/:id', async () => (await import('./pages/product.tsx')).ProductPage, ['products:read']),
  page('/products/:id/version', async () => (await import('./pages/new-version.tsx')).NewVersionPage, [
    'products:read',
    'products:redeliver',
    'sales:read',
    'deliveries:read',
  ]),
  page('/categories', async () => (await import('./pages/categories.tsx')).CategoriesPage, ['categories:read'], {
    title: t.categories,
    icon: layoutGrid,
    group: 'sell',
  }),
  page('/categories/:id', async () => (await import('./pages/category.tsx')).CategoryPage, ['categories:read']),
  page('/rules', async () => (await import('./pages/rules.tsx')).RulesPage, ['store:write'], {
    title: t.rules,
    icon: slidersHorizontal,
    group: 'sell',
  }),
  page('/customers', async () => (await import('./pages/customers.tsx')).CustomersPage, ['customers:read'], {
    title: t.customers,
    icon: users,
    group: 'customers',
  }),
  page('/customers/:identifier', async () => (await import('./pages/customer.tsx')).CustomerPage, ['customers:read']),
  page('/giftcards', async () => (await import('./pages/gift-cards.tsx')).GiftCardsPage, ['giftcards:read'], {
    title: t.giftCards,
    icon: gift,
    group: 'customers',
  }),
  page('/coupons', async () => (await import('./pages/coupons.tsx')).CouponsPage, ['coupons:read'], {
    title: t.coupons,
    icon: ticketPercent,
    group: 'customers',
  }),
  page('/vendors', async () => (await import('./pages/vendors.tsx')).VendorsPage, ['vendors:read'], {
    title: t.vendors,
    icon: store,
    group: 'inworld',
  }),
  page('/vendors/:uuid', async () => (await import('./pages/vendor.tsx')).VendorPage, ['vendors:read']),
  page('/boxes', async () => (await import('./pages/boxes.tsx')).BoxesPage, ['deliveries:read'], {
    title: t.boxes,
    icon: archive,
    group: 'inworld',
  }),
  page('/deliveries', async () => (await import('./pages/deliveries.tsx')).DeliveriesPage, ['deliveries:read'], {
    title: t.deliveries,
    icon: truck,
    group: 'inworld',
  }),
  page('/setup/:object', async () => (await import('./pages/setup.tsx')).SetupPage, []),
  page('/reports', async () => (await import('./pages/reports.tsx')).ReportsPage, ['sales:read'], {
    title: t.reports,
    icon: chartColumn,
    group: 'money',
  }),
  page('/payouts', async () => (await import('./pages/payouts.tsx')).PayoutsPage, ['payouts:read'], {
    title: t.payouts,
    icon: wallet,
    group: 'money',
  }),
  page('/settings', async () => (await import('./pages/settings.tsx')).SettingsPage, [], {
    title: t.settings,
    icon: settings,
    group: 'settings',
  }),
  page('/team', async () => (await import('./pages/team.tsx')).TeamPage, ['keys:read'], {
    title: t.team,
    icon: keyRound,
    group: 'settings',
  }),
  page('/journal', async () => (await import('./pages/journal.tsx')).JournalPage, ['journal:read'], {
    title: t.journal,
    icon: notebook,
    group: 'settings',
  }),
  page('/webhooks', async () => (await import('./pages/webhooks.tsx')).WebhooksPage, ['webhooks:write'], {
    title: t.webhooks,
    icon: webhook,
    group: 'settings',
  }),
  page('/webhooks/:id', async () => (await import('./pages/webhook.tsx')).WebhookPage, ['webhooks:write']),
  page('/journal/events', async () => (await import('./pages/events.tsx')).EventsPage, ['events:read'], {
    title: t.events,
    icon: activity,
    group: 'settings',
    unless: 'journal:read',
  }),
  page('/import/:kind', async () => (await import('./pages/import.tsx')).ImportPage, []),
  page('/help', async () => (await import('./pages/help.tsx')).HelpPage, []),
];
