import type { FunctionComponent } from 'preact';
import { CustomerPage } from './pages/customer.tsx';
import { CustomersPage } from './pages/customers.tsx';
import { DeliveriesPage } from './pages/deliveries.tsx';
import { HomePage } from './pages/home.tsx';
import type { Scope } from './session.ts';
import { texts } from './texts.ts';

/**
 * Every page: a row here, a file in `pages/` whose component gets the parameters of the path, and its texts in `texts.ts`.
 * A row with a `title` is in the menu; a page whose scopes the key lacks is neither shown there nor opened.
 */
export interface PageRow {
  path: string;
  title?: string;
  scopes: readonly Scope[];
  component: FunctionComponent<Record<string, string>>;
}

const page = <P extends Record<string, string>>(
  path: string,
  component: FunctionComponent<P>,
  scopes: readonly Scope[],
  title?: string,
): PageRow => ({
  path,
  component: component as unknown as PageRow['component'],
  scopes,
  ...(title !== undefined && { title }),
});

export const pages: readonly PageRow[] = [
  page('/', HomePage, [], texts.home.title),
  page('/customers', CustomersPage, ['customers:read'], texts.customers.title),
  page('/customers/:identifier', CustomerPage, ['customers:read']),
  page('/deliveries', DeliveriesPage, ['deliveries:read'], texts.deliveries.title),
];
